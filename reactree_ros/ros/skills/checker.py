# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Asks services, topics and the world whether what was done is so; never waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import CheckGoal
from reactree_ros.core.futures import Future, mapped, otherwise, ready
from reactree_ros.errors import SkillError
from reactree_ros.ros.skills.answers import ForeignAnswers
from reactree_ros.ros.skills.asking import AskedService, AskedTopic, NoAnswer
from reactree_ros.ros.skills.messages import InFrame, interface
from reactree_ros.ros.skills.run import Clock, Timeouts
from reactree_ros.skills.conditions import (
    Question,
    ServiceCondition,
    TopicCondition,
    WorldCondition,
)
from reactree_ros.skills.done_check import all_hold, missing_conditions
from reactree_ros.skills.library import GroundedSkill, SkillLibrary


class RosChecker:
    """What a robot's side knows besides what it reports of its skills.

    Args:
        check_service: name of the ``CheckGoal`` service; empty for none.
        group: callback group of subscriptions and of the tick.
        connect: makes the client of a service, of its type, its full name and whether the library
            needs it.
        full: gives the names of the robot's services and topics as the node sees them.
        in_frame: for poses in requests without a header.
    """

    def __init__(
        self,
        node: Node,
        check_service: str,
        timeouts: Timeouts,
        group: CallbackGroup,
        connect: Callable[[Any, str, bool], Any],
        full: Callable[[str], str],
        in_frame: InFrame,
        clock: Clock = time.monotonic,
    ) -> None:
        self._node = node
        self._check_service = check_service
        self._timeouts = timeouts
        self._group = group
        self._connect = connect
        self._full = full
        self._in_frame = in_frame
        self._clock = clock
        self._clients: dict[tuple[str, str], Any] = {}
        self._world = connect(CheckGoal, check_service, False) if check_service else None

    def prepare(self, library: SkillLibrary) -> None:
        """Make the clients of all services that a library asks, so that they find these early.

        Raises:
            ConfigurationError: if an interface type is not installed.
        """
        checks = [*(one.check for one in library.skills), *(one.check for one in library.done)]
        for check in checks:
            for condition in check.asked:
                if isinstance(condition, ServiceCondition):
                    self._client(condition)
                elif isinstance(condition, TopicCondition):
                    interface(condition.type)

    def check(self, question: Question) -> Future[str]:
        """Ask for what speaks against a condition; the answer is empty if it holds."""
        condition = question.condition
        if isinstance(condition, TopicCondition):
            return AskedTopic(
                self._node, condition, self._full(condition.name), self._group, self._clock
            )
        if isinstance(condition, ServiceCondition):
            return self._check_by_service(condition, question)
        if self._world is None:
            return ready(
                ''
                if condition.if_known
                else 'it cannot be checked: the parameter robot.check_service is empty'
            )
        return all_hold([self._check_world(condition, line) for line in question.lines])

    def _check_world(self, condition: WorldCondition, line: str) -> Future[str]:
        def objection(answer: CheckGoal.Response) -> str:
            if answer.known:
                missing = list(answer.unsatisfied) or ([] if answer.holds else [line])
                return missing_conditions(missing)
            return '' if condition.if_known else f'the world cannot read "{line}"'

        return self._ask(
            self._world,
            CheckGoal.Request(conditions=[line]),
            objection,
            self._timeouts.goal_response_sec,
            self._check_service,
            is_optional=condition.if_known,
        )

    def _check_by_service(self, condition: ServiceCondition, question: Question) -> Future[str]:
        call = condition.call
        skill = GroundedSkill('check', (), 'check', call)
        answers = ForeignAnswers(skill, question.look, self._in_frame)
        request = interface(call.type).Request()
        try:
            answers.fill(request)
        except SkillError as error:
            return ready(f'it cannot be checked: {error}')
        client = self._client(condition)
        return self._ask(client, request, answers.objection, call.limit_sec, call.name)

    def _ask(
        self,
        client: Any,
        request: Any,
        objection: Callable[[Any], str],
        limit_sec: float,
        name: str,
        is_optional: bool = False,
    ) -> Future[str]:
        """Return the objection that a service's response is; or that there was no response.

        Args:
            client: client of the service.
            request: what it is asked.
            objection: reads the response; returns an empty text if it has no objection.
            limit_sec: how long its answer is waited for.
            name: of the service, for messages.
            is_optional: no answer is not an objection.
        """

        def no_answer(error: NoAnswer) -> Future[str]:
            if is_optional:
                return ready('')
            if error.was_there:
                return ready(f'the service {name} did not answer for {error.seconds:g} s')
            return ready(f'no service {name} was there for {error.seconds:g} s to check it')

        wait_sec = self._timeouts.server_wait_sec
        asked = AskedService(client, request, wait_sec, limit_sec, self._clock)
        return otherwise(mapped(asked, objection), NoAnswer, no_answer)

    def _client(self, condition: ServiceCondition) -> Any:
        name, kind = self._full(condition.call.name), condition.call.type
        if (name, kind) not in self._clients:
            self._clients[name, kind] = self._connect(interface(kind), name, True)
        return self._clients[name, kind]
