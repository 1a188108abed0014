# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot publishes all the time: joint states, frames, clock, odometry, scan, map.

``joint_states``   JointState of arm, fingers and base, 50 Hz
``tf``             map to odom to base_link, and the links that move, 20 Hz
``tf_static``      the other links, and the frames of camera and lidar, once, kept
``clock``          simulated time, 50 Hz; all stamps are in it
``odom``           Odometry of the base, 20 Hz
``scan``           LaserScan around the base, 5 Hz
``map``            OccupancyGrid of walls and furniture, once, kept
``robot_description``        String, the robot's URDF, once, kept
``head_camera/detections``   Detection3DArray of the things in sight, 5 Hz, while somebody listens
``head_camera/openings``     JointState of the drawers and doors that have been in sight, likewise
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from reactree_ros.ros.arm.links import LASER_LINK, frame_of, links_of
from reactree_ros.ros.arm.messages import (
    ARM_NAMES,
    BASE,
    BASE_NAMES,
    FINGER_NAMES,
    MAP,
    ODOM,
    pose_to_msg,
    time_of,
    transform,
)
from reactree_ros.ros.arm.urdf import urdf_of
from reactree_ros.ros.qos import LATEST, TF_STATIC
from reactree_ros.ros.timers import steady_timer
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose, Vector, on_floor
from reactree_ros.sim.physics.live import LiveSimulation
from reactree_ros.sim.physics.scene import LASER_HEIGHT

_FAST_HZ, _MIDDLE_HZ, _SLOW_HZ = 50.0, 20.0, 5.0
_SCAN_RANGE = 8.0
_RAYS = 180
_CELL = 0.05
"""Edge of a cell of the map (m)."""
_ORIGIN = Pose(np.eye(3), np.zeros(3))


