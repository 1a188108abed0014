# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What stands between the planner and the solver, to change what is asked or answered."""

from __future__ import annotations

from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest


class OverModel:
    """A model over another one; its subclasses say how it decides.

    Args:
        model: what is asked in the end.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Have the other model write."""
        return self._model.write(request)

    def _answer(self, request: DecisionRequest) -> Answer:
        """Return what the other model decides, which must answer at once."""
        answer = self._model.decide(request).poll()
        if answer is None:
            raise RuntimeError('only the decisions of a model that answers at once can be changed')
        return answer
