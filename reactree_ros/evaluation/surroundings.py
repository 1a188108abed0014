# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where a run of an evaluation takes place: a household, or a PDDL problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.evaluation.local import PddlExecutor, WorldExecutor
from reactree_ros.pddl.library import pddl_library
from reactree_ros.pddl.shipped import PDDL_SETS, shipped_examples, shipped_problem
from reactree_ros.pddl.world import PddlWorld
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.world import GoalCheck, check
from reactree_ros.world.task import Task
from reactree_ros.world.task_sets import world_of


@dataclass(frozen=True)
class Surroundings:
    """What is around one run, new for each.

    Args:
        executor: the robot in it.
        check: tells which conditions of the task's goal hold now.
        library: the skills there; None for those that the planner's options name.
    """

    executor: SkillExecutor
    check: Callable[[], GoalCheck]
    library: SkillLibrary | None = None


def surroundings_of(task: Task) -> Surroundings:
    """Return the surroundings in which a task starts."""
    if task.type in PDDL_SETS:
        problem = shipped_problem(task.type, task.id)
        pddl = PddlWorld(problem)
        library = pddl_library(problem, examples=shipped_examples(task.type))
        return Surroundings(PddlExecutor(pddl), pddl.check, library)
    world = world_of(task)
    return Surroundings(WorldExecutor(world), lambda: check(world, task.goal))
