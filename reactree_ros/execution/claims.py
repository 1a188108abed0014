# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a skill needs for itself: two skills that claim the same never run together."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from reactree_ros.execution.pipeline import Gate, refusal
from reactree_ros.skills.executor import SkillRun, has_ended
from reactree_ros.skills.library import GroundedSkill

WAIT_SEC = 5.0
"""How long a skill waits for a resource, where nothing else is said."""


class Use(NamedTuple):
    """What is in use.

    Args:
        name: of the resource, or of the thing or place.
        by: what it is in use for, in words.
        is_shared: it is in use by another robot.
    """

    name: str
    by: str
    is_shared: bool


class Claims:
    """What is in use, and for which skills: of a robot, or of robots that work in one place.

    It is free again when the skill has ended and the robot has confirmed that it stopped.
    It lives as long as the robots do, so that it holds for all agents and from goal to goal.

    Args:
        wait_sec: how long a skill waits for what it claims before it is refused.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, wait_sec: float = WAIT_SEC, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.wait_sec = wait_sec
        self.clock = clock
        self._open: list[tuple[str, GroundedSkill, SkillRun]] = []

    def take(self, skill: GroundedSkill, run: SkillRun, robot: str = '') -> None:
        """Record that a robot has started a skill, and uses what it claims."""
        if skill.claims or skill.shared_claims:
            self._open.append((robot, skill, run))

    def in_use(self, skill: GroundedSkill, robot: str = '') -> Use | None:
        """Return why a skill may not start now on a robot; None if it may."""
        # each is looked at: looking is what notices that a robot has stopped, and nobody else
        # looks at the skills of goals that have ended
        self._open = [one for one in self._open if not _is_over(one[2])]
        for owner, other, _ in self._open:
            by = f'"{other.phrase}"'
            if owner != robot:
                for name in sorted(skill.shared_claims & other.shared_claims):
                    return Use(name, f'{by} of {owner}', is_shared=True)
            else:
                for name in sorted(skill.claims & other.claims):
                    return Use(f'the {name}', by, is_shared=False)
        return None


def _is_over(run: SkillRun) -> bool:
    return has_ended(run) and run.settled


class ClaimGate(Gate):
    """A skill that waits for what it claims, and is refused if that stays busy.

    It is also refused when another robot has handled a thing meanwhile: it is not where the agent
    knew it any more, or not as it knew it.

    Args:
        claims: of the robots.
        skill: the skill.
        robot: name of its robot.
        things: names of what the skill may move or change.
    """

    def __init__(
        self,
        claims: Claims,
        skill: GroundedSkill,
        robot: str = '',
        things: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._claims = claims
        self._skill = skill
        self._robot = robot
        self._things = things
        self._since = claims.clock()
        self._passed = False
        self._handled: Use | None = None

    def open(self) -> bool:
        """Return whether all that it claims is free; the robot starts it at once then."""
        if self._passed or self.result is not None:
            return self._passed
        use = self._claims.in_use(self._skill, self._robot)
        if use is None:
            if self._handled is not None:
                was = f'{self._handled.name} was busy with {self._handled.by} meanwhile'
                self.result = refusal(self._skill, was)
            self._passed = self._handled is None
            return self._passed
        if use.is_shared and use.name in self._things:
            self._handled = use
        why = f'{use.name} is still busy with {use.by}'
        self.waits = f'because {why}'
        if self._claims.clock() - self._since >= self._claims.wait_sec:
            self.result = refusal(self._skill, why)
        return False
