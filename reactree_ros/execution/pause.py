# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pausing a run, and doing it step by step: nothing new starts, running skills finish."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from reactree_ros.core.futures import Future, Polled, then
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.situation import Situation
from reactree_ros.execution.pipeline import Gate, Stage
from reactree_ros.skills.executor import SkillRun
from reactree_ros.skills.library import GroundedSkill

T = TypeVar('T')

RUNNING, PAUSING, PAUSED = PAUSE_STATES = ('running', 'pausing', 'paused')


class PauseSwitch:
    """Whether a planner may start something new: ask its model, or start a skill.

    Running skills and open requests to the model are finished. The time in which something waits
    here counts for no limit and no cost.

    Args:
        clock: monotonic time in seconds.

    Attributes:
        pauses: how often it was paused; what was released before the latest pause, and has not
            started since, has to ask again.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.pauses = 0
        self._clock = clock
        self._on = False
        self._step = False
        self._decided = False
        self._waiting: set[object] = set()
        self._since = 0.0
        self._paused_sec = 0.0

    @property
    def state(self) -> str:
        """``running``; ``pausing`` until something waits to begin; then ``paused``."""
        if not self._on:
            return RUNNING
        return PAUSED if self._waiting and not self._step else PAUSING

    def pause(self) -> None:
        """Start nothing new, not even the skill that a pending decision leads to."""
        self._on = True
        self._step = False
        self._decided = False
        self.pauses += 1

    def resume(self) -> None:
        """Let everything continue."""
        self._on = False
        self._step = False

    def step(self) -> bool:
        """Allow one decision, and the skill that it leads to.

        Returns:
            Whether it is paused; otherwise nothing is done.
        """
        if self._on:
            self._step = True
        return self._on

    def now(self) -> float:
        """Return the time that a run's clock shows, in seconds: it stands while a run waits."""
        now = self._clock()
        return now - self._paused_sec - (now - self._since if self._waiting else 0.0)

    def decision_may_start(self, waiter: object) -> bool:
        """Return whether a request to the model may start now; that uses up a step."""
        if self._on and not self._step:
            # the decision of the step has led to another one, not to a skill
            self._decided = self._decided and waiter in self._waiting
            return self._wait(waiter)
        self._step = False
        self._decided = True
        self.stop_waiting(waiter)
        return True

    def skill_may_start(self, waiter: object) -> bool:
        """Return whether a skill may start now; the one that a decision led to may."""
        # what waits already is not what the step has decided
        if self._on and not self._step and (not self._decided or waiter in self._waiting):
            return self._wait(waiter)
        if not self._decided:
            self._step = False
        self._decided = False
        self.stop_waiting(waiter)
        return True

    def decided_nothing(self) -> None:
        """The latest decision leads to no skill: its run was canceled."""
        self._decided = False

    def stop_waiting(self, waiter: object) -> None:
        """Forget something that does not wait any more, if it did."""
        if waiter in self._waiting:
            self._waiting.discard(waiter)
            if not self._waiting:
                self._paused_sec += self._clock() - self._since

    def _wait(self, waiter: object) -> bool:
        if not self._waiting:
            self._since = self._clock()
        self._waiting.add(waiter)
        return False


class PausableModel:
    """A model that is asked only while the planner is not paused (``core.model.LanguageModel``).

    Args:
        model: the model.
        pause: the planner's.
    """

    def __init__(self, model: LanguageModel, pause: PauseSwitch) -> None:
        self._model = model
        self._pause = pause

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision as soon as that may begin."""
        return self._when_allowed(lambda: self._model.decide(request))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text as soon as that may begin."""
        return self._when_allowed(lambda: self._model.write(request))

    def _when_allowed(self, ask: Callable[[], Future[T]]) -> Future[T]:
        waiter = object()
        if self._pause.decision_may_start(waiter):
            return ask()
        allowed = Polled(
            lambda: self._pause.decision_may_start(waiter) or None,
            lambda: self._pause.stop_waiting(waiter),
        )
        return then(allowed, lambda _: ask())


class PauseStage(Stage):
    """Stage ``pause``: skills begin only while the planner is not paused.

    Args:
        pause: the planner's.
    """

    name = 'pause'

    def __init__(self, pause: PauseSwitch) -> None:
        self._pause = pause

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate:
        """Let a skill go on as soon as it may begin."""
        return _PauseGate(self._pause)


class _PauseGate(Gate):
    """Closes again at a pause: what went on may still wait, to be allowed or for what it claims."""

    waits = 'to be resumed'

    def __init__(self, pause: PauseSwitch) -> None:
        super().__init__()
        self._pause = pause
        self._passed_at = -1

    def open(self) -> bool:
        if self._passed_at != self._pause.pauses:
            if not self._pause.skill_may_start(self):
                return False
            self._passed_at = self._pause.pauses
        return True

    def cancel(self) -> None:
        self._pause.stop_waiting(self)
