# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that a tree written in advance can solve: as many as said, and two harder variants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from reactree_ros.sim.physics.tasks import ARM_SETS, KitchenTask, arm_tasks
from reactree_ros.sim.robots.tasks import (
    BT_ROBOTS,
    BT_TYPES,
    ROBOT_SETS,
    SHOWN,
    RobotTask,
    bt_sets,
    robot_tasks,
)

SETS: Mapping[str, tuple[RobotTask | KitchenTask, ...]] = {
    **{name: robot_tasks(name) for name in ROBOT_SETS},
    **{name: arm_tasks(name) for name in ARM_SETS},
}
ROBOTS = (*BT_ROBOTS, 'arm')


def goal_of(task: RobotTask | KitchenTask) -> frozenset[str]:
    """Return what holds in the end, in no order."""
    return frozenset(
        part.strip().removeprefix('then ')
        for line in (*task.conditions, *task.guards)
        for part in line.split(';')
    )


def test_there_are_52_tasks_in_the_proportions_of_the_benchmark() -> None:
    office, rover, arm = (SETS[bt_sets(robot)[0]] for robot in ROBOTS)
    assert (len(office) + len(rover), len(arm)) == (32, 20)
    types = Counter(task.type for task in (*office, *rover, *arm))
    assert [types[one] for one in BT_TYPES] == [18, 18, 16]


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_variants_are_the_same_tasks_made_harder(robot: str) -> None:
    full, partial, failing = (SETS[name] for name in bt_sets(robot))
    assert [task.id for task in full] == [*range(1, len(full) + 1)]
    for one, hidden, fails in zip(full, partial, failing, strict=True):
        assert one.id == hidden.id == fails.id
        assert one.type == hidden.type == fails.type
        assert hidden.instruction != one.instruction, one.id
        assert len(fails.plan) > len(one.plan) or fails.conditions != one.conditions, one.id
        assert not any(task.asks or task.impossible for task in (one, hidden, fails)), one.id


@pytest.mark.parametrize('robot', ROBOTS)
def test_no_goal_is_one_of_another_set(robot: str) -> None:
    mine = {*bt_sets(robot)}
    practice = SETS[f'bt_{robot}{SHOWN}']
    others = {
        goal_of(task)
        for name, tasks in SETS.items()
        if name not in mine
        for task in tasks
        if task.scene == practice[0].scene
    }
    for name in mine:
        for task in SETS[name]:
            assert goal_of(task) not in others, (name, task.id)
            for shown in (*SETS[f'{robot}{SHOWN}'], *practice):
                assert not goal_of(task) <= goal_of(shown), (name, task.id, shown.id)


@pytest.mark.parametrize('robot', ROBOTS)
def test_one_divided_plan_may_be_shown(robot: str) -> None:
    (practice,) = SETS[f'bt_{robot}{SHOWN}']
    assert len(practice.subgoals) >= 2
