# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulation for the viewer, which draws it, and for the files of runs.

``reactree/scene``   String, JSON (``sim.physics.viewing.shapes``), once, kept
``reactree/poses``   String, JSON, the positions of all joints, while something moves
"""

from __future__ import annotations

import json

import numpy as np
from rclpy.node import Node
from std_msgs.msg import String

from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.recording.run_publisher import POSES_TOPIC, SCENE_TOPIC
from reactree_ros.ros.timers import steady_timer
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.live import LiveSimulation
from reactree_ros.sim.physics.viewing.shapes import scene_of

_LOOK_SEC = 0.1
_PERIOD_SEC = 0.2
"""Of simulated time, between two poses on the way; the last, at rest, comes at once."""
_LEAST = 1e-3
"""A joint that moved less (m or rad) is at rest."""
_DIGITS = 3
ARM_LINK = 'arm/panda_link0'


class PosePublisher:
    """Publishes how the simulation looks, and how it moves.

    Args:
        node: which publishes.
        live: the simulation.
    """

    def __init__(self, node: Node, live: LiveSimulation) -> None:
        self._live = live
        self._looked = self._sent = float('-inf')
        self._shown: Vector | None = None
        known = live.description
        scene = scene_of(live.model, known.things, known.furniture, ARM_LINK)
        publisher = node.create_publisher(String, SCENE_TOPIC, LATEST)
        publisher.publish(String(data=json.dumps(scene, separators=(',', ':'))))
        self._publisher = node.create_publisher(String, POSES_TOPIC, LATEST)
        self._look()
        self._timer = steady_timer(node, _LOOK_SEC, self._look)

    def close(self) -> None:
        """Publish nothing more."""
        self._timer.cancel()

    def _look(self) -> None:
        """Publish the positions if it is time for that and something has moved."""
        seconds, now = self._live.read(lambda: (self._live.time, np.array(self._live.data.qpos)))
        resting, self._looked = seconds == self._looked, seconds
        if seconds - self._sent < _PERIOD_SEC and not resting:
            return
        if self._shown is not None and np.abs(now - self._shown).max() < _LEAST:
            return
        self._shown, self._sent = now, seconds
        self._publisher.publish(String(data=json.dumps(now.round(_DIGITS).tolist())))
