# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the world, through the ``CheckGoal`` service, whether a goal was reached; never waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from reactree_interfaces.srv import CheckGoal
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.ros.goal_learning import Verdict

CHECK_SERVICE = 'household/check_goal'
PDDL_CHECK_SERVICE = 'pddl/check_goal'


class RosGoalCheck:
    """A world behind a ``CheckGoal`` service (``goal_learning.GoalCheck``).

    Args:
        node: the node that the client belongs to.
        service: name of the service; empty for none.
        answer_sec: for the world to answer.
        group: callback group of the client and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        service: str,
        answer_sec: float,
        group: CallbackGroup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node = node
        self._answer_sec = answer_sec
        self._clock = clock
        self._client = (
            node.create_client(CheckGoal, service, callback_group=group) if service else None
        )

    def ask(self, goal: str) -> Pending[Verdict]:
        """Ask whether a goal holds; a world that is not there or does not answer knows nothing."""
        if self._client is None or not self._client.service_is_ready():
            return Ready(Verdict())
        return _Check(self._client, goal, self._clock() + self._answer_sec, self._clock)

    def destroy(self) -> None:
        """Destroy the client."""
        if self._client is not None:
            self._node.destroy_client(self._client)


class _Check:
    """A question to the world that was put."""

    def __init__(self, client: Any, goal: str, until: float, clock: Callable[[], float]) -> None:
        self._client = client
        self._until = until
        self._clock = clock
        self._future: Future = client.call_async(CheckGoal.Request(conditions=[goal]))

    def poll(self) -> Verdict | None:
        if self._future.done():
            told = self._future.result()
            return Verdict(told.known, told.holds, tuple(told.unsatisfied))
        if self._clock() < self._until:
            return None
        self.cancel()
        return Verdict()

    def cancel(self) -> None:
        if not self._future.done():
            self._client.remove_pending_request(self._future)
