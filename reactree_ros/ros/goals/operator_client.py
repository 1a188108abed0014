# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts questions to the operator through the ``AskOperator`` service, without waiting."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.msg import QuestionClosed
from reactree_interfaces.srv import AskOperator
from reactree_ros.core.operator import WITHOUT_ANSWER, Reply, ReplyStatus
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED
from reactree_ros.ros.qos import CLOSED_QUESTIONS

OPERATOR_SERVICE = 'reactree/ask_operator'
_CANCELED = 'the goal or subgoal that asked was canceled or has ended'
_LEFT = 'the planner has left'
_ENDS = {
    ReplyStatus.ANSWERED: 'it has been answered',
    ReplyStatus.DECLINED: 'it has been declined',
    ReplyStatus.UNANSWERED: 'nobody answered',
}


def closed_topic(service: str) -> str:
    """Return the topic of ``QuestionClosed`` that belongs to an ``AskOperator`` service."""
    return f'{service}/closed'


class RosOperator:
    """A person behind an ``AskOperator`` service (``core.operator.Operator``).

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
        self.server_wait_sec = server_wait_sec
        self.answer_sec = answer_sec
        self.clock = clock
        self._node = node
        self._client = node.create_client(AskOperator, service, callback_group=group)
        self._closed = node.create_publisher(
            QuestionClosed, closed_topic(service), CLOSED_QUESTIONS
        )
        self._open: dict[bytes, PendingReply] = {}

    @property
    def present(self) -> bool:
        """Whether the service is there at this moment."""
        return bool(self._client.service_is_ready())

    def ask(
        self, question: str, options: Sequence[str] = (), otherwise: str = WITHOUT_ANSWER
    ) -> PendingReply:
        """Put a question and return at once; canceling it takes the question back.

        Args:
            question: the question.
            options: the answers to choose from; none for any text.
            otherwise: what happens without an answer, for a person who answers too late.
        """
        key = uuid.uuid4().bytes
        request = AskOperator.Request(
            question_id=_uuid(key),
            question=question,
            options=list(options),
            time_limit=Duration(seconds=self.answer_sec).to_msg(),
        )
        self._open[key] = PendingReply(self, key, self._client.call_async(request), otherwise)
        return self._open[key]

    def close(self, key: bytes, reason: str) -> None:
        """Tell everybody who shows a question that nobody waits for its answer."""
        if self._open.pop(key, None) is not None:
            self._closed.publish(QuestionClosed(question_id=_uuid(key), reason=reason))

    def forget(self, future: Future) -> None:
        """Drop the answer to a question, should it still come."""
        if not future.done():
            self._client.remove_pending_request(future)

    def destroy(self) -> None:
        """Close what is open, and destroy the client."""
        for pending in list(self._open.values()):
            pending.give_up(_LEFT)
        self._node.destroy_client(self._client)
        self._node.destroy_publisher(self._closed)


class PendingReply:
    """A question that was put (``Future``).

    It is put once: a person should not read it twice.

    Args:
        operator: who it was put to.
        key: id of the question, 16 bytes.
        future: of the answer.
        otherwise: what happens without one.
    """

    def __init__(self, operator: RosOperator, key: bytes, future: Future, otherwise: str) -> None:
        self._operator = operator
        self._key = key
        self._future = future
        self._otherwise = otherwise
        self._since = self._seen = operator.clock()
        self._reply: Reply | None = None

    def poll(self) -> Reply | None:
        """Return the reply once there is one, and the same ever after; never waits."""
        if self._reply is None:
            self._look()
        return self._reply

    def cancel(self) -> None:
        """Take the question back; a late answer is dropped."""
        self.give_up(_CANCELED)

    def give_up(self, why: str) -> None:
        """Wait no more, and close the question for a reason."""
        if self._reply is None:
            self._end(Reply(ReplyStatus.UNANSWERED), why)

    def _look(self) -> None:
        operator, now = self._operator, self._operator.clock()
        if self._future.done():
            reply = _reply(self._future.result())
            self._end(reply, _ENDS[reply.status])
            return
        if operator.present:
            self._seen = now
        if now - self._since >= operator.answer_sec:
            self.give_up(f'nobody answered within {operator.answer_sec:g} s; {self._otherwise}')
        elif now - self._seen >= operator.server_wait_sec:
            self.give_up(f'the service went away; {self._otherwise}')

    def _end(self, reply: Reply, why: str) -> None:
        self._reply = reply
        self._operator.forget(self._future)
        self._operator.close(self._key, why)


def _reply(response: Any) -> Reply:
    """Return what an operator's server says; what it does not say was not answered."""
    text = one_line(response.answer, MOST_OBSERVED)
    if response.outcome == AskOperator.Response.ANSWERED and text:
        return Reply(ReplyStatus.ANSWERED, text)
    if response.outcome == AskOperator.Response.DECLINED:
        return Reply(ReplyStatus.DECLINED)
    return Reply(ReplyStatus.UNANSWERED)


def _uuid(key: bytes) -> UUID:
    return UUID(uuid=list(key))
