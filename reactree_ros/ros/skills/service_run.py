# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills as service calls and as messages on a topic, for what needs no action."""

from __future__ import annotations

from typing import Any

from rclpy.task import Future

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.skills.run import CalledSkill, Clock

_SETTLED_SEC = 1.0


class ServiceChannel:
    """The client of a service, which knows since when the service has been there.

    A service that has not discovered the client yet drops its answer, and nobody may call it again
    for that. Discovery goes both ways at about the same time, so one that appears is called a
    little later.

    Args:
        wait_sec: how long a service is waited for that is not there.
    """

    def __init__(self, client: Any, wait_sec: float, clock: Clock) -> None:
        self._client = client
        self._settled_sec = min(_SETTLED_SEC, wait_sec / 2)
        self._clock = clock
        self._since: float | None = None

    def is_there(self) -> bool:
        """Return whether the service is there; to be asked now and then, also between calls."""
        if not self._client.service_is_ready():
            self._since = None
        elif self._since is None:
            self._since = self._clock()
        return self._since is not None

    def is_settled(self) -> bool:
        """Return whether the service has been there for long enough to be called."""
        since = self._since if self.is_there() else None
        return since is not None and self._clock() - since >= self._settled_sec

    def call(self, request: Any) -> Future:
        """Call the service."""
        return self._client.call_async(request)

    def drop(self, response: Future) -> None:
        """Give up an answer."""
        self._client.remove_pending_request(response)


class ServiceRun(CalledSkill):
    """One skill as a service call; its channel is a ``ServiceChannel``.

    It is called once: a second call might do the thing twice. A service cannot be stopped, so
    after a cancel its answer is waited for, up to the time limit of cancels.
    """

    absent = 'no service {} was there'
    _response: Future
    _server_lost = False

    def leave(self) -> bool:
        """Give up the answer: nobody polls any more."""
        if self._sent and not self._response.done():
            self._channel.drop(self._response)
        return super().leave()

    def _is_server_ready(self) -> bool:
        return bool(self._channel.is_settled())

    def _send(self) -> None:
        self._service = f'the service {self._skill.call.name}'
        self._response = self._channel.call(self._message)
        self._server_seen = self._clock()

    def _stop(self) -> None:
        self._since = self._clock()

    def _watch(self) -> None:
        if self._channel.is_there():
            self._server_seen = self._clock()
        else:
            self._server_lost = True

    def _is_answered(self) -> bool:
        return self._response.done() or self._response.cancelled()

    def _is_at_rest(self) -> bool:
        # one that has come back is another process, which knows nothing of the call
        is_back = self._server_lost and self._channel.is_there()
        return self._is_answered() or self._is_away() or is_back

    def _is_away(self) -> bool:
        return self._clock() - self._server_seen >= self._timeouts.server_wait_sec

    def _look(self) -> None:
        limit = self._timeouts.cancel_sec if self._cancel_wanted else self._skill.call.limit_sec
        if self._is_answered():
            error = self._response.exception()
            if error is not None or self._response.cancelled():
                self._fail(f'{self._service} gave no answer: {error or "the call was given up"}')
            else:
                self._read(self._answers.succeeded, self._response.result())
        elif self._passed(limit):
            if self._cancel_wanted:
                text = f'cannot be stopped, did not answer for {limit:g} s and may have done it'
                self._end(SkillStatus.CANCELED, f'was canceled; {self._service} {text}')
            else:
                self._give_up(f'did not answer for {limit:g} s')
        else:
            self._watch()
            if self._is_away():
                self._give_up('went away before it answered')

    def _give_up(self, why: str) -> None:
        self._fail(f'{self._service} {why}; it may have done it')


class TopicRun(CalledSkill):
    """One skill as a message on a topic; its channel is the topic's publisher.

    The robot is given time, and then the skill counts as done. It cannot be stopped, so after a
    cancel it is given what is left of its time, up to the time limit of cancels.
    """

    absent = 'nobody listened to the topic {}'
    _canceled_at: float

    def _is_server_ready(self) -> bool:
        return self._channel.get_subscription_count() > 0

    def _send(self) -> None:
        self._channel.publish(self._message)

    def _stop(self) -> None:
        self._canceled_at = self._clock()

    def _is_answered(self) -> bool:
        return self._passed(self._skill.call.limit_sec)

    def _look(self) -> None:
        if self._cancel_wanted:
            waited = self._clock() - self._canceled_at
            if self._is_answered() or waited >= self._timeouts.cancel_sec:
                why = f'what listens to {self._skill.call.name} was not asked to stop'
                self._end(SkillStatus.CANCELED, f'was canceled; {why}')
        elif self._is_answered():
            self._result = self._answers.succeeded(self._message)
