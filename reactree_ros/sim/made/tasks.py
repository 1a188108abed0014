# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of generated robots as tasks, drawn when they are asked for.

Task n of a set with R robots is the goal number (n - 1) // R of the robot (n - 1) % R + 1: the
first R tasks are of different robots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.made.goals import MadeGoal, goals_of
from reactree_ros.sim.made.make import DEV, FIELD_DEV, FIELD_TRAIN, TEST, TRAIN, made_robot
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.made.world import MadeWorld

ROBOTS: Mapping[str, int] = {
    TRAIN: 5000, DEV: 50, TEST: 100, FIELD_TRAIN: 5000, FIELD_DEV: 50,
}  # fmt: skip
"""How many robots a set has."""
GOALS = 8
"""How many goals of each robot are tasks."""
MADE_SETS = tuple(ROBOTS)
"""Names of the sets."""


@dataclass(frozen=True)
class MadeTask(Task):
    """A task of a generated robot.

    Args:
        scene: name of the robot, such as ``made_train 17``.
        robot: its seed.
        seed: of its start.
        plan: phrases of a plan under full knowledge.
        faults: see ``MadeWorld``.
    """

    robot: int = 0
    seed: int = 0
    plan: tuple[str, ...] = field(default=())
    faults: tuple[tuple[tuple[str, ...], int], ...] = ()

    @property
    def made(self) -> MadeRobot:
        """The robot."""
        return made_robot(self.scene.rpartition(' ')[0], self.robot)

    def world(self) -> MadeWorld:
        """Return the world in which it starts."""
        return MadeWorld(self.made, self.seed, self.conditions, dict(self.faults))


def how_many(name: str) -> int:
    """Return how many tasks a set has."""
    return ROBOTS[name] * GOALS


def made_task(name: str, number: int) -> MadeTask:
    """Return a task of a set.

    Raises:
        ConfigurationError: there is no such task, or the planning engine is not installed.
    """
    if not 1 <= number <= how_many(name):
        raise ConfigurationError(
            f'the task set {name} has no task {number}: it has {how_many(name)}, from 1'
        )
    which, seed = divmod(number - 1, ROBOTS[name])
    robot = made_robot(name, seed + 1)
    goals = goals_of(robot, which + 1)
    # A robot that can do little has its last goal again.
    return task_of_goal(robot, goals[min(which, len(goals) - 1)], number)


def task_of_goal(robot: MadeRobot, goal: MadeGoal, number: int) -> MadeTask:
    """Return a goal as a task with a number."""
    return MadeTask(
        number,
        goal.shape.partition('.')[0],
        robot.name,
        '',
        goal.instructions[0],
        goal.instructions,
        goal.languages,
        unseen=robot.is_held_out,
        steps=len(goal.plan),
        conditions=goal.conditions,
        answer=goal.answer,
        impossible=goal.impossible,
        robot=robot.seed,
        seed=goal.start,
        plan=goal.plan,
        faults=goal.faults,
    )
