# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What goals and trajectories are compared by."""

from __future__ import annotations

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.experience import Experience, Termination
from reactree_ros.memory.goal_key import describe, goal_key, outline, shown_control_flows

SEQUENCE, FALLBACK, PARALLEL = ControlFlow


def test_a_key_is_the_goal_without_case_and_ends() -> None:
    assert goal_key(' Find the  Apple. ') == 'find the apple'
    assert goal_key('Leg das Buch auf das Sofa!') == 'leg das buch auf das sofa'


def lived(number: int, thought: str) -> str:
    return (
        f'Goal: find the apple\nYou are in the kitchen (1).\nThink: {thought}\n'
        f'Act: go to fridge {number}\nYou see apple (1).\nAct: pick up apple 1\nAct: done\n'
    )


def test_outlines_are_equal_where_the_same_was_done() -> None:
    found = outline(lived(2, 'in the fridge?'))
    assert found == 'act: go to fridge\nact: pick up apple\nact: done'
    assert outline(lived(12, 'in the fridge!')) == found
    assert outline('Goal: a\nAct: done\n') != found
    assert outline('Goal: find it\ngo to fridge 1\ndone\n') == 'goal: find it\ngo to fridge\ndone'


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
    new = describe(experience, np.ones(1, np.float32))
    assert (new.key, new.control_flows) == ('find the apple', frozenset({PARALLEL}))
    assert new.outline == 'expand: parallel ["a", "b"]'
    assert new.experience is experience
