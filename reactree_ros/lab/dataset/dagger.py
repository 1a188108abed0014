# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model that is two: a student decides some of the time, the teacher says what is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_ros.core.decision import to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.lab.teacher.kind import Solver
from reactree_ros.sim.draw import Draw


@dataclass(frozen=True)
class Label:
    """What the teacher would decide after a prompt.

    Args:
        prompt: the prompt.
        text: the decision.
        executed: it was the decision.
    """

    prompt: Prompt
    text: str
    executed: bool


class DaggerModel:
    """Asks the teacher for every decision, and lets the student make some of them.

    Args:
        student: decides with the probability ``share``, and where the teacher does not know the
            goal; None for none.
        teacher: decides otherwise.
        share: returns 0 to 1 for the decision that the teacher has just made.
        purpose: what is drawn for; the same purpose draws the same.
    """

    def __init__(
        self,
        student: LanguageModel | None,
        teacher: Solver,
        share: Callable[[], float],
        purpose: str,
    ) -> None:
        self._student = student
        self._teacher = teacher
        self._share = share
        self._draw = Draw(f'student of {purpose}')
        self.labels: list[Label] = []
        """What the teacher said, in the order in which it was asked."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask the teacher; answer as it, or as the student."""
        decision = self._teacher.decision(request)
        students = decision is None or self._draw.chance(self._share())
        if request.choices.conditions is not None and decision is not None:
            students = False  # what follows from wrong conditions is no use
        if decision is not None:
            executed = self._student is None or not students
            self.labels.append(Label(request.prompt, to_text(decision), executed))
        if self._student is not None and students:
            return self._student.decide(request)
        if decision is None:
            return self._teacher.decide(request)
        return ready(Answer(to_text(decision), tokens_out=1))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Have the teacher write, which refuses it."""
        return self._teacher.write(request)
