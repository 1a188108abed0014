# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Learning: what a run's agent nodes went through becomes part of episodic memory.

Paper, section 4.2. Nothing here waits: embeddings come from the encoder, and the store is written
on a thread of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from reactree_ros.core.futures import Future, ready, submit, then
from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.memory.experience import Experience, Origin, Verification
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.store import Choice, ExperienceStore, Saved


class Learner:
    """Adds runs to a store of experiences, one after the other.

    What the store raises is raised by the ``poll`` of what was asked for.

    Args:
        store: where experiences are kept; it is not closed here.
        encoder: embeds the keys of goals.
    """

    def __init__(self, store: ExperienceStore, encoder: Encoder) -> None:
        self._store = store
        self._encoder = encoder
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='learning')

    def learn(self, origin: Origin, experiences: Sequence[Experience]) -> Future[Saved]:
        """Keep all experiences of a run in one step; nothing is kept before ``poll`` is called.

        Args:
            origin: the run; one of that name that is there already is replaced.
            experiences: of its agent nodes, the root's first.
        """
        if not experiences:
            return ready(Saved(0))
        pairs = tuple(experiences)
        keys = tuple(goal_key(one.goal) for one in pairs)
        return then(
            self._encoder.embed(keys),
            lambda vectors: submit(self._worker, self._add, origin, pairs, vectors),
        )

    def verify(self, run: str, verified: Verification) -> Future[int]:
        """Record who verified a run; the result is the number of its experiences."""
        return submit(self._worker, self._store.verify, run, verified)

    def forget(self, run: str) -> Future[int]:
        """Delete what was learned from a run; the result is the number of its experiences."""
        return submit(self._worker, self._store.forget, Choice(run=run))

    def count(self) -> Future[int]:
        """Ask how many experiences the store holds."""
        return submit(self._worker, self._store.count)

    def close(self) -> None:
        """Wait until pending writes are done."""
        self._worker.shutdown()

    def _add(self, origin: Origin, experiences: Sequence[Experience], vectors: Vectors) -> Saved:
        pairs = zip(experiences, vectors, strict=True)
        return self._store.add_run(origin, [describe(*pair) for pair in pairs])
