# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Episodic memory: past subgoal-level experiences as in-context examples (paper, section 4.2)."""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace

import numpy as np

from reactree_ros.core.futures import Future, Polled, Promise, gather, ready, submit, then
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.experience import Experience, Origin
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.selection import Candidate, Retrieval, candidates, fill, in_order
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import ExperienceStore, Query, Ranking

CANDIDATES = 256
"""So many of the best experiences of a store are looked at."""
Run = tuple[Origin, Sequence[Experience]]
"""A run and what its agent nodes went through."""
_NO_VECTORS = np.empty((0, 0), np.float32)
_log = logging.getLogger(__name__)


class EpisodicMemory:
    """Experiences, found by the similarity of their goals.

    Goals are compared by the cosine of the sentence embeddings of their keys, best first, until
    the token budget is full; an experience that does not fit is skipped for a shorter one.
    Among equally similar ones the next is drawn, with a seed, uniformly over the termination
    states.

    Stores are searched on a thread of this memory's own; a store that fails is done without, and
    that is logged once.

    Args:
        seeds: runs that are always remembered, such as the shipped ones.
        encoder: makes embeddings and counts tokens.
        retrieval: how experiences are looked for and chosen.
        store: what was learned; it is not closed here. None if nothing is.
    """

    def __init__(
        self,
        seeds: Sequence[Run],
        encoder: CachedEncoder,
        retrieval: Retrieval = Retrieval(),  # noqa: B008 - immutable
        store: ExperienceStore | None = None,
    ) -> None:
        self._encoder = encoder
        self._retrieval = retrieval
        self._store = store
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='episodic memory')
        self._seeds = _Seeds(seeds, encoder, self._worker)
        self._warned = threading.Event()

    def excluding(self, task: str) -> EpisodicMemory:
        """Return the same memory without what was learned from a task; empty excludes nothing."""
        other = copy.copy(self)
        other._retrieval = replace(self._retrieval, not_task=task)
        return other

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        """Ask for the experiences most similar to a goal.

        Args:
            goal: the agent node's goal.
            root: whether it is the goal of a whole run.
            token_budget: most tokens of all texts together, counted with the deciding model's
                tokenizer.

        Returns:
            Texts, the most similar first; with ``fixed_order``, the latest, if all fit.
        """
        # The first goal asks for the embeddings of the seeds: the model may still be loading.
        seeds = self._seeds.store()

        def search(found: tuple[SqliteStore, Vectors]) -> Future[list[Candidate]]:
            store, vectors = found
            query = self._query(vectors[0], root)
            return submit(self._worker, self._search, goal, query, store)

        searched = then(gather(seeds, self._encoder.embed((goal_key(goal),))), search)
        return then(searched, lambda order: self._texts(order, token_budget))

    def close(self) -> None:
        """End the thread, after what it is doing; the store stays open."""
        self._worker.shutdown()
        self._seeds.close()

    def _texts(self, order: Sequence[Candidate], token_budget: int) -> Future[tuple[str, ...]]:
        """Take candidates, the best first, until the budget is full."""
        filling = fill(order, token_budget)

        def take(counts: Sequence[int] | None) -> Future[tuple[str, ...]]:
            try:
                texts = next(filling) if counts is None else filling.send(counts)
            except StopIteration as end:
                taken: list[Candidate] = end.value
                self._note_taken(taken)
                if self._retrieval.fixed_order and len(taken) == len(order):
                    taken.sort(key=lambda one: (one.learned, one.number), reverse=True)
                return ready(tuple(one.text for one in taken))
            return then(self._encoder.count(texts), take)

        return take(None)

    def _note_taken(self, taken: Sequence[Candidate]) -> None:
        """Count which of the learned experiences are shown."""
        numbers = [one.number for one in taken if one.learned]
        if self._store is not None and numbers:
            self._worker.submit(self._store.note_retrieved, numbers)

    def _query(self, vector: Vectors, root: bool) -> Query:
        chosen = self._retrieval
        return Query(
            vector,
            CANDIDATES,
            root,
            **{one.name: getattr(chosen, one.name) for one in fields(Ranking)},
        )

    def _search(self, goal: str, query: Query, seeds: SqliteStore) -> list[Candidate]:
        left_out = self._retrieval.left_out
        found = candidates(seeds.search(query), goal, left_out=left_out, learned=False)
        if self._store is not None:
            try:
                matches = self._store.search(query)
            except (StoreError, ConfigurationError) as error:
                if not self._warned.is_set():
                    self._warned.set()
                    _log.warning('retrieval does without what was learned: %s', error)
            else:
                found += candidates(matches, goal, left_out=left_out, learned=True)
        return in_order(found, self._retrieval.margin, self._retrieval.seed)


class _Seeds:
    """Runs that are always remembered: a store in memory, made when the first goal comes.

    Args:
        runs: what is remembered, by the run that it comes from.
        encoder: makes embeddings.
        worker: adds them to the store.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        encoder: CachedEncoder,
        worker: ThreadPoolExecutor,
    ) -> None:
        self._runs = runs
        self._encoder = encoder
        self._worker = worker
        goals = (goal_key(one.goal) for _, experiences in runs for one in experiences)
        self._keys = tuple(dict.fromkeys(goals))
        self._made: Promise[SqliteStore] | None = None
        self._in_memory: SqliteStore | None = None

    def store(self) -> Future[SqliteStore]:
        """Ask for the store; canceling that leaves it to be made for the next goal."""
        if self._made is None or self._made.error is not None:
            self._made = then(
                self._encoder.embed(self._keys) if self._keys else ready(_NO_VECTORS),
                lambda vectors: submit(self._worker, self._filled, vectors),
            )
        return Polled(self._made.poll)

    def close(self) -> None:
        """Drop the store, if there is one; the worker has ended."""
        if self._in_memory is not None:
            self._in_memory.close()

    def _filled(self, vectors: Vectors) -> SqliteStore:
        by_key = dict(zip(self._keys, vectors, strict=True))
        store = SqliteStore(':memory:', self._encoder.encoder_name)
        store.add_runs(
            (
                origin,
                [describe(one, by_key[goal_key(one.goal)]) for one in experiences],
            )
            for origin, experiences in self._runs
        )
        self._in_memory = store
        return store
