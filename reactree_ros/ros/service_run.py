# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills as service calls and as messages on a topic, for what needs no action."""

from __future__ import annotations

import time
from typing import Any

from rclpy.client import Client
from rclpy.publisher import Publisher
from rclpy.task import Future

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.answers import Answers
from reactree_ros.ros.skill_run import CalledSkill, Clock, Timeouts
from reactree_ros.skills.library import GroundedSkill


class ServiceRun(CalledSkill):
    """One skill as a service call.

    It is called once: a second call might do the thing twice. A service cannot be stopped, so a
    cancel gives up the answer.

    Args:
        client: client of the service.
        request: what is sent.
        skill: the skill.
        answers: reads the response.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        client: Client,
        request: Any,
        skill: GroundedSkill,
        answers: Answers,
        timeouts: Timeouts,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(skill, timeouts, clock)
        self._client = client
        self._request = request
        self._answers = answers
        self._service = f'the service {skill.call.name}'
        self._response: Future | None = None
        self._server_seen = clock()
        self._advance()

    def _stop_wanted(self) -> None:
        if self._response is None:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')
        elif not self._response.done():
            self._client.remove_pending_request(self._response)
            self._end(
                SkillStatus.CANCELED,
                f'was canceled; {self._service} cannot be stopped and may have done it',
            )

    def _advance(self) -> None:
        if self._response is None:
            self._call()
        elif self._response.done():
            error = self._response.exception()
            if error is not None:
                self._fail(f'{self._service} gave no answer: {error}')
            else:
                self._result = self._answers.succeeded(self._response.result())
        elif self._passed(self._skill.call.limit_sec):
            self._give_up(f'did not answer for {self._skill.call.limit_sec:g} s')
        elif self._client.service_is_ready():
            self._server_seen = self._clock()
        elif self._clock() - self._server_seen >= self._timeouts.server_wait_sec:
            self._give_up('went away before it answered')

    def _call(self) -> None:
        if self._client.service_is_ready():
            self._response = self._client.call_async(self._request)
            self._since = self._server_seen = self._clock()
        elif self._passed(self._timeouts.server_wait_sec):
            limit = self._timeouts.server_wait_sec
            self._fail(f'no service {self._skill.call.name} was there for {limit:g} s')

    def _give_up(self, why: str) -> None:
        assert self._response is not None
        self._client.remove_pending_request(self._response)
        self._fail(f'{self._service} {why}; it may have done it')


class TopicRun(CalledSkill):
    """One skill as a message on a topic; the robot is given time and taken at its word.

    Args:
        publisher: of the topic.
        message: what is sent, once.
        skill: the skill.
        answers: says what was done.
        timeouts: how long a listener is waited for.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        publisher: Publisher,
        message: Any,
        skill: GroundedSkill,
        answers: Answers,
        timeouts: Timeouts,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(skill, timeouts, clock)
        self._publisher = publisher
        self._message = message
        self._answers = answers
        self._sent = False
        self._advance()

    def _stop_wanted(self) -> None:
        how = 'was canceled before it was sent'
        if self._sent:
            how = f'was canceled; what listens to {self._skill.call.name} was not told to stop'
        self._end(SkillStatus.CANCELED, how)

    def _advance(self) -> None:
        if not self._sent:
            if self._publisher.get_subscription_count():
                self._publisher.publish(self._message)
                self._sent = True
                self._since = self._clock()
            elif self._passed(self._timeouts.server_wait_sec):
                limit = self._timeouts.server_wait_sec
                self._fail(f'nobody listened to the topic {self._skill.call.name} for {limit:g} s')
        if self._sent and self._passed(self._skill.call.limit_sec):
            self._result = self._answers.succeeded(self._message)
