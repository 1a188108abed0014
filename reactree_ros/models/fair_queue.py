# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which of several waiting requests is worked on next: short work first, but nobody starves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar('T')

MOST_OVERTAKES = 3


class FairQueue(Generic[T]):
    """Waiting requests, in the order of their arrival.

    The least work goes first, so that a node's short next step does not wait behind another's
    long first prompt, and so that nodes with a common prefix follow each other while it is in the
    cache. None is overtaken by more than a few later ones. Not safe for threads by itself.

    Args:
        most_overtakes: how many later requests may go before an earlier one; with 0 the first
            come is the first served.
    """

    def __init__(self, most_overtakes: int = MOST_OVERTAKES) -> None:
        self._most = most_overtakes
        self._waiting: list[tuple[T, int]] = []  # with how often each was overtaken

    def __len__(self) -> int:
        """Return how many requests wait."""
        return len(self._waiting)

    def add(self, item: T) -> None:
        """Let a request wait."""
        self._waiting.append((item, 0))

    def take(self, work: Callable[[T], float]) -> T:
        """Remove and return the request whose turn it is.

        Args:
            work: how much there is to do for a request; among equals the first come is taken. Not
                asked where it cannot matter.

        Raises:
            IndexError: if none waits.
        """
        # Whoever overtakes one request overtakes all that came before it, so the first of them
        # has been overtaken most often.
        if len(self._waiting) < 2 or self._waiting[0][1] >= self._most:
            return self._waiting.pop(0)[0]
        costs = [work(item) for item, _ in self._waiting]
        index = costs.index(min(costs))
        chosen, _ = self._waiting[index]
        passed = [(item, overtaken + 1) for item, overtaken in self._waiting[:index]]
        self._waiting = passed + self._waiting[index + 1 :]
        return chosen

    def remove(self, unwanted: Callable[[T], bool]) -> list[T]:
        """Remove and return the requests for which something is the case."""
        removed = [item for item, _ in self._waiting if unwanted(item)]
        self._waiting = [pair for pair in self._waiting if pair[0] not in removed]
        return removed
