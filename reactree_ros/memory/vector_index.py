# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Exact search among a million experiences in memory: who scores best for a query.

An experience is a row of three numbers: the slot of its key's vector, a code for its facet (all
that weights and filters look at) and a code for its task. Experiences of equal key share a
vector; the weights are computed once for each facet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.experience import Verification
from reactree_ros.memory.store import Query
from reactree_ros.memory.vector_blocks import VectorBlocks
from reactree_ros.models.interface import Vectors

DIGITS = 5
"""Scores are rounded to these, so that equals are equal."""
_SLACK = 2e-5
# Rounding moves a score by half of the last digit, float32 by a few millionths.
_CHUNK = 1 << 16
_GONE = 0
# The facet of rows that were removed.

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
        self._vectors = VectorBlocks(dimension)
        self._keys = _Column(np.int64)
        self._numbers = _Column(np.int64)
        self._slots = _Column(np.int32)
        self._facets = _Column(np.int32)
        self._tasks = _Column(np.int32)
        self._facet_list: list[Facet | None] = [None]
        self._facet_codes: dict[int, int] = {}
        self._task_codes: dict[str, int] = {}
        self._columns: _FacetColumns | None = None
        self._gone = 0

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
        return self._gone / max(1, len(self._numbers.values))

    def add_keys(self, keys: Sequence[int], vectors: Vectors) -> None:
        """Add keys, which are numbered higher than all before, in ascending order.

        Args:
            keys: their numbers, n.
            vectors: their embeddings, (n, dimension), each of length 1.
        """
        self._keys.extend(keys)
        self._vectors.extend(vectors)

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

    def search(self, query: Query) -> tuple[Ints, Floats]:
        """Return numbers of experiences and their scores, as ``ExperienceStore.search`` does."""
        vector = np.ascontiguousarray(query.vector, np.float32)
        bonus = self._bonus(query)
        if not np.isfinite(bonus).any() or not len(self._numbers.values):
            return np.empty(0, np.int64), np.empty(0)
        rows = self._candidates(query, self._vectors.product(vector), bonus.astype(np.float32))
        scores = np.round(self._exact(rows, vector) + bonus[self._facets.values[rows]], DIGITS)
        if not len(rows):
            return np.empty(0, np.int64), scores
        lowest = float(scores.max()) - query.margin
        if 0 < query.limit < len(scores):
            lowest = max(lowest, float(np.partition(scores, -query.limit)[-query.limit]))
        kept = scores >= lowest
        numbers, scores = self._numbers.values[rows[kept]], scores[kept]
        order = np.lexsort((numbers, -scores))
        return numbers[order], scores[order]

    def _candidates(self, query: Query, cosines: Vectors, bonus: Vectors) -> Ints:
        """Return the rows that may be among the best: their approximate score is high enough."""
        task = self._task_codes.get(query.not_task, -1) if query.not_task else -1
        slots, facets = self._slots.values, self._facets.values
        lowest = -math.inf
        found: list[tuple[Ints, Vectors]] = []
        count = 0
        for begin in range(0, len(slots), _CHUNK):
            end = begin + _CHUNK
            # 'clip' spares the check of each index; all are in range.
            scores = cosines.take(slots[begin:end], mode='clip')
            scores += bonus.take(facets[begin:end], mode='clip')
            if task >= 0:
                scores[self._tasks.values[begin:end] == task] = -math.inf
            high = np.flatnonzero(scores >= max(lowest, -1e30))
            if not len(high):
                continue
            found.append((high + begin, scores[high]))
            count += len(high)
            if count > 4 * query.limit or end >= len(slots):
                rows = np.concatenate([one[0] for one in found])
                values = np.concatenate([one[1] for one in found])
                lowest = max(lowest, float(values.max()) - query.margin - _SLACK)
                if 0 < query.limit < len(values):
                    nth = float(np.partition(values, -query.limit)[-query.limit])
                    lowest = max(lowest, nth - _SLACK)
                kept = values >= lowest
                found = [(rows[kept], values[kept])]
                count = len(found[0][0])
        return np.concatenate([one[0] for one in found]) if found else np.empty(0, np.int64)

    def _exact(self, rows: Ints, vector: Vectors) -> Floats:
        """Return the cosines of rows, summed in float64 so that equal vectors score alike."""
        slots, inverse = np.unique(self._slots.values[rows], return_inverse=True)
        return self._vectors.exact(slots, vector)[inverse]

    def _bonus(self, query: Query) -> Floats:
        """Return what each facet adds to the cosine; -inf where a filter excludes it."""
        if self._columns is None:
            self._columns = _FacetColumns(self._facet_list)
        return self._columns.bonus(query)


class _FacetColumns:
    """The facets, one array for each of their fields."""

    def __init__(self, facets: Sequence[Facet | None]) -> None:
        here = [facet for facet in facets if facet is not None]
        self._gone = np.array([facet is None for facet in facets])
        blank = Facet(False, -1, None, '', '', '', Verification.REPORTED, frozenset())
        all_of = [blank if facet is None else facet for facet in facets]
        self._names = {
            name: code
            for code, name in enumerate(
                {''} | {name for one in here for name in (one.room, one.strategy, one.skills)}
            )
        }
        self._root = np.array([one.root for one in all_of])
        self._things = np.array([one.things for one in all_of])
        self._held = np.array([-1 if one.held is None else one.held for one in all_of])
        self._room = np.array([self._names[one.room] for one in all_of])
        self._strategy = np.array([self._names[one.strategy] for one in all_of])
        self._skills = np.array([self._names[one.skills] for one in all_of])
        self._reported = np.array([one.verified is Verification.REPORTED for one in all_of])
        self._flows = np.array([_bits(one.control_flows) for one in all_of])

    def bonus(self, query: Query) -> Floats:
        """See ``VectorIndex._bonus``."""
        shape = (self._root == query.root).astype(float) + (self._things == query.things)
        situation = np.zeros(len(self._root))
        if query.held is not None:
            situation += self._held == query.held
        if query.room:
            situation += self._room == self._names.get(query.room, -1)
        bonus: Floats = query.shape_weight * shape + query.situation_weight * situation
        excluded = self._gone | (self._flows & ~_bits(query.control_flows) != 0)
        if query.strategy:
            excluded |= self._strategy != self._names.get(query.strategy, -1)
        if query.skills:
            excluded |= self._skills != self._names.get(query.skills, -1)
        if query.verified_only:
            excluded |= self._reported
        bonus[excluded] = -np.inf
        return bonus


def _bits(flows: frozenset[ControlFlow]) -> int:
    return sum(1 << place for place, flow in enumerate(ControlFlow) if flow in flows)


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
