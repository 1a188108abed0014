# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Controllers as ROS 2 actions, with the names and types that a real arm has.

``panda_arm_controller/follow_joint_trajectory``     FollowJointTrajectory, seven joints
``omni_base_controller/follow_joint_trajectory``     FollowJointTrajectory, x, y and yaw
``panda_hand_controller/gripper_cmd``                GripperCommand, of one finger joint
``panda_hand_parallel_controller/gripper_cmd``       ParallelGripperCommand, of the same joint
``navigate_to_pose``                                 NavigateToPose, in the frame ``map``
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.ros.arm.messages import (
    ARM_NAMES,
    BASE_NAMES,
    FINGER_NAMES,
    MAP,
    ODOM,
    base_of,
    duration_of,
    pose_of,
)
from reactree_ros.ros.arm.trajectories import TrajectoryError, read_tolerance, read_trajectory
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.live import LiveSimulation
from reactree_ros.sim.physics.motions import ARM_TOLERANCE, BASE_TOLERANCE, Tolerance, Tracking
from reactree_ros.sim.physics.robot import OPEN_WIDTH, Ending
from reactree_ros.sim.physics.scene import ARM_JOINTS, BASE_JOINTS
from reactree_ros.sim.physics.trajectory import Trajectory

_FEEDBACK_SEC = 0.1
_LOOK_SEC = 0.005
_EFFORT = 20.0
"""Force of each finger, if a goal names none (N)."""
_MAX_EFFORT = 70.0
_UNIT = 0.1
"""A quaternion's length may differ from 1 by so much."""
_DRIVING, _FOLLOWING = NavigateToPose.__name__, FollowJointTrajectory.__name__


Drive = Callable[[float, float, float, Callable[[], bool]], SkillResult]
"""Drives to x, y (m) and yaw (rad) around what stands in the way, unless the last says to stop."""


class AcceptedGoals:
    """Goals of all controllers, from their acceptance to their end.

    A goal that is accepted begins a moment later; it holds off others from its acceptance on.

    Args:
        log: of the node.
        free: whether no skill is running.
        accepting: held while it is decided whether a goal, or a skill, is accepted.

    Attributes:
        leaving: whether what is under way comes to rest, and no other is accepted.
    """

    def __init__(self, log: Any, free: Callable[[], bool], accepting: threading.Lock) -> None:
        self._log, self._free, self._accepting = log, free, accepting
        self._kinds: Counter[str] = Counter()
        self.leaving = False

    @property
    def under_way(self) -> bool:
        """Whether there is one."""
        return self._kinds.total() > 0

    def on_goal(self, goal: Any) -> GoalResponse:
        """Accept a goal if nothing else moves what it moves."""
        name = type(goal).__name__.removesuffix('_Goal')
        with self._accepting:
            why = self._against(name)
            if not why:
                self._kinds[name] += 1
                return GoalResponse.ACCEPT
        self._log.warning(f'rejected a goal of {name}: {why}')
        return GoalResponse.REJECT

    def ending(self, kind: Any, execute: Callable[[ServerGoalHandle], Any]) -> Any:
        """Return what executes a goal and then no longer holds off others."""

        def executed(handle: ServerGoalHandle) -> Any:
            try:
                return execute(handle)
            finally:
                with self._accepting:
                    self._kinds[kind.__name__] -= 1

        return executed

    def _against(self, name: str) -> str:
        if self.leaving:
            return 'the node is shutting down'
        if not self._free():
            return 'a skill is running'
        if self._kinds[_DRIVING]:
            return 'the base is driving'
        if name == _DRIVING and self._kinds[_FOLLOWING]:
            return 'a trajectory is being followed'
        return ''


