# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves ``AskOperator`` for a person, who takes time."""

from __future__ import annotations

import os
import queue
import threading
import uuid
from dataclasses import dataclass

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_interfaces.msg import QuestionClosed
from reactree_interfaces.srv import AskOperator
from reactree_ros.core.operator import OPEN
from reactree_ros.ros.goals.operator_client import OPERATOR_SERVICE, closed_topic
from reactree_ros.ros.qos import CLOSED_QUESTIONS

_MOST_OPEN = 8
_MOST_CLOSED = 100
_MOST_NAMED = 6
_LEAVE_SEC = 5.0
_GRACE_SEC = 1.0
"""The planner has this time to close a question itself, and to say what it did then."""
_NOT_KNOWN = 'the question is not known any more'
_ENDS = {
    AskOperator.Response.ANSWERED: 'it has been answered',
    AskOperator.Response.DECLINED: 'it has been declined',
}


@dataclass(frozen=True)
class OpenQuestion:
    """A question that somebody waits for.

    Args:
        id: 32 hexadecimal digits.
        text: the question, one line or more.
        options: the answers to choose from; empty for any text. One that ends with ``OPEN`` is to
            be completed.
    """

    id: str
    text: str
    options: tuple[str, ...] = ()

    def chosen(self, text: str) -> str:
        """Return the answer that a text means; empty if it means none.

        >>> question = OpenQuestion('', 'Sure?', ('yes', 'no'))
        >>> [question.chosen(text) for text in (' Yes', 'n', '2', 'ja', 'maybe')]
        ['yes', 'no', 'no', '', '']
        >>> question = OpenQuestion('', 'What now?', ('Act: wave', 'Think: …'))
        >>> [question.chosen(text) for text in ('act: wave', 'Think: it is late', 'Think: …', '2')]
        ['Act: wave', 'Think: it is late', '', '']
        """
        word = text.strip().casefold()
        if not self.options or not word:
            return text.strip()
        if word.isdecimal() and 1 <= int(word) <= len(self.options):
            word = self.options[int(word) - 1].casefold()
        fits = [one for one in self.options if one.casefold() == word]
        fits = fits or [one for one in self.options if one.casefold().startswith(word)]
        if len(fits) == 1 and not fits[0].endswith(OPEN):
            return fits[0]
        begun = (one.removesuffix(OPEN).casefold() for one in self.options if one.endswith(OPEN))
        completes = any(
            word.startswith(begin) and word != begin and not word.endswith(OPEN) for begin in begun
        )
        return text.strip() if completes and not fits else ''

    @property
    def is_open(self) -> bool:
        """Whether one of the options is to be completed."""
        return any(one.endswith(OPEN) for one in self.options)


