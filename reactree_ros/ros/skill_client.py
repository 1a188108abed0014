# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills as ROS 2 actions: one class owns send, accept, result, cancel and time-out.

Everything is polled from the tick, and nothing waits. The action clients and the caller must
share one mutually exclusive callback group: rclpy's ``send_goal_async`` may lose a response that
another thread handles while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import Observe
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.exceptions import WorldError
from reactree_ros.ros.conversions import observation_from_msg, skill_result_from_msg
from reactree_ros.skills.library import GroundedSkill

_ASK_AGAIN_SEC = 1.0


@dataclass(frozen=True)
class Timeouts:
    """How long a robot is waited for; how long a skill may take stands in the skill library.

    Args:
        server_wait_sec: for a server to appear, and for one that went away to come back.
        goal_response_sec: for a goal to be accepted or rejected, or an observation to be given.
        cancel_sec: for the result of a goal that was cancelled.
    """

    server_wait_sec: float = 5.0
    goal_response_sec: float = 5.0
    cancel_sec: float = 5.0


class RosSkillExecutor:
    """A robot whose skills are ``ExecuteSkill`` action servers (``behaviours.SkillExecutor``).

    Args:
        node: the node that the clients belong to.
        servers: names of all action servers that skills name; each gets one client.
        observe_service: name of the ``Observe`` service.
        timeouts: how long the robot is waited for.
        group: callback group of the clients and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        servers: tuple[str, ...],
        observe_service: str,
        timeouts: Timeouts,
        group: CallbackGroup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node = node
        self._timeouts = timeouts
        self._clock = clock
        self._clients = {
            name: ActionClient(node, ExecuteSkill, name, callback_group=group)
            for name in sorted(set(servers))
        }
        self._observe = node.create_client(Observe, observe_service, callback_group=group)

    def start(self, skill: GroundedSkill) -> RosSkillRun:
        """Start a skill and return at once."""
        return RosSkillRun(self._clients[skill.server], skill, self._timeouts, self._clock)

    def observe(self) -> PendingObservation:
        """Ask for the full description of what is perceived now."""
        return PendingObservation(self._observe, self._timeouts, self._clock)

    def survey(self) -> PendingObservation:
        """Ask what is in the whole house."""
        return PendingObservation(self._observe, self._timeouts, self._clock, whole_house=True)

    def destroy(self) -> None:
        """Destroy all clients."""
        for client in self._clients.values():
            client.destroy()
        self._node.destroy_client(self._observe)


class RosSkillRun:
    """One skill on its way through an action server (``behaviours.SkillRun``).

    =========  ====================================================================
    SUCCEEDED  the server says so
    REFUSED    the server says that a precondition did not hold
    FAILED     no server, rejected, aborted, server gone, or a time limit passed;
               the observation's text says which
    CANCELED   ``cancel`` was called, and the robot has stopped or does not answer
    =========  ====================================================================

    Args:
        client: client of the skill's action server.
        skill: the skill.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        client: ActionClient,
        skill: GroundedSkill,
        timeouts: Timeouts,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._skill = skill
        self._timeouts = timeouts
        self._clock = clock
        self._since = clock()
        self._response: Future | None = None
        self._handle: Any = None
        self._outcome: Future | None = None
        self._stopping = ''
        self._cancel_wanted = False
        self._server_seen = clock()
        self._result: SkillResult | None = None
        self._advance()

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._result is None:
            self._advance()
        return self._result

    def cancel(self) -> None:
        """Ask the robot to stop; the result is there when it has, or when a time limit passed."""
        if self._result is not None or self._cancel_wanted:
            return
        self._cancel_wanted = True
        if self._handle is not None and not self._stopping:
            self._stop('')

    def _advance(self) -> None:
        if self._response is None:
            self._send()
        elif self._handle is None:
            self._await_response()
        else:
            self._await_result()

    def _send(self) -> None:
        if self._cancel_wanted:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')
        elif self._client.server_is_ready():
            goal = ExecuteSkill.Goal(skill=self._skill.name, arguments=list(self._skill.arguments))
            self._response = self._client.send_goal_async(goal)
            self._since = self._clock()
        elif self._passed(self._timeouts.server_wait_sec):
            limit = self._timeouts.server_wait_sec
            self._fail(f'no action server {self._skill.server} was there for {limit:g} s')

    def _await_response(self) -> None:
        assert self._response is not None
        if self._response.done():
            handle = self._response.result()
            if not handle.accepted:
                if self._cancel_wanted:
                    self._end(SkillStatus.CANCELED, 'was canceled; it had not been accepted')
                else:
                    self._fail(f'the action server {self._skill.server} rejected it')
                return
            self._handle = handle
            self._outcome = handle.get_result_async()
            self._since = self._server_seen = self._clock()
            if self._cancel_wanted:
                self._stop('')
        elif self._passed(self._timeouts.goal_response_sec):
            # an acceptance that comes yet must not leave the robot moving
            self._response.add_done_callback(_cancel_if_accepted)
            limit = self._timeouts.goal_response_sec
            if self._cancel_wanted:
                self._end(SkillStatus.CANCELED, f'was canceled; no answer for {limit:g} s')
            else:
                self._fail(
                    f'the action server {self._skill.server} neither accepted nor rejected it '
                    f'for {limit:g} s'
                )

    def _await_result(self) -> None:
        assert self._outcome is not None
        if self._outcome.done():
            self._answered(self._outcome.result())
        elif self._stopping or self._cancel_wanted:
            if self._passed(self._timeouts.cancel_sec):
                limit = self._timeouts.cancel_sec
                silent = f'the robot did not confirm within {limit:g} s that it stopped'
                if self._cancel_wanted:
                    self._end(SkillStatus.CANCELED, f'was canceled; {silent}')
                else:
                    self._fail(f'{self._stopping}; {silent}')
        elif self._passed(self._skill.result_sec):
            self._stop(f'there was no result for {self._skill.result_sec:g} s')
        elif self._client.server_is_ready():
            self._server_seen = self._clock()
        elif self._clock() - self._server_seen >= self._timeouts.server_wait_sec:
            self._handle.cancel_goal_async()
            self._fail(f'the action server {self._skill.server} went away while it ran')

    def _stop(self, why: str) -> None:
        self._stopping = why
        self._since = self._clock()
        self._handle.cancel_goal_async()

    def _answered(self, response: Any) -> None:
        result = skill_result_from_msg(response.result)
        text = result.observation.text
        if response.status == GoalStatus.STATUS_CANCELED:
            if self._stopping:
                self._fail(f'{self._stopping}; the robot stopped')
            else:
                by = 'was canceled' if self._cancel_wanted else 'was canceled by the robot'
                self._end(SkillStatus.CANCELED, by)
        elif response.status == GoalStatus.STATUS_SUCCEEDED:
            self._result = result
        elif response.status == GoalStatus.STATUS_ABORTED:
            # a server that aborts without filling in its result leaves the outcome of success
            if result.status is SkillStatus.SUCCEEDED or not text:
                self._fail('the robot aborted it' + (f': {text}' if text else ''))
            else:
                self._result = result
        else:
            self._fail(f'the action server {self._skill.server} does not know the goal any more')

    def _fail(self, why: str) -> None:
        self._result = _told(SkillStatus.FAILED, f'"{self._skill.phrase}" failed: {why}.')

    def _end(self, status: SkillStatus, how: str) -> None:
        self._result = _told(status, f'"{self._skill.phrase}" {how}.')

    def _passed(self, seconds: float) -> bool:
        return self._clock() - self._since >= seconds


