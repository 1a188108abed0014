# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A listener to TF for machines without tf2_ros: as much of it as ``Frames`` needs, same names.

It has the latest transform of each frame only, and neither interpolates nor forgets.
"""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from reactree_ros.ros.qos import TF_STATIC
from reactree_ros.skills.pose import Pose, inverse, seen_from

_UNIT_TOLERANCE = 0.01
_MOST_NAMED = 30


class TransformException(Exception):
    """There is no transform between two frames."""


class Buffer:
    """The latest transform of each frame to its parent; may be used from several threads."""

    def __init__(self) -> None:
        self._parents: dict[str, Pose] = {}

    def set_transform(self, message: Any) -> None:
        """Keep the transform of a ``TransformStamped``.

        Raises:
            TransformException: frames are missing or the same, or its numbers are not a transform.
        """
        child, parent = _name(message.child_frame_id), _name(message.header.frame_id)
        at, turned = message.transform.translation, message.transform.rotation
        position = at.x, at.y, at.z
        orientation = turned.x, turned.y, turned.z, turned.w
        # Written so that NaN is refused.
        unit = abs(math.hypot(*orientation) - 1.0) < _UNIT_TOLERANCE
        if (
            not child
            or not parent
            or child == parent
            or not unit
            or not all(map(math.isfinite, position))
        ):
            raise TransformException(f'the transform from {parent!r} to {child!r} is not valid')
        self._parents[child] = Pose(parent, position, orientation)

    def lookup_transform(self, target: str, source: str, _: Any = None) -> Any:
        """Return where one frame is in another, as a ``TransformStamped``.

        Raises:
            TransformException: a frame is unknown, or no chain connects them.
        """
        (target_root, target_pose), (source_root, source_pose) = (
            self._in_root(_name(name)) for name in (target, source)
        )
        if target_root != source_root:
            raise TransformException(
                f'no transform connects {target}, below {target_root}, with {source}, below '
                f'{source_root}'
            )
        found = seen_from(inverse(target_pose, target), source_pose)
        message = TransformStamped(child_frame_id=source)
        message.header.frame_id = target
        at, turned = message.transform.translation, message.transform.rotation
        at.x, at.y, at.z = found.position
        turned.x, turned.y, turned.z, turned.w = found.orientation
        return message

    def _in_root(self, frame: str) -> tuple[str, Pose]:
        """Return the frame above all others of a frame, and the frame's pose in it."""
        parents = self._parents.copy()
        known = sorted({*parents, *(pose.frame for pose in parents.values())})
        if frame not in known:
            named = ', '.join(known[:_MOST_NAMED]) or 'none, nothing is published on /tf'
            raise TransformException(f'there is no frame {frame}; frames: {named}')
        pose, passed = Pose(frame), {frame}
        while pose.frame in parents:
            pose = seen_from(parents[pose.frame], pose)
            if pose.frame in passed:
                raise TransformException(f'the frames above {frame} form a loop')
            passed.add(pose.frame)
        return pose.frame, pose


class TransformListener:
    """Fills a buffer from ``/tf`` and ``/tf_static``.

    Args:
        buffer: to fill.
        node: which subscribes.
    """

    def __init__(self, buffer: Buffer, node: Node) -> None:
        self._buffer, self._node = buffer, node
        group = ReentrantCallbackGroup()
        self._subscriptions = [
            node.create_subscription(TFMessage, topic, self._receive, qos, callback_group=group)
            for topic, qos in (('/tf', QoSProfile(depth=100)), ('/tf_static', TF_STATIC))
        ]

    def unregister(self) -> None:
        """Unsubscribe."""
        for one in self._subscriptions:
            self._node.destroy_subscription(one)

    def _receive(self, message: Any) -> None:
        for one in message.transforms:
            try:
                self._buffer.set_transform(one)
            except TransformException as error:
                self._node.get_logger().warning(str(error), throttle_duration_sec=10.0)


def _name(frame: str) -> str:
    return frame.removeprefix('/')
