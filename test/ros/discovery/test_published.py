# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot publishes of itself, as a draft takes it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from geometry_msgs.msg import Point, PoseStamped, TransformStamped
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from reactree_ros.ros.discovery.definition import fields_of, shown
from reactree_ros.ros.discovery.published import Published
from reactree_ros.ros.qos import LATEST, TF_STATIC

pytest.importorskip('tf2_msgs')
pytestmark = pytest.mark.ros

from tf2_msgs.msg import TFMessage  # noqa: E402

URDF = """<robot name="r">
  <joint name="wheel" type="continuous"><limit upper="9"/></joint>
  <joint name="left_finger_joint" type="prismatic"><limit upper="0.035"/></joint>
  <joint name="right_finger_joint"><limit upper="1"/><mimic joint="left_finger_joint"/></joint>
</robot>"""


def transform(parent: str, child: str, x: float, yaw: float = 0.0) -> Any:
    one = TransformStamped(child_frame_id=child)
    one.header.frame_id = parent
    one.transform.translation.x = x
    one.transform.rotation.z, one.transform.rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)
    return one


def test_frames_of_the_map_and_where_the_robot_is(spinner: Any) -> None:
    node = spinner.node
    published = Published(node)
    assert (published.frames, published.here) == ([], None)
    moving = node.create_publisher(TFMessage, '/tf', QoSProfile(depth=10))
    fixed = node.create_publisher(TFMessage, '/tf_static', TF_STATIC)
    fixed.publish(TFMessage(transforms=[transform('map', 'shelf', 3.0)]))
    fixed.publish(TFMessage(transforms=[transform('base_link', 'camera', 0.1)]))
    fixed.publish(TFMessage(transforms=[transform('world', 'elsewhere', 0.1)]))
    chain = [transform('map', 'odom', 1.0, math.pi / 2), transform('odom', 'base_link', 2.0)]

    def is_known() -> bool:
        moving.publish(TFMessage(transforms=chain))
        return published.here is not None and bool(published.frames)

    spinner.until(is_known, 'TF came')
    assert published.frames == ['shelf']
    here = published.here
    assert here is not None
    assert (here.x, here.y, here.yaw) == (1.0, 2.0, 90)


def test_joints_and_limits_become_facts_of_a_server(spinner: Any) -> None:
    node = spinner.node
    published = Published(node)
    assert 'positions' not in published.facts('left_arm_controller/follow_joint_trajectory')
    node.create_publisher(String, 'robot_description', LATEST).publish(String(data=URDF))
    joints = node.create_publisher(JointState, 'joint_states', 10)
    state = JointState(
        name=['left_b', 'left_a', 'right_a', 'left_finger_joint', 'left\n_c', 'left_d'],
        position=[2.0, 1.0, 3.0, 0.0, 1.0, math.nan],
    )

    def is_known() -> bool:
        joints.publish(state)
        return {'positions', 'gripper_open'} <= {*published.facts('x')}

    spinner.until(is_known, 'joints came')
    facts = published.facts('left_arm_controller/follow_joint_trajectory')
    assert (facts['joints'].text, facts['positions'].text) == (
        '[left_a, left_b]',
        '[1.000, 2.000]',
    )
    assert facts['gripper_open'].text == '0.035'
    assert published.facts('follow_joint_trajectory')['joints'].text == '[left_a, left_b, right_a]'


def test_messages_are_shown_as_yaml_without_what_is_default() -> None:
    message = PoseStamped()
    message.pose.position = Point(x=1.0)
    assert shown(message) == 'pose:\n  position:\n    x: 1.0\n    y: 0.0\n    z: 0.0\n'
    assert fields_of(JointState)[-1] == 'effort: []  # sequence<double>'
    assert fields_of(TransformStamped)[-1].startswith('transform: ...  # geometry_msgs/Transform')
