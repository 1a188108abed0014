# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of joints and frames of the arm, and its poses and times as messages."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Pose as PoseMessage
from geometry_msgs.msg import PoseStamped, TransformStamped

from reactree_ros.ros.arm.links import BASE_LINK
from reactree_ros.sim.physics.geometry import Pose, Vector, on_floor

ARM_NAMES = tuple(f'panda_joint{number}' for number in range(1, 8))
BASE_NAMES = ('base_x', 'base_y', 'base_yaw')
FINGER_NAMES = ('panda_finger_joint1', 'panda_finger_joint2')
MAP, ODOM, BASE = 'map', 'odom', BASE_LINK


def duration_of(seconds: float) -> Duration:
    """Return seconds as a message."""
    return Duration(**_parts(seconds))


def time_of(seconds: float) -> Time:
    """Return seconds as a stamp."""
    return Time(**_parts(seconds))


def _parts(seconds: float) -> dict[str, int]:
    whole, nanoseconds = divmod(round(1e9 * seconds), 1_000_000_000)
    return {'sec': whole, 'nanosec': nanoseconds}


def pose_to_msg(pose: Pose) -> Any:
    """Return a pose as a message."""
    message = PoseMessage()
    where, turn = message.position, message.orientation
    where.x, where.y, where.z = map(float, pose.position)
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, pose.rotation.ravel())
    turn.w, turn.x, turn.y, turn.z = map(float, quaternion)
    return message


def pose_from_msg(message: Any) -> Pose:
    """Return the pose of a message."""
    where, turn = message.position, message.orientation
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, np.array([turn.w, turn.x, turn.y, turn.z]))
    return Pose(rotation.reshape(3, 3), np.array([where.x, where.y, where.z]))


def pose_of(base: Vector) -> PoseStamped:
    """Return x, y (m) and yaw (rad) as a message in the frame of the map."""
    message = PoseStamped(pose=pose_to_msg(on_floor(base)))
    message.header.frame_id = MAP
    return message


def base_of(message: Any) -> Vector:
    """Return x, y (m) and yaw (rad) of a ``geometry_msgs/Pose``."""
    turn = message.orientation
    yaw = math.atan2(2 * (turn.w * turn.z + turn.x * turn.y), 1 - 2 * (turn.y**2 + turn.z**2))
    return np.array([message.position.x, message.position.y, yaw])


def transform(parent: str, child: str, pose: Pose, stamp: Time) -> TransformStamped:
    """Return a frame, given in another, as a message."""
    message = TransformStamped(child_frame_id=child)
    message.header.stamp, message.header.frame_id = stamp, parent
    placed = pose_to_msg(pose)
    where = message.transform.translation
    where.x, where.y, where.z = placed.position.x, placed.position.y, placed.position.z
    message.transform.rotation = placed.orientation
    return message
