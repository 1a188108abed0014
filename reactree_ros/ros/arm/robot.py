# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm behind standard ROS 2 interfaces, as the arm's skills need it (``sim.physics.robot``)."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionClient
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from vision_msgs.msg import Detection3DArray

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.arm.messages import (
    ARM_NAMES,
    BASE_NAMES,
    FINGER_NAMES,
    duration_of,
    pose_from_msg,
)
from reactree_ros.ros.qos import JOINT_STATES, SENSOR_LATEST
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.robot import Ending, Gripped, Moved, Sight
from reactree_ros.sim.physics.trajectory import Trajectory

T = TypeVar('T')
_LOOK_SEC = 0.005
_READY_SEC = 30.0
_STATE_SEC = 5.0
_RESPONSE_SEC = 5.0
_COME_SEC = 2.0
"""If a canceled goal takes longer to end, the log says so."""
_CODES = FollowJointTrajectory.Result
_SILENT = 'nothing is published on {}'


class RosRobot:
    """A driving arm with a gripper and a camera, by actions and topics.

    Its methods wait, so an executor must spin the node in other threads.

    Args:
        node: which asks.

    Attributes:
        stop: asked all the time while something moves; if it says so, the motion is canceled.
    """

    def __init__(self, node: Node) -> None:
        self._log = node.get_logger()
        self.stop: Callable[[], bool] = lambda: False
        self._received = threading.Condition()
        self._counts: dict[str, int] = {}
        self._latest: dict[str, Any] = {}
        # each controller may publish its own joints
        self._joints: dict[str, tuple[int, float]] = {}
        self._heard = time.monotonic()
        group = ReentrantCallbackGroup()
        for topic, kind, qos in (
            ('joint_states', JointState, JOINT_STATES),
            ('head_camera/detections', Detection3DArray, SENSOR_LATEST),
            ('head_camera/openings', JointState, SENSOR_LATEST),
        ):
            node.create_subscription(kind, topic, self._keep(topic), qos, callback_group=group)
        requests = MutuallyExclusiveCallbackGroup()
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._guard = node.create_guard_condition(self._on_requests, callback_group=requests)
        self._clients = {
            name: ActionClient(node, kind, name, callback_group=requests)
            for kind, name in (
                (FollowJointTrajectory, 'panda_arm_controller/follow_joint_trajectory'),
                (FollowJointTrajectory, 'omni_base_controller/follow_joint_trajectory'),
                (GripperCommand, 'panda_hand_controller/gripper_cmd'),
            )
        }
        self._arm, self._base, self._hand = self._clients.values()

    def wait(self) -> None:
        """Wait until the robot is there.

        Raises:
            ConfigurationError: a controller is not there, or the robot says nothing of itself.
        """
        for name, client in self._clients.items():
            if not client.wait_for_server(timeout_sec=_READY_SEC):
                raise ConfigurationError(f'the controller {name} is not available: is it active?')
        for topic in ('joint_states', 'head_camera/detections', 'head_camera/openings'):
            self._next(topic, _READY_SEC)

    @property
    def arm(self) -> Vector:
        """Joint angles of the arm (rad)."""
        return self._positions(ARM_NAMES)

    @property
    def width(self) -> float:
        """Between the fingers (m)."""
        return float(self._positions(FINGER_NAMES).sum())

    @property
    def base(self) -> Vector:
        """x, y (m) and yaw (rad) of the base."""
        return self._positions(BASE_NAMES)

    def follow(self, trajectory: Trajectory) -> Moved:
        """Move the arm along a trajectory, which begins where it is."""
        return self._follow(self._arm, ARM_NAMES, trajectory, lambda: self.arm)

    def drive(self, trajectory: Trajectory) -> Moved:
        """Move the base along a trajectory of x, y and yaw, which begins where it is."""
        return self._follow(self._base, BASE_NAMES, trajectory, lambda: self.base)

    def grip(self, width: float, effort: float = 20.0) -> Gripped:
        """Move the fingers; see ``Robot``."""
        goal = GripperCommand.Goal()
        goal.command.position, goal.command.max_effort = width / 2, float(effort)
        status, result = self._do(self._hand, goal)
        if status == GoalStatus.STATUS_CANCELED:
            return Gripped(self.width, canceled=True)
        if status != GoalStatus.STATUS_SUCCEEDED and not result.stalled:
            self._log.warning("the gripper's controller aborted a motion")
            return Gripped(self.width)
        return Gripped(2 * result.position, bool(result.stalled))

    def look(self) -> Sight:
        """Look with the camera.

        Raises:
            ConfigurationError: nothing was published for 5 s, or names have no positions.
        """
        # What is published next may have been looked at before.
        self._next('head_camera/detections')
        seen = self._next('head_camera/detections')
        openings = self._next('head_camera/openings')
        if len(openings.name) != len(openings.position):
            raise ConfigurationError('head_camera/openings has names without positions')
        return Sight(
            {one.id: pose_from_msg(one.bbox.center) for one in seen.detections},
            dict(zip(openings.name, openings.position, strict=True)),
        )

    def _follow(
        self,
        client: ActionClient,
        names: Sequence[str],
        trajectory: Trajectory,
        where: Callable[[], Vector],
    ) -> Moved:
        message = JointTrajectory(joint_names=list(names))
        for at, positions in zip(trajectory.times, trajectory.positions, strict=True):
            point = JointTrajectoryPoint(positions=list(map(float, positions)))
            point.time_from_start = duration_of(float(at))
            message.points.append(point)
        status, result = self._do(client, FollowJointTrajectory.Goal(trajectory=message))
        if status == GoalStatus.STATUS_SUCCEEDED:
            return Moved(Ending.REACHED)
        if status == GoalStatus.STATUS_CANCELED:
            return Moved(Ending.CANCELED)
        blocked = (_CODES.PATH_TOLERANCE_VIOLATED, _CODES.GOAL_TOLERANCE_VIOLATED)
        if result.error_code not in blocked:
            self._log.warning(f'the controller did not execute a trajectory: {result.error_string}')
        error = float(np.abs(where() - trajectory.positions[-1]).max())
        return Moved(Ending.BLOCKED, error)

    def _do(self, client: ActionClient, goal: Any) -> tuple[int, Any]:
        """Send a goal, wait for its end, and pass a stop on; return status and result.

        A controller that does not end after a cancel may still move the robot: it is waited for.

        Raises:
            ConfigurationError: the controller rejects the goal, or it or the robot no longer
                answers, or it is gone. The goal is canceled as soon as it can be.
        """
        sent = self._request(lambda: client.send_goal_async(goal))
        deadline = time.monotonic() + _RESPONSE_SEC
        while not sent.done():
            if time.monotonic() > deadline:
                sent.add_done_callback(_cancel)
                raise ConfigurationError('a controller does not answer')
            time.sleep(_LOOK_SEC)
        handle = sent.result()
        if not handle.accepted:
            raise ConfigurationError('a controller rejected what it was asked for')
        try:
            ended = self._request(handle.get_result_async)
        except ConfigurationError:
            handle.cancel_goal_async()
            raise
        canceled, deadline = False, float('inf')
        present = time.monotonic()
        while not ended.done():
            if not canceled and self.stop():
                self._request(handle.cancel_goal_async)
                canceled, deadline = True, time.monotonic() + _COME_SEC
            if time.monotonic() > deadline:
                self._log.error('a controller does not end after a cancel; waiting for it')
                deadline = float('inf')
            if client.server_is_ready():
                present = time.monotonic()
            elif time.monotonic() > present + _STATE_SEC:
                raise ConfigurationError('a controller is gone in the middle of a motion')
            if time.monotonic() > self._heard + _STATE_SEC:
                handle.cancel_goal_async()
                raise ConfigurationError(_SILENT.format('joint_states'))
            time.sleep(_LOOK_SEC)
        answer = ended.result()
        return answer.status, answer.result

    def _request(self, send: Callable[[], T]) -> T:
        """Send something in the callback group of the clients.

        rclpy's client of Jazzy loses a response that another thread handles while it sends.

        Raises:
            ConfigurationError: the executor does not come to it.
        """
        sent: queue.SimpleQueue[T] = queue.SimpleQueue()
        given_up = threading.Event()

        def request() -> None:
            if not given_up.is_set():  # nobody would watch what moves then
                sent.put(send())

        self._requests.put(request)
        self._guard.trigger()
        try:
            return sent.get(timeout=_RESPONSE_SEC)
        except queue.Empty:
            given_up.set()
            raise ConfigurationError(
                f'the executor sent no request within {_RESPONSE_SEC:g} s: overloaded?'
            ) from None

    def _on_requests(self) -> None:
        while not self._requests.empty():
            self._requests.get()()

    # What arrives.

    def _keep(self, topic: str) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            with self._received:
                self._latest[topic] = message
                self._counts[topic] = self._counts.get(topic, 0) + 1
                if topic == 'joint_states':
                    self._heard = time.monotonic()
                    for name, position in zip(message.name, message.position, strict=False):
                        self._joints[name] = self._counts[topic], position
                self._received.notify_all()

        return keep

    def _next(self, topic: str, seconds: float = _STATE_SEC) -> Any:
        """Wait for the next message of a topic.

        Raises:
            ConfigurationError: none comes.
        """
        with self._received:
            before = self._counts.get(topic, 0)
            if not self._received.wait_for(lambda: self._counts.get(topic, 0) > before, seconds):
                raise ConfigurationError(_SILENT.format(topic))
            return self._latest[topic]

    def _positions(self, names: Sequence[str]) -> Vector:
        """Wait for the next position of each joint.

        Raises:
            ConfigurationError: one is not published.
        """
        with self._received:
            before = self._counts.get('joint_states', 0)

            def late() -> list[str]:
                return [name for name in names if self._joints.get(name, (0, 0.0))[0] <= before]

            if not self._received.wait_for(lambda: not late(), _STATE_SEC):
                if self._counts.get('joint_states', 0) == before:
                    raise ConfigurationError(_SILENT.format('joint_states'))
                raise ConfigurationError(f'joint_states lacks {", ".join(late())}')
            return np.array([self._joints[name][1] for name in names])


def _cancel(sent: Any) -> None:
    """Cancel a goal that was accepted too late."""
    if sent.result().accepted:
        sent.result().cancel_goal_async()