class OperatorServer:
    """Keeps questions open until somebody answers, or nobody waits for the answer any more.

    Each callback waits for the person, so there are a node and threads for it.

    Args:
        namespace: of the planner; empty for none.
        service: its name; that of a person, or that of an assistant.
    """

    def __init__(self, namespace: str = '', service: str = OPERATOR_SERVICE) -> None:
        self._guard = threading.Lock()
        self._open: dict[str, tuple[OpenQuestion, queue.SimpleQueue[AskOperator.Response]]] = {}
        self._closed: dict[str, str] = {}
        self._leaving = False
        # a process that was given one name would give it to this node, too
        name = f'reactree_operator_{os.getpid()}'
        self._node = Node(
            name,
            namespace=namespace,
            cli_args=['--ros-args', '-r', f'__node:={name}'],
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[Parameter('start_type_description_service', value=False)],
        )
        self._service = self._node.create_service(
            AskOperator,
            service,
            self._on_question,
            callback_group=ReentrantCallbackGroup(),
        )
        self._node.create_subscription(
            QuestionClosed, closed_topic(service), self._on_closed, CLOSED_QUESTIONS
        )
        # one thread for each question, one for closed questions, one that declines more
        self._executor = MultiThreadedExecutor(_MOST_OPEN + 2)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, name='operator', daemon=True)
        self._thread.start()

    @property
    def questions(self) -> tuple[OpenQuestion, ...]:
        """The questions that are open, the oldest first."""
        with self._guard:
            return tuple(question for question, _ in self._open.values())

    @property
    def question(self) -> OpenQuestion | None:
        """The newest question that is open; None if there is none."""
        return next(reversed(self.questions), None)

    def reason(self, question_id: str) -> str:
        """Return why a question is not open any more; empty if it is open."""
        with self._guard:
            is_open = question_id in self._open
            return '' if is_open else self._closed.get(question_id, _NOT_KNOWN)

    def answer(self, question_id: str, text: str) -> str:
        """Answer a question; an empty text declines it.

        Returns:
            A message for the person if that is not an answer: it is too late, or not one of the
            options. Empty if it was accepted.
        """
        with self._guard:
            question, _ = self._open.get(question_id, (None, None))
        if question is not None:
            answer = question.chosen(text)
            if text.strip() and not answer:
                few = ' or '.join(question.options[:_MOST_NAMED])
                more = ' or another option' if len(question.options) > _MOST_NAMED else ''
                return f'not understood: {text.strip()!r}; choose {few}{more}'
            outcome = AskOperator.Response.ANSWERED if answer else AskOperator.Response.DECLINED
            response = AskOperator.Response(outcome=outcome, answer=answer)
            if self._end(question_id, response, _ENDS[outcome]):
                return ''
        return f'too late: {self.reason(question_id)}'

    def close(self) -> None:
        """Leave ROS 2; open questions stay unanswered, for another person may be asked as well."""
        self._leaving = True
        # rclpy sends whatever a callback returns: the first answer that arrives would count
        setattr(self._service, 'send_response', lambda response, header: None)  # noqa: B010
        with self._guard:
            for _, answers in self._open.values():
                answers.put(AskOperator.Response())
            self._open.clear()
        self._executor.shutdown(timeout_sec=_LEAVE_SEC)
        self._thread.join(timeout=_LEAVE_SEC)
        self._node.destroy_node()

    def _end(self, question_id: str, response: AskOperator.Response, reason: str) -> bool:
        """Answer a question and keep why it is over; return whether it was open."""
        with self._guard:
            _, answers = self._open.pop(question_id, (None, None))
            self._closed[question_id] = reason
            if answers is not None:
                answers.put(response)
            while len(self._closed) > _MOST_CLOSED:
                del self._closed[next(iter(self._closed))]
        return answers is not None

    def _withdraw(self, question_id: str, reason: str) -> None:
        unanswered = AskOperator.Response(outcome=AskOperator.Response.UNANSWERED)
        self._end(question_id, unanswered, reason)

    def _on_closed(self, message: QuestionClosed) -> None:
        self._withdraw(bytes(message.question_id.uuid).hex(), ' '.join(message.reason.split()))

    def _on_question(
        self, request: AskOperator.Request, response: AskOperator.Response
    ) -> AskOperator.Response:
        response.outcome = AskOperator.Response.UNANSWERED
        given = bytes(request.question_id.uuid)
        question = OpenQuestion(
            given.hex() if any(given) else uuid.uuid4().hex,
            '\n'.join(' '.join(one.split()) for one in request.question.strip().splitlines()),
            tuple(request.options),
        )
        answers: queue.SimpleQueue[AskOperator.Response] = queue.SimpleQueue()
        with self._guard:
            late = question.id in self._closed  # the word of that came first
            if late or self._leaving or not question.text or len(self._open) >= _MOST_OPEN:
                return response
            self._open[question.id] = (question, answers)
        limit = Duration.from_msg(request.time_limit).nanoseconds / 1e9
        try:
            return answers.get(timeout=limit + _GRACE_SEC if limit else None)
        except queue.Empty:
            self._withdraw(question.id, f'nobody answered within {limit:g} s')
            return answers.get()
