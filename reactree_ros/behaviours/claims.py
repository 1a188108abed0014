# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Resources of one robot: two skills that claim the same one never run together."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_ros.behaviours.skill import SkillRun, WaitingRun
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


class _ClaimingRun(WaitingRun):
    """A skill that waits for what it claims."""

    def __init__(self, claims: Claims, skill: GroundedSkill, begin: Callable[[], SkillRun]) -> None:
        self._claims = claims
        self._since = claims.clock()
        self._why = ''
        super().__init__(skill, lambda: claims.begin(skill, begin))

    @property
    def _what_for(self) -> str:
        return f'because {self._why}'

    def _may_begin(self) -> bool:
        self._why = self._claims.in_use(self._skill)
        if self._why and self._claims.clock() - self._since >= self._claims.wait_sec:
            self._refuse(self._why)
        return not self._why
