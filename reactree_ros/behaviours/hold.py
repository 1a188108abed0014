# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pausing a run, and doing it step by step: nothing new begins, what has begun comes to its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, WaitingRun, WrappedExecutor
from reactree_ros.core.observation import SkillResult
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import (
    Answer,
    DecisionRequest,
    LanguageModel,
    Pending,
    TextRequest,
)
from reactree_ros.skills.library import GroundedSkill

T = TypeVar('T')

GOING, PAUSING, PAUSED = 'going', 'pausing', 'paused'


class Hold:
    """Whether a planner may begin something new: ask its model, or start a skill.

    Running skills and open questions to the model go on to their end. The time in which something
    waits here counts for no limit and no cost.

    Args:
        clock: monotonic time in seconds.

    Attributes:
        pauses: how often it was paused; what was let go before the latest pause, and has not begun
            since, has to ask again.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.pauses = 0
        self._clock = clock
        self._on = False
        self._steps = 0
        self._decided = False
        self._waiting: set[int] = set()
        self._since = 0.0
        self._held = 0.0

    @property
    def word(self) -> str:
        """``going``; ``pausing`` until something waits to begin; then ``paused``."""
        if not self._on:
            return GOING
        return PAUSED if self._waiting and not self._steps else PAUSING

    def pause(self) -> None:
        """Let nothing new begin, nor the skill that a decision under way leads to."""
        self._on = True
        self._steps = 0
        self._decided = False
        self.pauses += 1

    def resume(self) -> None:
        """Let everything go on."""
        self._on = False
        self._steps = 0

    def step(self) -> bool:
        """Let one decision be made, and the skill begin that it leads to.

        Returns:
            Whether it is paused; otherwise nothing is done.
        """
        if self._on:
            self._steps = 1
        return self._on

    def now(self) -> float:
        """Return the time that a run's clock shows, in seconds: it stands while a run waits."""
        now = self._clock()
        return now - self._held - (now - self._since if self._waiting else 0.0)

    def decision_may_begin(self, waiter: object) -> bool:
        """Say whether a request to the model may begin now; a step is used up by that."""
        if self._on and not self._steps:
            return self._wait(waiter)
        self._steps = 0
        self._decided = True
        return self._go(waiter)

    def skill_may_begin(self, waiter: object) -> bool:
        """Say whether a skill may begin now; the one that a decision led to may."""
        if self._on and not self._decided and not self._steps:
            return self._wait(waiter)
        if not self._decided:
            self._steps = 0
        self._decided = False
        return self._go(waiter)

    def decided_nothing(self) -> None:
        """Hear that the latest decision leads to no skill: its run was canceled."""
        self._decided = False

    def holds(self, waiter: object) -> bool:
        """Return whether something waits here."""
        return id(waiter) in self._waiting

    def gave_up(self, waiter: object) -> None:
        """Hear that something does not wait any more."""
        self._go(waiter)

    def _wait(self, waiter: object) -> bool:
        if not self._waiting:
            self._since = self._clock()
        self._waiting.add(id(waiter))
        return False

    def _go(self, waiter: object) -> bool:
        if self.holds(waiter):
            self._waiting.discard(id(waiter))
            if not self._waiting:
                self._held += self._clock() - self._since
        return True


class HeldModel:
    """A model that is asked only when the hold lets it (``models.LanguageModel``).

    Args:
        model: the model.
        hold: the planner's.
    """

    def __init__(self, model: LanguageModel, hold: Hold) -> None:
        self._model = model
        self._hold = hold

    def decide(self, request: DecisionRequest) -> Pending[Answer]:
        """Ask for a decision as soon as that may begin."""
        return _HeldRequest(self._hold, lambda: self._model.decide(request))

    def write(self, request: TextRequest) -> Pending[tuple[Answer, ...]]:
        """Ask for free text as soon as that may begin."""
        return _HeldRequest(self._hold, lambda: self._model.write(request))


class HeldExecutor(WrappedExecutor):
    """A robot whose skills begin only when the hold lets them (``skill.SkillExecutor``).

    Args:
        executor: the robot.
        hold: the planner's.
    """

    def __init__(self, executor: SkillExecutor, hold: Hold) -> None:
        super().__init__(executor)
        self._hold = hold

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill as soon as it may begin."""
        return _HeldSkill(skill, self._hold, lambda: self._executor.start(skill, situation))


class _HeldRequest(Generic[T]):
    def __init__(self, hold: Hold, begin: Callable[[], Pending[T]]) -> None:
        self._hold = hold
        self._begin = begin
        self._begun: Pending[T] | None = None
        if hold.decision_may_begin(self):
            self._begun = begin()

    def poll(self) -> T | None:
        if self._begun is None:
            if not self._hold.decision_may_begin(self):
                return None
            self._begun = self._begin()
        return self._begun.poll()

    def cancel(self) -> None:
        self._hold.gave_up(self)
        if self._begun is not None:
            self._begun.cancel()


class _HeldSkill(WaitingRun):
    """A skill that begins only when the hold lets it.

    One that was let go may wait on, to be allowed or for what it claims. It begins when it is
    polled, so after a pause it is not, until the hold lets it go again.
    """

    _what_for = 'to be resumed'

    def __init__(self, skill: GroundedSkill, hold: Hold, begin: Callable[[], SkillRun]) -> None:
        self._hold = hold
        self._let_go = -1
        super().__init__(skill, begin)

    @property
    def doing(self) -> str:
        """What the robot does, or what is waited for."""
        if self._hold.holds(self):
            return f'waiting {self._what_for}'
        return super().doing

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        run = self._run
        held_again = run is not None and self._let_go != self._hold.pauses and not run.begun
        return None if held_again and not self._may_begin() else super().poll()

    def cancel(self) -> None:
        """Stop the robot, or do not begin."""
        self._hold.gave_up(self)
        super().cancel()

    def _may_begin(self) -> bool:
        if not self._hold.skill_may_begin(self):
            return False
        self._let_go = self._hold.pauses
        return True
