# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of drawn PDDL domains as tasks, drawn when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.pddl.drawn.domain import DRAWN_SETS, DrawnDomain, drawn_domain
from reactree_ros.sim.pddl.library import PddlLibrary, pddl_library


@dataclass(frozen=True)
class DrawnTask(Task):
    """The problem of a drawn domain.

    Args:
        scene: name of the set.
    """

    @property
    def domain(self) -> DrawnDomain:
        """The domain, with the problem."""
        return drawn_domain(self.scene, self.id)

    def library(self) -> PddlLibrary:
        """Return the skills."""
        return pddl_library(self.domain.problem)


def drawn_task(name: str, number: int) -> DrawnTask:
    """Return a task of a set.

    Raises:
        ConfigurationError: there is no such task, or unified-planning is not installed.
    """
    if not 1 <= number <= DRAWN_SETS[name]:
        raise ConfigurationError(
            f'the task set {name} has no task {number}: it has {DRAWN_SETS[name]}, from 1'
        )
    instruction = drawn_domain(name, number).problem.instruction
    return DrawnTask(number, name, name, '', instruction, (instruction,), ('en',))
