# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Learning: what a run's agent nodes went through becomes part of episodic memory.

Paper, section 4.2. Nothing here waits: embeddings come from the encoder, and the store is written
on a thread of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from reactree_ros.memory.experience import Experience, Origin, Verification
from reactree_ros.memory.goal_key import GoalKey
from reactree_ros.memory.store import Choice, ExperienceStore, Saved
from reactree_ros.models.interface import Encoder, Pending, Ready, Vectors

T = TypeVar('T')


class Learner:
    """Adds runs to a store of experiences, one after the other.

    What the store raises is raised by the ``poll`` of what was asked for.

    Args:
        store: where experiences are kept; it is not closed here.
        encoder: embeds the keys of goals.
        key: makes them.
    """

    def __init__(self, store: ExperienceStore, encoder: Encoder, key: GoalKey) -> None:
        self._store = store
        self._encoder = encoder
        self._key = key
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='learning')

    def learn(self, origin: Origin, experiences: Sequence[Experience]) -> Pending[Saved]:
        """Keep all experiences of a run in one step; nothing is kept before ``poll`` is called.

        Args:
            origin: the run; one of that name that is there already is replaced.
            experiences: of its agent nodes, the root's first.
        """
        if not experiences:
            return Ready(Saved(0))
        return _Learning(self, origin, tuple(experiences))

    def verify(self, run: str, verified: Verification) -> Pending[int]:
        """Note who verified a run; answered is how many experiences that concerns."""
        return _Written(self._worker.submit(self._store.verify, run, verified))

    def forget(self, run: str) -> Pending[int]:
        """Delete what was learned from a run; answered is how many experiences that concerns."""
        return _Written(self._worker.submit(self._store.forget, Choice(run=run)))

    def count(self) -> Pending[int]:
        """Ask how many experiences the store holds."""
        return _Written(self._worker.submit(lambda: self._store.stats().records))

    def close(self) -> None:
        """Wait until what has begun to be written is written."""
        self._worker.shutdown()

    def embed(self, experiences: Sequence[Experience]) -> Pending[Vectors]:
        """Ask for the embeddings of the goals' keys, (n, dimension)."""
        return self._encoder.embed(tuple(self._key.of(one.goal) for one in experiences))

    def write(
        self, origin: Origin, experiences: Sequence[Experience], vectors: Vectors
    ) -> Future[Saved]:
        """Write a run whose keys are embedded."""
        return self._worker.submit(self._add, origin, tuple(experiences), vectors)

    def _add(self, origin: Origin, experiences: Sequence[Experience], vectors: Vectors) -> Saved:
        pairs = zip(experiences, vectors, strict=True)
        return self._store.add_run(origin, [self._key.describe(*pair) for pair in pairs])


class _Written(Generic[T]):
    """What the store is asked on the other thread; once begun it is finished."""

    def __init__(self, future: Future[T]) -> None:
        self._future = future

    def poll(self) -> T | None:
        return self._future.result() if self._future.done() else None

    def cancel(self) -> None:
        self._future.cancel()


class _Learning:
    """A run on its way into the store: first embedded, then written."""

    def __init__(
        self, learner: Learner, origin: Origin, experiences: tuple[Experience, ...]
    ) -> None:
        self._learner = learner
        self._origin = origin
        self._experiences = experiences
        self._vectors = learner.embed(experiences)
        self._future: Future[Saved] | None = None

    def poll(self) -> Saved | None:
        if self._future is None:
            vectors = self._vectors.poll()
            if vectors is None:
                return None
            self._future = self._learner.write(self._origin, self._experiences, vectors)
        return self._future.result() if self._future.done() else None

    def cancel(self) -> None:
        if self._future is None:
            self._vectors.cancel()
        else:
            self._future.cancel()
