# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Allowed ranges of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reactree_ros.skills.document import as_float
from reactree_ros.skills.references import Path

ANY = '*'
"""Stands in a path for every element of an array."""


@dataclass(frozen=True)
class Range:
    """From a least to a greatest number, both included; NaN and infinity are in no range.

    Args:
        low: the least; minus infinity for none.
        high: the greatest; infinity for none.
    """

    low: float = -math.inf
    high: float = math.inf

    def has(self, value: Any) -> bool:
        """Return whether a value is a number in it.

        >>> Range(0, 1).has(1), Range(0, 1).has(float('nan')), Range(0).has(float('inf'))
        (True, False, False)
        """
        if isinstance(value, (str, bytes, bool)):
            return False
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return False
        return math.isfinite(number) and self.low <= number <= self.high

    def __str__(self) -> str:
        """Return it in words.

        >>> str(Range(0, 0.5)), str(Range(high=3)), str(Range(low=-1))
        ('0 to 0.5', 'at most 3', 'at least -1')
        """
        if self.low == -math.inf:
            return f'at most {self.high:g}'
        if self.high == math.inf:
            return f'at least {self.low:g}'
        return f'{self.low:g} to {self.high:g}'


def read_ranges(
    given: Mapping[str, Mapping[str, float]], where: str, faults: list[str]
) -> dict[Path, Range]:
    """Return ranges by the paths of the fields that they are for.

    Args:
        given: mappings with ``min`` or ``max`` or both, by path.
        where: their place in the library.
        faults: what is wrong is added here.
    """
    ranges = {}
    for path, entry in given.items():
        if not all(math.isfinite(as_float(one)) for one in entry.values()):
            faults.append(f'{where}.{path}: not every number is finite')
        found = Range(entry.get('min', -math.inf), entry.get('max', math.inf))
        if found.low > found.high:
            faults.append(f'{where}.{path}: min is greater than max')
        ranges[tuple(path.split('.'))] = found
    return ranges
