# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills as service calls and as messages on a topic, for what needs no action."""

from __future__ import annotations

from rclpy.task import Future

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.skills.sent_skill import SentSkill


class ServiceRun(SentSkill):
    """One skill as a service call; its channel is the service's client.

    It is called once: a second call might do the thing twice. A service cannot be stopped, so
    after a cancel its answer is waited for, up to the time limit of cancels.
    """

    def _begin(self) -> None:
        self._service = f'the service {self._skill.call.name}'
        self._response: Future | None = None

    @property
    def settled(self) -> bool:
        """Whether it has ended and the robot cannot be at it any more."""
        return self.closed or (self._result is not None and self._away())

    @property
    def closed(self) -> bool:
        """Whether nothing can come of it any more."""
        if self._result is None:
            return False
        return self._response is None or self._response.done() or self._response.cancelled()

    def watch(self) -> None:
        """Look whether the service, which was not waited for any more, is still there."""
        if self._channel.service_is_ready():
            self._server_seen = self._clock()

    def leave(self) -> bool:
        """Give up the answer: nobody will look any more."""
        if self._response is not None and not self._response.done():
            self._channel.remove_pending_request(self._response)
        return super().leave()

    def _away(self) -> bool:
        return self._clock() - self._server_seen >= self._timeouts.server_wait_sec

    def _stop_wanted(self) -> None:
        if self._response is None:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')
        self._since = self._clock()

    def _advance(self) -> None:
        if self._response is None:
            self._call()
        elif self._response.done() or self._response.cancelled():
            error = self._response.exception()
            if error is not None or self._response.cancelled():
                self._fail(f'{self._service} gave no answer: {error or "the call was given up"}')
            else:
                self._read(self._answers.succeeded, self._response.result())
        elif self._cancel_wanted and self._passed(self._timeouts.cancel_sec):
            limit = self._timeouts.cancel_sec
            text = f'cannot be stopped, did not answer for {limit:g} s and may have done it'
            self._end(SkillStatus.CANCELED, f'was canceled; {self._service} {text}')
        elif not self._cancel_wanted and self._passed(self._skill.call.limit_sec):
            self._give_up(f'did not answer for {self._skill.call.limit_sec:g} s')
        elif self._channel.service_is_ready():
            self._server_seen = self._clock()
        elif self._away():
            self._give_up('went away before it answered')

    def _call(self) -> None:
        if self._channel.service_is_ready():
            self._response = self._channel.call_async(self._message)
            self._since = self._server_seen = self._clock()
        elif self._passed(self._timeouts.server_wait_sec):
            limit = self._timeouts.server_wait_sec
            self._fail(f'no service {self._skill.call.name} was there for {limit:g} s')

    def _give_up(self, why: str) -> None:
        self._fail(f'{self._service} {why}; it may have done it')


class TopicRun(SentSkill):
    """One skill as a message on a topic; its channel is the topic's publisher.

    The robot is given time and taken at its word. It cannot be stopped, so after a cancel it is
    given what is left of its time, up to the time limit of cancels.
    """

    def _begin(self) -> None:
        self._sent = False
        self._canceled_at = 0.0

    @property
    def settled(self) -> bool:
        """Whether it has ended and the time that the robot was given is over."""
        return self._result is not None and (
            not self._sent or self._passed(self._skill.call.limit_sec)
        )

    @property
    def closed(self) -> bool:
        """Whether nothing can come of it any more."""
        return self.settled

    def _stop_wanted(self) -> None:
        if not self._sent:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')
        self._canceled_at = self._clock()

    def _advance(self) -> None:
        if not self._sent:
            if self._channel.get_subscription_count():
                self._channel.publish(self._message)
                self._sent = True
                self._since = self._clock()
            elif self._passed(self._timeouts.server_wait_sec):
                limit = self._timeouts.server_wait_sec
                self._fail(f'nobody listened to the topic {self._skill.call.name} for {limit:g} s')
        if not self._sent:
            return
        over = self._passed(self._skill.call.limit_sec)
        if self._cancel_wanted:
            if over or self._clock() - self._canceled_at >= self._timeouts.cancel_sec:
                told = f'what listens to {self._skill.call.name} was not told to stop'
                self._end(SkillStatus.CANCELED, f'was canceled; {told}')
        elif over:
            self._result = self._answers.succeeded(self._message)
