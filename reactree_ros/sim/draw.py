# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Random choices that come out the same on every machine and with every version of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar('Item')


class Draw:
    """A source of choices for one purpose.

    Python promises the same numbers from ``Random(int).random()`` for ever, but not the same
    choices from its other methods: everything here is made from the former.

    Args:
        purpose: what is drawn, e.g. ``wah_train/17``: each purpose has choices of its own, so that
            a change in one place of the generator leaves the others as they were.
    """

    def __init__(self, purpose: str) -> None:
        digest = hashlib.sha256(purpose.encode()).digest()
        self._random = Random(int.from_bytes(digest[:8], 'big'))

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self._random.random() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, all alike."""
        return items[self.whole(0, len(items) - 1)]

    def weighted(self, weights: Mapping[Item, float]) -> Item:
        """One of the keys by weight, in their order; at least one weight is above zero."""
        rest = self._random.random() * sum(weights.values())
        for item, weight in weights.items():
            rest -= weight
            if rest < 0:
                return item
        return [item for item, weight in weights.items() if weight > 0][-1]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """The items in another order."""
        left = list(items)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(len(left))]


class First(Draw):
    """Takes the first, or the least, of everything: for what must come out the same each time."""

    def __init__(self) -> None:
        super().__init__('')

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens: if it is certain."""
        return probability >= 1.0

    def whole(self, low: int, high: int) -> int:
        """The lower bound."""
        return low

    def weighted(self, weights: Mapping[Item, float]) -> Item:
        """The first key that has a weight."""
        return next(item for item, weight in weights.items() if weight > 0)
