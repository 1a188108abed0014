# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a store of experiences is: searches, writers at the same time, and its index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from reactree_ros.core.model import Vectors
from reactree_ros.memory.episodic import CANDIDATES
from reactree_ros.memory.experience import Experience, Origin, Termination
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.store import ExperienceStore, NewExperience, Query, Run

ENCODER, DIMENSION = 'made up', 384
"""The vectors have as many floats as those of the packaged sentence encoder."""
RUN_SIZE = 5
"""Experiences of a run."""
_FREE = 24
# Directions in which the vectors differ; sentences of one domain fill no more of the space.
_CLUSTER = 50
_SPREAD = 0.4
_AT_ONCE = 100
_READY_S = 120.0
_barrier: Any = None
# Of a process that writes: all begin when all are ready.
_TEXT = 'You are in the kitchen. You see a mug, a plate and an apple on the table.\n' * 20


@dataclass(frozen=True)
class Times:
    """How long something took, each time.

    Args:
        seconds: of each, (n,).
        total: seconds from the first's begin to the last's end.
    """

    seconds: np.ndarray[tuple[int], np.dtype[np.float64]]
    total: float

    def percentile(self, share: float) -> float:
        """Return the time in milliseconds that so many per cent stay below."""
        return 1000 * float(np.percentile(self.seconds, share))


def goals(numbers: Sequence[int]) -> Vectors:
    """Return made-up embeddings of keys, (n, dimension): clusters in few directions, and noise."""
    directions = np.random.default_rng(1).normal(size=(_FREE, DIMENSION))
    rows = []
    for number in numbers:
        centre = np.random.default_rng((2, number // _CLUSTER)).normal(size=_FREE)
        own = np.random.default_rng((3, number)).normal(size=_FREE)
        rows.append((centre + _SPREAD * own) @ directions)
    noise = np.random.default_rng((4, *map(int, numbers[:1]))).normal(size=(len(rows), DIMENSION))
    values: Vectors = (np.stack(rows) + noise).astype(np.float32)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return values


def runs(first: int, count: int, robot: str) -> Iterator[Run]:
    """Yield made-up runs, whose experiences have numbers from the first on."""
    for begin in range(first, first + count * RUN_SIZE, RUN_SIZE):
        numbers = range(begin, begin + RUN_SIZE)
        vectors = goals(numbers)
        yield (
            Origin(f'{robot} {begin}', skills='household', time=float(begin), robot=robot),
            [
                NewExperience(
                    Experience(
                        f'goal {number}',
                        f'Goal: goal {number}\n{_TEXT}',
                        tuple(Termination)[number % 3],
                        place == 0,
                    ),
                    f'goal {number}',
                    vector,
                    f'outline {number}',
                )
                for place, (number, vector) in enumerate(zip(numbers, vectors, strict=True))
            ],
        )


def fill(store: ExperienceStore, experiences: int, advance: Callable[[int], None]) -> float:
    """Add so many experiences, a hundred runs at a time; return the seconds that the store took."""
    seconds = 0.0
    for begin in range(0, experiences, _AT_ONCE * RUN_SIZE):
        size = min(_AT_ONCE, (experiences - begin) // RUN_SIZE)
        made = list(runs(begin, size, f'robot {begin // (_AT_ONCE * RUN_SIZE) % 10}'))
        started = time.perf_counter()
        store.add_runs(made)
        seconds += time.perf_counter() - started
        advance(size * RUN_SIZE)
    return seconds


def search(
    store: ExperienceStore, experiences: int, times: int
) -> tuple[Times, list[dict[str, float]]]:
    """Search as a planner does, for goals that are near some that are there.

    Returns:
        How long each search took, and the scores of what it found, by key, the best first.
    """
    chosen = np.random.default_rng(5).integers(experiences, size=times)
    near = goals([int(number) for number in chosen])
    seconds, found = [], []
    # Not measured: whatever a store does at its first search.
    store.search(Query(near[0], limit=CANDIDATES))
    begin = time.perf_counter()
    for place, vector in enumerate(near):
        # Of a run's goals one is the root's.
        query = Query(vector, CANDIDATES, root=place % RUN_SIZE == 0, level_bonus=0.3)
        started = time.perf_counter()
        matches = store.search(query)
        seconds.append(time.perf_counter() - started)
        found.append({match.record.key: match.score for match in matches})
    return Times(np.array(seconds), time.perf_counter() - begin), found


def recall(
    found: Sequence[dict[str, float]], exact: Sequence[dict[str, float]], best: int
) -> float:
    """Return which share of the best of an exact search another one found, on average."""
    shares = [
        len(set(list(right)[:best]) & set(list(one)[:best])) / min(best, len(right))
        for one, right in zip(found, exact, strict=True)
    ]
    return float(np.mean(shares))


def write(address: str, writers: int, count: int, first: int) -> Times:
    """Let processes learn runs at the same time, each its own, one transaction a run.

    Args:
        address: of the store.
        writers: number of processes.
        count: runs of each.
        first: number of the first experience.
    """
    context = get_context('spawn')
    with ProcessPoolExecutor(writers, context, _meet, (context.Barrier(writers),)) as pool:
        done = list(pool.map(partial(_write, address, count, first), range(writers)))
    begin, end = min(begin for begin, *_ in done), max(end for _, end, _ in done)
    return Times(np.array([one for *_, seconds in done for one in seconds]), end - begin)


def _meet(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def _write(address: str, count: int, first: int, writer: int) -> tuple[float, float, list[float]]:
    """Learn runs; return when that began and ended (seconds since 1970), and what each took."""
    seconds = []
    made = list(runs(first + writer * count * RUN_SIZE, count, f'w{writer}'))
    with closing(open_store(address, ENCODER, DIMENSION)) as store:
        _barrier.wait(_READY_S)
        begin = time.time()
        for origin, experiences in made:
            started = time.perf_counter()
            store.add_run(origin, experiences)
            seconds.append(time.perf_counter() - started)
        return begin, time.time(), seconds
