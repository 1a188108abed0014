# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Poses in other frames where tf2_ros is not installed, from transforms that a node publishes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.node import Node

from reactree_ros.errors import SkillError
from reactree_ros.ros.qos import TF_STATIC
from reactree_ros.ros.skills import frames
from reactree_ros.ros.skills.frames import Frames
from reactree_ros.skills.pose import Pose, from_angles, inverse, seen_from

geometry_msgs = pytest.importorskip('geometry_msgs.msg')
tf2_msgs = pytest.importorskip('tf2_msgs.msg')
pytestmark = pytest.mark.ros

from reactree_ros.ros.skills import transforms  # noqa: E402


class Tf:
    """Publishes transforms from a node of its own, and looks them up as skills do."""

    def __init__(self, spinner: Any) -> None:
        self.spinner = spinner
        self._node = Node('broadcaster')
        self._moving = self._node.create_publisher(tf2_msgs.TFMessage, '/tf', 100)
        self._fixed = self._node.create_publisher(tf2_msgs.TFMessage, '/tf_static', TF_STATIC)
        # Frames listen from now on; what is fixed was published before.
        self.send('base_link', 'camera', from_angles('', (0.1, 0.0, 1.5), yaw=90.0), fixed=True)
        self.frames = Frames(spinner.node, 'map', listen=True)

    def send(self, parent: str, child: str, pose: Pose, *, fixed: bool = False) -> None:
        message = geometry_msgs.TransformStamped(child_frame_id=child)
        message.header.frame_id = parent
        at, turned = message.transform.translation, message.transform.rotation
        at.x, at.y, at.z = pose.position
        turned.x, turned.y, turned.z, turned.w = pose.orientation
        publisher = self._fixed if fixed else self._moving
        if not fixed:
            self.spinner.until(publisher.get_subscription_count, 'somebody listens to /tf')
        publisher.publish(tf2_msgs.TFMessage(transforms=[message]))

    def find(self, pose: Pose, frame: str = '') -> Pose:
        def found() -> Any:
            try:
                return self.frames.transformed(pose, frame)
            except SkillError:
                return None

        return self.spinner.until(found, f'{pose.frame} is found')

    def refusal(self, frame: str, text: str) -> str:
        """Return with which error a frame is refused, as soon as it has this text."""

        def refused() -> str:
            try:
                self.frames.transformed(Pose(frame))
            except SkillError as error:
                return str(error) if text in str(error) else ''
            return ''

        return self.spinner.until(refused, f'{frame} is refused: {text}')

    def close(self) -> None:
        self.frames.destroy()
        self._node.destroy_node()


@pytest.fixture
def tf(spinner: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tf]:
    monkeypatch.setattr(frames, 'tf2_ros', transforms)
    tf = Tf(spinner)
    yield tf
    tf.close()


def test_transforms_are_composed_along_the_chain_both_ways(tf: Tf) -> None:
    tf.send('map', 'odom', Pose('', (1.0, 0.0, 0.0)))
    tf.send('odom', '/base_link', from_angles('', (0.0, 2.0, 0.0), yaw=90.0))
    cup = Pose('camera', (0.0, 0.0, 2.0))
    found = tf.find(cup)
    assert found.frame == 'map'
    assert found.position == pytest.approx((1.0, 2.1, 3.5))
    assert abs(found.yaw) == pytest.approx(math.pi)
    back = tf.find(found, 'camera')
    assert back.position == pytest.approx(cup.position)
    assert back.orientation == pytest.approx(cup.orientation)
    tf.send('map', 'odom', Pose('', (5.0, 0.0, 0.0)))
    tf.spinner.until(lambda: tf.find(cup).position[0] > 4.9, 'the newest transform counts')


def test_an_unknown_frame_is_refused_with_the_frames_that_are_known(tf: Tf) -> None:
    tf.send('map', 'base_link', Pose(''))
    assert tf.refusal('shelf', 'camera, map') == (
        'no transform from shelf to map: there is no frame shelf; frames: base_link, camera, map'
    )


def test_frames_that_nothing_connects_and_loops_are_refused(tf: Tf) -> None:
    tf.send('world', 'map', Pose(''))
    tf.refusal('camera', 'connects map, below world, with camera, below base_link')
    tf.send('a', 'b', Pose(''))
    tf.send('b', 'a', Pose(''))
    tf.refusal('a', 'the frames above a form a loop')


def test_what_is_no_transform_changes_nothing(tf: Tf) -> None:
    tf.send('map', 'base_link', Pose('', (1.0, 0.0, 0.0)))
    tf.find(Pose('base_link'))
    for wrong in (
        Pose('', (math.nan, 0.0, 0.0)),
        Pose('', orientation=(0.0, 0.0, 0.0, 0.0)),
        Pose('', orientation=(0.0, 0.0, 0.0, math.nan)),
    ):
        tf.send('map', 'base_link', wrong)
    tf.send('map', 'last', Pose(''))
    tf.find(Pose('last'))
    assert tf.find(Pose('base_link')).position == (1.0, 0.0, 0.0)


def test_a_pose_and_its_inverse_make_nothing() -> None:
    pose = from_angles('map', (1.0, -2.0, 0.5), roll=20.0, pitch=-40.0, yaw=130.0)
    same = seen_from(inverse(pose, 'cup'), pose)
    assert same.frame == 'cup'
    assert (*same.position, *same.orientation) == pytest.approx((0, 0, 0, 0, 0, 0, 1))
