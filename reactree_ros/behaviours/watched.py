# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps an eye on a robot's skills: one begins when those that were stopped have come to rest."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, WaitingRun
from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.library import GroundedSkill


class WatchedExecutor:
    """A robot whose skills in flight are remembered (``skill.SkillExecutor``).

    A run ends only when its robot is at rest. A subtree may end before that, when its budget is
    spent; the next one's first skill waits until the robot has stopped.

    Args:
        executor: the robot.
    """

    def __init__(self, executor: SkillExecutor) -> None:
        self._executor = executor
        self._open: list[SkillRun] = []

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill as soon as the robot is at rest."""

        def begin() -> SkillRun:
            run = self._executor.start(skill, situation)
            self._open.append(run)
            return run

        return begin() if self.at_rest() else _SkillAfter(skill, self.at_rest, begin)

    def check(self, question: Question) -> Pending[str]:
        """Ask for what speaks against a condition."""
        return self._executor.check(question)

    def observe(self) -> Pending[Observation]:
        """Ask for the full description of what is perceived now."""
        return self._executor.observe()

    def survey(self) -> Pending[Observation]:
        """Ask what is in the whole house."""
        return self._executor.survey()

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