class PendingObservation:
    """A full observation that was asked for (``models.Pending``).

    It is asked for again when no answer comes: looking moves nothing, and a service that has not
    discovered this client yet drops its answer.

    Args:
        client: client of the ``Observe`` service.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
        whole_house: what is in the whole house is asked for, not what is perceived.
    """

    def __init__(
        self,
        client: Any,
        timeouts: Timeouts,
        clock: Callable[[], float],
        *,
        whole_house: bool = False,
    ) -> None:
        self._client = client
        self._whole_house = whole_house
        self._timeouts = timeouts
        self._clock = clock
        self._since = clock()
        self._asked_at = 0.0
        self._futures: list[Future] = []
        self._canceled = False

    def poll(self) -> Observation | None:
        """Return the observation once it is there; never waits.

        Raises:
            WorldError: if there will be none.
        """
        if self._canceled:
            raise WorldError('the observation was canceled')
        for future in self._futures:
            if future.done():
                return observation_from_msg(future.result().observation)
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

    def cancel(self) -> None:
        """Give the observation up; a late answer is dropped."""
        self._canceled = True
        for future in self._futures:
            if not future.done():
                self._client.remove_pending_request(future)

    def _ask(self) -> None:
        self._asked_at = self._clock()
        self._futures.append(
            self._client.call_async(Observe.Request(whole_house=self._whole_house))
        )

    def _check(self, limit: float, what: str) -> None:
        if self._clock() - self._since >= limit:
            self.cancel()
            name = self._client.srv_name
            raise WorldError(f'the service {name} {what}; it was waited for {limit:g} s')


def _cancel_if_accepted(response: Future) -> None:
    handle = response.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _told(status: SkillStatus, text: str) -> SkillResult:
    return SkillResult(status, Observation(text))
