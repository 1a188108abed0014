# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model ``solver``: rules that decide in place of a model, in runs to learn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NoReturn

from reactree_ros.core.decision import Decision, Failure, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.kind import ModelKind
from reactree_ros.models.options import ModelOptions

SOLVER = 'solver'


class Solver(ABC):
    """A language model that knows at once what is right."""

    no_way = 'I see no way to do that'
    """Why it gives up where it knows nothing to do."""

    @abstractmethod
    def decision(self, request: DecisionRequest) -> Decision | None:
        """Return what to decide; None for a goal that it does not know."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Decide at once."""
        decision = self.decision(request) or given_up(self.no_way, request)
        return ready(Answer(to_text(decision), tokens_out=1, model=SOLVER))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Raise ModelError: whole plans need the truth about the world."""
        raise ModelError(f'the {SOLVER} makes single decisions, it writes no plans')


def given_up(why: str, request: DecisionRequest) -> Failure:
    """Return the failure of a node, with a reason of the length that it may have."""
    most = request.choices.max_thought_chars
    short = why if not 0 < most < len(why) else f'{why[: most - 1]}…'
    return Failure(short if request.choices.explain else '')


def _refuse(options: ModelOptions) -> NoReturn:
    raise ConfigurationError(
        f'the model {SOLVER!r} knows the goal conditions of its task: it is there to be learned '
        'from, with "reactree-lab dataset" and "evaluate --learn", and takes no other goals'
    )


SOLVER_KIND = ModelKind(start=_refuse, check=_refuse, encoder=False)
