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
from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.errors import SkillError
from reactree_ros.ros.skills.answers import ForeignAnswers
from reactree_ros.ros.skills.asking import AskedService, AskedTopic
from reactree_ros.ros.skills.messages import InFrame, interface
from reactree_ros.ros.skills.run import Clock, Timeouts
from reactree_ros.skills.conditions import (
    Asked,
    Question,
    ServiceCondition,
    TopicCondition,
    WorldCondition,
)
from reactree_ros.skills.done_check import all_hold, missing_conditions
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

    def missing(self) -> list[str]:
        """Return the services that the library asks and that are not there (yet)."""
        return [
            f'service {self._node.resolve_service_name(client.srv_name)}'
            for (_, type_name), client in self._clients.items()
            if type_name != _CHECK_GOAL and not client.service_is_ready()
        ]

    def check(self, question: Question) -> Future[str]:
        """Ask for what speaks against a condition; the answer is empty if it holds."""
        condition = question.condition
        if isinstance(condition, TopicCondition):
            return AskedTopic(
                self._node, condition, self._full(condition.name), self._group, self._clock
            )
        if isinstance(condition, ServiceCondition):
            return self._service(condition, question)
        if not self._check_service:
            return ready('' if condition.if_known else 'the planner has no check_service to ask')
        return all_hold([self._world(condition, line) for line in question.lines])

    def destroy(self) -> None:
        """Destroy all clients."""
        for client in self._clients.values():
            self._node.destroy_client(client)

    def _world(self, condition: WorldCondition, line: str) -> Future[str]:
        name = self._check_service
        client = self._client(name, _CHECK_GOAL, CheckGoal)

        def read(told: CheckGoal.Response) -> str:
            if told.known:
                missing = list(told.unsatisfied) or ([] if told.holds else [line])
                return missing_conditions(missing)
            return '' if condition.if_known else f'the world cannot read "{line}"'

        request = CheckGoal.Request(conditions=[line])
        limit_sec = self._timeouts.goal_response_sec
        asked = AskedService(client, request, read, self._timeouts, limit_sec, name, self._clock)
        if not condition.if_known:
            return asked
        return mapped(asked, lambda objection: '' if asked.silent else objection)

    def _service(self, condition: ServiceCondition, question: Question) -> Future[str]:
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
            return ready(f'it cannot be checked: {error}')
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
