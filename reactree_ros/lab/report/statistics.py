# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shares with their intervals, spreads, and tests of pairs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_Z = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Share:
    """A share and its 95 % interval.

    Args:
        hits: how many are as wanted.
        of: how many there are.
        low: lower end of the interval, from 0 to 1.
        high: upper end of the interval, from 0 to 1.
    """

    hits: int
    of: int
    low: float
    high: float

    @classmethod
    def count(cls, hits: int, of: int, independent: int | None = None) -> Share:
        """Return a share with its Wilson interval.

        Args:
            hits: how many are as wanted.
            of: how many there are.
            independent: how many of them say something of their own; all, if not given. Subgoals
                of one run stand and fall together, so their interval counts runs.
        """
        by = of if independent is None else min(of, independent)
        return cls(hits, of, *wilson(hits / of * by if of else 0.0, by))

    @property
    def value(self) -> float:
        """The share itself, from 0 to 1; 0 if there is nothing to count."""
        return self.hits / self.of if self.of else 0.0


@dataclass(frozen=True)
class Spread:
    """How large some counts are.

    Args:
        n: how many counts.
        mean: their mean; 0 if there are none.
        sd: standard deviation of the sample; 0 if there are fewer than two.
        max: the largest; 0 if there are none.
    """

    n: int
    mean: float
    sd: float
    max: int

    @classmethod
    def of(cls, counts: Sequence[int]) -> Spread:
        """Return how large counts are."""
        if not counts:
            return cls(0, 0.0, 0.0, 0)
        sd = statistics.stdev(counts) if len(counts) > 1 else 0.0
        return cls(len(counts), statistics.fmean(counts), sd, max(counts))


def wilson(hits: float, of: float) -> tuple[float, float]:
    """Return the 95 % interval of a share, as shares (Wilson 1927); (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    middle = (hits + _Z * _Z / 2) / (of + _Z * _Z)
    width = _Z * math.sqrt(hits * (of - hits) / of + _Z * _Z / 4) / (of + _Z * _Z)
    return max(0.0, middle - width), min(1.0, middle + width)


def mcnemar(first_only: int, second_only: int) -> float:
    """Return the two-sided p-value of the exact test of pairs (McNemar 1947).

    Args:
        first_only: pairs in which only the first succeeded.
        second_only: pairs in which only the second succeeded.

    Returns:
        How likely a difference at least as large is if both are equally good; 1 if no pair shows
        them apart.
    """
    unlike = first_only + second_only
    fewer = min(first_only, second_only)
    tail = sum(math.comb(unlike, k) for k in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << unlike))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for being looked at together (Holm 1979), in the same order."""
    corrected = [0.0] * len(p_values)
    least = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = least
    return tuple(corrected)
