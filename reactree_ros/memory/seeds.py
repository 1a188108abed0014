# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences that are always remembered, such as the shipped ones, as a store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from reactree_ros.core.futures import Future, Promise, ready, shielded, submit, then
from reactree_ros.core.model import Vectors
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.experience import Experience, Origin
from reactree_ros.memory.goal_key import GoalKey
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import ExperienceStore

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
        self._made: Promise[ExperienceStore] | None = None
        self._filled_store: SqliteStore | None = None

    def store(self) -> Future[ExperienceStore]:
        """Ask for the store; canceling that leaves it to be made for the next goal."""
        if self._made is None or self._made.error is not None:
            self._made = then(
                self._encoder.embed(self._keys) if self._keys else ready(_NO_VECTORS),
                lambda vectors: submit(self._worker, self._filled, vectors),
            )
        return shielded(self._made)

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
