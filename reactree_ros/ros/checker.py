# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Asks services, topics and the world whether what was done is so; never waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import CheckGoal
from reactree_ros.behaviours.checking import AllHold, told_missing
from reactree_ros.exceptions import SkillError
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.ros.answers import ForeignAnswers
from reactree_ros.ros.asking import AskedService, AskedTopic
from reactree_ros.ros.messages import InFrame, interface
from reactree_ros.ros.skill_run import Clock, Timeouts
from reactree_ros.skills.conditions import (
    Asked,
    Question,
    ServiceCondition,
    TopicCondition,
    WorldCondition,
)
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

_CHECK_GOAL = 'reactree_interfaces/srv/CheckGoal'


class RosChecker:
    """What a robot's side knows besides what it reports of its skills.

    Args:
        node: the node that clients and subscriptions belong to.
        check_service: name of the ``CheckGoal`` service; empty for none.
        timeouts: how long services are waited for.
        group: callback group of all of them and of the tick.
        full: gives the names of the robot's services and topics as the node sees them.
        in_frame: for poses in requests without a header.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        check_service: str,
        timeouts: Timeouts,
        group: CallbackGroup,
        full: Callable[[str], str],
        in_frame: InFrame,
        clock: Clock = time.monotonic,
    ) -> None:
        self._node = node
        self._check_service = check_service
        self._timeouts = timeouts
        self._group = group
        self._full = full
        self._in_frame = in_frame
        self._clock = clock
        self._clients: dict[tuple[str, str], Any] = {}
        if check_service:
            self._client(check_service, _CHECK_GOAL, CheckGoal)

    def prepare(self, library: SkillLibrary) -> None:
        """Make the clients of all services that a library asks, so that they find these early.

        Raises:
            ConfigurationError: if an interface type is not installed.
        """
        for condition in conditions_of(library):
            if isinstance(condition, ServiceCondition):
                call = condition.call
                self._client(self._full(call.name), call.type, interface(call.type))
            elif isinstance(condition, TopicCondition):
                interface(condition.type)

    def check(self, question: Question) -> Pending[str]:
        """Ask for what speaks against a condition; the answer is empty if it holds."""
        condition = question.condition
        if isinstance(condition, TopicCondition):
            return AskedTopic(
                self._node, condition, self._full(condition.name), self._group, self._clock
            )
        if isinstance(condition, ServiceCondition):
            return self._service(condition, question)
        if not self._check_service:
            return Ready('' if condition.if_known else 'the planner has no check_service to ask')
        return AllHold([self._world(condition, line) for line in question.lines])

    def destroy(self) -> None:
        """Destroy all clients."""
        for client in self._clients.values():
            self._node.destroy_client(client)

    def _world(self, condition: WorldCondition, line: str) -> Pending[str]:
        name = self._check_service
        client = self._client(name, _CHECK_GOAL, CheckGoal)

        def read(told: CheckGoal.Response) -> str:
            if told.known:
                missing = list(told.unsatisfied) or ([] if told.holds else [line])
                return told_missing(missing)
            return '' if condition.if_known else f'the world cannot read "{line}"'

        request = CheckGoal.Request(conditions=[line])
        limit_sec = self._timeouts.goal_response_sec
        asked = AskedService(client, request, read, self._timeouts, limit_sec, name, self._clock)
        return _NoObjectionIfSilent(asked) if condition.if_known else asked

    def _service(self, condition: ServiceCondition, question: Question) -> Pending[str]:
        call = condition.call
        found = interface(call.type)
        client = self._client(self._full(call.name), call.type, found)
        answers = ForeignAnswers(
            GroundedSkill('check', (), 'check', call), question.look, self._in_frame
        )
        request = found.Request()
        try:
            answers.fill(request)
        except SkillError as error:
            return Ready(f'it cannot be checked: {error}')
        return AskedService(
            client,
            request,
            answers.objection,
            self._timeouts,
            call.limit_sec,
            call.name,
            self._clock,
        )

    def _client(self, name: str, type_name: str, found: Any) -> Any:
        key = (name, type_name)
        if key not in self._clients:
            self._clients[key] = self._node.create_client(found, name, callback_group=self._group)
        return self._clients[key]


def conditions_of(library: SkillLibrary) -> Iterable[Asked]:
    """Yield all conditions of a library that the robot's side is asked for."""
    for skill in library.skills:
        yield from skill.check.asked
    for goal in library.done:
        yield from goal.check.asked


class _NoObjectionIfSilent:
    """A question whose answer counts only if there is one."""

    def __init__(self, asked: AskedService) -> None:
        self._asked = asked

    def poll(self) -> str | None:
        objection = self._asked.poll()
        return '' if self._asked.silent else objection

    def cancel(self) -> None:
        self._asked.cancel()
