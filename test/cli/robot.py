# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot of many servers as a process of its own: ``python robot.py KIND LOG``.

Whatever it is sent becomes a line of the log. SIGUSR1 has it withdraw ``weak_arm`` and go on;
SIGTERM ends it.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import rclpy
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from geometry_msgs.msg import PoseStamped, Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry
from nav_msgs.srv import GetMap, GetPlan
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Image, JointState, LaserScan
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Empty, SetBool, Trigger
from test_msgs.action import Fibonacci, NestedMessage
from test_msgs.msg import BasicTypes, Strings
from test_msgs.srv import Arrays
from test_msgs.srv import BasicTypes as BasicService

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.msg import Observation, ObservedObject
from reactree_interfaces.srv import Observe

KNOWN = (NavigateToPose, GripperCommand, ParallelGripperCommand, FollowJointTrajectory)


class Robot:
    """Its servers, and the log of what it is sent."""

    def __init__(self, kind: str, log: Path) -> None:
        self.node = Node('robot')
        self._log = log.open('a', encoding='utf-8')
        self._kept: list[Any] = []
        self._group = ReentrantCallbackGroup()
        self.weak = self.action(Fibonacci, 'weak_arm') if kind == 'weak' else None
        getattr(self, f'_{kind}')()

    def action(self, action: Any, name: str) -> ActionServer:
        def execute(handle: Any) -> Any:
            self.told(name, handle.request)
            end = time.monotonic() + (30.0 if 'slow' in name else 0.0)
            while time.monotonic() < end and not handle.is_cancel_requested:
                time.sleep(0.01)
            if handle.is_cancel_requested:
                self.told(name, 'canceled')
                handle.canceled()
            else:
                handle.succeed()
            result = action.Result()
            if hasattr(result, 'stalled'):
                result.stalled = result.reached_goal = True
            return result

        server = ActionServer(
            self.node,
            action,
            name,
            execute,
            callback_group=self._group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self._kept.append(server)
        return server

    def service(self, service: Any, name: str) -> None:
        def answer(request: Any, response: Any) -> Any:
            self.told(name, request)
            if hasattr(response, 'success'):
                response.success, response.message = True, 'as you wish'
            return response

        self._kept.append(
            self.node.create_service(service, name, answer, callback_group=self._group)
        )

    def listens(self, message: Any, name: str) -> None:
        self._kept.append(
            self.node.create_subscription(message, name, lambda one: self.told(name, one), 1)
        )

    def publishes(self, message: Any, name: str) -> Any:
        self._kept.append(self.node.create_publisher(message, name, 1))
        return self._kept[-1]

    def told(self, name: str, what: Any) -> None:
        print(f'{name}: {what}', file=self._log, flush=True)

    def _base(self) -> None:
        self.action(NavigateToPose, 'navigate_to_pose')
        self.action(GripperCommand, 'gripper/cmd')
        self.action(NavigateToPose, 'slow_navigation')
        self.service(Trigger, 'open_door')
        self.listens(String, 'say')

    def _seeing(self) -> None:
        self.action(NavigateToPose, 'navigate_to_pose')
        self.action(ExecuteSkill, 'kitchen/execute_skill')
        shelf = ObservedObject(
            class_name='shelf', instance=1, affordances=['furniture', 'surfaces']
        )

        def see(_: Any, response: Any) -> Any:
            response.observation = Observation(text='A shelf.', objects=[shelf])
            return response

        self._kept.append(self.node.create_service(Observe, 'eyes/observe', see))

    def _weak(self) -> None:
        self.action(NavigateToPose, 'navigate_to_pose')

    def _idle(self) -> None:
        self.listens(Image, 'image')

    def _busy(self) -> None:
        """Serve more than 60 names of more than 25 types, most of them no skills."""
        for side in ('left', 'right'):
            self.action(GripperCommand, f'{side}_hand/cmd')
        for robot in ('robot1', 'robot2'):
            self.action(NavigateToPose, f'/{robot}/navigate_to_pose')
        self.action(FollowJointTrajectory, 'panda_arm_controller/follow_joint_trajectory')
        self.action(ParallelGripperCommand, 'pinch')
        self.action(Fibonacci, 'count_up')
        self.action(NestedMessage, 'A__b9/X_2')
        self.action(Fibonacci, 'done')
        for name in (
            'open_door',
            'failure',
            'Ab/c_D3',
            'on',
            'null',
            'lifecycle_manager/is_active',
        ):
            self.service(Trigger, name)
        for number in range(12):
            self.service(Trigger, f'station_{number}/call')
        self.service(SetBool, 'lamp')
        self.service(Empty, 'reset')
        for kind, name in (
            *((BasicService, 'numbers'), (Arrays, 'arrays'), (GetMap, 'get_map')),
            *((GetPlan, 'plan'), (Trigger, 'reactree/stop')),
        ):
            self.service(kind, name)
        for kind, name in (
            *((String, 'say'), (Bool, 'horn'), (Twist, 'cmd_vel'), (PoseStamped, 'look_at')),
            *((Image, 'image'), (Odometry, 'odom'), (Strings, 'notes'), (BasicTypes, 'basics')),
            *((Float64, 'volume'), (LaserScan, 'scan')),
        ):
            self.listens(kind, name)
        for number in range(16):
            self.listens(Float64, f'wheel_{number}/speed')
            self.publishes(Float64, f'wheel_{number}/speed')
        joints = self.publishes(JointState, 'joint_states')
        state = JointState(
            name=['panda_joint2', 'panda_joint1', 'panda_finger_joint1', 'wheel'],
            position=[-0.5, 0.25, 0.04, 9.0],
        )
        self._kept.append(self.node.create_timer(0.1, lambda: joints.publish(state)))


def main(kind: str, log: str) -> None:
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    robot = Robot(kind, Path(log))
    executor = MultiThreadedExecutor(8)
    executor.add_node(robot.node)
    signals: list[int] = []
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    print('ready', flush=True)
    while signal.SIGTERM not in signals:
        executor.spin_once(timeout_sec=0.05)
        if signals and robot.weak is not None:
            weak, robot.weak = robot.weak, None
            weak.destroy()
    executor.shutdown(timeout_sec=1.0)
    robot.node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main(*sys.argv[1:])
