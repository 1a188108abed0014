# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Expansions that ask for less than their goal."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import ControlFlow, Expand
from reactree_ros.guidance.completion import complete

MOVABLE = frozenset({'apple', 'juice', 'pound cake', 'bowl', 'coffee pot'})
CLASSES = MOVABLE | {'fridge', 'kitchen table', 'microwave oven'}
SEQUENCE, FALLBACK, PARALLEL = ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL
THREE = 'This is what I need in the fridge: a bottle of juice, an apple and two pound cakes.'
TABLE = 'fetch one coffee pot and one apple and set them down on the kitchen table'

CASES = [
    # goal, control flow, subgoals, subgoals as they should be
    (
        THREE,
        PARALLEL,
        ('move the apple into the fridge', 'move the two pound cakes into the fridge'),
        (
            'move the apple into the fridge',
            'move the juice into the fridge',
            'move the two pound cakes into the fridge',
        ),
    ),
    # of two steps both are repeated, behind those of the other thing
    (
        'put the apple and the juice in the microwave oven and turn it on',
        SEQUENCE,
        (
            'find and pick up the apple',
            'put down the apple in the microwave oven',
            'close and turn on the microwave oven',
        ),
        (
            'find and pick up the apple',
            'put down the apple in the microwave oven',
            'find and pick up the juice',
            'put down the juice in the microwave oven',
            'close and turn on the microwave oven',
        ),
    ),
    # another number says nothing, nor what is not a list, nor a subgoal about two things
    (
        THREE,
        PARALLEL,
        ('move the two pound cakes into the fridge', 'move the apple into the fridge', 'juice'),
        ('move the two pound cakes into the fridge', 'move the apple into the fridge', 'juice'),
    ),
    (
        'put an apple and two pound cakes in the fridge',
        PARALLEL,
        ('move the apple into the fridge',),
        ('move the apple into the fridge',),
    ),
    (
        'put the apple in the bowl',
        SEQUENCE,
        ('find and pick up the apple',),
        ('find and pick up the apple',),
    ),
    (
        'put the apple, the juice and the bowl on the kitchen table',
        PARALLEL,
        ('bring the apple in the bowl to the kitchen table',),
        ('bring the apple in the bowl to the kitchen table',),
    ),
    (
        'put the apple and the juice in the fridge',
        SEQUENCE,
        ('pick up the apple', 'put it in the fridge'),
        ('pick up the apple', 'put it in the fridge'),
    ),
    # a place
    (
        TABLE,
        SEQUENCE,
        ('move the coffee pot into the kitchen', 'move the apple into the kitchen'),
        ('move the coffee pot into the kitchen table', 'move the apple into the kitchen table'),
    ),
    (
        TABLE,
        SEQUENCE,
        ('find and pick up the coffee pot', 'put down the coffee pot', 'fetch the apple'),
        (
            'find and pick up the coffee pot',
            'put down the coffee pot on the kitchen table',
            'fetch the apple',
        ),
    ),
    # as many as asked for, whether one was proposed once or again and again
    (
        'put a bowl and two pound cakes in the fridge',
        SEQUENCE,
        (
            'move the bowl into the fridge',
            'move the pound cake into the fridge',
            'Move the pound cake into the fridge',
            'close the fridge',
        ),
        (
            'move the bowl into the fridge',
            'move two pound cakes into the fridge',
            'close the fridge',
        ),
    ),
    (
        'put two apples in the bowl on the kitchen table',
        PARALLEL,
        ('put an apple on the kitchen table',),
        ('put two apples on the kitchen table',),
    ),
    # where one comes again, it is another one, as often as asked for
    (
        'put two apples in the fridge',
        SEQUENCE,
        ('pick up an apple', 'put the apple in the fridge') * 3,
        (
            'pick up an apple',
            'put the apple in the fridge',
            'pick up another apple',
            'put another apple in the fridge',
        ),
    ),
    # one hand takes one after the other, another is a number, and so is a number
    (
        'put two apples in the fridge',
        SEQUENCE,
        ('find and pick up the apple', 'put the apple in the fridge'),
        ('find and pick up the apple', 'put the apple in the fridge'),
    ),
    (
        'put two apples in the fridge',
        SEQUENCE,
        ('move the apple into the fridge', 'move another apple into the fridge'),
        ('move the apple into the fridge', 'move another apple into the fridge'),
    ),
    (
        'put two apples in the fridge',
        PARALLEL,
        ('move two apples into the fridge',),
        ('move two apples into the fridge',),
    ),
    # one subgoal has it, or nobody knows which
    (
        TABLE,
        SEQUENCE,
        ('move the coffee pot into the kitchen', 'move the apple to the kitchen table'),
        ('move the coffee pot into the kitchen', 'move the apple to the kitchen table'),
    ),
    (
        'move the apple from the fridge to the kitchen table or the microwave oven',
        SEQUENCE,
        ('put down the apple',),
        ('put down the apple',),
    ),
    # other ways to the same are not a list of what to do
    (
        THREE,
        FALLBACK,
        ('move the apple into the fridge',),
        ('move the apple into the fridge',),
    ),
]


@pytest.mark.parametrize(('goal', 'flow', 'subgoals', 'complete_ones'), CASES)
def test_what_was_left_out_is_added_where_the_rest_shows_how(
    goal: str, flow: ControlFlow, subgoals: tuple[str, ...], complete_ones: tuple[str, ...]
) -> None:
    expansion = complete(Expand(flow, subgoals), goal, CLASSES, MOVABLE)
    assert expansion == Expand(flow, complete_ones)
