# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps an eye on a robot's skills: one begins when those that were stopped have come to rest."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, WaitingRun, WrappedExecutor
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill


class WatchedExecutor(WrappedExecutor):
    """A robot whose skills in flight are remembered (``skill.SkillExecutor``).

    A run ends only when its robot is at rest. A subtree may end before that, when its budget is
    spent; the next one's first skill waits until the robot has stopped.

    Args:
        executor: the robot.
    """

    def __init__(self, executor: SkillExecutor) -> None:
        super().__init__(executor)
        self._open: list[SkillRun] = []

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill as soon as the robot is at rest."""

        def begin() -> SkillRun:
            run = self._executor.start(skill, situation)
            self._open.append(run)
            return run

        return begin() if self.at_rest() else _SkillAfter(skill, self.at_rest, begin)

    def at_rest(self) -> bool:
        """Return whether every skill that was begun has ended; looking is what notices it."""
        self._open = [run for run in self._open if run.poll() is None]
        return not self._open


class _SkillAfter(WaitingRun):
    """A skill that begins when the robot is at rest."""

    _what_for = 'for the robot to stop'

    def __init__(
        self, skill: GroundedSkill, at_rest: Callable[[], bool], begin: Callable[[], SkillRun]
    ) -> None:
        self._at_rest = at_rest
        super().__init__(skill, begin)

    def _may_begin(self) -> bool:
        return self._at_rest()
