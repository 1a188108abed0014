# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model ``solver``: rules that decide in place of a model, in runs to learn from."""

from __future__ import annotations

from typing import NoReturn, Protocol

from reactree_ros.core.decision import Decision
from reactree_ros.core.model import DecisionRequest, LanguageModel
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.kind import ModelKind
from reactree_ros.models.options import ModelOptions

SOLVER = 'solver'


class Solver(LanguageModel, Protocol):
    """A model that knows at once what is right."""

    def decision(self, request: DecisionRequest) -> Decision | None:
        """Return what to decide; None for a goal that it does not know."""


def _refuse(options: ModelOptions) -> NoReturn:
    raise ConfigurationError(
        f'the model {SOLVER!r} knows the goal conditions of its task: it is there to be learned '
        'from, with "reactree-lab dataset" and "evaluate --learn", and takes no other goals'
    )


SOLVER_KIND = ModelKind(start=_refuse, check=_refuse, encoder=False)
