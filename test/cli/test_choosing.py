# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The dialogue at the terminal that ends in a decision."""

from __future__ import annotations

import pytest

from reactree_ros.cli.choosing import Choosing
from reactree_ros.core.decision import Choices
from reactree_ros.models.person import options_of

OPTIONS = options_of(
    Choices(
        (*(f'go to room {number}' for number in range(1, 31)), 'open door 7'),
        recall=('cup',),
        explain=True,
    )
)


def take(*lines: str) -> str:
    """Type lines; return the decision, or what is shown if there is none yet."""
    choosing = Choosing('What now?', OPTIONS)
    for line in lines[:-1]:
        assert choosing.take(line) == ''
    return choosing.take(lines[-1]) or choosing.says


@pytest.mark.parametrize(
    ('lines', 'decision'),
    [
        (['1'], 'Act: open door 7'),
        (['go  to Room 3'], 'Act: go to room 3'),
        (['Act: go to room 3'], 'Act: go to room 3'),
        (['room 30', '31'], 'Act: go to room 30'),
        (['done'], 'Act: done'),
        (['done: two cups'], 'Act: done: two cups'),
        (['failure', 'it is locked'], 'Act: failure: it is locked'),
        (['think', '', 'think it is late'], 'Think: it is late'),
        (['Think: it is late'], 'Think: it is late'),
        (
            ['sequence', 'find it', 'bring "it"', ''],
            'Expand: sequence ["find it", "bring \\"it\\""]',
        ),
        (['fallback find it; ask'], 'Expand: fallback ["find it", "ask"]'),
        (['Expand: parallel ["a", "b"]'], 'Expand: parallel ["a", "b"]'),
        (['recall', 'recall location of cup'], 'Act: recall location of cup'),
    ],
)
def test_lines_make_a_decision(lines: list[str], decision: str) -> None:
    assert take(*lines) == decision


@pytest.mark.parametrize('line', ['room 3', 'door', 'recall cup'])
def test_a_part_of_a_name_lists_and_moves_nothing(line: str) -> None:
    listed = take(line)
    assert listed.endswith('\nDecide:')
    assert all(word in listed for word in line.split())


def test_what_is_not_possible_is_said() -> None:
    assert take('fly').startswith('Nothing that is possible now has "fly" in it.')
    assert take('99').startswith('Nothing')


def test_many_skills_are_shortened_and_star_lists_all() -> None:
    assert '… and 16 more' in take('')
    assert 'go to room 30' not in take('') and 'go to room 30' in take('*')
    assert 'recall' not in take('*')


def test_the_conditions_of_the_goal_are_typed_as_they_are() -> None:
    options = ('Conditions: none', 'Conditions: …')
    assert Choosing('What must hold?', options).take('none') == 'Conditions: none'
    typed = Choosing('What must hold?', options).take('cup on table')
    assert typed == 'Conditions: cup on table'
