# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A language model of which it is known afterwards whether it failed."""

from __future__ import annotations

from typing import TypeVar

from reactree_ros.core.futures import Future, failed, otherwise
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.errors import ModelError

T = TypeVar('T')


class WatchedModel:
    """Passes requests on to a model, and keeps the error with which it failed last.

    A run ends with a failed model as it does with too many invalid answers.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.failure: ModelError | None = None

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision and return at once."""
        return self._watched(self._model.decide(request))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text and return at once."""
        return self._watched(self._model.write(request))

    def _watched(self, asked: Future[T]) -> Future[T]:
        def kept(error: ModelError) -> Future[T]:
            self.failure = error
            return failed(error)

        return otherwise(asked, ModelError, kept)
