# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of an expansion, before anything of it joins the tree."""

from __future__ import annotations

import pytest

from reactree_ros.behaviours.action_mask import expansion_faults, without_repeats
from reactree_ros.core.decision import ControlFlow, Expand
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.expansion import (
    left_out,
    one_after_the_other,
    overloads,
    without_reached,
    without_strays,
)

PATH = ('Put the apple in the fridge', 'find the apple')
FAULTS = [
    # subgoals, faults
    (('go there', 'pick it up'), []),
    (('find the apple',), ['"find the apple" is a goal that is being worked on already']),
    (('Find  the Apple!',), ['"Find  the Apple!" is a goal that is being worked on already']),
    (('put the apple in the fridge.',), ['"put the apple in the fridge." is a goal that is']),
    (('go', 'Go.'), ['"Go." is given twice']),
    (('go', 'go', 'go'), ['"go" is given twice', '"go" is given twice']),
    (('GROSS', 'groß'), ['"groß" is given twice']),
    # all faults at once
    (
        ('find the apple', 'a', 'a'),
        ['"find the apple" is a goal that is being worked on already', '"a" is given twice'],
    ),
    (('find the apple in kitchen 1',), []),
]


@pytest.mark.parametrize(('subgoals', 'faults'), FAULTS)
def test_every_fault_of_an_expansion_is_named(subgoals: tuple[str, ...], faults: list[str]) -> None:
    found = expansion_faults(Expand(ControlFlow.SEQUENCE, subgoals), PATH)
    assert len(found) == len(faults)
    for one, expected in zip(found, faults, strict=True):
        assert one.startswith(expected)


SETTLED = [
    (ControlFlow.FALLBACK, ('a', 'b', 'A.', 'c', 'b'), ('a', 'b', 'c')),
    (ControlFlow.FALLBACK, ('a',), ('a',)),
    # In these a repeat is not a mistake that could be mended by leaving it out.
    (ControlFlow.SEQUENCE, ('a', 'b', 'a'), ('a', 'b', 'a')),
    (ControlFlow.PARALLEL, ('a', 'a'), ('a', 'a')),
]


@pytest.mark.parametrize(('flow', 'subgoals', 'settled'), SETTLED)
def test_only_a_fallback_loses_its_repeats(
    flow: ControlFlow, subgoals: tuple[str, ...], settled: tuple[str, ...]
) -> None:
    assert without_repeats(Expand(flow, subgoals)) == Expand(flow, settled)


KNOWN = frozenset({'apple', 'plum', 'knife', 'fridge', 'coffee table', 'table', 'tv'})
LEFT_OUT = [
    # goal, subgoals, classes that are left out
    ('tidy up', ('pick up the apple',), []),
    ('put the apple in the fridge', ('get the apple', 'put it in the fridge'), []),
    ('put the apple in the fridge', ('get the apple', 'put it away'), ['fridge']),
    ('put the apple and the plum in the fridge', ('go to the fridge',), ['apple', 'plum']),
    ('move the apple to the table', ('carry the apple to the coffee table',), ['table']),
]


@pytest.mark.parametrize(('goal', 'subgoals', 'classes'), LEFT_OUT)
def test_whatever_the_goal_names_is_in_some_subgoal(
    goal: str, subgoals: tuple[str, ...], classes: list[str]
) -> None:
    found = left_out(Expand(ControlFlow.SEQUENCE, subgoals), goal, KNOWN)
    assert found == [f'no subgoal is about the {name} of the goal' for name in classes]


