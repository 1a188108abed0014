# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Exact search among experiences in memory: who scores best for a query.

An experience is a row: the slot of its key's vector, its facet (all that weights and filters look
at) and its task. Experiences of equal key share a vector; what a facet adds to the cosine is
computed once for each facet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Verification
from reactree_ros.memory.store import Query

DIGITS = 5
"""Scores are rounded to these, so that equals are equal."""
_SLACK = 2e-5
# Rounding moves a score by half of the last digit, float32 by a few millionths.
_GONE = 0
# The facet of rows that were removed.
_ROW = np.dtype([('number', 'i8'), ('slot', 'i8'), ('facet', 'i8'), ('task', 'i8')])
_FACET = np.dtype(
    [(name, 'i8') for name in ('root', 'things', 'held', 'room', 'strategy', 'skills')]
    + [('reported', '?'), ('flows', 'i8')]
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Facet:
    """What the weights and filters of a query look at; see ``Record`` and ``Origin``."""

    root: bool
    things: int
    held: int | None
    room: str
    strategy: str
    skills: str
    verified: Verification
    control_flows: frozenset[ControlFlow]


class VectorIndex:
    """Rows of experiences and the vectors of their keys.

    Args:
        dimension: floats of a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._vectors = _Growing(np.dtype(np.float32), dimension)
        self._keys = _Growing(np.dtype(np.int64))
        self._rows = _Growing(_ROW)
        self._facets = _Growing(_FACET)
        self._facets.extend(np.zeros(1, _FACET))
        self._facet_codes: dict[int, int] = {}
        self._names = {'': 0}
        self._tasks: dict[str, int] = {}
        self._gone = 0

    def __len__(self) -> int:
        """How many rows there are, those that were removed among them."""
        return len(self._rows.values)

    @property
    def last_key(self) -> int:
        """The highest number of a key so far; 0 for none."""
        return int(self._keys.values[-1]) if len(self._keys.values) else 0

    @property
    def last_facet(self) -> int:
        """The highest number of a facet so far; 0 for none."""
        return max(self._facet_codes, default=0)

    @property
    def wasted(self) -> float:
        """The share of rows that were removed and still take up room."""
        return self._gone / max(1, len(self))

    def add_keys(self, keys: Sequence[int], vectors: Vectors) -> None:
        """Add keys, which are numbered higher than all before, in ascending order.

        Args:
            keys: their numbers, n.
            vectors: their embeddings, (n, dimension), each of length 1.
        """
        self._keys.extend(np.asarray(keys, np.int64))
        self._vectors.extend(vectors)

    def add_facet(self, number: int, facet: Facet) -> None:
        """Add a facet under a number of its own."""
        self._facet_codes[number] = len(self._facets.values)
        names = (facet.room, facet.strategy, facet.skills)
        coded = (self._names.setdefault(name, len(self._names)) for name in names)
        held = -1 if facet.held is None else facet.held
        reported = facet.verified is Verification.REPORTED
        values = (facet.root, facet.things, held, *coded, reported, _bits(facet.control_flows))
        self._facets.extend(np.array([values], _FACET))

    def put(self, rows: Sequence[tuple[int, int, int, str]]) -> None:
        """Add rows, or change those that are there.

        Args:
            rows: number of the experience, of its key, of its facet, and its task, in ascending
                order of the experience; new ones are numbered higher than all before.
        """
        facets, tasks = self._facet_codes, self._tasks
        new = np.array(
            [
                (number, key, facets[facet], tasks.setdefault(task, len(tasks)))
                for number, key, facet, task in rows
            ],
            _ROW,
        )
        new['slot'] = np.searchsorted(self._keys.values, new['slot'])
        numbers = self._rows.values['number']
        known = new['number'] <= (numbers[-1] if len(numbers) else 0)
        self._rows.values[np.searchsorted(numbers, new['number'][known])] = new[known]
        self._rows.extend(new[~known])

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove experiences; those that are not there are passed over."""
        rows = self._rows.values
        removed = np.isin(rows['number'], np.asarray(numbers, np.int64)) & (rows['facet'] != _GONE)
        rows['facet'][removed] = _GONE
        self._gone += int(removed.sum())

    def search(self, query: Query) -> tuple[Ints, Floats]:
        """Return numbers of experiences and their scores, as ``ExperienceStore.search`` does."""
        rows = self._rows.values
        added = self._bonus(query)[rows['facet']]
        if query.not_task:
            added[rows['task'] == self._tasks.get(query.not_task, -1)] = -np.inf
        possible = np.isfinite(added)
        if not possible.any():
            return np.empty(0, np.int64), np.empty(0)
        rows, added = rows[possible], added[possible]
        cosines = self._vectors.values @ query.vector.astype(np.float32)
        rough = cosines[rows['slot']] + added
        near = rough >= _lowest(rough, query) - _SLACK
        rows, added = rows[near], added[near]
        # Once more in float64, for the few that may be among the best.
        slots, inverse = np.unique(rows['slot'], return_inverse=True)
        exact = self._vectors.values[slots].astype(np.float64) @ query.vector.astype(np.float64)
        scores = np.round(exact[inverse] + added, DIGITS)
        best = scores >= _lowest(scores, query)
        numbers, scores = rows['number'][best], scores[best]
        order = np.lexsort((numbers, -scores))
        return numbers[order], scores[order]

    def _bonus(self, query: Query) -> Floats:
        """Return what each facet adds to the cosine; -inf where a filter excludes it."""
        facets, names = self._facets.values, self._names
        shape = (facets['root'] == query.root).astype(float) + (facets['things'] == query.things)
        situation = np.zeros(len(facets))
        if query.held is not None:
            situation += facets['held'] == query.held
        if query.room:
            situation += facets['room'] == names.get(query.room, -1)
        bonus: Floats = query.shape_weight * shape + query.situation_weight * situation
        excluded = facets['flows'] & ~_bits(query.control_flows) != 0
        excluded[_GONE] = True
        if query.strategy:
            excluded |= facets['strategy'] != names.get(query.strategy, -1)
        if query.skills:
            excluded |= facets['skills'] != names.get(query.skills, -1)
        if query.verified_only:
            excluded |= facets['reported']
        bonus[excluded] = -np.inf
        return bonus


class _Growing:
    """An array that grows at its end, (n, *shape)."""

    def __init__(self, kind: np.dtype[np.generic], *shape: int) -> None:
        self._array = np.empty((1024, *shape), kind)
        self._length = 0

    @property
    def values(self) -> npt.NDArray[Any]:
        """What is in it; a view."""
        return self._array[: self._length]

    def extend(self, values: npt.NDArray[Any]) -> None:
        end = self._length + len(values)
        if end > len(self._array):
            grown = np.empty(
                (max(end, len(self._array) * 3 // 2), *values.shape[1:]), self._array.dtype
            )
            grown[: self._length] = self.values
            self._array = grown
        self._array[self._length : end] = values
        self._length = end


def _lowest(scores: npt.NDArray[np.floating[Any]], query: Query) -> float:
    """Return the score that the best of a query have at least."""
    lowest = float(scores.max()) - query.margin
    if 0 < query.limit < len(scores):
        lowest = max(lowest, float(np.partition(scores, -query.limit)[-query.limit]))
    return lowest


def _bits(flows: frozenset[ControlFlow]) -> int:
    return sum(1 << place for place, flow in enumerate(ControlFlow) if flow in flows)
