# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One question to a service or a topic, whose answer is an objection or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future

from reactree_ros.core.futures import Polled
from reactree_ros.errors import SkillError
from reactree_ros.ros.skills.messages import interface, read
from reactree_ros.ros.skills.run import Clock, Timeouts
from reactree_ros.skills.conditions import TopicCondition

_ANY_PUBLISHER = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""What reliable publishers and others send; nothing that was sent before."""
_ASK_AGAIN_SEC = 1.0


class AskedService(Polled[str]):
    """A service that is asked what it knows: an objection, or nothing (``Future``).

    It is asked again when no answer comes: that changes nothing, and a service that has not
    discovered this client yet drops its answer.

    Args:
        client: client of the service.
        request: what it is asked.
        read: gives the objection of a response; empty for none.
        timeouts: how long the service is waited for that is not there.
        limit_sec: how long its answer is waited for.
        name: of the service, for messages.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        client: Any,
        request: Any,
        read: Callable[[Any], str],
        timeouts: Timeouts,
        limit_sec: float,
        name: str,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(self._look_for_answer, self._drop)
        self.silent = False
        self._client = client
        self._request = request
        self._read = read
        self._timeouts = timeouts
        self._limit_sec = limit_sec
        self._name = name
        self._clock = clock
        self._since = self._asked_at = clock()
        self._responses: list[Future] = []

    def _drop(self) -> None:
        for response in self._responses:
            if not response.done():
                self._client.remove_pending_request(response)

    def _look_for_answer(self) -> str | None:
        now = self._clock()
        answered = next((one for one in self._responses if one.done()), None)
        if answered is not None:
            self._drop()
            return self._read(answered.result())
        if not self._responses:
            wait_sec = self._timeouts.server_wait_sec
            if self._client.service_is_ready():
                self._since = now
                self._ask()
            elif now - self._since >= wait_sec:
                return self._give_up(
                    f'no service {self._name} was there for {wait_sec:g} s to check it'
                )
        elif now - self._since >= self._limit_sec:
            return self._give_up(
                f'the service {self._name} did not answer for {self._limit_sec:g} s'
            )
        elif now - self._asked_at >= _ASK_AGAIN_SEC:
            self._ask()
        return None

    def _ask(self) -> None:
        self._asked_at = self._clock()
        self._responses.append(self._client.call_async(self._request))

    def _give_up(self, why: str) -> str:
        self._drop()
        self.silent = True
        return why


class AskedTopic(Polled[str]):
    """A topic on which a message that says what is wanted has to come (``Future``).

    Only what is published from now on counts.

    Args:
        node: the node that listens.
        condition: what is wanted.
        name: of the topic as the node sees it.
        group: callback group of the subscription and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        condition: TopicCondition,
        name: str,
        group: CallbackGroup,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(self._look_at_time, self._unsubscribe)
        self._node = node
        self._condition = condition
        self._clock = clock
        self._since = clock()
        limit = condition.within_sec
        self._latest = f'no message came on {condition.name} for {limit:g} s'
        self._objection: str | None = None
        self._subscription: Any = node.create_subscription(
            interface(condition.type), name, self._hear, _ANY_PUBLISHER, callback_group=group
        )

    def _look_at_time(self) -> str | None:
        if self._objection is None and self._clock() - self._since >= self._condition.within_sec:
            self._objection = self._latest
        if self._objection is not None:
            self._unsubscribe()
        return self._objection

    def _unsubscribe(self) -> None:
        self._node.destroy_subscription(self._subscription)

    def _hear(self, message: Any) -> None:
        if self._objection is not None:
            return
        objections = (self._of(message, path) for path in self._condition.values)
        found = next(filter(None, objections), '')
        if found:
            self._latest = found
        else:
            self._objection = ''

    def _of(self, message: Any, path: tuple[str, ...]) -> str:
        try:
            value = read(message, path)
        except SkillError as error:
            return f'{self._condition.name} says nothing of that: {error}'
        return self._condition.objection(
            path, value.tolist() if hasattr(value, 'tolist') else value
        )
