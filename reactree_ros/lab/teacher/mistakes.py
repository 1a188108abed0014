# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Mistakes on purpose, in runs that show how to recover from them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from reactree_ros.core.decision import Decision, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.lab.teacher.kind import SOLVER, Solver, given_up
from reactree_ros.sim.draw import Draw


class ErringSolver(Solver):
    """A solver that knows mistakes, too."""

    comes_first = False
    """Whether what was decided last has to come before what the plan is about."""

    last: Decision | None = None
    """What was decided last."""

    @abstractmethod
    def mistake(self, request: DecisionRequest, draw: Draw) -> Decision | None:
        """Return a mistake in the place of an act that was decided last; None for none."""


@dataclass(frozen=True)
class MistakeShares:
    """How often mistakes are made, 0 to 1 each.

    Args:
        runs: share of the runs in which acts are replaced by mistakes.
        acts: share of the acts of such a run.
        forgets: share of the places, in all runs, where what has to come first is forgotten, so
            that what comes later is refused.
    """

    runs: float
    acts: float
    forgets: float


class MistakeModel:
    """A language model that makes mistakes.

    Args:
        teacher: knows them; it must have been asked about the same request just before.
        draw: chooses among them.
        share: how often one is made in the place of an act.
        forgets: how often what has to come first is forgotten.
    """

    def __init__(
        self, teacher: ErringSolver, draw: Draw, share: float = 1.0, forgets: float = 1.0
    ) -> None:
        self._teacher, self._draw = teacher, draw
        self._share, self._forgets = share, forgets

    def share(self) -> float:
        """Return the probability of a mistake in the place of the teacher's last decision."""
        return self._forgets if self._teacher.comes_first else self._share

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Answer with a mistake if there is one, else as the teacher."""
        decision = self._teacher.mistake(request, self._draw) or self._teacher.last
        decision = decision or given_up(self._teacher.no_way, request)
        return ready(Answer(to_text(decision), tokens_out=1, model=SOLVER))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Have the teacher write, which refuses it."""
        return self._teacher.write(request)
