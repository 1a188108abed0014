# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How punctual ticks were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

EARLY = 0.1
"""Part of a period by which a tick may be before the beat and still belongs to it."""


def lateness(times_ns: Sequence[int], period_s: float) -> npt.NDArray[np.float64]:
    """Return how late each tick began, in milliseconds.

    A tick is late against the beat that half of the ticks keep or are behind. A beat that was left
    out counts as a tick late by a whole period.
    Pauses of more than a second are not lateness: no goal was running.

    Args:
        times_ns: when the ticks began, in nanoseconds, ascending.
        period_s: period of the timer, in seconds.

    Returns:
        (n,), not negative, in no particular order.
    """
    late: list[float] = []
    times = np.asarray(times_ns, dtype=np.int64)
    for part in np.split(times, np.flatnonzero(np.diff(times) > 1_000_000_000) + 1):
        if part.size < 2:
            continue
        beats = (part - part[0]) / (period_s * 1e9)
        beats -= np.median((beats + 0.5) % 1.0) - 0.5
        numbers = np.floor(beats + EARLY)
        late += (np.maximum(beats - numbers, 0.0) * period_s * 1e3).tolist()
        left_out = int(numbers[-1] - numbers[0]) + 1 - np.unique(numbers).size
        late += [period_s * 1e3] * max(0, left_out)
    return np.array(late)
