# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot publishes of itself: joints, its description, and where it is by TF."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from reactree_ros.core.plain_text import is_plain
from reactree_ros.ros.discovery.graph import below
from reactree_ros.ros.qos import LATEST, SENSOR, TF_STATIC
from reactree_ros.skills.draft.drafting import Fact
from reactree_ros.skills.draft.places import Place
from reactree_ros.skills.draft.words import scalar, words_of
from reactree_ros.skills.pose import Pose, seen_from

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

BASES = ('base_footprint', 'base_link')
MAP = 'map'
_NO_NAMES = frozenset(
    'follow joint trajectory controller action command cmd group position effort'.split()
)
_HAND = re.compile('finger|gripper|knuckle')
_MANY = 100


class Published:
    """Listens to what a robot publishes of itself; it sends nothing.

    Args:
        node: which listens; it has to be spun.
        namespace: of the robot.
    """

    def __init__(self, node: Node, namespace: str = '') -> None:
        self._positions: dict[str, float] = {}
        self._limits: dict[str, float] = {}
        self._parents: dict[str, Pose] = {}
        self._bases = [*BASES]
        inside = below(namespace).rstrip('/')
        if inside:
            self._bases += [f'{inside[1:]}/{base}' for base in BASES]
        node.create_subscription(JointState, f'{inside}/joint_states', self._on_joints, SENSOR)
        node.create_subscription(
            String, f'{inside}/robot_description', self._on_description, LATEST
        )
        if TFMessage is not None:
            for top in dict.fromkeys(('', inside)):
                node.create_subscription(
                    TFMessage, f'{top}/tf', self._on_tf, QoSProfile(depth=_MANY)
                )
                node.create_subscription(TFMessage, f'{top}/tf_static', self._on_tf, TF_STATIC)

    @property
    def frames(self) -> list[str]:
        """TF frames in the map that do not belong to the robot."""
        bodies = {*self._bases, 'odom'}
        return sorted(
            frame
            for frame in self._parents
            if (above := self._above(frame)) and above[-1] == MAP and not bodies & {frame, *above}
        )

    @property
    def here(self) -> Place | None:
        """Where the robot's base is in the map; None if TF does not have it."""
        for frame in self._bases:
            pose = self._in_map(frame)
            if pose is not None:
                x, y, _ = pose.position
                yaw = round(math.degrees(pose.yaw))
                return Place(
                    '', round(x, 2) + 0.0, round(y, 2) + 0.0, yaw, note='where the robot was'
                )
        return None

    def facts(self, server: str) -> Mapping[str, Fact]:
        """Return what is known for a server, by the names in the catalogue.

        Args:
            server: name of an action.
        """
        found = {}
        if self._limits:
            joint, limit = next(iter(self._limits.items()))
            found['gripper_open'] = Fact(
                f'{limit:g}', f'the upper limit of {joint} in robot_description'
            )
        words = [word for word in words_of(server) if word not in _NO_NAMES]
        found['group'] = Fact(' '.join(words) or 'arm', 'from the name of the server')
        joints = self._joints_of({*words})
        if joints:
            named = ', '.join(map(scalar, joints))
            at = ', '.join(f'{self._positions[one]:.3f}' for one in joints)
            found['joints'] = Fact(f'[{named}]', 'those of joint_states whose names fit the server')
            found['positions'] = Fact(f'[{at}]', 'as joint_states had them')
        return found

    def _joints_of(self, words: set[str]) -> list[str]:
        """Return the joints that a server of these words moves, as far as names go."""
        joints = [one for one in sorted(self._positions) if not _HAND.search(one)]
        fits = [one for one in joints if words & {*words_of(one)}]
        return fits or joints

    def _on_joints(self, message: Any) -> None:
        for name, position in zip(message.name, message.position, strict=False):
            if is_plain(name) and math.isfinite(position):
                self._positions[name] = position

    def _on_description(self, message: Any) -> None:
        try:
            robot = ElementTree.fromstring(message.data)
        except ElementTree.ParseError:
            return
        for joint in robot.iter('joint'):
            limit, name = joint.find('limit'), joint.get('name', '')
            is_hand = _HAND.search(name) and is_plain(name)
            if limit is None or not is_hand or joint.find('mimic') is not None:
                continue
            try:
                self._limits[name] = float(limit.get('upper', ''))
            except ValueError:
                continue

    def _on_tf(self, message: Any) -> None:
        for one in message.transforms:
            at, turned = one.transform.translation, one.transform.rotation
            parent, child = one.header.frame_id.lstrip('/'), one.child_frame_id.lstrip('/')
            if not is_plain(parent + child):
                continue
            self._parents[child] = Pose(
                parent, (at.x, at.y, at.z), (turned.x, turned.y, turned.z, turned.w)
            )

    def _above(self, frame: str) -> list[str]:
        """Return the frames above one, the highest last."""
        found: list[str] = []
        while frame in self._parents and self._parents[frame].frame not in found:
            frame = self._parents[frame].frame
            found.append(frame)
        return found

    def _in_map(self, frame: str) -> Pose | None:
        above = self._above(frame)
        if MAP not in above:
            return None
        pose = self._parents[frame]
        while pose.frame != MAP:
            pose = seen_from(self._parents[pose.frame], pose)
        return pose
