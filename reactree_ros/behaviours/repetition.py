# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does an agent node do the same again and again?"""

from __future__ import annotations

from collections import Counter

from reactree_ros.core.situation import Situation


class RepetitionGuard:
    """Counts acts with the same result, since something new was picked up or put down.

    So a node that carries one thing after the other may pass the same places, and one that picks
    the same thing up and puts it down makes no progress.
    """

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()
        self._ever: set[tuple[str, str]] = set()
        self._held: frozenset[str] = frozenset()

    def count(self, act: str, observed: str, situation: Situation) -> int:
        """Return how often a skill or a recall has had this result, this time included."""
        key = (act, observed)
        held = frozenset(item.name for item in situation.held)
        if held != self._held and key not in self._ever:
            self._times.clear()
        self._held = held
        self._ever.add(key)
        self._times[key] += 1
        return self._times[key]
