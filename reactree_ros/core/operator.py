# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The person who answers questions and allows skills, as the planner sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from reactree_ros.core.futures import Future

OPEN = '…'
"""An option that ends so is completed by the person: ``Think: …``."""
WITHOUT_ANSWER = 'the planner continues without an answer'
"""What happens to most questions that nobody answers."""


class ReplyStatus(Enum):
    """How a question ended."""

    ANSWERED = 'answered'
    DECLINED = 'declined'
    UNANSWERED = 'unanswered'


@dataclass(frozen=True)
class Reply:
    """The outcome of a question to the operator.

    Args:
        status: whether it was answered.
        text: the answer; empty unless it was answered.
    """

    status: ReplyStatus
    text: str = ''


class Operator(Protocol):
    """The person who answers questions and allows skills, and an assistant beside them.

    An assistant is a program that a person talks to. It may answer questions of the model; what
    only a person may decide is not put to it.
    """

    @property
    def present(self) -> bool:
        """Whether a question could reach anyone at this moment; never waits."""

    @property
    def person_present(self) -> bool:
        """Whether a question could reach a person at this moment; never waits."""

    def ask(
        self,
        question: str,
        options: Sequence[str] = (),
        otherwise: str = WITHOUT_ANSWER,
        person: bool = False,
    ) -> Future[Reply]:
        """Put a question and return at once; canceling it takes the question back.

        Args:
            question: the question.
            options: the answers to choose from; none for any text.
            otherwise: what happens without an answer, for a person who answers too late.
            person: only a person may answer.
        """
