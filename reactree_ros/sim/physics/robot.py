# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a driving arm can do, whether it is simulated or real: move, grip, drive, look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.trajectory import Trajectory

READY = np.array([2.5, -1.0, 0.0, -2.8, 0.0, 1.8, 0.785])
"""Joint angles with which the arm hides nothing from the camera (rad); it drives like that."""
OPEN_WIDTH = 0.08
"""Between the fingers of the open hand (m)."""


class Ending(Enum):
    """How a motion ended."""

    REACHED = 'reached'
    BLOCKED = 'blocked'
    """Something kept it from going on, or from reaching its end."""
    CANCELED = 'canceled'


@dataclass(frozen=True)
class Moved:
    """The end of a motion.

    Args:
        ending: how it ended.
        error: how far the worst joint is from where it should be (rad or m).
    """

    ending: Ending
    error: float = 0.0


@dataclass(frozen=True)
class Gripped:
    """The end of a motion of the fingers.

    Args:
        width: between them (m).
        stalled: they stopped before they were where they should be.
        canceled: the motion was canceled.
    """

    width: float
    stalled: bool = False
    canceled: bool = False


@dataclass(frozen=True)
class Sight:
    """What is seen at one moment.

    Args:
        things: where things are, by name.
        openings: how far drawers and doors are open, by the names of their joints (m or rad).
    """

    things: Mapping[str, Pose]
    openings: Mapping[str, float]


class Robot(Protocol):
    """A driving arm with a gripper and a camera.

    Attributes:
        stop: asked all the time while something moves; if it says so, the motion is canceled.
    """

    stop: Callable[[], bool]

    @property
    def arm(self) -> Vector:
        """Joint angles of the arm (rad)."""

    @property
    def width(self) -> float:
        """Between the fingers (m)."""

    @property
    def base(self) -> Vector:
        """x, y (m) and yaw (rad) of the base."""

    def follow(self, trajectory: Trajectory) -> Moved:
        """Move the arm along a trajectory, which begins where it is."""

    def drive(self, trajectory: Trajectory) -> Moved:
        """Move the base along a trajectory of x, y and yaw, which begins where it is."""

    def grip(self, width: float, effort: float = 20.0) -> Gripped:
        """Move the fingers.

        Args:
            width: between them (m).
            effort: largest force of each (N).
        """

    def look(self) -> Sight:
        """Look with the camera."""
