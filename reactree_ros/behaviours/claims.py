# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Resources of one robot: two skills that claim the same one never run together."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_ros.behaviours.skill import SkillRun, failed
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.skills.library import GroundedSkill

WAIT_SEC = 5.0
"""How long a skill waits for a resource, where nothing else is said."""


class Claims:
    """Which resources of a robot are in use, and by which skills.

    A resource is free again when the skill has ended and the robot has confirmed that it stopped.
    It lives as long as the robot does, so that it holds for all agents and from goal to goal.

    Args:
        wait_sec: how long a skill waits for a resource before it is refused.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, wait_sec: float = WAIT_SEC, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.wait_sec = wait_sec
        self.clock = clock
        self._open: list[tuple[GroundedSkill, SkillRun]] = []

    def start(self, skill: GroundedSkill, begin: Callable[[], SkillRun]) -> SkillRun:
        """Start a skill as soon as nothing else uses what it claims.

        Args:
            skill: the skill.
            begin: starts it.
        """
        return _ClaimingRun(self, skill, begin)

    def begin(self, skill: GroundedSkill, begin: Callable[[], SkillRun]) -> SkillRun:
        """Start a skill whose resources are free."""
        run = begin()
        self._open.append((skill, run))
        return run

    def in_use(self, skill: GroundedSkill) -> str:
        """Return why a skill may not start now; empty if it may."""
        # each is looked at: looking is what notices that a robot has stopped, and nobody else
        # looks at the skills of goals that have ended
        self._open = [(one, run) for one, run in self._open if not _is_over(run)]
        for other, _ in self._open:
            for name in sorted(skill.claims & other.claims):
                return f'the {name} is still busy with "{other.phrase}"'
        return ''


def _is_over(run: SkillRun) -> bool:
    return run.poll() is not None and run.settled


class _ClaimingRun:
    """A skill that waits for what it claims (``skill.SkillRun``)."""

    def __init__(self, claims: Claims, skill: GroundedSkill, begin: Callable[[], SkillRun]) -> None:
        self._claims = claims
        self._skill = skill
        self._begin = begin
        self._since = claims.clock()
        self._why = ''
        self._run: SkillRun | None = None
        self._result: SkillResult | None = None
        self._look()

    @property
    def doing(self) -> str:
        return self._run.doing if self._run is not None else f'waiting: {self._why}'

    @property
    def settled(self) -> bool:
        return self._run.settled if self._run is not None else self._result is not None

    def poll(self) -> SkillResult | None:
        if self._run is None and self._result is None:
            self._look()
        return self._run.poll() if self._run is not None else self._result

    def cancel(self) -> None:
        if self._run is not None:
            self._run.cancel()
        elif self._result is None:
            text = f'"{self._skill.phrase}" was canceled before it began.'
            self._result = SkillResult(SkillStatus.CANCELED, Observation(text))

    def _look(self) -> None:
        self._why = self._claims.in_use(self._skill)
        if not self._why:
            self._run = self._claims.begin(self._skill, self._begin)
        elif self._claims.clock() - self._since >= self._claims.wait_sec:
            self._result = failed(self._skill, self._why, SkillStatus.REFUSED)
