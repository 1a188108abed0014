# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Exact search among a million experiences in memory: who scores best for a query.

An experience is a row of three numbers: the slot of its key's vector, a code for its facet (all
that weights and filters look at) and a code for its task. Experiences of equal key share a
vector; the weights are computed once for each facet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from reactree_ros.memory.facets import Facet, FacetColumns
from reactree_ros.memory.store import Query
from reactree_ros.memory.vector_blocks import VectorBlocks
from reactree_ros.memory.vector_bounds import VectorBounds
from reactree_ros.models.interface import Vectors

DIGITS = 5
"""Scores are rounded to these, so that equals are equal."""
_SLACK = 2e-5
# Rounding moves a score by half of the last digit, float32 by a few millionths.
_CHUNK = 1 << 16
_LEAST = -1e30
# Less than any score, more than that of what a filter excludes.
_MANY = 20_000
# From so many vectors on, bounds are worth what it takes to make them.
_PROBES = 256
_GONE = 0
# The facet of rows that were removed.

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class VectorIndex:
    """Rows of experiences and the vectors of their keys.

    Args:
        dimension: floats of a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._vectors = VectorBlocks(dimension)
        self._bounds: VectorBounds | None = None
        self._bounded = _MANY // 2
        self._keys = _Column(np.int64)
        self._numbers = _Column(np.int64)
        self._slots = _Column(np.int32)
        self._facets = _Column(np.int32)
        self._tasks = _Column(np.int32)
        self._facet_list: list[Facet | None] = [None]
        self._facet_codes: dict[int, int] = {}
        self._task_codes: dict[str, int] = {}
        self._columns: FacetColumns | None = None
        self._gone = 0

    def __len__(self) -> int:
        """How many rows there are, those that were removed among them."""
        return len(self._numbers.values)

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
        self._keys.extend(keys)
        self._vectors.extend(vectors)
        if self._bounds is not None:
            self._bounds.extend(vectors)

    def add_facet(self, number: int, facet: Facet) -> None:
        """Add a facet under a number of its own."""
        self._facet_codes[number] = len(self._facet_list)
        self._facet_list.append(facet)
        self._columns = None

    def put(self, rows: Sequence[tuple[int, int, int, str]]) -> None:
        """Add rows, or change those that are there.

        Args:
            rows: number of the experience, of its key, of its facet, and its task, in ascending
                order of the experience; new ones are numbered higher than all before.
        """
        if not rows:
            return
        last = int(self._numbers.values[-1]) if len(self._numbers.values) else 0
        numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        keys = np.fromiter((row[1] for row in rows), np.int64, len(rows))
        slots = np.searchsorted(self._keys.values, keys).astype(np.int32)
        facets = np.fromiter((self._facet_codes[row[2]] for row in rows), np.int32, len(rows))
        codes = self._task_codes
        tasks = np.fromiter(
            (codes.setdefault(row[3], len(codes)) for row in rows), np.int32, len(rows)
        )
        new = int(np.searchsorted(numbers, last, side='right'))
        at = np.searchsorted(self._numbers.values, numbers[:new])
        self._slots.values[at] = slots[:new]
        self._facets.values[at] = facets[:new]
        self._tasks.values[at] = tasks[:new]
        self._numbers.extend(numbers[new:])
        self._slots.extend(slots[new:])
        self._facets.extend(facets[new:])
        self._tasks.extend(tasks[new:])

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove experiences; those that are not there are passed over."""
        have = self._numbers.values
        at = np.flatnonzero(np.isin(have, np.asarray(numbers, np.int64)))
        at = at[self._facets.values[at] != _GONE]
        self._facets.values[at] = _GONE
        self._gone += len(at)

    def prepare(self) -> None:
        """Make a search among many vectors faster; worth it after many were added."""
        if len(self._vectors) >= 2 * self._bounded:
            self._bounded = len(self._vectors)
            self._bounds = VectorBounds.of(self._vectors)

    def search(self, query: Query) -> tuple[Ints, Floats]:
        """Return numbers of experiences and their scores, as ``ExperienceStore.search`` does."""
        query = replace(query, vector=np.ascontiguousarray(query.vector, np.float32))
        bonus = self._bonus(query)
        rows = np.empty(0, np.int64)
        if np.isfinite(bonus).any():
            found = self._bounded_rows(query, bonus) if query.limit else None
            rows = self._all_rows(query, bonus) if found is None else found
        scores = np.round(self._scores(rows, query, bonus), DIGITS)
        if not len(rows):
            return rows, scores
        lowest = float(scores.max()) - query.margin
        if 0 < query.limit < len(scores):
            lowest = max(lowest, float(np.partition(scores, -query.limit)[-query.limit]))
        kept = scores >= lowest
        numbers, scores = self._numbers.values[rows[kept]], scores[kept]
        order = np.lexsort((numbers, -scores))
        return numbers[order], scores[order]

    def _all_rows(self, query: Query, bonus: Floats) -> Ints:
        """Return the rows that may be among the best, by a product with every vector."""
        best = _Best(query)
        cosines = self._vectors.product(query.vector)
        for rows, scores in self._chunks(query, cosines, bonus, best):
            best.add(rows, scores)
        return best.rows()

    def _bounded_rows(self, query: Query, bonus: Floats) -> Ints | None:
        """Return the same by bounds; None if there are none, or they rule out too few."""
        if self._bounds is None:
            return None
        best = _Best(query)
        bounds = self._bounds.product(query.vector)
        for rows, highest in self._chunks(query, bounds, bonus, best):
            probes = max(_PROBES, 2 * query.limit)
            if len(rows) > probes:
                # The most promising first: they tell what the others have to reach.
                order = np.argpartition(highest, -probes)
                first, others = order[-probes:], order[:-probes]
                best.add(rows[first], self._scores(rows[first], query, bonus))
                best.rows()
                others = others[highest[others] >= best.lowest]
                if len(others) > _CHUNK // 8:  # reading them one by one would take longer
                    return None
                rows = rows[others]
            best.add(rows, self._scores(rows, query, bonus))
        return best.rows()

    def _chunks(
        self, query: Query, cosines: Vectors, bonus: Floats, best: _Best
    ) -> Iterator[tuple[Ints, Vectors]]:
        """Yield rows whose score is high enough to matter, given (bounds of) their cosines."""
        task = self._task_codes.get(query.not_task, -1) if query.not_task else -1
        slots, facets = self._slots.values, self._facets.values
        added = bonus.astype(np.float32)
        for begin in range(0, len(slots), _CHUNK):
            end = begin + _CHUNK
            # 'clip' spares the check of each index; all are in range.
            scores = cosines.take(slots[begin:end], mode='clip')
            scores += added.take(facets[begin:end], mode='clip')
            if task >= 0:
                scores[self._tasks.values[begin:end] == task] = -math.inf
            high = np.flatnonzero(scores >= max(best.lowest, _LEAST))
            if len(high):
                yield (high + begin).astype(np.int64, copy=False), scores[high]

    def _scores(self, rows: Ints, query: Query, bonus: Floats) -> Floats:
        """Return the scores of rows, summed in float64."""
        slots, inverse = np.unique(self._slots.values[rows], return_inverse=True)
        vectors = self._vectors.rows(slots).astype(np.float64)
        cosines = vectors @ query.vector.astype(np.float64)
        scores: Floats = cosines[inverse] + bonus[self._facets.values[rows]]
        return scores

    def _bonus(self, query: Query) -> Floats:
        """Return what each facet adds to the cosine; -inf where a filter excludes it."""
        if self._columns is None:
            self._columns = FacetColumns(self._facet_list)
        return self._columns.bonus(query)


