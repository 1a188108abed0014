# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stage of the skill pipeline that reports to a teacher."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.execution.pipeline import Stage
from reactree_ros.skills.library import GroundedSkill


class Watching(Stage):
    """Reports what the robot perceives, and how its skills end.

    Args:
        perceived: takes what the robot was asked for.
        ended: takes the result of each skill.
    """

    name = 'teacher'

    def __init__(
        self,
        perceived: Callable[[Observation], None],
        ended: Callable[[SkillResult], None],
    ) -> None:
        self._perceived, self._ended = perceived, ended

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        """Report how a skill has ended."""
        self._ended(result)
        return ready(result)

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        """Report what is perceived."""

        def remembered(observation: Observation) -> Observation:
            self._perceived(observation)
            return observation

        return mapped(ask(), remembered)
