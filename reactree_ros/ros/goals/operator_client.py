# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts questions to the operator through ``AskOperator`` services, without waiting."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.msg import QuestionClosed
from reactree_interfaces.srv import AskOperator
from reactree_ros.core.operator import WITHOUT_ANSWER, Reply, ReplyStatus
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED
from reactree_ros.ros.qos import CLOSED_QUESTIONS

OPERATOR_SERVICE = 'reactree/ask_operator'
ASSISTANT_SERVICE = 'reactree/ask_assistant'
_GONE = 'the service went away'
_CANCELED = 'the goal or subgoal that asked was canceled or has ended'
_LEFT = 'the planner has shut down'
_ENDS = {
    ReplyStatus.ANSWERED: 'it has been answered',
    ReplyStatus.DECLINED: 'it has been declined',
    ReplyStatus.UNANSWERED: 'nobody answered',
}


def closed_topic(service: str) -> str:
    """Return the topic of ``QuestionClosed`` that belongs to an ``AskOperator`` service."""
    return f'{service}/closed'


class RosOperator:
    """A person and an assistant, each behind an ``AskOperator`` service (``core.operator``).

    They have a service each, so that what only a person may decide never reaches an assistant.

    Args:
        node: the node that the clients belong to.
        service: name of the service that a person answers.
        server_wait_sec: for a service that went away with a question to come back.
        answer_sec: for the answer.
        group: callback group of the clients and of the tick.
        clock: monotonic time in seconds.
        assistant_service: name of the service that an assistant answers.
    """

    def __init__(
        self,
        node: Node,
        service: str,
        server_wait_sec: float,
        answer_sec: float,
        group: CallbackGroup,
        clock: Callable[[], float] = time.monotonic,
        assistant_service: str = ASSISTANT_SERVICE,
    ) -> None:
        self.server_wait_sec = server_wait_sec
        self.answer_sec = answer_sec
        self.clock = clock
        self._person = _AnswerService(node, service, group)
        self._assistant = _AnswerService(node, assistant_service, group)
        self._open: dict[bytes, PendingReply] = {}

    @property
    def present(self) -> bool:
        """Whether one of the services is there at this moment."""
        return self._person.open or self._assistant.open

    @property
    def person_present(self) -> bool:
        """Whether the service that a person answers is there at this moment."""
        return self._person.open

    def ask(
        self,
        question: str,
        options: Sequence[str] = (),
        otherwise: str = WITHOUT_ANSWER,
        person: bool = False,
    ) -> PendingReply:
        """Put a question and return at once; canceling it takes the question back.

        Args:
            question: the question.
            options: the answers to choose from; none for any text.
            otherwise: what happens without an answer, for a person who answers too late.
            person: only a person may answer.
        """
        key = uuid.uuid4().bytes
        request = AskOperator.Request(
            question_id=_uuid(key),
            question=question,
            options=list(options),
            time_limit=Duration(seconds=self.answer_sec).to_msg(),
        )
        services = [self._person]
        if not person and self._assistant.open:
            services = [one for one in (self._person, self._assistant) if one.open]
        sent = [_SentQuestion(one, request, self.clock()) for one in services]
        self._open[key] = PendingReply(self, key, sent, otherwise)
        return self._open[key]

    def close(self, key: bytes, sent: Sequence[_SentQuestion], reason: str) -> None:
        """Tell everybody who shows a question that nobody waits for its answer."""
        if self._open.pop(key, None) is not None:
            for one in sent:
                one.service.closed.publish(QuestionClosed(question_id=_uuid(key), reason=reason))

    def destroy(self) -> None:
        """Close what is open, and destroy the clients."""
        for pending in list(self._open.values()):
            pending.give_up(_LEFT)
        self._person.destroy()
        self._assistant.destroy()


class _AnswerService:
    """A service that answers questions, and the topic that says which of them are over."""

    def __init__(self, node: Node, service: str, group: CallbackGroup) -> None:
        self._node = node
        self.client = node.create_client(AskOperator, service, callback_group=group)
        self.closed = node.create_publisher(QuestionClosed, closed_topic(service), CLOSED_QUESTIONS)

    @property
    def open(self) -> bool:
        return bool(self.client.service_is_ready())

    def destroy(self) -> None:
        self._node.destroy_client(self.client)
        self._node.destroy_publisher(self.closed)


class _SentQuestion:
    """A question that was put to one service: once, for nobody should read it twice."""

    def __init__(self, service: _AnswerService, request: AskOperator.Request, now: float) -> None:
        self.service = service
        self._future = service.client.call_async(request)
        self._seen = now
        self._lost = False

    def look(self, now: float, wait_sec: float) -> tuple[Reply, str] | None:
        """Return the reply and how it came about; None while one can still come."""
        if self._future.done():
            reply = _reply(self._future.result())
            return reply, _ENDS[reply.status]
        is_back = self._lost and self.service.open
        if self.service.open:
            self._seen = now
        else:
            self._lost = True
        # one that has come back is another process, which was not asked
        if is_back or now - self._seen >= wait_sec:
            return Reply(ReplyStatus.UNANSWERED), _GONE
        return None

    def forget(self) -> None:
        """Drop the answer, should it still come."""
        if not self._future.done():
            self.service.client.remove_pending_request(self._future)


class PendingReply:
    """A question that was put (``Future``); of several answers the first counts.

    Args:
        operator: who it was put to.
        key: id of the question, 16 bytes.
        sent: it, as it was sent to each service.
        otherwise: what happens without an answer.
    """

    def __init__(
        self, operator: RosOperator, key: bytes, sent: Sequence[_SentQuestion], otherwise: str
    ) -> None:
        self._operator = operator
        self._key = key
        self._sent = sent
        self._otherwise = otherwise
        self._since = operator.clock()
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
        looked = [one.look(now, operator.server_wait_sec) for one in self._sent]
        replies = [one for one in looked if one is not None]
        for status in ReplyStatus:  # the answer first, then that somebody declined
            for reply, why in replies:
                # whoever declines does not speak for the other, who may still answer
                if reply.status is status and (reply.text or len(replies) == len(looked)):
                    self._end(reply, f'{why}; {self._otherwise}' if why is _GONE else why)
                    return
        if now - self._since >= operator.answer_sec:
            self.give_up(f'nobody answered within {operator.answer_sec:g} s; {self._otherwise}')

    def _end(self, reply: Reply, why: str) -> None:
        self._reply = reply
        for one in self._sent:
            one.forget()
        self._operator.close(self._key, self._sent, why)


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
