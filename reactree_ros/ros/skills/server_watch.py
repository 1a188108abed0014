# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names the action servers and services of the robot that are not there; never waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

DISCOVERY_SEC = 3.0
"""So long after activation a server may not have been discovered although it is there."""
_PERIOD_SEC = 1.0


class ServerWatch:
    """Looks once a second whether the servers of a skill library are there.

    It logs once which are missing when they should have been discovered, and once that all are
    there when they have come.

    Args:
        look: returns what is missing, e.g. ``action /navigate_to_pose``; it must not wait.
        log: where it is logged; a ROS logger is one.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        look: Callable[[], list[str]],
        log: Any,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._log = log
        self._clock = clock
        self._began_at: float | None = None
        self._looked_at = float('-inf')
        self._is_logged = False
        self.missing: tuple[str, ...] = ()
        """What is not there; it may be read from any thread."""
        self.fault = ''
        """What is not there although it had the time to be discovered; empty if nothing."""

    def begin(self) -> None:
        """Begin when the planner is activated."""
        self._began_at = self._clock()
        self._looked_at = float('-inf')
        self._is_logged = False

    def tick(self) -> None:
        """Look, if it is time to."""
        now = self._clock()
        if self._began_at is None or now - self._looked_at < _PERIOD_SEC:
            return
        self._looked_at = now
        self.missing = tuple(self._look())
        is_due = now - self._began_at >= DISCOVERY_SEC
        listed = ', '.join(self.missing)
        self.fault = f'not there: {listed}' if listed and is_due else ''
        if self.fault and not self._is_logged:
            self._is_logged = True
            self._log.warning(f'{self.fault}; skills that need them will fail until they are')
        elif self._is_logged and not self.missing:
            self._is_logged = False
            self._log.info('all action servers and services of the skill library are there')
