# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Scores of experiences, the same from every store."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reactree_ros.core.model import Vectors
from reactree_ros.memory.store import Query

DIGITS = 5
"""Scores are rounded to these, so that equals are equal."""
SLACK = 2e-5
"""Scores in float32 may be this much off: rounding moves a score by half of the last digit, float32
by a few millionths."""


def best_of(
    numbers: npt.NDArray[np.int64],
    added: npt.NDArray[np.float64],
    slots: npt.NDArray[np.integer[Any]],
    vectors: Vectors,
    query: Query,
) -> list[tuple[int, float]]:
    """Return numbers of the best experiences and their scores, the best first.

    Args:
        numbers: of the experiences, (n,), at least one.
        added: what is added to the cosine of each, (n,).
        slots: the row of each one's vector, (n,).
        vectors: of keys, (m, dimension).
        query: what is looked for.
    """
    slots, inverse = np.unique(slots, return_inverse=True)
    exact = vectors[slots].astype(np.float64) @ query.vector.astype(np.float64)
    scores = np.round(exact[inverse] + added, DIGITS)
    best = scores >= lowest(scores, query)
    numbers, scores = numbers[best], scores[best]
    order = np.lexsort((numbers, -scores))
    return list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))


def lowest(scores: npt.NDArray[np.floating[Any]], query: Query) -> float:
    """Return the score that the best of a query have at least."""
    least = float(scores.max()) - query.margin
    if 0 < query.limit < len(scores):
        least = max(least, float(np.partition(scores, -query.limit)[-query.limit]))
    return least
