# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Furniture and things as RViz and Foxglove draw them.

``scene_markers``   MarkerArray of all shapes, kept; again, 5 Hz, if one has moved and somebody
                    listens. Namespaces are the names of furniture and things.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from reactree_ros.ros.arm.messages import MAP, pose_to_msg
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.timers import steady_timer
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.live import LiveSimulation

_HERTZ = 5.0
_MOVED = 1e-3
"""A shape that has moved less than this is where it was (m; rad of a turn, about)."""


class SceneMarkers:
    """Publishes the shapes of all that is not the robot.

    Args:
        node: which publishes.
        live: the simulation.
    """

    def __init__(self, node: Node, live: LiveSimulation) -> None:
        self._live = live
        model = live.model
        robot = model.body('base').id
        self._geoms = [
            geom
            for geom in range(model.ngeom)
            if model.body_rootid[model.geom_bodyid[geom]] != robot
            and model.geom_type[geom] in _TYPES
        ]
        self._message = MarkerArray(markers=list(_markers(model, self._geoms)))
        self._shown = np.full((len(self._geoms), 12), np.nan)
        self._publisher = node.create_publisher(MarkerArray, 'scene_markers', LATEST)
        self._publish()
        self._timer = steady_timer(node, 1 / _HERTZ, self._look)

    def close(self) -> None:
        """Publish nothing more."""
        self._timer.cancel()

    def _look(self) -> None:
        if self._publisher.get_subscription_count():
            self._publish()

    def _publish(self) -> None:
        """Publish all markers if one has moved."""
        data = self._live.data

        def look() -> Vector:
            return np.hstack([data.geom_xpos[self._geoms], data.geom_xmat[self._geoms]])

        now = self._live.read(look)
        moved = ~(np.abs(now - self._shown).max(axis=1) < _MOVED)
        if not moved.any():
            return
        for number in np.flatnonzero(moved):
            pose = Pose(now[number, 3:].reshape(3, 3), now[number, :3])
            self._message.markers[number].pose = pose_to_msg(pose)
        self._shown[moved] = now[moved]
        self._publisher.publish(self._message)


_TYPES = {
    int(mujoco.mjtGeom.mjGEOM_BOX): Marker.CUBE,
    int(mujoco.mjtGeom.mjGEOM_SPHERE): Marker.SPHERE,
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): Marker.CYLINDER,
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): Marker.CYLINDER,
}


def _markers(model: mujoco.MjModel, geoms: list[int]) -> Iterator[Marker]:
    for geom in geoms:
        kind, size = _TYPES[int(model.geom_type[geom])], model.geom_size[geom]
        if kind == Marker.SPHERE:
            size = size[[0, 0, 0]]
        elif kind == Marker.CYLINDER:
            size = size[[0, 0, 1]]
        marker = Marker(ns=model.body(model.geom_bodyid[geom]).name, id=geom, type=kind)
        marker.header.frame_id = MAP
        marker.scale.x, marker.scale.y, marker.scale.z = map(float, 2 * size)
        colour = marker.color
        colour.r, colour.g, colour.b, colour.a = map(float, model.geom_rgba[geom])
        yield marker