class Streams:
    """Publishes what the robot measures.

    Args:
        node: which publishes.
        live: the simulation.
    """

    def __init__(self, node: Node, live: LiveSimulation) -> None:
        self._live = live
        links = list(links_of(live.model))
        self._moving = [link for link in links if link.joint >= 0]
        angles = np.linspace(-math.pi, math.pi, _RAYS, endpoint=False)
        self._rays = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_RAYS)])
        self._joint_states = node.create_publisher(JointState, 'joint_states', 10)
        self._tf = node.create_publisher(TFMessage, 'tf', 100)
        self._tf_static = node.create_publisher(TFMessage, 'tf_static', TF_STATIC)
        self._clock = node.create_publisher(Clock, 'clock', 10)
        self._odom = node.create_publisher(Odometry, 'odom', 10)
        self._scan = node.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self._map = node.create_publisher(OccupancyGrid, 'map', LATEST)
        self._detections = node.create_publisher(Detection3DArray, 'head_camera/detections', 1)
        self._openings = node.create_publisher(JointState, 'head_camera/openings', 1)
        self._seen_openings: dict[str, float] = {}
        self._map.publish(map_of(live.description))
        self._robot = node.create_publisher(String, 'robot_description', LATEST)
        self._robot.publish(String(data=urdf_of(live.model)))
        begin = time_of(0.0)
        fixed = [
            transform(link.parent, link.name, link.frame, begin) for link in links if link.joint < 0
        ]
        self._tf_static.publish(TFMessage(transforms=fixed))
        # the node's own clock may be the one that is published here
        self._timers = [
            steady_timer(node, 1 / hertz, publish)
            for hertz, publish in (
                (_FAST_HZ, self._publish_joints),
                (_MIDDLE_HZ, self._publish_frames),
                (_SLOW_HZ, self._publish_scan),
                (_SLOW_HZ, self._publish_sight),
            )
        ]

    def close(self) -> None:
        """Publish nothing more."""
        for timer in self._timers:
            timer.cancel()

    def _publish_joints(self) -> None:
        state = self._live.read(self._live.joint_state)
        now = time_of(state.time)
        self._clock.publish(Clock(clock=now))
        message = JointState(name=[*ARM_NAMES, *FINGER_NAMES, *BASE_NAMES])
        message.header.stamp = now
        message.position = list(state.positions)
        message.velocity = list(state.speeds)
        message.effort = list(state.efforts)
        self._joint_states.publish(message)

    def _publish_frames(self) -> None:
        live = self._live

        def look() -> tuple[float, Vector, Vector, list[tuple[str, str, Pose]]]:
            return live.time, live.base, live.base_speed(), self._frames()

        seconds, base, speed, links = live.read(look)
        now = time_of(seconds)
        frames = [(MAP, ODOM, _ORIGIN), (ODOM, BASE, on_floor(base)), *links]
        self._tf.publish(
            TFMessage(
                transforms=[transform(parent, child, pose, now) for parent, child, pose in frames]
            )
        )
        message = Odometry(child_frame_id=BASE)
        message.header.stamp, message.header.frame_id = now, ODOM
        message.pose.pose = pose_to_msg(on_floor(base))
        turned = on_floor(base).rotation.T @ np.array([speed[0], speed[1], 0.0])
        message.twist.twist.linear.x, message.twist.twist.linear.y = map(float, turned[:2])
        message.twist.twist.angular.z = float(speed[2])
        self._odom.publish(message)

    def _frames(self) -> list[tuple[str, str, Pose]]:
        """Return the links that move: parent, child and frame in the parent's."""
        model, data = self._live.model, self._live.data
        return [
            (
                link.parent,
                link.name,
                frame_of(data, model.body_parentid[link.body]).inverse()
                @ frame_of(data, link.body),
            )
            for link in self._moving
        ]

    def _publish_scan(self) -> None:
        live = self._live

        def look() -> tuple[float, Vector]:
            base = on_floor(live.base)
            rays = self._rays @ base.rotation.T
            hits, ranges = np.zeros(_RAYS, dtype=np.int32), np.zeros(_RAYS)
            mujoco.mj_multiRay(
                live.model,
                live.data,
                base.position + (0, 0, LASER_HEIGHT),
                rays.ravel(),
                None,
                1,
                live.model.body('base').id,
                hits,
                ranges,
                None,
                _RAYS,
                _SCAN_RANGE,
            )
            return live.time, np.where(hits < 0, np.inf, ranges)

        seconds, ranges = live.read(look)
        message = LaserScan(
            angle_min=-math.pi,
            angle_max=math.pi - 2 * math.pi / _RAYS,
            angle_increment=2 * math.pi / _RAYS,
            range_min=0.05,
            range_max=_SCAN_RANGE,
            scan_time=1 / _SLOW_HZ,
            ranges=list(ranges),
        )
        message.header.stamp, message.header.frame_id = time_of(seconds), LASER_LINK
        self._scan.publish(message)

    def _publish_sight(self) -> None:
        if not (
            self._detections.get_subscription_count() or self._openings.get_subscription_count()
        ):
            return
        live = self._live
        seconds, sight = live.read(lambda: (live.time, live.look()))
        now = time_of(seconds)
        message = Detection3DArray()
        message.header.stamp, message.header.frame_id = now, MAP
        for name, pose in sight.things.items():
            thing = live.description.things[name]
            one = Detection3D(header=message.header, id=name)
            one.bbox.center = pose_to_msg(pose)
            one.bbox.size.x, one.bbox.size.y, one.bbox.size.z = thing.extents
            found = ObjectHypothesisWithPose()
            found.hypothesis.class_id, found.hypothesis.score = name.rpartition(' ')[0], 1.0
            found.pose.pose = one.bbox.center
            one.results.append(found)
            message.detections.append(one)
        self._detections.publish(message)
        self._seen_openings.update(sight.openings)
        openings = JointState(name=list(self._seen_openings))
        openings.header = message.header
        openings.position = list(map(float, self._seen_openings.values()))
        self._openings.publish(openings)


def map_of(description: Description) -> OccupancyGrid:
    """Return which cells of the rooms are in walls or below furniture; outside nothing is known."""
    rooms = description.rooms.values()
    west, east = min(room.x[0] for room in rooms), max(room.x[1] for room in rooms)
    south, north = min(room.y[0] for room in rooms), max(room.y[1] for room in rooms)
    x = np.arange(west + _CELL / 2, east, _CELL)
    y = np.arange(south + _CELL / 2, north, _CELL)
    at = np.stack(np.meshgrid(x, y), axis=-1)
    cells = np.full(at.shape[:2], -1, dtype=np.int8)
    for room in rooms:
        inside = (at >= (room.x[0], room.y[0])) & (at <= (room.x[1], room.y[1]))
        cells[inside.all(axis=-1)] = 0
    for wall in description.walls.values():
        for low, high in wall.parts():
            cells[((at >= low) & (at <= high)).all(axis=-1)] = 100
    for piece in description.furniture.values():
        c, s = math.cos(piece.yaw), math.sin(piece.yaw)
        local = (at - piece.at) @ np.array([[c, -s], [s, c]])
        half = np.array(piece.size[:2]) / 2
        cells[(np.abs(local) <= half).all(axis=-1)] = 100
    message = OccupancyGrid(data=cells.ravel().tolist())
    message.header.frame_id = MAP
    message.info.resolution = _CELL
    message.info.width, message.info.height = len(x), len(y)
    message.info.origin.position.x, message.info.origin.position.y = float(west), float(south)
    message.info.origin.orientation.w = 1.0
    return message
