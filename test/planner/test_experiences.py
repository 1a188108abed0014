# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What becomes an experience of a run that has ended, and in which words."""

from __future__ import annotations

from typing import Any

from reactree_ros.memory.experience import SEPARATOR, Termination, read_experiences
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.strategies.registry import strategy, strategy_names

DONE = 'Act: done'
SUCCESS, FAILURE, EXPAND = Termination.SUCCESS, Termination.FAILURE, Termination.EXPAND


def test_every_node_that_decided_how_it_ends_is_one(play: Any) -> None:
    played = play(
        {
            'bring the apple': ['Expand: sequence ["get it", "bring it"]'],
            'get it': ['Expand: fallback ["in the bedroom", "in the kitchen", "nowhere"]'],
            'in the bedroom': ['Act: failure'],
            'in the kitchen': ['Act: go to kitchen counter 1', 'Act: pick up apple 1', DONE],
            'bring it': ['Act: go to kitchen table 1', 'Act: put down apple 1', DONE],
        }
    )
    assert played.end().status == 'succeeded'
    told = [(one.goal, one.termination, one.root) for one in experiences_of(played.run)]
    assert told == [
        ('bring the apple', EXPAND, True),
        ('get it', EXPAND, False),
        ('in the bedroom', FAILURE, False),
        ('in the kitchen', SUCCESS, False),
        ('bring it', SUCCESS, False),
    ]


def test_the_text_is_what_is_read_from_a_file(play: Any, tmp_path: Any) -> None:
    played = play(
        {
            'bring the apple': ['Expand: sequence ["get it"]'],
            'get it': ['Think: on the counter', 'Act: go to kitchen counter 1', DONE],
        }
    )
    played.end()
    learned = experiences_of(played.run)
    path = tmp_path / 'learned.txt'
    path.write_text(f'{SEPARATOR}\n'.join(one.text for one in learned))
    read = read_experiences(path)
    assert [(one.goal, one.text, one.termination, one.root) for one in read] == [
        (one.goal, one.text, one.termination, one.root) for one in learned
    ]


def test_what_was_rejected_is_no_part_of_it(play: Any) -> None:
    played = play(
        {'root': ['Act: fly away', 'Think: I cannot fly', 'Act: go to kitchen counter 1', DONE]}
    )
    assert played.end().status == 'succeeded'
    assert 'Not possible' in played.run.root.trajectory.text()
    (one,) = experiences_of(played.run)
    assert 'Not possible' not in one.text
    assert [line for line in one.text.splitlines() if line.startswith(('Think', 'Act'))] == [
        'Think: I cannot fly',
        'Act: go to kitchen counter 1',
        DONE,
    ]


def test_a_node_that_did_not_decide_its_end_is_none(play: Any) -> None:
    played = play(
        {
            'root': ['Expand: fallback ["again", "at last"]'],
            'again': ['Act: go to kitchen counter 1', 'Act: go to kitchen table 1'] * 4,
            'at last': [DONE],
        },
        max_repetitions=2,
    )
    assert played.end().status == 'succeeded'
    assert [one.goal for one in experiences_of(played.run)] == ['root', 'at last']


def test_a_run_that_was_canceled_keeps_only_what_had_ended(play: Any) -> None:
    played = play(
        {
            'root': ['Expand: sequence ["first", "second"]'],
            'first': [DONE],
            'second': ['Think: hm', 'Think: hm', '(never answers)'],
        }
    )
    played.tick_until(lambda: played.statuses().get('first') == 'S')
    played.run.cancel()
    assert [one.goal for one in experiences_of(played.run)] == ['first']


def test_only_strategies_of_agent_nodes_learn() -> None:
    assert [name for name in strategy_names() if strategy(name).learns] == ['react', 'reactree']
