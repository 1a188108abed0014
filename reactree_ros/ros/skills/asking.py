# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One question to a service or a topic, also what the robot perceives; never waits."""

from __future__ import annotations

import math
import time
import uuid
from dataclasses import replace
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from reactree_interfaces.srv import Observe
from reactree_ros.core.futures import Polled
from reactree_ros.core.observation import Observation
from reactree_ros.errors import SkillError, WorldError
from reactree_ros.ros.conversions import observation_from_msg
from reactree_ros.ros.qos import SENSOR
from reactree_ros.ros.skills.messages import interface, plain_data, read
from reactree_ros.ros.skills.run import Clock, Timeouts
from reactree_ros.skills.conditions import TopicCondition


class NoAnswer(Exception):
    """A service gave no answer for so many seconds, or was not there."""

    def __init__(self, was_there: bool, seconds: float) -> None:
        super().__init__(f'no answer for {seconds:g} s')
        self.was_there = was_there
        self.seconds = seconds


class AskedService(Polled[Any]):
    """The response of a service that is asked what it knows (``Future``); without one ``NoAnswer``.

    It is asked again when no answer comes: that changes nothing, and a service that has not
    discovered this client yet drops its answer.

    Args:
        wait_sec: how long the service is waited for that is not there.
        limit_sec: how long its answer is waited for.
        again_sec: time after which it is asked again.
    """

    def __init__(
        self,
        client: Any,
        request: Any,
        wait_sec: float,
        limit_sec: float,
        clock: Clock = time.monotonic,
        again_sec: float = 1.0,
    ) -> None:
        super().__init__(self._look_for_answer, self._drop)
        self._client = client
        self._request = request
        self._wait_sec = wait_sec
        self._limit_sec = limit_sec
        self._again_sec = again_sec
        self._clock = clock
        self._since = self._asked_at = clock()
        self._responses: list[Future] = []

    def _look_for_answer(self) -> Any:
        now = self._clock()
        answered = next((one for one in self._responses if one.done()), None)
        if answered is not None:
            self._drop()
            return answered.result()
        limit_sec = self._limit_sec if self._responses else self._wait_sec
        if not self._responses and self._client.service_is_ready():
            self._since = now
            self._ask()
        elif now - self._since >= limit_sec:
            self._drop()
            raise NoAnswer(bool(self._responses), limit_sec)
        elif self._responses and now - self._asked_at >= self._again_sec:
            self._ask()
        return None

    def _ask(self) -> None:
        self._asked_at = self._clock()
        self._responses.append(self._client.call_async(self._request))

    def _drop(self) -> None:
        for response in self._responses:
            if not response.done():
                self._client.remove_pending_request(response)


class Handshake(AskedService):
    """Asks an action server to cancel a goal that does not exist, until it answers.

    ``server_is_ready`` only says that the client has discovered the server. As long as the server
    has not discovered the client, it drops the response to a goal, and the feedback, silently. A
    participant's endpoints are discovered in the order in which they were made. So make the action
    client first: once the answer is here, the server knows all of the client too.

    Args:
        action: name of the action.
        group: callback group of its client; None for the node's default.
    """

    def __init__(
        self,
        node: Node,
        action: str,
        clock: Clock = time.monotonic,
        group: CallbackGroup | None = None,
    ) -> None:
        self._node = node
        name = f'{action}/_action/cancel_goal'
        client = node.create_client(CancelGoal, name, callback_group=group)
        request = CancelGoal.Request()
        request.goal_info.goal_id.uuid = list(uuid.uuid4().bytes)
        super().__init__(client, request, math.inf, math.inf, clock, again_sec=0.5)

    def done(self) -> bool:
        """Return whether the server has answered; never waits."""
        return self.poll() is not None

    def destroy(self) -> None:
        """Destroy the client."""
        self._node.destroy_client(self._client)


class PendingObservation(Polled[Observation]):
    """A full observation that was asked for; without an answer a WorldError (``Future``).

    Args:
        client: client of the ``Observe`` service.
        overview: what is in the whole environment is asked for, not what is perceived.
        said: what the observation's text begins with.
    """

    def __init__(
        self,
        client: Any,
        timeouts: Timeouts,
        clock: Clock,
        overview: bool,
        said: str,
    ) -> None:
        super().__init__(self._look_for_answer)
        self._service = f'the service {client.srv_name}'
        self._said = said
        self._asked = AskedService(
            client,
            Observe.Request(overview=overview),
            timeouts.server_wait_sec,
            timeouts.goal_response_sec,
            clock,
        )

    def cancel(self) -> None:
        """Give the observation up; whoever polls for it afterwards gets a WorldError."""
        if not self.ended:
            self._asked.cancel()
            self.fail(WorldError('it was canceled'))

    def _look_for_answer(self) -> Observation | None:
        try:
            response = self._asked.poll()
            if response is None:
                return None
            seen = observation_from_msg(response.observation)
        except NoAnswer as error:
            fault = 'did not answer' if error.was_there else 'was not available'
            raise WorldError(f'{self._service} {fault} for {error.seconds:g} s') from error
        except Exception as error:  # a future raises whatever the middleware put into it
            why = ' '.join(str(error).split())
            raise WorldError(f'the answer of {self._service} cannot be read: {why}') from error
        return replace(seen, text=f'{self._said} {seen.text}'.strip())


class AskedTopic(Polled[str]):
    """The objection to a condition that a message on a topic has to satisfy; empty for none.

    Only what is published from now on counts.

    Args:
        name: of the topic as the node sees it.
        group: callback group of the subscription and of the tick.
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
        self._is_satisfied = False
        self._subscription: Any = node.create_subscription(
            interface(condition.type), name, self._on_message, SENSOR, callback_group=group
        )

    def _look_at_time(self) -> str | None:
        is_late = self._clock() - self._since >= self._condition.within_sec
        if not self._is_satisfied and not is_late:
            return None
        self._unsubscribe()
        return '' if self._is_satisfied else self._latest

    def _unsubscribe(self) -> None:
        self._node.destroy_subscription(self._subscription)

    def _on_message(self, message: Any) -> None:
        objections = (self._objection(message, path) for path in self._condition.values)
        found = next(filter(None, objections), '')
        self._latest = found
        self._is_satisfied = self._is_satisfied or not found

    def _objection(self, message: Any, path: tuple[str, ...]) -> str:
        try:
            value = plain_data(read(message, path))
        except SkillError as error:
            return f'a message on {self._condition.name} cannot be read: {error}'
        return self._condition.objection(path, value)
