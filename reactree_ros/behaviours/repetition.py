# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does an agent node do the same again and again?"""

from __future__ import annotations

from collections import Counter

from reactree_ros.core.situation import Situation


class RepetitionGuard:
    """Counts acts with the same result after which everything that is known was the same.

    So a node that carries one thing after the other may pass the same places, and one that picks
    the same thing up and puts it down makes no progress.
    """

    def __init__(self) -> None:
        self._times: Counter[int] = Counter()

    def count(self, act: str, observed: str, situation: Situation) -> int:
        """Return how often a skill or a recall has had this result, this time included."""
        known = (
            situation.room,
            situation.place,
            situation.looked_into,
            frozenset(situation.objects.values()),
        )
        key = hash((act, observed, known))  # what is known is large
        self._times[key] += 1
        return self._times[key]