class TrajectoryController:
    """Follows trajectories with some joints; a new goal takes over from the last.

    Args:
        node: which serves.
        name: of the controller.
        joints: their names.
        motion: makes a motion of the joints.
        where: returns where they are.
        limits: lowest and highest position of each, n x 2 (rad or m).
        tolerance: where a goal names none.
        goals: of all controllers.
        live: the simulation.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        joints: Sequence[str],
        motion: Callable[[Trajectory, Tolerance], Tracking],
        where: Callable[[], Vector],
        limits: Vector,
        tolerance: Tolerance,
        goals: AcceptedGoals,
        live: LiveSimulation,
    ) -> None:
        self._log = node.get_logger()
        self._name, self._joints, self._motion = name, tuple(joints), motion
        self._where, self._limits, self._tolerance = where, limits, tolerance
        self._goals, self._live = goals, live
        self._turn = threading.Lock()
        self._newest: ServerGoalHandle | None = None
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            f'{name}/follow_joint_trajectory',
            goals.ending(FollowJointTrajectory, self._execute),
            goal_callback=goals.on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    def close(self) -> None:
        """Destroy the action server."""
        self._server.destroy()

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        # Here, for goals may begin in another order than they were accepted in.
        with contextlib.suppress(TrajectoryError):  # a wrong one does not take over
            self._read(handle.request)
            self._newest = handle
        handle.execute()

    def _execute(self, handle: ServerGoalHandle) -> FollowJointTrajectory.Result:
        result, goal = FollowJointTrajectory.Result(), handle.request
        try:
            self._read(goal)
        except TrajectoryError as error:
            result.error_code = result.INVALID_JOINTS if error.joints else result.INVALID_GOAL
            result.error_string = str(error)
            self._log.warning(f'{self._name}: the trajectory is wrong: {error}')
            handle.abort()
            return result
        # Whoever waits for a turn holds a thread of the executor, which others need.
        while not self._turn.acquire(timeout=_LOOK_SEC):
            if self._is_over(handle):
                return self._overtaken(handle)
        try:
            motion = self._motion(*self._read(goal))
            self._live.start(motion)
            self._watch(handle, motion)
        finally:
            self._turn.release()
        moved = motion.ended
        assert moved is not None
        if moved.ending is Ending.REACHED:
            handle.succeed()
        elif moved.ending is Ending.CANCELED:
            if not handle.is_cancel_requested:
                return self._overtaken(handle)
            result.error_string = 'canceled'
            handle.canceled()
        else:
            at_end = motion.blocked_at_end
            result.error_code = (
                result.GOAL_TOLERANCE_VIOLATED if at_end else result.PATH_TOLERANCE_VIOLATED
            )
            where = 'from its end' if at_end else 'from its path'
            result.error_string = f'blocked: a joint is {moved.error:.3f} away {where}'
            self._log.info(f'{self._name}: {result.error_string}')
            handle.abort()
        return result

    def _read(self, goal: FollowJointTrajectory.Goal) -> tuple[Trajectory, Tolerance]:
        """Return a goal as a trajectory from where the joints are, and its tolerance.

        Raises:
            TrajectoryError: it is wrong.
        """
        start = self._where()
        return (
            read_trajectory(goal.trajectory, self._joints, start, self._limits),
            read_tolerance(goal, self._joints, self._tolerance),
        )

    def _is_over(self, handle: ServerGoalHandle) -> bool:
        return self._goals.leaving or self._newest is not handle

    def _overtaken(self, handle: ServerGoalHandle) -> FollowJointTrajectory.Result:
        handle.abort()
        why = 'the node is shutting down' if self._goals.leaving else 'a newer trajectory took over'
        return FollowJointTrajectory.Result(error_string=why)

    def _watch(self, handle: ServerGoalHandle, motion: Tracking) -> None:
        """Wait until a motion has ended, publish feedback, and pass on a cancel."""
        due = 0.0
        while motion.ended is None:
            self._live.check()
            if handle.is_cancel_requested or self._is_over(handle):
                self._live.read(motion.cancel)
            now = time.monotonic()
            if now >= due:
                due = now + _FEEDBACK_SEC
                wanted, actual = self._live.read(motion.state)
                feedback = FollowJointTrajectory.Feedback()
                feedback.joint_names = list(self._joints)
                elapsed = duration_of(motion.elapsed)
                for name, values in (
                    ('desired', wanted),
                    ('actual', actual),
                    ('error', wanted - actual),
                ):
                    point = JointTrajectoryPoint(positions=list(values), time_from_start=elapsed)
                    setattr(feedback, name, point)
                handle.publish_feedback(feedback)
            time.sleep(_LOOK_SEC)


class Controllers:
    """All controllers of the simulated robot.

    Args:
        node: which serves.
        live: the simulation.
        drive: drives around obstacles.
        free: whether no skill is running.
        accepting: held while it is decided whether a goal, or a skill, is accepted.
    """

    def __init__(
        self,
        node: Node,
        live: LiveSimulation,
        drive: Drive,
        free: Callable[[], bool],
        accepting: threading.Lock,
    ) -> None:
        self._node, self._live, self._drive = node, live, drive
        self._goals = goals = AcceptedGoals(node.get_logger(), free, accepting)
        self._gripping = threading.Lock()
        self._newest_grip: ServerGoalHandle | None = None
        self._trajectories = (
            TrajectoryController(
                node,
                'panda_arm_controller',
                ARM_NAMES,
                live.following,
                lambda: live.arm,
                live.limits(ARM_JOINTS),
                ARM_TOLERANCE,
                goals,
                live,
            ),
            TrajectoryController(
                node,
                'omni_base_controller',
                BASE_NAMES,
                live.driving,
                lambda: live.base,
                live.limits(BASE_JOINTS),
                BASE_TOLERANCE,
                goals,
                live,
            ),
        )
        group = ReentrantCallbackGroup()
        self._servers = [
            ActionServer(
                node,
                kind,
                name,
                goals.ending(kind, execute),
                goal_callback=goals.on_goal,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                callback_group=group,
            )
            for kind, name, execute in (
                (GripperCommand, 'panda_hand_controller/gripper_cmd', self._grip),
                (
                    ParallelGripperCommand,
                    'panda_hand_parallel_controller/gripper_cmd',
                    self._grip_parallel,
                ),
                (NavigateToPose, 'navigate_to_pose', self._navigate),
            )
        ]

    @property
    def busy(self) -> bool:
        """Whether a controller moves the robot, or is about to."""
        return self._goals.under_way

    def leave(self) -> None:
        """Let what is under way come to rest."""
        self._goals.leaving = True

    def close(self) -> None:
        """Destroy the action servers."""
        for one in (*self._trajectories, *self._servers):
            (one.close if isinstance(one, TrajectoryController) else one.destroy)()

    # The hand.

    def _grip(self, handle: ServerGoalHandle) -> GripperCommand.Result:
        command = handle.request.command
        ended = self._move_fingers(handle, command.position, command.max_effort)
        result = GripperCommand.Result()
        result.position, result.effort, result.stalled, result.reached_goal = ended
        return result

    def _grip_parallel(self, handle: ServerGoalHandle) -> ParallelGripperCommand.Result:
        command = handle.request.command
        wrong = len(command.position) != 1 or list(command.name) not in ([], [FINGER_NAMES[0]])
        position = math.nan if wrong else command.position[0]
        effort = command.effort[0] if command.effort else 0.0
        position, effort, stalled, reached = self._move_fingers(handle, position, effort)
        result = ParallelGripperCommand.Result(stalled=stalled, reached_goal=reached)
        result.state = JointState(name=[FINGER_NAMES[0]], position=[position], effort=[effort])
        return result

    def _move_fingers(
        self, handle: ServerGoalHandle, position: float, effort: float
    ) -> tuple[float, float, bool, bool]:
        """Move the fingers; return position, effort, whether they stalled, whether they are there.

        Args:
            handle: of the goal.
            position: of each finger (m).
            effort: of each (N); 0 for the usual.
        """
        live = self._live
        if not 0.0 <= position <= OPEN_WIDTH / 2 or not 0.0 <= effort <= _MAX_EFFORT:
            self._node.get_logger().warning(
                f'a finger can be at 0 to {OPEN_WIDTH / 2} m with 0 to {_MAX_EFFORT:g} N, not at '
                f'{position:g} m with {effort:g} N'
            )
            handle.abort()
            return live.width / 2, 0.0, False, False
        self._newest_grip = handle
        while not self._gripping.acquire(timeout=_LOOK_SEC):
            if self._goals.leaving or self._newest_grip is not handle:
                handle.abort()
                return live.width / 2, 0.0, False, False
        try:
            motion = live.gripping(2 * position, effort or _EFFORT)
            live.start(motion)
            while motion.ended is None:
                live.check()
                newer = self._newest_grip is not handle
                if handle.is_cancel_requested or self._goals.leaving or newer:
                    live.read(motion.cancel)
                time.sleep(_LOOK_SEC)
        finally:
            self._gripping.release()
        gripped = motion.ended
        reached = not gripped.stalled and not gripped.canceled
        if gripped.canceled and handle.is_cancel_requested:
            handle.canceled()
        elif gripped.canceled:
            handle.abort()
        else:
            # As ros2_control does: to stall at a thing is what a gripper is for.
            handle.succeed()
        return gripped.width / 2, live.finger_force(), gripped.stalled, reached

    # The base.

    def _navigate(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        pose: PoseStamped = handle.request.pose
        result = NavigateToPose.Result()
        if pose.header.frame_id not in (MAP, ODOM):
            result.error_msg = f'the pose is in {pose.header.frame_id!r}, not in {MAP!r}'
            result.error_code = getattr(result, 'TF_ERROR', 1)
            handle.abort()
            return result
        x, y, yaw = map(float, base_of(pose.pose))
        turn = pose.pose.orientation
        length = math.hypot(turn.x, turn.y, turn.z, turn.w)
        if not math.isfinite(x + y) or not abs(length - 1) < _UNIT:
            result.error_msg = 'the pose is not finite, or its orientation is not a unit quaternion'
            result.error_code = getattr(result, 'UNKNOWN', 1)
            handle.abort()
            return result
        begin, due = time.monotonic(), 0.0

        def stop() -> bool:
            nonlocal due
            now = time.monotonic()
            if now >= due:
                due = now + _FEEDBACK_SEC
                base = self._live.base
                feedback = NavigateToPose.Feedback()
                feedback.current_pose = pose_of(base)
                feedback.navigation_time = duration_of(now - begin)
                feedback.distance_remaining = float(np.hypot(x - base[0], y - base[1]))
                handle.publish_feedback(feedback)
            return bool(handle.is_cancel_requested or self._goals.leaving)

        ended = self._drive(x, y, yaw, stop)
        if ended.status is SkillStatus.SUCCEEDED:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            result.error_msg = ended.observation.text
            result.error_code = getattr(result, 'UNKNOWN', 1)
            handle.abort()
        return result
