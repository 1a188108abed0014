# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every goal of the robots can be reached, or cannot, as its task says."""

from __future__ import annotations

import pytest

from reactree_ros.sim.household import judged
from reactree_ros.sim.robots.tasks import (
    BT_ROBOTS,
    ROBOT_SETS,
    ROBOTS,
    SHOWN,
    RobotTask,
    bt_sets,
    robot_tasks,
)

from .player import Player

FULL, FAILING = ({bt_sets(robot)[part] for robot in BT_ROBOTS} for part in (0, 2))
TASKS = [(name, task) for name in ROBOT_SETS for task in robot_tasks(name)]


def reached(player: Player, task: RobotTask, answer: str = '', refusal: str = '') -> bool:
    return judged(task, player.world.judge(), answer, refusal).holds


@pytest.mark.parametrize(('name', 'task'), TASKS, ids=[f'{n}-{t.id}' for n, t in TASKS])
def test_the_plan_of_a_task_does_what_the_task_says(name: str, task: RobotTask) -> None:
    player = Player(task.scene, task)
    answer = (task.says or task.answer[0]) if task.asks else ''
    # nothing was done, and nothing was said
    assert not reached(player, task)
    if task.guards and task.asks:
        assert not reached(player, task, answer), 'it can be guessed'
    done = [phrase in player.offered and player.do(phrase) for phrase in task.plan]
    if task.impossible:
        assert not any(done[-1:]), 'the last step is possible'
        assert not reached(player, task, 'Done.')
        assert reached(player, task, refusal=player.said or 'There is no such thing.')
        return
    assert all(done) or task.setting, 'a step fails, and nothing is otherwise than usual'
    if name in FULL | FAILING:
        assert all(done) == (name in FULL)
    assert reached(player, task, answer), player.world.judge().unsatisfied
    if task.asks:
        assert not reached(player, task), 'without an answer'


@pytest.mark.parametrize('name', [*ROBOTS, *(f'{name}{SHOWN}' for name in ROBOTS)])
def test_tasks_are_numbered_and_different(name: str) -> None:
    tasks = robot_tasks(name)
    assert [task.id for task in tasks] == [*range(1, (30 if name.endswith(SHOWN) else 40) + 1)]
    assert len({task.instruction for task in tasks}) == len(tasks)