STRAYS = [
    # goal, subgoals, strays
    ('tidy up', ('pick up the apple', 'turn on the tv'), ()),
    ('find the apple', ('find the apple', 'find the plum'), ('find the plum',)),
    ('find the apple', ('find the apple in kitchen 1', 'look in kitchen 2'), ()),
    (
        'put the apple in the fridge',
        ('get the apple', 'put the plum in the fridge', 'put it in the fridge'),
        ('put the plum in the fridge',),
    ),
    ('slice the apple', ('find the knife', 'slice the apple'), ()),
    ('fetch the knife', ('find the knife in kitchen 1', 'find the apple'), ('find the apple',)),
    (
        'put the apple in the fridge',
        ('get the apple', 'turn on the fridge', 'put it in the fridge'),
        ('turn on the fridge',),
    ),
    ('turn the tv on', ('go to the tv', 'turn on the tv'), ()),
    # where nothing would be left, nothing is taken away
    ('find the apple', ('find the plum',), ()),
]


@pytest.mark.parametrize(('goal', 'subgoals', 'strays'), STRAYS)
def test_subgoals_that_have_nothing_to_do_with_the_goal_are_taken_out(
    goal: str, subgoals: tuple[str, ...], strays: tuple[str, ...]
) -> None:
    for flow in ControlFlow:
        expansion, found = without_strays(
            Expand(flow, subgoals), goal, KNOWN, {'apple', 'plum', 'knife'}, tools={'knife'}
        )
        assert found == strays
        assert expansion == Expand(flow, tuple(one for one in subgoals if one not in strays))


KINDS = {
    'table': frozenset({'table', 'coffee table'}),
    'fruit': frozenset({'apple', 'plum'}),
}


def test_a_subgoal_may_name_what_a_wider_word_of_the_goal_means() -> None:
    goal = 'cut a fruit with the knife and put it on the table'
    subgoals = ('find the knife', 'slice the plum', 'put the plum on the coffee table')
    expansion = Expand(ControlFlow.SEQUENCE, subgoals)
    movable = {'apple', 'plum', 'knife'}
    assert left_out(expansion, goal, KNOWN)
    assert not left_out(expansion, goal, KNOWN, KINDS)
    assert without_strays(expansion, goal, KNOWN, movable, set())[1] == subgoals[1:]
    assert without_strays(expansion, goal, KNOWN, movable, set(), KINDS) == (expansion, ())
    elsewhere = Expand(ControlFlow.SEQUENCE, ('slice the plum', 'put it in the fridge'))
    assert left_out(elsewhere, goal, KNOWN, KINDS)
    assert without_strays(elsewhere, goal, KNOWN, movable, set(), KINDS)[1] == (
        'put it in the fridge',
    )


LOADS = [
    # hands, flow, subgoals, fault
    (1, ControlFlow.SEQUENCE, ('pick up the apple', 'put it on the desk'), ''),
    (1, ControlFlow.SEQUENCE, ('grab the apple', 'fetch the plum'), '"fetch the plum" needs'),
    (2, ControlFlow.SEQUENCE, ('grab the apple', 'fetch the plum'), ''),
    (1, ControlFlow.SEQUENCE, ('grab a', 'put a down', 'grab b', 'put b down'), ''),
    (1, ControlFlow.FALLBACK, ('pick up the apple', 'pick up the plum'), ''),
    (1, ControlFlow.PARALLEL, ('pick up the apple', 'pick up the plum'), ''),
    (1, ControlFlow.SEQUENCE, ('take the apple to the desk', 'take the plum to the desk'), ''),
]


@pytest.mark.parametrize(('hands', 'flow', 'subgoals', 'fault'), LOADS)
def test_a_sequence_picks_up_no_more_than_the_hands_can_hold(
    hands: int, flow: ControlFlow, subgoals: tuple[str, ...], fault: str
) -> None:
    found = overloads(Expand(flow, subgoals), hands)
    assert [one.startswith(fault) for one in found] == ([True] if fault else [])