class _Best:
    """The rows that may still be among the best of a query, and what others have to reach."""

    def __init__(self, query: Query) -> None:
        self._limit = query.limit
        self._margin = query.margin
        self._rows: list[Ints] = []
        self._scores: list[Floats | Vectors] = []
        self._count = 0
        self.lowest = -math.inf

    def add(self, rows: Ints, scores: Floats | Vectors) -> None:
        """Add rows with their scores, which may be off by a few millionths."""
        self._rows.append(rows)
        self._scores.append(scores)
        self._count += len(rows)
        if self._count > 4 * self._limit > 0:
            self.rows()

    def rows(self) -> Ints:
        """Return the rows."""
        if not self._count:
            return np.empty(0, np.int64)
        rows: Ints = np.concatenate(self._rows)
        scores: Floats = np.concatenate(self._scores, dtype=np.float64)
        lowest = float(scores.max()) - self._margin
        if 0 < self._limit < len(scores):
            lowest = max(lowest, float(np.partition(scores, -self._limit)[-self._limit]))
        self.lowest = max(self.lowest, lowest - _SLACK)
        kept = scores >= self.lowest
        self._rows, self._scores = [rows[kept]], [scores[kept]]
        self._count = len(self._rows[0])
        return self._rows[0]


class _Column:
    """An array that grows at its end."""

    def __init__(self, kind: type[np.integer[Any]]) -> None:
        self._array = np.empty(1024, kind)
        self._length = 0

    @property
    def values(self) -> npt.NDArray[Any]:
        """What is in it; a view."""
        return self._array[: self._length]

    def extend(self, values: npt.ArrayLike) -> None:
        """Add values."""
        new = np.asarray(values, self._array.dtype)
        end = self._length + len(new)
        if end > len(self._array):
            array = np.empty(max(end, len(self._array) * 3 // 2), self._array.dtype)
            array[: self._length] = self.values
            self._array = array
        self._array[self._length : end] = new
        self._length = end
