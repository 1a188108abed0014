# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How fast simulated time passes."""

from __future__ import annotations

import time

from reactree_ros.sim.physics.simulation import Simulation

_AHEAD_SEC = 0.005
_PAUSE_SEC = 0.25
"""After so long without a step, the clocks are compared from then on."""


class Pace:
    """Holds a simulation back, so that it does not run faster than a multiple of real time.

    Pass it to a simulation as what is called before every step.

    Args:
        factor: simulated seconds in a second, at most.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._real = self._simulated = self._last = float('-inf')

    def __call__(self, simulation: Simulation) -> None:
        """Wait until it is time for the next step."""
        now = time.monotonic()
        if now - self._last > _PAUSE_SEC:
            self._real, self._simulated = now, simulation.time
        ahead = (simulation.time - self._simulated) / self._factor - (now - self._real)
        if ahead > _AHEAD_SEC:
            time.sleep(ahead)
            now = time.monotonic()
        self._last = now
