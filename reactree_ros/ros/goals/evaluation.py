# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The client of ``CheckGoal``: evaluates in the world whether a goal was reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import CheckGoal
from reactree_ros.core.futures import Future, Polled, ready
from reactree_ros.ros.goals.learning import Verdict
from reactree_ros.ros.skills.asking import AskedService, NoAnswer


class RosGoalCheck:
    """Evaluates goals by a ``CheckGoal`` service; never waits.

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

    def ask(self, lines: Sequence[str]) -> Future[Verdict]:
        """Ask whether conditions hold; unknown if the service is missing or does not answer.

        Args:
            lines: in the world's own notation, or the instruction of its task.
        """
        if self._client is None:
            return ready(Verdict())
        request = CheckGoal.Request(conditions=list(lines))
        asked = AskedService(self._client, request, 0.0, self._answer_sec, self._clock)

        def look() -> Verdict | None:
            try:
                reply = asked.poll()
            except NoAnswer:
                return Verdict()
            if reply is None:
                return None
            return Verdict(reply.known, reply.holds, tuple(reply.unsatisfied))

        return Polled(look, asked.cancel)

    def destroy(self) -> None:
        """Destroy the client."""
        if self._client is not None:
            self._node.destroy_client(self._client)
