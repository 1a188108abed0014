# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stage ``rest``: a skill begins when those that were stopped have come to rest."""

from __future__ import annotations

from reactree_ros.core.situation import Situation
from reactree_ros.execution.pipeline import Gate, Stage
from reactree_ros.skills.executor import SkillRun, has_ended
from reactree_ros.skills.library import GroundedSkill


class RestStage(Stage):
    """Passes on one skill of a robot at a time.

    A subtree may end before its skill has, when its budget is spent; the next one's first skill
    waits for the result. Whether the robot confirmed that it stopped is for ``claims``.
    """

    name = 'rest'

    def __init__(self) -> None:
        self._open: list[SkillRun] = []

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate:
        """Pass a skill on as soon as the robot is at rest."""
        return _RestGate(self, run)

    def at_rest(self) -> bool:
        """Return whether every skill that was passed on has ended; polling is what notices it."""
        self._open = [run for run in self._open if not has_ended(run)]
        return not self._open

    def passed_on(self, run: SkillRun) -> None:
        """Record a skill that has to end before the next one."""
        self._open.append(run)


class _RestGate(Gate):
    waits = 'for the robot to stop'

    def __init__(self, stage: RestStage, run: SkillRun) -> None:
        super().__init__()
        self._stage = stage
        self._run = run
        self._passed = False

    def open(self) -> bool:
        if not self._passed and self._stage.at_rest():
            self._passed = True
            self._stage.passed_on(self._run)
        return self._passed
