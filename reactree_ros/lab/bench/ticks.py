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
    """Return how late each tick of a goal began, in milliseconds.

    A tick is late against the beat that half of the ticks keep or are behind. A beat that was left
    out is late until the next tick.

    Args:
        times_ns: when the ticks began while the goal ran, in nanoseconds, ascending.
        period_s: period of the timer, in seconds.

    Returns:
        (n,), not negative, in no particular order.
    """
    times = np.asarray(times_ns, dtype=np.int64)
    if times.size < 2:
        return np.zeros(0)
    beats = (times - times[0]) / (period_s * 1e9)
    beats -= np.median((beats + 0.5) % 1.0) - 0.5
    numbers = np.floor(beats + EARLY)
    late = [
        beat - missed
        for before, number, beat in zip(numbers, numbers[1:], beats[1:], strict=False)
        for missed in np.arange(before + 1, number)
    ]
    return np.maximum([*(beats - numbers), *late], 0.0) * period_s * 1e3
