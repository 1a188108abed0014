# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Leaf behaviour: a question to the operator, who is a person and may be away."""

from __future__ import annotations

import py_trees
from py_trees.common import Status

from reactree_ros.core.futures import Future
from reactree_ros.core.operator import Operator, Reply, ReplyStatus

MAX_ANSWER_CHARS = 500
"""A longer answer is cut: it stays in the prompt for as long as the agent node lives."""


class AskLeaf(py_trees.behaviour.Behaviour):
    """Puts one question to the operator.

    =======  ===================================================================
    RUNNING  the answer is awaited
    SUCCESS  the operator answered; ``answer`` is one line
    FAILURE  nobody answered, or the operator declined; ``answer`` is empty
    =======  ===================================================================

    Args:
        question: what is asked; it names the behaviour.
        operator: who is asked.
    """

    def __init__(self, question: str, operator: Operator) -> None:
        super().__init__(name=f'ask: {question}')
        self.question = question
        self.answer: str | None = None
        self.declined = False
        self._operator = operator
        self._pending: Future[Reply] | None = None

    def initialise(self) -> None:
        """Put the question."""
        self._pending = self._operator.ask(self.question)

    def update(self) -> Status:
        """Poll the answer."""
        reply = self._pending.poll() if self._pending else None
        if reply is None:
            return Status.RUNNING
        self.declined = reply.status is ReplyStatus.DECLINED
        line = ' '.join(reply.text.split())
        if len(line) > MAX_ANSWER_CHARS:
            line = line[:MAX_ANSWER_CHARS].rstrip() + ' …'
        self.answer = line
        self.feedback_message = line or ('declined' if self.declined else 'nobody answered')
        return Status.SUCCESS if line else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Take the question back if it is still open."""
        if new_status == Status.INVALID and self._pending is not None and self.answer is None:
            self.feedback_message = 'interrupted'
            self._pending.cancel()
