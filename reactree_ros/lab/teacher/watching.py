# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A solver that perceives what the robot of its run does."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable

from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.execution.pipeline import SkillPipeline, Stage
from reactree_ros.lab.teacher.kind import Solver
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

_COUNT = itertools.count(1)


class WatchingSolver(Solver):
    """Has a memory of its own of what the robot perceives.

    Args:
        library: the robot's skills.
    """

    def __init__(self, library: SkillLibrary) -> None:
        self._library = library
        namespace = f'teacher_{next(_COUNT)}'
        self._memory = WorkingMemory(library.objects, library.places, namespace)
        weakref.finalize(self, self._memory.close)

    def watching(self, executor: SkillExecutor) -> SkillExecutor:
        """Return a robot whose observations the solver gets, as the run's own memory does."""
        return SkillPipeline([_Watching(self)], executor)

    def update(self, observation: Observation) -> None:
        """Take note of what the robot perceives."""
        self._memory.update(observation)

    def ended(self, result: SkillResult) -> None:
        """Take note of how a skill has ended."""
        self.update(result.observation)


class _Watching(Stage):
    """Reports what the robot perceives, and how its skills end."""

    name = 'teacher'

    def __init__(self, solver: WatchingSolver) -> None:
        self._solver = solver

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        self._solver.ended(result)
        return ready(result)

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        def remembered(observation: Observation) -> Observation:
            self._solver.update(observation)
            return observation

        return mapped(ask(), remembered)
