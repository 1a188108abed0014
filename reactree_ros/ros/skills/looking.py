# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot perceives: asked for at the start, and after skills whose answer does not tell."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rclpy.task import Future as RosFuture

from reactree_interfaces.srv import Observe
from reactree_ros.core.futures import Future, Polled
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.errors import WorldError
from reactree_ros.ros.conversions import observation_from_msg
from reactree_ros.ros.skills.run import Clock, Timeouts
from reactree_ros.skills.executor import SkillRun, WrappedRun

_ASK_AGAIN_SEC = 1.0


class LookingRun(WrappedRun):
    """A skill after which the robot is asked what it perceives (``behaviours.SkillRun``).

    It is asked after a success only; else, or if it does not answer, the last known structure
    holds.

    Args:
        run: the skill.
        look: asks; it is given what the robot said, for the observation's text to begin with.
    """

    def __init__(self, run: SkillRun, look: Callable[[str], Future[Observation]]) -> None:
        super().__init__(run)
        self._look = look
        self._done: SkillResult | None = None
        self._seeing: Future[Observation] | None = None
        self._result: SkillResult | None = None

    @property
    def doing(self) -> str:
        """What it is doing."""
        return self._run.doing if self._seeing is None else 'looking'

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._done is None:
            self._done = self._run.poll()
            if self._done is not None and self._done.status is SkillStatus.SUCCEEDED:
                self._seeing = self._look(self._done.observation.text)
            else:
                self._result = self._done
        if self._result is None and self._seeing is not None and self._done is not None:
            said = self._done.observation.text
            try:
                seen = self._seeing.poll()
            except WorldError as error:
                text = f'{said} What is there now is not known: {error}.'
                self._result = SkillResult(SkillStatus.SUCCEEDED, Observation(text))
            else:
                if seen is not None:
                    self._result = SkillResult(SkillStatus.SUCCEEDED, seen)
        return self._result


class PendingObservation(Polled[Observation]):
    """A full observation that was asked for; without an answer a WorldError (``Future``).

    It is asked for again when no answer comes: looking moves nothing, and a service that has not
    discovered this client yet drops its answer.

    Args:
        client: client of the ``Observe`` service.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
        overview: what is in the whole house is asked for, not what is perceived.
        said: what the observation's text begins with.
    """

    def __init__(
        self,
        client: Any,
        timeouts: Timeouts,
        clock: Clock = time.monotonic,
        *,
        overview: bool = False,
        said: str = '',
    ) -> None:
        super().__init__(self._look_for_answer)
        self._client = client
        self._overview = overview
        self._said = said
        self._timeouts = timeouts
        self._clock = clock
        self._since = clock()
        self._asked_at = 0.0
        self._futures: list[RosFuture] = []

    def cancel(self) -> None:
        """Give the observation up; whoever polls for it afterwards gets a WorldError."""
        if not self.ended:
            self._drop()
            self.fail(WorldError('it was canceled'))

    def _look_for_answer(self) -> Observation | None:
        for future in self._futures:
            if future.done():
                return self._read(future)
        now = self._clock()
        if not self._futures:
            if self._client.service_is_ready():
                self._since = now
                self._ask()
            else:
                self._check(self._timeouts.server_wait_sec, 'is not there')
        elif now - self._asked_at >= _ASK_AGAIN_SEC:
            self._ask()
        if self._futures:
            self._check(self._timeouts.goal_response_sec, 'does not answer')
        return None

    def _drop(self) -> None:
        for future in self._futures:
            if not future.done():
                self._client.remove_pending_request(future)

    def _read(self, future: RosFuture) -> Observation:
        try:
            seen = observation_from_msg(future.result().observation)
        except Exception as error:  # a future raises whatever the middleware put into it
            name = self._client.srv_name
            why = ' '.join(str(error).split())
            raise WorldError(f'the answer of the service {name} cannot be read: {why}') from error
        return replace(seen, text=f'{self._said} {seen.text}'.strip())

    def _ask(self) -> None:
        self._asked_at = self._clock()
        self._futures.append(self._client.call_async(Observe.Request(overview=self._overview)))

    def _check(self, limit: float, what: str) -> None:
        if self._clock() - self._since >= limit:
            self._drop()
            name = self._client.srv_name
            raise WorldError(f'the service {name} {what}; it was waited for {limit:g} s')
