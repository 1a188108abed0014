# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What goals and trajectories are compared by."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.experience import Experience, Termination
from reactree_ros.memory.goal_key import GoalKey, shown_control_flows, things_in

KEY = GoalKey(frozenset({'apple', 'water glass'}), frozenset({'fridge', 'coffee table', 'table'}))
SEQUENCE, FALLBACK, PARALLEL = ControlFlow


@pytest.mark.parametrize(
    ('goal', 'key', 'things'),
    [
        ('Find the apple.', 'find the thing', 1),
        ('could you find the apples, please?', 'find the thing', 1),
        (
            'Put a water glass and an apple on the coffeetable',
            'put a thing and an thing on the place',
            2,
        ),
        ('put it in the fridge 1', 'put it in the place 1', 0),
        ('find something', 'find something', 0),
    ],
)
def test_keys_have_no_politeness_and_no_classes(goal: str, key: str, things: int) -> None:
    assert KEY.of(goal) == key
    assert things_in(KEY.of(goal)) == things


def lived(thing: str, place: str, thought: str) -> str:
    return (
        f'Goal: find the {thing}\nYou are in the kitchen (1).\nThink: {thought}\n'
        f'Act: go to {place} 2\nYou see {thing} (1).\nAct: pick up {thing}\nAct: done\n'
    )


def test_outlines_are_equal_where_the_same_was_done() -> None:
    outline = KEY.outline(lived('apple', 'fridge', 'in the fridge?'))
    assert outline == 'act: go to place\nact: pick up thing\nact: done'
    assert KEY.outline(lived('water glass', 'table', 'on the table!')) == outline
    assert KEY.outline('Goal: a\nAct: done\n') != outline
    plan = 'Goal: find the apple\ngo to fridge 1\ndone\n'
    assert KEY.outline(plan) == 'goal: find the thing\ngo to place\ndone'


def test_control_flows_are_seen_above_and_below() -> None:
    text = (
        'Primary goal: a\nSubgoals (fallback, until one succeeds): b; c\nGoal: b\n'
        'You see no Expand: parallel.\nExpand: sequence ["d", "e"]\n'
    )
    assert shown_control_flows(text) == {FALLBACK, SEQUENCE}
    assert shown_control_flows('Expand: parallel ["a", "b"]') == {PARALLEL}
    assert shown_control_flows('Goal: a\nAct: done\n') == set()


def test_an_experience_is_described_for_a_store() -> None:
    text = 'Goal: find the apple\nIt is dark.\nExpand: parallel ["a", "b"]\n'
    experience = Experience('find the apple', text, Termination.EXPAND, True)
    new = KEY.describe(experience, np.ones(1, np.float32))
    assert (new.key, new.things, new.control_flows) == ('find the thing', 1, frozenset({PARALLEL}))
    assert new.outline == 'expand: parallel ["a", "b"]'
    assert new.experience is experience
