# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The latest picture of a robot's camera, for the page."""

from __future__ import annotations

import time

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage

from reactree_ros.ros.timers import steady_timer

_LOOK_SEC = 0.5
_ASKED_SEC = 5.0
"""Who has not asked for so long does not look any more."""


class CameraPicture:
    """Subscribes to pictures while somebody asks for them: a camera may cost something.

    Args:
        node: which subscribes.
        topic: of ``sensor_msgs/CompressedImage``, JPEG or PNG.

    Raises:
        NameValidationException: if it is not the name of a topic.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node, self._topic = node, node.resolve_topic_name(topic)
        self._asked = float('-inf')
        self._picture = b''
        self._subscription: Subscription | None = None
        self._timer = steady_timer(node, _LOOK_SEC, self._look)

    def latest(self) -> bytes:
        """Return the latest picture; empty if there is none yet."""
        self._asked = time.monotonic()
        return self._picture

    def close(self) -> None:
        """Unsubscribe."""
        self._timer.cancel()
        self._asked = float('-inf')
        self._look()

    def _look(self) -> None:
        wanted = time.monotonic() - self._asked < _ASKED_SEC
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                CompressedImage, self._topic, self._on_picture, qos_profile_sensor_data
            )
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription, self._picture = None, b''

    def _on_picture(self, message: CompressedImage) -> None:
        self._picture = bytes(message.data)
