# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where a run of an evaluation takes place: a household, or a PDDL problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_ros.sim.household import GoalCheck, check
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import world_of
from reactree_ros.sim.pddl.shipped import PDDL_SETS, shipped_library
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor


@dataclass(frozen=True)
class Surroundings:
    """What is around one run, new for each.

    Args:
        executor: the robot in it.
        check: returns which conditions of the task's goal are met now.
        library: the skills there; None for those that the planner's options name.
    """

    executor: SkillExecutor
    check: Callable[[], GoalCheck]
    library: SkillLibrary | None = None


def surroundings_of(task: Task) -> Surroundings:
    """Return the surroundings in which a task starts."""
    if task.type in PDDL_SETS:
        library = shipped_library(task.type, task.id)
        pddl = PddlWorld(library.problem)
        return Surroundings(WorldExecutor(pddl), pddl.check, library)
    world = world_of(task)
    return Surroundings(WorldExecutor(world), lambda: check(world, task.goal))
