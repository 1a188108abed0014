# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Frames: a rotation matrix and a position in the world, metres and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """A frame in the world.

    Args:
        rotation: 3 x 3, its columns are the axes.
        position: 3, in metres.
    """

    rotation: Vector
    position: Vector

    def __matmul__(self, other: Pose) -> Pose:
        """Return a frame that is given in this one."""
        return Pose(self.rotation @ other.rotation, self.position + self.rotation @ other.position)

    def inverse(self) -> Pose:
        """Return the world's frame, given in this one."""
        return Pose(self.rotation.T, -self.rotation.T @ self.position)

    def moved(self, shift: ArrayLike) -> Pose:
        """Return it shifted along the axes of the world (m)."""
        return Pose(self.rotation, self.position + np.asarray(shift, dtype=float))

    def advanced(self, distance: float) -> Pose:
        """Return it shifted along its own z (m)."""
        return Pose(self.rotation, self.position + distance * self.rotation[:, 2])


def standing(position: ArrayLike, yaw: float = 0.0) -> Pose:
    """Return an upright frame at a position (m), turned by a yaw (rad)."""
    c, s = math.cos(yaw), math.sin(yaw)
    return Pose(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array(position, dtype=float))


def on_floor(base: Vector) -> Pose:
    """Return the frame of a base at x, y (m) and yaw (rad)."""
    return standing((base[0], base[1], 0.0), float(base[2]))


def tool(position: ArrayLike, approach: ArrayLike, fingers: ArrayLike) -> Pose:
    """Return a frame of the hand.

    Args:
        position: between the fingertips (m).
        approach: direction in which the hand points.
        fingers: direction in which the fingers move, made perpendicular to the approach.
    """
    z = np.asarray(approach, dtype=float)
    z = z / np.linalg.norm(z)
    y = np.asarray(fingers, dtype=float)
    y = y - (y @ z) * z
    y = y / np.linalg.norm(y)
    return Pose(np.column_stack([np.cross(y, z), y, z]), np.asarray(position, dtype=float))


def difference(target: Pose, now: Pose) -> Vector:
    """Return how far it is to a frame: 3 metres, and 3 radians about the axes of the world."""
    turn = target.rotation @ now.rotation.T
    quaternion, rotation = np.empty(4), np.empty(3)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    mujoco.mju_quat2Vel(rotation, quaternion, 1.0)
    return np.concatenate([target.position - now.position, rotation])


def between(first: Pose, second: Pose, share: float) -> Pose:
    """Return the frame that is this share of the way from one to another."""
    start, turn, rotation = np.empty(4), np.empty(4), np.empty(9)
    mujoco.mju_mat2Quat(start, first.rotation.ravel())
    spin = difference(second, first)[3:]
    angle = float(np.linalg.norm(spin))
    if angle < 1e-9:
        matrix = first.rotation
    else:
        mujoco.mju_axisAngle2Quat(turn, spin / angle, angle * share)
        mujoco.mju_quat2Mat(rotation, turn)
        matrix = rotation.reshape(3, 3) @ first.rotation
    return Pose(matrix, first.position + share * (second.position - first.position))
