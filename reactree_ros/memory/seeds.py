# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences that are always remembered, such as the shipped ones, as a store in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

import numpy as np

from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.experience import Experience, Origin
from reactree_ros.memory.goal_key import GoalKey
from reactree_ros.memory.sqlite_store import SqliteStore
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.interface import Pending, Ready, Vectors

T = TypeVar('T')
U = TypeVar('U')
Run = tuple[Origin, Sequence[Experience]]
"""A run and what its agent nodes went through."""
_NO_VECTORS = np.empty((0, 0), np.float32)


class Seeds:
    """Runs that are always remembered: a store in memory, made when the first goal comes.

    Args:
        runs: what is remembered, by the run that it comes from.
        encoder: makes embeddings.
        key: makes keys.
        worker: adds them to the store.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        encoder: CachedEncoder,
        key: GoalKey,
        worker: ThreadPoolExecutor,
    ) -> None:
        self._runs = tuple((origin, tuple(experiences)) for origin, experiences in runs)
        self._encoder = encoder
        self._key = key
        self._worker = worker
        # Masked once: retrieval runs on the tick's thread.
        goals = (key.of(one.goal) for _, experiences in self._runs for one in experiences)
        self._keys = tuple(dict.fromkeys(goals))
        self._made: Then[Vectors, ExperienceStore] | None = None
        self._filled_store: SqliteStore | None = None

    def store(self) -> Pending[ExperienceStore]:
        """Ask for the store."""
        if self._made is None or self._made.failed:
            self._made = Then(
                self._encoder.embed(self._keys) if self._keys else Ready(_NO_VECTORS),
                lambda vectors: self._worker.submit(self._filled, vectors),
            )
        return self._made

    def close(self) -> None:
        """Drop the store, if there is one; the worker has ended."""
        if self._filled_store is not None:
            self._filled_store.close()

    def _filled(self, vectors: Vectors) -> ExperienceStore:
        if not self._keys:
            self._filled_store = SqliteStore(':memory:')
            return self._filled_store
        by_key = dict(zip(self._keys, vectors, strict=True))
        store = SqliteStore(':memory:', self._encoder.encoder_name, vectors.shape[1])
        store.add_runs(
            (
                origin,
                [self._key.describe(one, by_key[self._key.of(one.goal)]) for one in experiences],
            )
            for origin, experiences in self._runs
        )
        self._filled_store = store
        return store


class Then(Generic[T, U]):
    """What another thread makes of an answer that is under way.

    Args:
        first: the answer.
        submit: gives it to the other thread.
    """

    def __init__(self, first: Pending[T], submit: Callable[[T], Future[U]]) -> None:
        self._first = first
        self._submit = submit
        self._future: Future[U] | None = None
        self.failed = False

    def poll(self) -> U | None:
        """Return what was made of it once it is there, else None."""
        try:
            if self._future is None:
                value = self._first.poll()
                if value is None:
                    return None
                self._future = self._submit(value)
            return self._future.result() if self._future.done() else None
        except BaseException:
            self.failed = True
            raise

    def cancel(self) -> None:
        """Give it up; what the thread has begun it ends."""
        if self._future is None:
            self._first.cancel()
        else:
            self._future.cancel()
