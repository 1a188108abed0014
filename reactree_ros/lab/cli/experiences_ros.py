# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays the known plans of a robot's tasks through its servers, as a person would show them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient

from reactree_ros import plugins
from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import bridge_of
from reactree_ros.cli.skills.spinning import spinning
from reactree_ros.errors import GoalError
from reactree_ros.execution.guard import guarded
from reactree_ros.lab.evaluation.record import played, script_of, variants
from reactree_ros.planner.run import GoalRun
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.sim.robots.tasks import RobotTask, robot_of, robot_tasks
from reactree_ros.sim.robots.world import robot_library
from reactree_ros.sim.worlds import WorldNode

_READY_SEC = 30.0
_STEP_SEC = 0.005


def record_shown(task_set: str, first: int = 0) -> dict[str, str]:
    """Return the experiences of the known plans of a set, in the files of ``record``.

    Args:
        task_set: name of a set of tasks that may be shown, such as ``office_shown``.
        first: only so many; 0 for all.

    Raises:
        ConfigurationError: if a plan does not go as written.
        GoalError: if the robot does not start.
    """
    robot = robot_of(task_set)
    process = bridge_of(plugins.load_as(plugins.WORLDS, robot, WorldNode))
    with (
        private_domain(),
        spinning('experiences') as (node, executor),
        ProcessGroup({'log_level': 'warn'}, lambda name, line: None, (process,)) as group,
    ):

        def spin() -> None:
            if why := group.died():
                raise GoalError(why)
            executor.spin_once(timeout_sec=_STEP_SEC)

        def wait_for(ready: Callable[[], Any], what: str) -> None:
            end = time.monotonic() + _READY_SEC
            while not ready():
                if time.monotonic() > end:
                    raise GoalError(f'{what} was not there in time')
                spin()

        parameters = AsyncParameterClient(node, process.name)
        wait_for(parameters.services_are_ready, 'the robot')
        runs = []
        for task in robot_tasks(task_set)[: first or None]:
            chosen = [Parameter('task_set', value=task_set), Parameter('task', value=task.id)]
            begun = parameters.set_parameters_atomically(chosen)
            wait_for(begun.done, 'the task')
            runs.append(_play(task, node, wait_for, spin))
    return variants(runs, f'{task_set}.yaml')


def _play(
    task: RobotTask,
    node: Node,
    wait_for: Callable[[Callable[[], Any], str], None],
    spin: Callable[[], None],
) -> GoalRun:
    library = robot_library(task.scene)
    # a client of its own for each task: a declared world is as it was at first
    robot = RosSkillExecutor(node, library, 'observe', Timeouts(), MutuallyExclusiveCallbackGroup())
    try:
        wait_for(lambda: not robot.missing(), 'a server of the robot')
        return played(
            task.instruction,
            {goal: [*lines] for goal, lines in script_of(task)},
            guarded(robot, library),
            library,
            fails=task.impossible,
            wait=spin,
        )
    finally:
        robot.destroy()
