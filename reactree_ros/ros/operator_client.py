# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts questions to the operator through the ``AskOperator`` service, without waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from reactree_interfaces.srv import AskOperator
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED

OPERATOR_SERVICE = 'reactree/ask_operator'


class RosOperator:
    """A person behind an ``AskOperator`` service (``behaviours.Operator``).

    Args:
        node: the node that the client belongs to.
        service: name of the service.
        server_wait_sec: for a service that went away with a question to come back.
        answer_sec: for the person to answer.
        group: callback group of the client and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        service: str,
        server_wait_sec: float,
        answer_sec: float,
        group: CallbackGroup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node = node
        self._server_wait_sec = server_wait_sec
        self._answer_sec = answer_sec
        self._clock = clock
        self._client = node.create_client(AskOperator, service, callback_group=group)

    @property
    def present(self) -> bool:
        """Whether the service is there at this moment."""
        return bool(self._client.service_is_ready())

    def ask(self, question: str) -> PendingReply:
        """Put a question and return at once; the answer is empty if nobody gives one."""
        return PendingReply(
            self._client, question, self._server_wait_sec, self._answer_sec, self._clock
        )

    def destroy(self) -> None:
        """Destroy the client."""
        self._node.destroy_client(self._client)


class PendingReply:
    """A question that was put (``models.Pending``).

    It is put once: a person should not read it twice.

    Args:
        client: client of the ``AskOperator`` service.
        question: what is asked.
        server_wait_sec: for a service that went away to come back.
        answer_sec: for the answer.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        client: Any,
        question: str,
        server_wait_sec: float,
        answer_sec: float,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._server_wait_sec = server_wait_sec
        self._answer_sec = answer_sec
        self._clock = clock
        self._since = self._seen = clock()
        self._future: Future = client.call_async(AskOperator.Request(question=question))

    def poll(self) -> str | None:
        """Return the answer once it is there, an empty one if there will be none; never waits."""
        if self._future.done():
            reply = self._future.result()
            return one_line(reply.answer, MOST_OBSERVED) if reply.answered else ''
        now = self._clock()
        if self._client.service_is_ready():
            self._seen = now
        if now - self._since < self._answer_sec and now - self._seen < self._server_wait_sec:
            return None
        self.cancel()
        return ''

    def cancel(self) -> None:
        """Give the answer up; a late one is dropped."""
        if not self._future.done():
            self._client.remove_pending_request(self._future)
