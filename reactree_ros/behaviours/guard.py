# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's door: a skill that does not pass is refused with its reason, whoever decided it."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_ros.behaviours.claims import WAIT_SEC, Claims
from reactree_ros.behaviours.skill import (
    EndedSkill,
    SkillExecutor,
    SkillRun,
    WrappedExecutor,
    failed,
)
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending
from reactree_ros.skills.library import GroundedSkill, SkillLibrary


class GuardedExecutor(WrappedExecutor):
    """A robot behind its door (``skill.SkillExecutor``); make it by ``guarded``.

    It stands as close to the robot as it can, and is the same for all goals: what it keeps is
    about the robot, not about a run.

    Args:
        executor: the robot.
        library: its skills, and what it must keep out of.
        wait_sec: how long a skill waits for a resource that another one claims.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        executor: SkillExecutor,
        library: SkillLibrary,
        wait_sec: float = WAIT_SEC,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(executor)
        self._library = library
        self._surveyed: set[str] = set()
        self._claims = Claims(wait_sec, clock)

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill, have it wait for its resources, or refuse it; return at once."""
        why = self._objection(skill, situation)
        if why:
            return EndedSkill(failed(skill, why, SkillStatus.REFUSED))
        if not skill.claims:
            return self._executor.start(skill, situation)
        return self._claims.start(skill, lambda: self._executor.start(skill, situation))

    def survey(self) -> Pending[Observation]:
        """Ask what is in the whole house."""
        return _Overheard(self._executor.survey(), self._hear)

    def _objection(self, skill: GroundedSkill, situation: Situation) -> str:
        """Return why a skill must not reach the robot; empty if it may."""
        known = situation.objects.keys() | self._surveyed | {*situation.rooms}
        for name in skill.arguments:
            if name not in known:
                return f'nothing is known of {name}'
        return self._library.forbids(skill, situation)

    def _hear(self, survey: Observation) -> None:
        self._surveyed.update(survey.rooms, (item.name for item in survey.objects))


class _Overheard:
    """An observation that the door hears as well."""

    def __init__(self, pending: Pending[Observation], hear: Callable[[Observation], None]) -> None:
        self._pending = pending
        self._hear = hear

    def poll(self) -> Observation | None:
        observation = self._pending.poll()
        if observation is not None:
            self._hear(observation)
        return observation

    def cancel(self) -> None:
        self._pending.cancel()


def guarded(
    executor: SkillExecutor, library: SkillLibrary, wait_sec: float = WAIT_SEC
) -> GuardedExecutor:
    """Return a robot behind its door; one that is, stays as it is.

    Args:
        executor: the robot.
        library: its skills, and what it must keep out of.
        wait_sec: how long a skill waits for a resource that another one claims.
    """
    if isinstance(executor, GuardedExecutor):
        return executor
    return GuardedExecutor(executor, library, wait_sec)
