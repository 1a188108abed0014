# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of an expansion, before anything of it joins the tree."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import ControlFlow, Expand
from reactree_ros.core.expansion import faults_of, overloads, settle, strays_from

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
    found = faults_of(Expand(ControlFlow.SEQUENCE, subgoals), PATH)
    assert len(found) == len(faults)
    for one, expected in zip(found, faults, strict=True):
        assert one.startswith(expected)


SETTLED = [
    (ControlFlow.FALLBACK, ('a', 'b', 'A.', 'c', 'b'), ('a', 'b', 'c')),
    (ControlFlow.FALLBACK, ('a',), ('a',)),
    # In these a repeat is no mistake that could be mended by leaving it out.
    (ControlFlow.SEQUENCE, ('a', 'b', 'a'), ('a', 'b', 'a')),
    (ControlFlow.PARALLEL, ('a', 'a'), ('a', 'a')),
]


@pytest.mark.parametrize(('flow', 'subgoals', 'settled'), SETTLED)
def test_only_a_fallback_loses_its_repeats(
    flow: ControlFlow, subgoals: tuple[str, ...], settled: tuple[str, ...]
) -> None:
    assert settle(Expand(flow, subgoals)) == Expand(flow, settled)


KNOWN = frozenset({'apple', 'plum', 'knife', 'fridge', 'coffee table', 'table'})
STRAYS = [
    # goal, subgoals, faults
    ('tidy up', ('pick up the apple',), []),
    ('put the apple in the fridge', ('get the apple', 'put it in the fridge'), []),
    (
        'put the apple in the fridge',
        ('get the apple', 'put it away'),
        ['no subgoal is about the fridge of the goal'],
    ),
    (
        'put the apple and the plum in the fridge',
        ('go to the fridge',),
        ['no subgoal is about the apple of the goal', 'no subgoal is about the plum of the goal'],
    ),
    ('find the apple', ('find the apple', 'find the plum'), ['"find the plum" is not about']),
    ('slice the apple', ('find the knife', 'slice the apple'), []),
    ('move the apple to the table', ('carry the apple to the coffee table',), ['no subgoal is']),
]


@pytest.mark.parametrize(('goal', 'subgoals', 'faults'), STRAYS)
def test_an_expansion_is_about_its_goal(
    goal: str, subgoals: tuple[str, ...], faults: list[str]
) -> None:
    expansion = Expand(ControlFlow.SEQUENCE, subgoals)
    found = strays_from(expansion, goal, KNOWN, tools=frozenset({'knife'}))
    assert len(found) == len(faults)
    for one, expected in zip(found, faults, strict=True):
        assert one.startswith(expected)


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
