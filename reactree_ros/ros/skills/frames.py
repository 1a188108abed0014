# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Poses in the frame that they are wanted in, by TF: tf2_ros, or a listener of our own."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.time import Time

from reactree_ros.errors import SkillError
from reactree_ros.skills.pose import Pose, seen_from

try:
    import tf2_ros
except ImportError:
    try:
        from reactree_ros.ros.skills import transforms as tf2_ros
    except ImportError:  # without tf2_msgs
        tf2_ros = None


class Frames:
    """Gives poses in one frame; it has to listen to TF for a while before.

    Args:
        frame: the frame that is wanted.
        listen: subscribe to TF; without it only poses in that frame can be given.
    """

    def __init__(self, node: Node, frame: str, listen: bool) -> None:
        self._frame = frame
        self._buffer: Any = None
        self._listener: Any = None
        if listen and tf2_ros is not None:
            self._buffer = tf2_ros.Buffer()
            self._listener = tf2_ros.TransformListener(self._buffer, node)

    def transformed(self, pose: Pose, frame: str = '') -> Pose:
        """Return a pose in the frame, or in another one; never waits.

        Raises:
            SkillError: if TF does not know the way, or is not installed.
        """
        frame = frame or self._frame
        if pose.frame == frame:
            return pose
        if self._buffer is None:
            raise SkillError(
                f'cannot transform a pose from {pose.frame} to {frame}: '
                'install tf2_ros_py or tf2_msgs'
            )
        try:
            found = self._buffer.lookup_transform(frame, pose.frame, Time()).transform
        except tf2_ros.TransformException as error:
            raise SkillError(f'no transform from {pose.frame} to {frame}: {error}') from error
        at, turned = found.translation, found.rotation
        outer = Pose(frame, (at.x, at.y, at.z), (turned.x, turned.y, turned.z, turned.w))
        return seen_from(outer, pose)

    def destroy(self) -> None:
        """Unsubscribe from TF."""
        if self._listener is not None:
            self._listener.unregister()