TAKE_A, TAKE_M = 'find and pick up the apple', 'find and pick up the mug'
PUT_A, PUT_M = 'put down the apple on the desk', 'put down the mug on the desk'
ORDERS = [
    # control flow, subgoals, subgoals in the order that one hand allows
    (ControlFlow.SEQUENCE, (TAKE_A, TAKE_M, PUT_A, PUT_M), (TAKE_A, PUT_A, TAKE_M, PUT_M)),
    (ControlFlow.SEQUENCE, (TAKE_M, TAKE_A, PUT_A, PUT_M), (TAKE_M, PUT_M, TAKE_A, PUT_A)),
    (
        ControlFlow.SEQUENCE,
        (TAKE_A, TAKE_M, 'move the apple to the desk', 'move the mug to the desk', 'open the desk'),
        (TAKE_A, 'move the apple to the desk', TAKE_M, 'move the mug to the desk', 'open the desk'),
    ),
    # one put for each of two of a class
    (
        ControlFlow.SEQUENCE,
        (TAKE_A, 'pick up another apple', PUT_A, 'put the other apple on the desk'),
        (TAKE_A, PUT_A, 'pick up another apple', 'put the other apple on the desk'),
    ),
    # nothing to mend, or no way to
    (ControlFlow.SEQUENCE, (TAKE_A, PUT_A, TAKE_M, PUT_M), (TAKE_A, PUT_A, TAKE_M, PUT_M)),
    (ControlFlow.SEQUENCE, (TAKE_A, TAKE_M), (TAKE_A, TAKE_M)),
    (ControlFlow.FALLBACK, (TAKE_A, TAKE_M, PUT_A, PUT_M), (TAKE_A, TAKE_M, PUT_A, PUT_M)),
]


@pytest.mark.parametrize(('flow', 'subgoals', 'ordered'), ORDERS)
def test_what_one_hand_cannot_hold_is_put_down_before_the_next(
    flow: ControlFlow, subgoals: tuple[str, ...], ordered: tuple[str, ...]
) -> None:
    classes = ('apple', 'mug', 'desk')
    expansion = Expand(flow, subgoals)
    assert one_after_the_other(expansion, 1, classes, ('apple', 'mug')) == Expand(flow, ordered)


def test_two_hands_keep_their_order() -> None:
    expansion = Expand(ControlFlow.SEQUENCE, (TAKE_A, TAKE_M, PUT_A, PUT_M))
    assert (
        one_after_the_other(expansion, 2, ('apple', 'mug', 'desk'), ('apple', 'mug')) == expansion
    )


TWO_ON_DESK = Situation(
    objects={
        'desk 1': ObservedObject('desk', 1, affordances=frozenset({'furniture', 'surfaces'})),
        'apple 1': ObservedObject('apple', 1, receptacle='desk 1', relation='on'),
        'apple 2': ObservedObject('apple', 2, receptacle='desk 1', relation='on'),
    },
    movable=frozenset({'apple', 'mug'}),
    places=frozenset({'desk'}),
)
APPLE, MUG = 'move the apple to the desk', 'move the mug to the desk'
REACHED = [
    # control flow, subgoals, those that stay
    (ControlFlow.PARALLEL, (APPLE, MUG), (MUG,)),
    (ControlFlow.PARALLEL, ('move two apples to the desk', MUG), (MUG,)),
    (ControlFlow.PARALLEL, (MUG,), (MUG,)),
    # more than are there are asked for, or nobody knows how many
    (ControlFlow.PARALLEL, ('move 3 apples to the desk', MUG), ('move 3 apples to the desk', MUG)),
    (
        ControlFlow.PARALLEL,
        ('move another apple to the desk', MUG),
        ('move another apple to the desk', MUG),
    ),
    # without any nothing would be left, and in a sequence it may be undone before its turn
    (ControlFlow.PARALLEL, (APPLE,), (APPLE,)),
    (ControlFlow.SEQUENCE, (APPLE, MUG), (APPLE, MUG)),
    (ControlFlow.FALLBACK, (APPLE, MUG), (APPLE, MUG)),
]


@pytest.mark.parametrize(('flow', 'subgoals', 'kept'), REACHED)
def test_a_parallel_does_without_what_is_reached(
    flow: ControlFlow, subgoals: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    expansion, reached = without_reached(Expand(flow, subgoals), TWO_ON_DESK)
    assert expansion == Expand(flow, kept)
    assert reached == tuple(one for one in subgoals if one not in kept)
