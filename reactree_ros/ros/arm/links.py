# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot as ROS sees it: links with the names of their frames, joints, and where sensors are.

The frame of the head camera is ``head_camera_link`` (x ahead, as REP 103 has it), that of its
pictures ``head_camera_optical_frame`` (z ahead, x to the right), that of the lidar
``base_laser_link``, that between the fingertips ``panda_hand_tcp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.scene import CAMERA, LASER_HEIGHT, TCP

BASE_LINK = 'base_link'
CAMERA_LINK, CAMERA_OPTICAL = 'head_camera_link', 'head_camera_optical_frame'
LASER_LINK, TCP_LINK = 'base_laser_link', 'panda_hand_tcp'
# Columns: the axes of a frame in one whose camera looks along its -z, with y up.
_FROM_MUJOCO = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


@dataclass(frozen=True)
class Link:
    """A link below ``base_link``.

    Args:
        name: of its frame.
        parent: name of the link that it is fixed to or moves at.
        frame: where it is in the parent's frame, if its joint is at 0.
        body: its number in the model; -1 if it is a frame only.
        joint: number of the joint at which it moves; -1 if it is fixed.
    """

    name: str
    parent: str
    frame: Pose
    body: int = -1
    joint: int = -1


def links_of(model: mujoco.MjModel) -> Iterator[Link]:
    """Yield the links below the base, each after its parent, then frames that have no body."""
    base = model.body('base').id
    for number in range(base + 1, model.nbody):
        if model.body_rootid[number] == base:
            parent = int(model.body_parentid[number])
            joint = int(model.body_jntadr[number])
            frame = pose_from(model.body_pos[number], model.body_quat[number])
            yield Link(ros_name(model, number), ros_name(model, parent), frame, number, joint)
    camera = model.camera(CAMERA)
    eye = pose_from(camera.pos, camera.quat)
    yield Link(CAMERA_LINK, BASE_LINK, Pose(eye.rotation @ _FROM_MUJOCO, eye.position))
    yield Link(CAMERA_OPTICAL, CAMERA_LINK, Pose(_OPTICAL, np.zeros(3)))
    tip = model.site(TCP)
    yield Link(TCP_LINK, ros_name(model, int(tip.bodyid[0])), pose_from(tip.pos, tip.quat))
    yield Link(LASER_LINK, BASE_LINK, Pose(np.eye(3), np.array([0.0, 0.0, LASER_HEIGHT])))


def ros_name(model: mujoco.MjModel, body: int) -> str:
    """Return the name of a body's frame."""
    name = str(model.body(body).name)
    return BASE_LINK if name == 'base' else name.rpartition('/')[2]


def frame_of(data: mujoco.MjData, body: int) -> Pose:
    """Return where a body is in the world."""
    return Pose(data.xmat[body].reshape(3, 3).copy(), data.xpos[body].copy())


def pose_from(position: Vector, quaternion: Vector) -> Pose:
    """Return the pose of a position (m) and a quaternion, whose first number is w."""
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, np.asarray(quaternion, dtype=float))
    return Pose(rotation.reshape(3, 3), np.array(position, dtype=float))
