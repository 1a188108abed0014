# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm whose controllers do not do what they are asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from reactree_ros.errors import ConfigurationError

pytest.importorskip('control_msgs')
pytestmark = pytest.mark.ros

from control_msgs.action import FollowJointTrajectory, GripperCommand  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from reactree_ros.ros.arm import robot as ros_robot  # noqa: E402
from reactree_ros.ros.arm.messages import ARM_NAMES, BASE_NAMES, FINGER_NAMES  # noqa: E402
from reactree_ros.ros.arm.robot import RosRobot  # noqa: E402
from reactree_ros.sim.physics.robot import Ending, Gripped, Moved  # noqa: E402
from reactree_ros.sim.physics.trajectory import Trajectory  # noqa: E402

ARM = 'panda_arm_controller/follow_joint_trajectory'
HAND = 'panda_hand_controller/gripper_cmd'
A_MOMENT_SEC = 0.5
MOTION = Trajectory(np.array([0.0, 1.0]), np.zeros((2, len(ARM_NAMES))))


@pytest.fixture
def robot() -> Iterator[RosRobot]:
    node = Node('arm_client')
    robot = RosRobot(node)
    publisher = node.create_publisher(JointState, 'joint_states', 1)
    # as from two broadcasters
    for names, position in (([*ARM_NAMES, *BASE_NAMES], 0.0), (FINGER_NAMES, 0.02)):
        state = JointState(name=names, position=[position] * len(names))
        node.create_timer(0.02, partial(publisher.publish, state))
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    yield robot
    executor.shutdown(timeout_sec=5.0)
    thread.join(timeout=5.0)
    node.destroy_node()


def test_a_motion_that_is_rejected_is_no_grasp(robot: RosRobot, serve: Callable[..., Any]) -> None:
    serve(HAND, 'reject', GripperCommand)
    assert robot._hand.wait_for_server(timeout_sec=5.0)
    with pytest.raises(ConfigurationError, match='rejected'):
        robot.grip(0.0)


def test_an_aborted_motion_of_the_fingers_is_not_taken_for_done(
    robot: RosRobot, serve: Callable[..., Any]
) -> None:
    serve(HAND, 'abort', GripperCommand)
    assert robot._hand.wait_for_server(timeout_sec=5.0)
    assert robot.grip(0.08) == Gripped(pytest.approx(0.04)), 'where the fingers are'


def test_joints_of_several_publishers_are_put_together(robot: RosRobot) -> None:
    for _ in range(5):
        assert robot.width == pytest.approx(0.04)
        assert robot.arm == pytest.approx(np.zeros(len(ARM_NAMES)))


def test_a_controller_that_is_gone_is_not_waited_for(
    robot: RosRobot, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_robot, '_STATE_SEC', 0.5)
    controller = serve(ARM, 'deaf', FollowJointTrajectory)
    assert robot._arm.wait_for_server(timeout_sec=5.0)
    faults: list[BaseException] = []

    def follow() -> None:
        try:
            robot.follow(MOTION)
        except ConfigurationError as error:
            faults.append(error)

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    assert controller.started.wait(5.0)
    controller.vanish()
    thread.join(timeout=10.0)
    assert [str(one) for one in faults] == ['a controller is gone in the middle of a motion']


def test_a_controller_that_goes_on_after_a_cancel_is_waited_for(
    robot: RosRobot, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_robot, '_COME_SEC', 0.1)
    controller = serve(ARM, 'deaf', FollowJointTrajectory)
    assert robot._arm.wait_for_server(timeout_sec=5.0)
    ended: list[Moved] = []
    thread = threading.Thread(target=lambda: ended.append(robot.follow(MOTION)), daemon=True)
    thread.start()
    assert controller.started.wait(5.0)
    robot.stop = lambda: True
    assert controller.canceled.wait(5.0)
    time.sleep(A_MOMENT_SEC)
    assert not ended, 'it may still move'
    controller.release.set()
    thread.join(timeout=5.0)
    assert [one.ending for one in ended] == [Ending.CANCELED]


def test_what_could_not_be_sent_in_time_is_never_sent(
    robot: RosRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_robot, '_RESPONSE_SEC', 0.2)
    busy = threading.Event()
    blocked = threading.Thread(target=lambda: robot._request(lambda: busy.wait(5.0)), daemon=True)
    monkeypatch.setattr(threading, 'excepthook', lambda _: None)
    blocked.start()
    sent: list[bool] = []
    with pytest.raises(ConfigurationError, match='overloaded'):
        robot._request(lambda: sent.append(True))
    busy.set()
    assert robot._request(lambda: 'later') == 'later'
    assert sent == []
