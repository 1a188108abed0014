# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether ticks come as often as they should."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_LATE = 2.0
_TICKS = 40


class Pace:
    """Looks how much time passes from tick to tick.

    Args:
        period_sec: how much should.
        clock: monotonic time in seconds.
    """

    def __init__(self, period_sec: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period = period_sec
        self._clock = clock
        self._times: deque[float] = deque(maxlen=_TICKS + 1)

    def tick(self) -> None:
        """Note that a tick begins."""
        self._times.append(self._clock())

    @property
    def seconds(self) -> float:
        """Mean time between the latest ticks, the one since the last among them."""
        times = [*self._times]
        if not times:
            return self._period
        passed = self._clock() - times[0]
        whole = len(times) - 1
        # the time since the last tick counts only if the next one is overdue
        if self._clock() - times[-1] > self._period * _LATE:
            return passed / (whole + 1)
        return (times[-1] - times[0]) / whole if whole else self._period

    @property
    def late(self) -> bool:
        """Whether ticks take more than twice as long as they should, on the mean."""
        return self.seconds > _LATE * self._period

    @property
    def word(self) -> str:
        """How often they come, for a person."""
        return f'every {self.seconds * 1000:.0f} ms of {self._period * 1000:.0f}'
