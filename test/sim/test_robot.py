# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal in this process: the real tree, the real world, a scripted model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import py_trees

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.settings import Settings
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.in_process import run_goal
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

PUDDING = {
    'put the pudding on the kitchen table': [
        'Conditions: pudding on kitchen table',
        'Expand: sequence ["find and pick up the pudding",'
        ' "put down the pudding on the kitchen table"]',
    ],
    'find and pick up the pudding': [
        'Act: recall location of pudding',
        'Expand: fallback ["find and pick up the pudding in bedroom 1",'
        ' "find and pick up the pudding in kitchen 1"]',
    ],
    'find and pick up the pudding in kitchen 1': [
        'Act: go to fridge 1',
        'Act: open fridge 1',
        'Act: pick up pudding 1',
        'Act: done',
    ],
    'put down the pudding on the kitchen table': [
        'Act: go to kitchen table 1',
        'Act: put down pudding 1',
        'Act: done',
    ],
}


def test_a_goal_changes_the_world_with_the_shipped_settings(
    world: Any, household: SkillLibrary, plain: Callable[..., Settings]
) -> None:
    # The first room of the fallback cannot be searched: its lines are missing.
    script = {goal: list(lines) for goal, lines in PUDDING.items()}
    services = RunServices(
        ScriptedModel(script), WorldExecutor(world), household, None, 'You steer.', Settings()
    )
    events: list[Any] = []
    report = run_goal(next(iter(PUDDING)), services, Limits(), events.append)
    assert report.status == 'succeeded', report.tree
    assert world.changes() == [
        'fridge 1: closed -> open',
        'pudding 1: inside fridge 1 -> on kitchen table 1',
    ]
    assert (report.costs.decisions, report.costs.skills) == (11, 5)
    assert [event.kind for event in events].count('act') == 5
    # The run has let go of the blackboard.
    storage = py_trees.blackboard.Blackboard.storage
    assert not any(key.startswith('/working_memory/') for key in storage)
