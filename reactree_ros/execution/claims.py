# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Resources of one robot: two skills that claim the same one never run together."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_ros.execution.pipeline import Gate, refusal
from reactree_ros.skills.executor import SkillRun
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

    def take(self, skill: GroundedSkill, run: SkillRun) -> None:
        """Record that a robot has started a skill, and uses what it claims."""
        if skill.claims:
            self._open.append((skill, run))

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


class ClaimGate(Gate):
    """A skill that waits for what it claims, and is refused if that stays busy.

    Args:
        claims: of the robot.
        skill: the skill.
    """

    def __init__(self, claims: Claims, skill: GroundedSkill) -> None:
        super().__init__()
        self._claims = claims
        self._skill = skill
        self._since = claims.clock()
        self._passed = False

    def open(self) -> bool:
        """Return whether all that it claims is free; the robot starts it at once then."""
        if not self._passed:
            why = self._claims.in_use(self._skill)
            self._passed = not why
            self.waits = f'because {why}'
            if why and self._claims.clock() - self._since >= self._claims.wait_sec:
                self.result = refusal(self._skill, why)
        return self._passed
