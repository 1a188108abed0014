# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A language model whose answers and failures are counted for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from reactree_ros.core.futures import Future, Polled, Promise
from reactree_ros.core.model import Answer, DecisionRequest, PlannerModel, TextRequest, WrappedModel
from reactree_ros.errors import ConfigurationError, ModelError

T = TypeVar('T')
PREFIX = 'reactree_model'
SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
"""Upper bounds of the buckets of histograms, in seconds."""


class MeteredModel(WrappedModel):
    """Passes everything on to a model and serves its metrics by HTTP.

    Args:
        model: the model; closed with this one.
        port: port of the metrics; 0 takes a free one.
        address: where they can be had.

    Raises:
        ConfigurationError: if prometheus_client is not installed, or the port cannot be used.
    """

    def __init__(self, model: PlannerModel, port: int, address: str) -> None:
        try:
            from prometheus_client import (
                CollectorRegistry,
                Counter,
                Gauge,
                Histogram,
                start_http_server,
            )
        except ImportError as error:
            raise ConfigurationError(
                "metrics.port needs prometheus_client: pip install 'reactree_ros[metrics]' "
                f'({error})'
            ) from error
        super().__init__(model)
        registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f'{PREFIX}_{name}', text, labels, registry=registry)

        def histogram(name: str, text: str) -> Histogram:
            return Histogram(f'{PREFIX}_{name}', text, buckets=SECONDS, registry=registry)

        self._decisions = counter('decisions', 'Decisions that were made.', 'model')
        self._texts = counter('texts', 'Free texts that were written.', 'model')
        self._failures = counter('failures', 'Requests that failed.', 'kind')
        self._read = counter('tokens_read', 'Tokens of prompts, cached ones included.', 'model')
        self._cached = counter('tokens_cached', 'Tokens of prompts that were cached.', 'model')
        self._written = counter('tokens_written', 'Tokens that were written.', 'model')
        self._seconds = histogram('seconds', 'From a request to its answer.')
        self._queued = histogram('queued_seconds', 'From a request until it is worked on.')
        self._open = Gauge(f'{PREFIX}_requests', 'Requests without an answer.', registry=registry)
        hindered = Gauge(
            f'{PREFIX}_hindered',
            '1 while a server is busy, or another than the first answers.',
            registry=registry,
        )
        hindered.set_function(lambda: float(bool(self.notice)))
        try:
            self._http, self._thread = start_http_server(port, address, registry)
        except OSError as error:
            raise ConfigurationError(
                f'metrics cannot be served on {address}:{port}: {error}; set metrics.port to a '
                'free port, 0 for none'
            ) from error

    @property
    def port(self) -> int:
        """Port of the metrics."""
        return int(self._http.server_port)

    @property
    def notice(self) -> str:
        """What hinders the model; empty if nothing does."""
        return str(getattr(self._model, 'notice', ''))

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision and return at once."""

        def count(answer: Answer) -> None:
            self._decisions.labels(answer.model).inc()
            self._count(answer)

        return self._metered(self._model.decide(request), count)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text and return at once."""

        def count(answers: tuple[Answer, ...]) -> None:
            self._texts.labels(answers[0].model).inc(len(answers))
            self._count(answers[0])  # what all of them cost

        return self._metered(self._model.write(request), count)

    def close(self) -> None:
        """End the model and the metrics; calling it again does nothing."""
        try:
            self._model.close()
        finally:
            if self._thread.is_alive():
                self._http.shutdown()
                self._http.server_close()
                self._thread.join()

    def _count(self, answer: Answer) -> None:
        self._read.labels(answer.model).inc(answer.tokens_in)
        self._cached.labels(answer.model).inc(answer.tokens_reused)
        self._written.labels(answer.model).inc(answer.tokens_out)
        self._queued.observe(answer.queued_seconds)

    def _metered(self, asked: Future[T], count: Callable[[T], None]) -> Promise[T]:
        begin = time.monotonic()
        self._open.inc()

        def look() -> T | None:
            try:
                value = asked.poll()
            except ModelError as error:
                self._open.dec()
                self._failures.labels(error.kind).inc()
                raise
            if value is not None:
                self._open.dec()
                self._seconds.observe(time.monotonic() - begin)
                count(value)
            return value

        def stop() -> None:
            self._open.dec()
            asked.cancel()

        return Polled(look, stop)
