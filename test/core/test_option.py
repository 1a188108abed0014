# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options are declared once; values are read, checked and named in full."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from reactree_ros.core.option import (
    Parameter,
    Value,
    faults_of,
    full_name,
    group,
    groups,
    make,
    option,
    parameters_of,
    values_of,
)
from reactree_ros.errors import ConfigurationError

FLOWS = Parameter('flows', ('a', 'b'), 'Which.', choices=('a', 'b', 'c'))
ROWS = {
    'flows': FLOWS,
    'loud': Parameter('loud', False, 'Whether.'),
    'tries': Parameter('tries', 3, 'How often.', minimum=1, maximum=9),
    'speed': Parameter('speed', 1.5, 'How fast.', minimum=0.0, maximum=2.0),
    'name': Parameter('name', '', 'Whose.'),
}


@pytest.mark.parametrize(
    ('name', 'text', 'value'),
    [
        ('flows', 'c+a', ('c', 'a')),
        ('loud', 'True', True),
        ('tries', '9', 9),
        ('speed', '2', 2.0),
        ('name', 'true', 'true'),
    ],
)
def test_values_are_read_from_a_word(name: str, text: str, value: Value) -> None:
    read = ROWS[name].read(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ('name', 'text', 'allowed'),
    [
        ('flows', 'a+d', 'a list of some of a, b, c'),
        ('flows', 'a+a', 'a list of some of a, b, c'),
        ('flows', '', 'a list of some of a, b, c'),
        ('loud', 'yes', 'true or false'),
        ('tries', '0', 'an integer from 1 to 9'),
        ('tries', '2.5', 'an integer from 1 to 9'),
        ('speed', 'nan', 'a number from 0 to 2'),
        ('speed', 'fast', 'a number from 0 to 2'),
    ],
)
def test_what_is_not_allowed_is_named(name: str, text: str, allowed: str) -> None:
    with pytest.raises(ConfigurationError, match=f'parameter {name} is .*: it must be {allowed}'):
        ROWS[name].read(text)


def test_a_list_must_be_a_list_of_strings() -> None:
    assert FLOWS.check(['a']) == FLOWS.check(('c', 'b')) == ''
    assert all(FLOWS.check(value) for value in ('a', ['a', 1], None, []))
    assert FLOWS.convert(['b']) == ('b',)


def test_unknown_names_and_bad_values_are_told_together() -> None:
    faults = faults_of([*ROWS.values()], {'trys': 1, 'tries': 99})
    assert len(faults) == 2
    assert 'did you mean tries?' in faults[0]


class Hand(Enum):
    LEFT = 'left'
    RIGHT = 'right'


@dataclass(frozen=True)
class Arm:
    hands: tuple[Hand, ...] = option(tuple(Hand), 'Its hands.')
    reach: float = option(0.5, 'Reach.', unit='m', minimum=0.1, maximum=2.0, live=True)


@dataclass(frozen=True)
class Robot:
    name: str = option('', 'Name.')
    arm: Arm = group(Arm)
    tools: tuple[tuple[str, Any], ...] = groups(lambda: {'saw': Arm, 'drill': Arm})


NAMES = [
    *('name', 'arm.hands', 'arm.reach'),
    *('tools.saw.hands', 'tools.saw.reach', 'tools.drill.hands', 'tools.drill.reach'),
]


def test_groups_give_names_with_dots() -> None:
    rows = {row.name: row for row in parameters_of(Robot)}
    assert [*rows] == [*values_of(Robot())] == NAMES
    assert rows['arm.reach'].range == (0.1, 2.0) and rows['arm.reach'].live
    assert rows['arm.hands'].default == rows['arm.hands'].choices == ('left', 'right')


def test_options_are_made_from_values_by_full_name() -> None:
    given = {'name': 'r', 'arm.hands': ['right'], 'tools.saw.reach': 1}
    made = make(Robot, given)
    assert made.arm.hands == (Hand.RIGHT,)
    assert dict(made.tools)['saw'].reach == 1.0 and dict(made.tools)['drill'].reach == 0.5
    assert make(Robot, values_of(made)) == made and hash(made)
    assert make(Robot, {}) == Robot()


def test_wrong_options_are_named_in_full() -> None:
    with pytest.raises(ConfigurationError) as caught:
        make(Robot, {'wheel': 1.0, 'arm.reech': 1.0, 'tools.drill.reach': 9.0, 'hand': 'left'})
    assert str(caught.value).split('; ') == [
        'parameter arm.reech is unknown: did you mean arm.reach?',
        'parameter hand is unknown: did you mean arm.hands?',
        f'parameter wheel is unknown: known are {", ".join(NAMES)}',
        'parameter tools.drill.reach is 9.0: it must be a number from 0.1 to 2 (m)',
    ]


@pytest.mark.parametrize(
    ('short', 'full'),
    [('name', 'name'), ('reach', 'reach'), ('drill.reach', 'tools.drill.reach'), ('x', 'x')],
)
def test_a_short_name_stands_for_the_only_one(short: str, full: str) -> None:
    assert full_name(short, NAMES) == full
