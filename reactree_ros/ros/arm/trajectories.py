# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads trajectories and tolerances of messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.motions import Tolerance
from reactree_ros.sim.physics.trajectory import Trajectory

_SAMPLE_SEC = 0.02


class TrajectoryError(Exception):
    """What is wrong with a trajectory.

    Attributes:
        joints: whether it is the names of its joints.
    """

    def __init__(self, text: str, *, joints: bool = False) -> None:
        super().__init__(text)
        self.joints = joints


def read_trajectory(message: Any, names: Sequence[str], now: Vector, limits: Vector) -> Trajectory:
    """Read a ``trajectory_msgs/JointTrajectory``.

    Between two points that have velocities the joints follow a cubic, otherwise a straight line.

    Args:
        message: the trajectory; its joints may be in any order.
        names: of the controller's joints.
        now: where they are, which is where the trajectory begins.
        limits: lowest and highest position of each, n x 2.

    Raises:
        TrajectoryError: joints are missing or unknown, or a point is wrong or beyond the limits.
    """
    if sorted(message.joint_names) != sorted(names):
        raise TrajectoryError(
            f'joints are {", ".join(message.joint_names) or "missing"}; wanted: {", ".join(names)}',
            joints=True,
        )
    if not message.points:
        raise TrajectoryError('it has no points')
    order = [list(message.joint_names).index(name) for name in names]
    times, positions, speeds = [0.0], [now], [np.zeros(len(names))]
    smooth = True
    for number, point in enumerate(message.points, 1):
        at = seconds_of(point.time_from_start)
        if len(point.positions) != len(names):
            raise TrajectoryError(
                f'point {number} has {len(point.positions)} positions for {len(names)} joints'
            )
        if len(point.velocities) not in (0, len(names)):
            raise TrajectoryError(
                f'point {number} has {len(point.velocities)} velocities for {len(names)} joints'
            )
        values = np.array([*point.positions, *point.velocities], dtype=float)
        if not np.all(np.isfinite(values)):
            raise TrajectoryError(f'point {number} has values that are not finite')
        if at < times[-1] or (at == times[-1] and number > 1):
            raise TrajectoryError(f'point {number} is not later than the one before')
        where = np.array(point.positions, dtype=float)[order]
        for name, value, (low, high) in zip(names, where, limits, strict=True):
            if not low <= value <= high:
                raise TrajectoryError(
                    f'point {number} has {name} at {value:g}, not from {low:g} to {high:g}'
                )
        speed = np.array(point.velocities, dtype=float)[order] if point.velocities else None
        smooth = smooth and speed is not None
        if at == 0.0:
            times, positions, speeds = [], [], []
        times.append(at)
        positions.append(where)
        speeds.append(np.zeros(len(names)) if speed is None else speed)
    if len(times) == 1:
        times, positions, speeds = [0.0, 0.01], 2 * positions, 2 * speeds
    if smooth:
        return _smooth(times, positions, speeds)
    return Trajectory(np.array(times), np.array(positions))


def _smooth(times: list[float], positions: list[Vector], speeds: list[Vector]) -> Trajectory:
    """Return points of cubics through positions with speeds."""
    at, where = [times[0]], [positions[0]]
    for n in range(1, len(times)):
        span = times[n] - times[n - 1]
        for s in np.linspace(0, 1, 1 + max(1, math.ceil(span / _SAMPLE_SEC)))[1:]:
            first, last = (1 + 2 * s) * (1 - s) ** 2, s**2 * (3 - 2 * s)
            leave, arrive = s * (1 - s) ** 2 * span, s**2 * (s - 1) * span
            at.append(times[n - 1] + s * span)
            where.append(
                first * positions[n - 1]
                + last * positions[n]
                + leave * speeds[n - 1]
                + arrive * speeds[n]
            )
    return Trajectory(np.array(at), np.array(where))


def read_tolerance(goal: Any, names: Sequence[str], default: Tolerance) -> Tolerance:
    """Read the tolerances of a ``FollowJointTrajectory`` goal.

    A position of 0 means the default, a negative one that there is no limit.

    Raises:
        TrajectoryError: a tolerance names an unknown joint.
    """
    settle = seconds_of(goal.goal_time_tolerance)
    return Tolerance(
        _limits(goal.path_tolerance, names, default.path),
        _limits(goal.goal_tolerance, names, default.goal),
        settle or default.settle_sec,
    )


def _limits(given: Sequence[Any], names: Sequence[str], default: float | Vector) -> Vector:
    limits = np.full(len(names), default)
    for one in given:
        if one.name not in names:
            raise TrajectoryError(f'there is no joint {one.name!r} in a tolerance', joints=True)
        if one.position:
            number = list(names).index(one.name)
            limits[number] = one.position if one.position > 0 else math.inf
    return limits


def seconds_of(duration: Any) -> float:
    """Return a ``builtin_interfaces/Duration`` in seconds."""
    return float(duration.sec) + 1e-9 * float(duration.nanosec)
