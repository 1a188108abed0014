# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where something is: a position and an orientation in a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pose:
    """A pose, as in REP 103: metres, x forward, y left, z up, quaternions with w last.

    Args:
        frame: name of the TF frame that it is given in.
        position: x, y, z in metres.
        orientation: x, y, z, w of a unit quaternion.
    """

    frame: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @property
    def yaw(self) -> float:
        """Its rotation about z in radians, from -pi to pi."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def from_angles(
    frame: str,
    position: tuple[float, float, float],
    roll: float = 0.0,
    pitch: float = 0.0,
    yaw: float = 0.0,
) -> Pose:
    """Return the pose for angles in degrees, turned about the fixed x, then y, then z axis.

    >>> from_angles('map', (1.0, 2.0, 0.0), yaw=90.0).orientation
    (0.0, 0.0, 0.7071067811865475, 0.7071067811865476)
    """
    (sr, cr), (sp, cp), (sy, cy) = (
        (math.sin(math.radians(angle) / 2.0), math.cos(math.radians(angle) / 2.0))
        for angle in (roll, pitch, yaw)
    )
    return Pose(
        frame,
        position,
        (
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        ),
    )


def seen_from(outer: Pose, inner: Pose) -> Pose:
    """Return a pose in the frame of another one.

    Args:
        outer: the pose of ``inner.frame`` in the frame that is wanted.
        inner: the pose.
    """
    x, y, z, w = outer.orientation
    px, py, pz = inner.position
    # v + 2 q × (q × v + w v), with q the vector part
    cx, cy, cz = y * pz - z * py + w * px, z * px - x * pz + w * py, x * py - y * px + w * pz
    turned = (
        px + 2.0 * (y * cz - z * cy),
        py + 2.0 * (z * cx - x * cz),
        pz + 2.0 * (x * cy - y * cx),
    )
    a, b, c, d = inner.orientation
    return Pose(
        outer.frame,
        (
            outer.position[0] + turned[0],
            outer.position[1] + turned[1],
            outer.position[2] + turned[2],
        ),
        (
            w * a + x * d + y * c - z * b,
            w * b - x * c + y * d + z * a,
            w * c + x * b - y * a + z * d,
            w * d - x * a - y * b - z * c,
        ),
    )


def inverse(pose: Pose, name: str) -> Pose:
    """Return the pose of ``pose.frame`` in a frame that is at a pose.

    Args:
        pose: where the frame is.
        name: of the frame.
    """
    x, y, z, w = pose.orientation
    turned = Pose(name, orientation=(-x, -y, -z, w))
    at = seen_from(turned, Pose('', pose.position)).position
    return Pose(name, (-at[0], -at[1], -at[2]), turned.orientation)
