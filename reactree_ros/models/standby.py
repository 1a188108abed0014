# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A second model that answers while the first does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from reactree_ros.core.futures import Future, failed, mapped, otherwise
from reactree_ros.core.model import Answer, DecisionRequest, PlannerModel, TextRequest, Vectors
from reactree_ros.errors import UNAVAILABLE, ModelError, ReactreeError

T = TypeVar('T')
AGAIN_SEC = 30.0
"""How long after a fault the first model is left alone before it is asked again."""


class StandbyModel:
    """Asks the first model; where it fails, the second, which is started when it is needed.

    A request that fails is put to the second one, with its whole time limit again. After that the
    first is left alone for ``AGAIN_SEC``. One that has ended because its server did not answer is
    then started again; one that has ended for another reason is not asked any more. Embeddings are
    made by the same sentence encoder either way.

    Args:
        start_first: starts the model that should answer.
        start_second: starts the other one.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        start_first: Callable[[], PlannerModel],
        start_second: Callable[[], PlannerModel],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.fault = ''
        """Why the standby model answers; empty while the first does."""
        self._start_first = start_first
        self._first = start_first()
        self._is_first_gone = False
        self._start_second = start_second
        self._clock = clock
        self._second: PlannerModel | None = None
        self._leave_until = float('-inf')

    @property
    def progress(self) -> str:
        """What the model is doing that answers now."""
        if not self.fault:
            return self._first.progress
        doing = self._second.progress if self._second is not None else 'starting'
        return f'the standby model answers ({doing}), because {self.fault}'

    @property
    def notice(self) -> str:
        """What hinders the model; empty if nothing does."""
        if self.fault:
            return f'the standby model answers: {self.fault}'
        return str(getattr(self._first, 'notice', ''))

    @property
    def encoder_name(self) -> str:
        """Name of the sentence encoder."""
        return self._first.encoder_name

    def poll_ready(self) -> bool:
        """Return whether the model is loaded that answers now.

        Raises:
            ModelError: if neither will be.
        """
        try:
            if not self._is_first_left():
                try:
                    return self._first.poll_ready()
                except ModelError as error:
                    self._failed(error)
            return self._other.poll_ready()
        except OSError as error:
            raise ModelError(f'the standby model cannot be started: {error}') from error

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision and return at once."""
        return self._ask(lambda model: model.decide(request))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text and return at once."""
        return self._ask(lambda model: model.write(request))

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask for the embeddings of texts, (n, dimension), each of length 1."""
        return self._ask(lambda model: model.embed(texts), decides=False)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask for the number of tokens of each text."""
        return self._ask(lambda model: model.count(texts), decides=False)

    def forget(self) -> None:
        """Drop the caches of prompts."""
        for model in filter(None, (self._first, self._second)):
            model.forget()

    def close(self) -> None:
        """End both; calling it again does nothing."""
        try:
            self._first.close()
        finally:
            if self._second is not None:
                self._second.close()

    @property
    def _other(self) -> PlannerModel:
        if self._second is None:
            self._second = self._start_second()
        return self._second

    def _ask(self, ask: Callable[[PlannerModel], Future[T]], decides: bool = True) -> Future[T]:
        if self._is_first_left():
            return self._ask_other(ask)

        def well(answer: T) -> T:
            # texts are embedded and counted beside a server that is gone
            if decides and self._clock() >= self._leave_until:
                self.fault = ''
            return answer

        def second_try(error: ModelError) -> Future[T]:
            self._failed(error)
            return self._ask_other(ask)

        return otherwise(mapped(ask(self._first), well), ModelError, second_try)

    def _ask_other(self, ask: Callable[[PlannerModel], Future[T]]) -> Future[T]:
        try:
            return ask(self._other)
        except (ReactreeError, OSError) as error:
            message = f'{self.fault}; the standby model cannot be started: {error}'
            return failed(ModelError(message))

    def _is_first_left(self) -> bool:
        """Return whether the first is not asked now; start it again if its server was not there."""
        if self._clock() < self._leave_until:
            return True
        if not self._is_first_gone:
            return False
        try:
            self._first.poll_ready()
        except ModelError:
            self._first.close()
            try:
                self._first = self._start_first()
            except (ReactreeError, OSError) as error:
                self._leave(str(error))
                return True
        try:
            self._is_first_gone = not self._first.poll_ready()
        except ModelError as error:
            self._failed(error)
        return self._is_first_gone

    def _leave(self, fault: str) -> None:
        """Ask the second model for a while."""
        self.fault = ' '.join(fault.split())
        self._leave_until = self._clock() + AGAIN_SEC

    def _failed(self, error: ModelError) -> None:
        self._leave(str(error))
        try:
            self._first.poll_ready()
        except ModelError as gone:
            self._is_first_gone = True
            if gone.kind != UNAVAILABLE:
                self._leave_until = float('inf')
