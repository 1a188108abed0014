# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Leaf behaviour: a question to the operator, who is a person and may be away."""

from __future__ import annotations

from typing import Protocol

import py_trees
from py_trees.common import Status

from reactree_ros.models.interface import Pending

MAX_ANSWER_CHARS = 500
"""A longer answer is cut: it stays in the prompt for as long as the agent node lives."""


class Operator(Protocol):
    """The person who gave the goal."""

    @property
    def present(self) -> bool:
        """Whether a question could reach anyone at this moment; never waits."""

    def ask(self, question: str) -> Pending[str]:
        """Put a question and return at once; the answer is empty if nobody gives one."""


class AskLeaf(py_trees.behaviour.Behaviour):
    """Puts one question to the operator.

    =======  ===================================================================
    RUNNING  the answer is awaited
    SUCCESS  the operator answered; ``answer`` is one line
    FAILURE  nobody answered; ``answer`` is empty
    =======  ===================================================================

    Args:
        question: what is asked; it names the behaviour.
        operator: who is asked.
    """

    def __init__(self, question: str, operator: Operator) -> None:
        super().__init__(name=f'ask: {question}')
        self.question = question
        self.answer: str | None = None
        self._operator = operator
        self._pending: Pending[str] | None = None

    def initialise(self) -> None:
        """Put the question."""
        self._pending = self._operator.ask(self.question)

    def update(self) -> Status:
        """Look whether the operator has answered."""
        text = self._pending.poll() if self._pending else None
        if text is None:
            return Status.RUNNING
        line = ' '.join(text.split())
        if len(line) > MAX_ANSWER_CHARS:
            line = line[:MAX_ANSWER_CHARS].rstrip() + ' …'
        self.answer = line
        self.feedback_message = line or 'nobody answered'
        return Status.SUCCESS if line else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Take the question back if it is still open."""
        if new_status == Status.INVALID and self._pending is not None and self.answer is None:
            self.feedback_message = 'interrupted'
            self._pending.cancel()
