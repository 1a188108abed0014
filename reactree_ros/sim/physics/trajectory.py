# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: how fast joints move along a path."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reactree_ros.sim.physics.geometry import Vector

MAX_SPEED = np.array([1.6, 1.6, 1.6, 1.6, 2.2, 2.2, 2.2])
"""Largest speed of each joint (rad/s), three quarters of what the arm may do."""
MAX_ACCELERATION = np.array([5.0, 4.0, 5.0, 6.0, 8.0, 8.0, 8.0])
"""Largest acceleration of each joint (rad/s²)."""
_CORNER_SEC = 0.03
"""At a corner of a path a joint changes its speed by what it can in this time."""


@dataclass(frozen=True)
class Trajectory:
    """Configurations over time.

    Args:
        times: n, seconds from the start.
        positions: n x joints.
    """

    times: Vector
    positions: Vector

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.times[-1])

    def at(self, time: float) -> tuple[Vector, Vector]:
        """Return positions and speeds at a time, which may lie after its end."""
        times = self.times
        if time >= times[-1]:
            return self.positions[-1], np.zeros(self.positions.shape[1])
        after = int(np.searchsorted(times, time, side='right'))
        span = times[after] - times[after - 1]
        step = self.positions[after] - self.positions[after - 1]
        return self.positions[after - 1] + step * ((time - times[after - 1]) / span), step / span


def timed(
    path: Vector, speed: Vector = MAX_SPEED, acceleration: Vector = MAX_ACCELERATION
) -> Trajectory:
    """Return how fast a path can be driven along: no joint exceeds its limits along the path.

    Args:
        path: n x joints, n at least 2.
        speed: largest speed of each joint.
        acceleration: largest acceleration of each joint.
    """
    steps = np.diff(path, axis=0)
    moves = np.abs(steps).max(axis=1) > 1e-9
    steps = steps[moves]
    path = np.vstack([path[:1], path[1:][moves]])
    if not len(steps):
        return Trajectory(np.array([0.0, 0.01]), np.vstack([path[:1], path[:1]]))
    # Along the path, of which each step counts as its length in units of the speed limits.
    lengths = np.abs(steps / speed).max(axis=1)
    direction = np.abs(steps) / lengths[:, None]
    fastest = 1.0 / np.maximum((direction / speed).max(axis=1), 1e-9)
    hardest = 1.0 / np.maximum((direction / acceleration).max(axis=1), 1e-9)
    # A corner is a jump in speed: it is taken as slowly as the joints need for it.
    jump = np.abs(np.diff(steps / lengths[:, None], axis=0))
    corner = (_CORNER_SEC * acceleration / np.maximum(jump, 1e-9)).min(axis=1)
    allowed = np.zeros(len(path))
    allowed[1:-1] = np.minimum(np.minimum(fastest[1:], fastest[:-1]), corner)
    for n in range(1, len(path)):
        allowed[n] = min(
            allowed[n], math.sqrt(allowed[n - 1] ** 2 + 2 * hardest[n - 1] * lengths[n - 1])
        )
    for n in range(len(path) - 2, -1, -1):
        allowed[n] = min(allowed[n], math.sqrt(allowed[n + 1] ** 2 + 2 * hardest[n] * lengths[n]))
    peak = np.sqrt((allowed[1:] ** 2 + allowed[:-1] ** 2) / 2 + hardest * lengths)
    mean = (allowed[1:] + allowed[:-1]) / 2
    mean = np.where(mean > 1e-6, mean, np.minimum(peak, fastest) / 2)
    return Trajectory(np.concatenate([[0.0], np.cumsum(lengths / mean)]), path)
