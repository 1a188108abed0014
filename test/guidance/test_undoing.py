# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that undo what a goal asks for."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.undoing import undoes

CLASSES = ('apple', 'plum', 'fridge', 'stove', 'kitchen table')
KNOWN = Situation(
    objects={f'{name} 1': ObservedObject(name, 1) for name in CLASSES},
    movable=frozenset({'apple', 'plum'}),
)
KINDS = {'fruit': frozenset({'apple', 'plum'})}

CASES = [
    # goal, skill, whether it undoes
    ('find and pick up the apple', 'put down apple 1', True),
    ('find and pick up the apple in kitchen 1', 'put down apple 2', True),
    ('find and pick up a piece of fruit', 'put down plum 1', True),
    ('find and pick up the apple', 'put down plum 1', False),
    ('find and pick up the apple', 'go to kitchen table 1', False),
    ('put the apple on the kitchen table', 'pick up apple 1', True),
    ('find and pick up the apple and put it in the fridge', 'pick up apple 1', True),
    ('I want an apple on the kitchen table', 'pick up apple 1', True),
    ('put the apple on the kitchen table', 'put down apple 1', False),
    ('put the apple in the fridge', 'open fridge 1', False),
    ('put the apple in the fridge and close it', 'open fridge 1', True),
    ('close and turn on the stove', 'turn off stove 1', True),
    ('turn off the stove', 'turn on stove 1', True),
    # what is asked for both ways is not undone by either
    ('turn the stove on and then turn it off', 'turn on stove 1', False),
    ('open the fridge, then close the fridge', 'open fridge 1', False),
    ('tidy up', 'pick up apple 1', False),
]


@pytest.mark.parametrize(('goal', 'phrase', 'expected'), CASES)
def test_what_undoes_a_goal(goal: str, phrase: str, expected: bool) -> None:
    assert undoes(phrase, goal, KNOWN, KINDS) is expected
