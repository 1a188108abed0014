# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When a search is over."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.searches import check_failure

PLACE = frozenset({'furniture', 'surfaces'})
APPLE = ObservedObject('apple', 1, 'kitchen 1', affordances=frozenset({'grabbable'}))


def situation(*things: ObservedObject, looked_into: tuple[str, ...] = ()) -> Situation:
    places = ('kitchen table', 'fridge', 'desk', 'dishwasher')
    known = [ObservedObject(name, 1, 'kitchen 1', affordances=PLACE) for name in places]
    return Situation(
        room='kitchen 1',
        objects={one.name: one for one in (*known, *things)},
        looked_into=frozenset(looked_into),
        movable=frozenset({'apple', 'plum'}),
    )


SEARCHED = ('kitchen table 1', 'fridge 1', 'desk 1', 'dishwasher 1')
FAILURES = [
    # goal, looked into, objection
    (
        'find the apple in kitchen 1',
        (),
        'you have not looked into kitchen table 1, fridge 1, desk 1, dishwasher 1',
    ),
    (
        'find and pick up the apple in kitchen 1',
        ('kitchen table 1', 'desk 1', 'dishwasher 1'),
        'you have not looked into fridge 1',
    ),
    ('pick up the apple in Kitchen 1', SEARCHED[1:], 'you have not looked into kitchen table 1'),
    ('find the apple in kitchen 1', SEARCHED, ''),
    ('find the apple in kitchen 10', (), ''),
    ('find the apple in bedroom 1', (), ''),
    ('put down the apple in kitchen 1', (), ''),
    # a goal that names no room is given up when the whole house was searched
    ('find the apple', SEARCHED[1:], 'you have not looked into kitchen table 1'),
    ('put an apple and a plum on the desk', SEARCHED, 'you have not been in bedroom 1'),
    ('put the desk in order', (), ''),
]


@pytest.mark.parametrize(('goal', 'looked_into', 'objection'), FAILURES)
def test_a_search_is_given_up_when_everything_was_looked_into(
    goal: str, looked_into: tuple[str, ...], objection: str
) -> None:
    rooms = ('kitchen 1', 'bedroom 1', 'kitchen 10')
    check = check_failure(goal, situation(looked_into=looked_into), rooms)
    assert check.objection == objection
    assert check.confirmed is (looked_into == SEARCHED and 'kitchen 1' in goal)


def test_what_was_seen_somewhere_may_be_given_up() -> None:
    assert not check_failure('put the apple on the desk', situation(APPLE)).objection
    assert check_failure('put the apple and the plum on the desk', situation(APPLE)).objection
