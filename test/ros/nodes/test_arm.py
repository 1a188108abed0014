# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's controllers over ROS 2, driven as a client of a real arm drives them."""

from __future__ import annotations

import io
import logging
import math
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient, GoalResponse
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import NodeProcess
from reactree_ros.errors import SkillError
from reactree_ros.ros.qos import LATEST, TF_STATIC
from reactree_ros.ros.skills import frames
from reactree_ros.ros.skills.messages import fill, interface
from reactree_ros.skills.pose import Pose

Image = pytest.importorskip('PIL.Image')
pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('control_msgs')
pytestmark = pytest.mark.ros

from control_msgs.action import (  # noqa: E402
    FollowJointTrajectory,
    GripperCommand,
    ParallelGripperCommand,
)
from control_msgs.msg import JointTolerance  # noqa: E402
from nav2_msgs.action import NavigateToPose  # noqa: E402
from nav_msgs.msg import OccupancyGrid, Odometry  # noqa: E402
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState, LaserScan  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402
from vision_msgs.msg import Detection3DArray  # noqa: E402

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus  # noqa: E402
from reactree_ros.ros.arm.controllers import AcceptedGoals, Controllers  # noqa: E402
from reactree_ros.ros.arm.messages import ARM_NAMES, BASE_NAMES  # noqa: E402
from reactree_ros.ros.arm.streams import map_of  # noqa: E402
from reactree_ros.ros.skills import transforms  # noqa: E402
from reactree_ros.sim.physics.description import shipped_description  # noqa: E402
from reactree_ros.sim.physics.live import LiveSimulation  # noqa: E402
from reactree_ros.sim.physics.robot import READY  # noqa: E402
from reactree_ros.sim.physics.simulation import Simulation  # noqa: E402

ARM = 'panda_arm_controller/follow_joint_trajectory'
WHEELS = 'omni_base_controller/follow_joint_trajectory'
STILL_SEC = 0.5
BRIDGE = NodeProcess(
    'kitchen_bridge', 'reactree_kitchen_bridge', 'reactree_ros.ros.nodes.kitchen_bridge'
)
SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED,
    GoalStatus.STATUS_CANCELED,
    GoalStatus.STATUS_ABORTED,
)


class Arm:
    """A client of all controllers, and the latest message of all topics."""

    def __init__(self, spinner: Any, log: list[str]) -> None:
        self.spinner, self.log = spinner, log
        self.latest: dict[str, Any] = {}
        self.frames: dict[str, tuple[str, Any]] = {}
        self._clients: dict[str, ActionClient] = {}
        node = spinner.node
        for name, kind, qos in (
            ('joint_states', JointState, 10),
            ('odom', Odometry, 10),
            ('scan', LaserScan, qos_profile_sensor_data),
            ('map', OccupancyGrid, LATEST),
        ):
            node.create_subscription(kind, name, self._keep(name), qos)
        node.create_subscription(TFMessage, 'tf', self._on_frames, 100)
        node.create_subscription(TFMessage, 'tf_static', self._on_frames, TF_STATIC)

    def _keep(self, name: str) -> Callable[[Any], None]:
        return lambda message: self.latest.__setitem__(name, message)

    def _on_frames(self, message: Any) -> None:
        for one in message.transforms:
            self.frames[one.child_frame_id] = one.header.frame_id, one.transform

    def send(self, name: str, kind: Any, goal: Any, feedback: Any = None) -> Any:
        client = self._clients.setdefault(name, ActionClient(self.spinner.node, kind, name))
        self.spinner.until(client.server_is_ready, f'{name} is there', seen=self.log)
        future = client.send_goal_async(goal, feedback)
        self.spinner.until(future.done, 'the goal is answered')
        return future.result()

    def end(self, handle: Any) -> tuple[int, Any]:
        assert handle.accepted, self.log
        future = handle.get_result_async()
        self.spinner.until(future.done, 'the goal has ended')
        return future.result().status, future.result().result

    def do(self, name: str, kind: Any, goal: Any) -> tuple[int, Any]:
        return self.end(self.send(name, kind, goal))

    def settled(self, topic: str) -> Any:
        """Return a topic's message once its time stands still: those under way are older."""
        message, since = None, 0.0
        while message is None or time.monotonic() < since + STILL_SEC:
            self.latest.pop(topic, None)
            self.spinner.until(lambda: self.latest.get(topic), f'{topic} is published')
            if message is None or message.header.stamp != self.latest[topic].header.stamp:
                since = time.monotonic()
            message = self.latest[topic]
        return message

    def joints(self) -> Any:
        return self.settled('joint_states')


@pytest.fixture(scope='module')
def arm(module_spinner: Any) -> Iterator[Arm]:
    log: list[str] = []
    with ProcessGroup({'sim': 'kitchen'}, lambda name, line: log.append(line), (BRIDGE,)):
        yield Arm(module_spinner, log)


def trajectory(
    names: Any, *points: tuple[float, Any], tolerance: float = 0.0
) -> FollowJointTrajectory.Goal:
    message = JointTrajectory(joint_names=list(names))
    for seconds, positions in points:
        whole = int(seconds)
        at = Duration(sec=whole, nanosec=round(1e9 * (seconds - whole)))
        message.points.append(
            JointTrajectoryPoint(positions=list(map(float, positions)), time_from_start=at)
        )
    goal = FollowJointTrajectory.Goal(trajectory=message)
    if tolerance:
        goal.path_tolerance = [JointTolerance(name=name, position=tolerance) for name in names]
    return goal


def test_the_arm_follows_a_trajectory_whose_joints_stand_in_any_order(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    goal = start + (-0.3, 0.2, 0.0, 0.2, 0.0, 0.1, 0.0)
    seen: list[Any] = []
    handle = arm.send(
        ARM,
        FollowJointTrajectory,
        trajectory(ARM_NAMES[::-1], (1.0, goal[::-1])),
        lambda message: seen.append(message.feedback),
    )
    status, result = arm.end(handle)
    assert (status, result.error_code) == (SUCCEEDED, 0), result.error_string
    assert np.abs(np.array(arm.joints().position[:7]) - goal).max() < 0.02
    assert list(seen[0].joint_names) == list(ARM_NAMES)
    assert len(seen[0].desired.positions) == 7


@pytest.mark.parametrize(
    ('names', 'points', 'code', 'text'),
    [
        (ARM_NAMES[:6], [(1.0, [0.0] * 6)], -2, 'wanted: panda_joint1, '),
        (ARM_NAMES, [(1.0, [0.0] * 6)], -1, 'point 1 has 6 positions for 7 joints'),
        (ARM_NAMES, [], -1, 'it has no points'),
        ((*ARM_NAMES[:6], 'elbow'), [(1.0, [0.0] * 7)], -2, 'elbow; wanted: panda_joint1, '),
        (ARM_NAMES, [(1.0, [math.nan] * 7)], -1, 'not finite'),
        (ARM_NAMES, [(1.0, [math.inf] * 7)], -1, 'not finite'),
        (ARM_NAMES, [(-1.0, [0.0] * 7)], -1, 'point 1 is not later'),
        (ARM_NAMES, [(1.0, [9.0] * 7)], -1, 'panda_joint1 at 9, not from -2.897 to 2.897'),
        (ARM_NAMES, [(1.0, READY), (0.5, READY)], -1, 'point 2 is not later'),
    ],
)
def test_a_wrong_trajectory_is_aborted_with_its_reason(
    arm: Arm, names: Any, points: Any, code: int, text: str
) -> None:
    status, result = arm.do(ARM, FollowJointTrajectory, trajectory(names, *points))
    assert (status, result.error_code) == (ABORTED, code)
    assert text in result.error_string


def test_a_path_tolerance_is_watched(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    hasty = trajectory(ARM_NAMES, (0.1, start + 0.5), tolerance=0.05)
    status, result = arm.do(ARM, FollowJointTrajectory, hasty)
    assert (status, result.error_code) == (ABORTED, result.PATH_TOLERANCE_VIOLATED)
    assert 'away from its path' in result.error_string


def test_what_the_base_meets_stops_it(arm: Arm) -> None:
    into_the_table = trajectory(BASE_NAMES, (4.0, (1.6, 0.0, 0.0)))
    status, result = arm.do(WHEELS, FollowJointTrajectory, into_the_table)
    assert (status, result.error_code) == (ABORTED, result.PATH_TOLERANCE_VIOLATED)
    back = trajectory(BASE_NAMES, (4.0, (0.0, -0.4, math.pi / 2)))
    assert arm.do(WHEELS, FollowJointTrajectory, back)[0] == SUCCEEDED


def test_a_canceled_arm_comes_to_rest(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    slow = trajectory(ARM_NAMES, (600.0, start + (0.5, 0, 0, 0, 0, 0, 0)))
    handle = arm.send(ARM, FollowJointTrajectory, slow)
    arm.spinner.until(handle.cancel_goal_async().done, 'the cancel is answered')
    began = time.monotonic()
    status, _ = arm.end(handle)
    assert status == CANCELED
    assert time.monotonic() - began < 0.5
    assert np.abs(arm.joints().velocity[:7]).max() < 0.02


def test_a_newer_trajectory_takes_over(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    first = arm.send(ARM, FollowJointTrajectory, trajectory(ARM_NAMES, (600.0, start)))
    status, _ = arm.do(ARM, FollowJointTrajectory, trajectory(ARM_NAMES, (0.5, start)))
    assert status == SUCCEEDED
    status, result = arm.end(first)
    assert (status, result.error_string) == (ABORTED, 'a newer trajectory took over')


def test_a_wrong_trajectory_does_not_take_over(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    first = arm.send(ARM, FollowJointTrajectory, trajectory(ARM_NAMES, (600.0, start)))
    wrong = trajectory(ARM_NAMES, (0.5, np.full(7, math.nan)))
    assert arm.do(ARM, FollowJointTrajectory, wrong)[0] == ABORTED
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id, goal.pose.pose.orientation.w = 'map', 1.0
    assert not arm.send('navigate_to_pose', NavigateToPose, goal).accepted
    first.cancel_goal_async()
    status, result = arm.end(first)
    assert (status, result.error_string) == (CANCELED, 'canceled')


def test_the_fingers_open_and_close(arm: Arm) -> None:
    name = 'panda_hand_controller/gripper_cmd'
    for position in (0.01, 0.04):
        goal = GripperCommand.Goal()
        goal.command.position, goal.command.max_effort = position, 10.0
        status, result = arm.do(name, GripperCommand, goal)
        assert (status, result.reached_goal, result.stalled) == (SUCCEEDED, True, False)
        assert abs(result.position - position) < 0.002
        assert abs(arm.joints().position[7] - position) < 0.002
    other = ParallelGripperCommand.Goal(command=JointState(position=[0.02], effort=[10.0]))
    name = 'panda_hand_parallel_controller/gripper_cmd'
    status, result = arm.do(name, ParallelGripperCommand, other)
    assert (status, result.reached_goal) == (SUCCEEDED, True)
    assert abs(result.state.position[0] - 0.02) < 0.002


@pytest.mark.parametrize(
    ('position', 'effort'),
    [(0.2, 10.0), (-0.01, 10.0), (math.nan, 10.0), (0.01, -1.0), (0.01, 500.0), (0.01, math.nan)],
)
def test_a_wrong_goal_of_the_fingers_is_aborted_with_its_reason(
    arm: Arm, position: float, effort: float
) -> None:
    text = 'a finger can be at 0 to 0.04 m with 0 to 70 N'
    before = arm.joints().position[7]
    arm.log.clear()
    goal = GripperCommand.Goal()
    goal.command.position, goal.command.max_effort = position, effort
    status, result = arm.do('panda_hand_controller/gripper_cmd', GripperCommand, goal)
    assert (status, result.reached_goal) == (ABORTED, False)
    other = ParallelGripperCommand.Goal(command=JointState(position=[position], effort=[effort]))
    name = 'panda_hand_parallel_controller/gripper_cmd'
    assert arm.do(name, ParallelGripperCommand, other)[0] == ABORTED
    for command in (JointState(), JointState(name=['thumb'], position=[0.01])):
        other = ParallelGripperCommand.Goal(command=command)
        assert arm.do(name, ParallelGripperCommand, other)[0] == ABORTED
    arm.spinner.until(
        lambda: sum(text in line for line in arm.log) == 4,
        'each is logged',
        seen=arm.log,
    )
    assert abs(arm.joints().position[7] - before) < 0.001


def test_of_many_trajectories_at_once_the_last_is_followed(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    slow = trajectory(ARM_NAMES, (600.0, start))
    # Each result is asked for at once: an action server keeps it for some seconds only.
    ends = [arm.send(ARM, FollowJointTrajectory, slow).get_result_async() for _ in range(30)]
    assert arm.do(ARM, FollowJointTrajectory, trajectory(ARM_NAMES, (0.5, start)))[0] == SUCCEEDED
    arm.spinner.until(lambda: all(end.done() for end in ends), 'all have ended')
    assert {(end.result().status, end.result().result.error_string) for end in ends} == {
        (ABORTED, 'a newer trajectory took over')
    }


@pytest.mark.parametrize(
    ('x', 'y', 'frame', 'w', 'text'),
    [
        (1.75, 0.3, 'map', 1.0, 'there is no free way to where it is to go'),
        (50.0, 0.0, 'map', 1.0, 'there is no free way to where it is to go'),
        (-0.6, 0.3, 'camera', 1.0, "the pose is in 'camera', not in 'map'"),
        (math.nan, 0.3, 'map', 1.0, 'the pose is not finite'),
        (-0.6, 0.3, 'map', 0.0, 'its orientation is not a unit quaternion'),
        (-0.6, 0.3, 'map', math.nan, 'its orientation is not a unit quaternion'),
    ],
)
def test_a_wrong_pose_is_aborted_with_its_reason(
    arm: Arm, x: float, y: float, frame: str, w: float, text: str
) -> None:
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id = frame
    goal.pose.pose.position.x, goal.pose.pose.position.y = x, y
    goal.pose.pose.orientation.w = w
    status, result = arm.do('navigate_to_pose', NavigateToPose, goal)
    assert status == ABORTED and result.error_code
    assert text in result.error_msg


@pytest.mark.parametrize(
    ('skill', 'arguments'),
    [
        ('', []),
        ('__init__', ['x']),
        ('go_to', []),
        ('go_to', ['']),
        ('go_to', ['\n; rm']),
        ('pick_up', ['kitchen table 1']),
        ('put_into', ['red block 1', 'red block 1']),
        ('open', ['kitchen table 1', 'drawer 1']),
    ],
)
def test_a_wrong_skill_is_refused_with_its_reason(
    arm: Arm, skill: str, arguments: list[str]
) -> None:
    goal = ExecuteSkill.Goal(skill=skill, arguments=arguments)
    status, result = arm.do('kitchen/execute_skill', ExecuteSkill, goal)
    assert (status, result.outcome) == (ABORTED, ExecuteSkill.Result.REFUSED)
    assert result.observation.text.startswith('You cannot ')


def test_a_skill_is_canceled_while_a_goal_is_judged(arm: Arm) -> None:
    arm.do('kitchen/execute_skill', ExecuteSkill, skill_goal('go_to', 'kitchen cabinet 1'))
    asking = arm.spinner.node.create_client(CheckGoal, 'kitchen/check_goal')
    arm.spinner.until(asking.service_is_ready, 'the judge is there')
    goal = skill_goal('open', 'kitchen cabinet 1')
    handle = arm.send('kitchen/execute_skill', ExecuteSkill, goal)
    judged = asking.call_async(CheckGoal.Request(conditions=['kitchen cabinet open']))
    end = time.monotonic() + 0.3
    arm.spinner.until(lambda: time.monotonic() > end, 'the request is there')
    handle.cancel_goal_async()
    assert arm.end(handle)[0] == CANCELED
    arm.spinner.until(judged.done, 'it is judged')
    assert not judged.result().holds


def skill_goal(skill: str, *arguments: str) -> ExecuteSkill.Goal:
    return ExecuteSkill.Goal(skill=skill, arguments=list(arguments))


def test_the_base_navigates_around_furniture(arm: Arm) -> None:
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id = 'map'
    goal.pose.pose.position.x, goal.pose.pose.position.y = -0.6, 0.3
    goal.pose.pose.orientation.w = 1.0
    left: list[float] = []
    handle = arm.send(
        'navigate_to_pose',
        NavigateToPose,
        goal,
        lambda message: left.append(message.feedback.distance_remaining),
    )
    status, result = arm.end(handle)
    assert status == SUCCEEDED, result.error_msg
    assert left[0] > 0.5
    odom = arm.settled('odom')
    assert abs(odom.pose.pose.position.x + 0.6) < 0.03
    assert abs(odom.pose.pose.position.y - 0.3) < 0.03


def test_the_goals_of_the_docs_are_reached_as_they_stand_there(arm: Arm) -> None:
    page = Path(__file__).parents[3] / 'docs' / 'physics.md'
    if not page.is_file():
        pytest.skip('there is no checkout around the tests')
    text = re.sub(r'\\\n\s*', '', page.read_text(encoding='utf-8'))
    lines = re.findall(r'^ros2 action send_goal (.*)$', text, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        name, type_name, values = shlex.split(line)
        kind = interface(type_name)
        goal = kind.Goal()
        fill(goal, yaml.safe_load(values), lambda pose: pose)
        status, result = arm.do(name, kind, goal)
        assert status == SUCCEEDED, (line, result)


def test_skills_and_controllers_keep_each_other_out(arm: Arm) -> None:
    start = np.array(arm.joints().position[:7])
    slow = trajectory(ARM_NAMES, (600.0, start))
    handle = arm.send(ARM, FollowJointTrajectory, slow)
    skill = ExecuteSkill.Goal(skill='go_to', arguments=['shelf 1'])
    assert not arm.send('kitchen/execute_skill', ExecuteSkill, skill).accepted
    arm.spinner.until(
        lambda: any('a controller moves the robot' in line for line in arm.log), 'it is logged'
    )
    arm.spinner.until(handle.cancel_goal_async().done, 'the cancel is answered')
    arm.end(handle)
    status, result = arm.do('kitchen/execute_skill', ExecuteSkill, skill)
    assert status == SUCCEEDED, result.observation.text


@pytest.mark.parametrize(
    ('first', 'second', 'both'),
    [
        (FollowJointTrajectory, FollowJointTrajectory, True),
        (FollowJointTrajectory, GripperCommand, True),
        (FollowJointTrajectory, NavigateToPose, False),
        (NavigateToPose, FollowJointTrajectory, False),
        (NavigateToPose, NavigateToPose, False),
        (GripperCommand, NavigateToPose, True),
    ],
)
def test_a_goal_holds_off_others_from_its_acceptance_to_its_end(
    first: Any, second: Any, both: bool
) -> None:
    skill_running = False
    log = logging.getLogger(__name__)
    goals = AcceptedGoals(log, lambda: not skill_running, threading.Lock())
    assert not goals.under_way
    assert goals.on_goal(first.Goal()) is GoalResponse.ACCEPT
    assert goals.under_way, 'it need not have begun'
    accepted = goals.on_goal(second.Goal()) is GoalResponse.ACCEPT
    assert accepted is both
    goals.ending(first, lambda _: None)(None)
    assert goals.under_way is both
    if both:
        with pytest.raises(ZeroDivisionError):
            goals.ending(second, lambda _: 1 / 0)(None)
    assert not goals.under_way
    skill_running = True
    assert goals.on_goal(first.Goal()) is GoalResponse.REJECT
    skill_running = False
    goals.leaving = True
    assert goals.on_goal(first.Goal()) is GoalResponse.REJECT


def test_the_frames_the_scan_and_the_map_fit_together(arm: Arm) -> None:
    wanted = {'panda_rightfinger', 'panda_hand', 'base_laser_link'}
    arm.spinner.until(lambda: wanted <= arm.frames.keys(), 'the frames come')
    chain, frame = [], 'panda_hand'
    while frame in arm.frames:
        frame = arm.frames[frame][0]
        chain.append(frame)
    assert chain == [
        *(f'panda_link{number}' for number in range(8, -1, -1)),
        *('base_link', 'odom', 'map'),
    ]
    scan = arm.settled('scan')
    assert len(scan.ranges) == 180
    assert arm.frames[scan.header.frame_id][0] == 'base_link'
    assert 0.2 < min(scan.ranges) < 1.5, 'the robot stands at the shelf'
    grid = arm.spinner.until(lambda: arm.latest.get('map'), 'the map comes')
    assert [cell(grid, *at) for at in ((1.75, 0.0), (0.0, 0.0), (-0.5, 1.72))] == [100, 0, 100]


def test_walls_stand_in_the_map_and_doorways_are_free() -> None:
    grid = map_of(shipped_description('apartment'))
    assert [cell(grid, 2.23, y) for y in (-2.0, -1.3, 0.5)] == [100, 0, 100]
    assert cell(grid, 4.0, -4.5) == -1, 'outside nothing is known'


def cell(grid: OccupancyGrid, x: float, y: float) -> int:
    """Return what a map says of a point (m)."""
    column = int((x - grid.info.origin.position.x) / grid.info.resolution)
    row = int((y - grid.info.origin.position.y) / grid.info.resolution)
    return int(grid.data[row * grid.info.width + column])


def test_the_camera_looks_along_the_z_of_its_optical_frame(
    arm: Arm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is detected lies before it, by the package's own listener to TF."""
    monkeypatch.setattr(frames, 'tf2_ros', transforms)
    node = arm.spinner.node
    optical = frames.Frames(node, 'head_camera_optical_frame', listen=True)

    def in_picture(at: Any) -> Any:
        try:
            return optical.transformed(Pose('map', (at.x, at.y, at.z))).position
        except SkillError:
            return None

    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id, goal.pose.pose.orientation.w = 'map', 1.0
    assert arm.do('navigate_to_pose', NavigateToPose, goal)[0] == SUCCEEDED
    arm.settled('odom')
    listening = node.create_subscription(
        Detection3DArray, 'head_camera/detections', arm._keep('detections'), 1
    )
    seen = arm.settled('detections')
    assert seen.detections
    assert seen.header.frame_id == 'map'
    for one in seen.detections:
        at = one.bbox.center.position
        x, y, z = arm.spinner.until(lambda at=at: in_picture(at), 'TF knows the way')
        assert 0.5 < z < 3.0
        # 75 degrees high, and 4/3 of that wide
        assert abs(y / z) < math.tan(math.radians(37.5)) + 0.1
        assert abs(x / z) < math.tan(math.radians(37.5)) * 4 / 3 + 0.1
    link = arm.frames['head_camera_link'][1].rotation
    assert link.y > 0.1, 'x of the link points down with the camera'
    node.destroy_subscription(listening)
    optical.destroy()


def test_what_rviz_draws_is_where_it_is(arm: Arm) -> None:
    markers_msgs = pytest.importorskip('visualization_msgs.msg')
    node = arm.spinner.node
    subscriptions = [
        node.create_subscription(String, 'robot_description', arm._keep('robot'), LATEST),
        node.create_subscription(
            markers_msgs.MarkerArray, 'scene_markers', arm._keep('markers'), LATEST
        ),
        node.create_subscription(
            Detection3DArray, 'head_camera/detections', arm._keep('detections'), 1
        ),
    ]
    robot = ElementTree.fromstring(arm.spinner.until(lambda: arm.latest.get('robot')).data)
    links = {one.get('name') for one in robot.iter('link')}
    arm.spinner.until(lambda: links <= arm.frames.keys(), 'every link has a frame')
    joints = {one.get('name') for one in robot.iter('joint') if one.get('type') != 'fixed'}
    assert joints == set(arm.joints().name) - set(BASE_NAMES)

    markers = arm.spinner.until(lambda: arm.latest.get('markers'), 'the markers come').markers
    places: dict[str, list[Any]] = {}
    for one in markers:
        assert one.header.frame_id == 'map'
        assert min(one.scale.x, one.scale.y, one.scale.z, one.color.a) > 0
        places.setdefault(one.ns, []).append(one.pose.position)
    assert {'kitchen table 1', 'drawer 1', 'shelf 1', 'cup 1'} <= places.keys()
    seen = arm.settled('detections').detections
    assert seen
    for one in seen:
        at = np.mean([(each.x, each.y) for each in places[one.id]], axis=0)
        where = one.bbox.center.position
        assert np.abs(at - (where.x, where.y)).max() < 0.03, one.id

    for skill in ('go_to', 'open'):
        goal = ExecuteSkill.Goal(skill=skill, arguments=['drawer 1'])
        status, result = arm.do('kitchen/execute_skill', ExecuteSkill, goal)
        assert status == SUCCEEDED, result.observation.text

    def pulled() -> bool:
        now = [one.pose.position for one in arm.latest['markers'].markers if one.ns == 'drawer 1']
        return math.dist((now[0].x, now[0].y), (closed.x, closed.y)) > 0.15

    closed = places['drawer 1'][0]
    arm.spinner.until(pulled, 'the drawer is drawn open')
    for one in subscriptions:
        node.destroy_subscription(one)


def test_pictures_come_while_somebody_subscribes(arm: Arm) -> None:
    subscriptions = [
        arm.spinner.node.create_subscription(kind, f'head_camera/color/{name}', arm._keep(name), 1)
        for kind, name in (
            (CameraInfo, 'camera_info'),
            (CompressedImage, 'image_raw/compressed'),
        )
    ]
    info = arm.spinner.until(lambda: arm.latest.get('camera_info'), 'the parameters come')
    assert info.header.frame_id in arm.frames
    assert (info.width, info.height, info.k[2], info.k[5]) == (640, 480, 320.0, 240.0)

    def picture_or_warning() -> Any:
        warned = [line for line in arm.log if 'no pictures: OpenGL' in line]
        return arm.latest.get('image_raw/compressed') or warned

    picture = arm.spinner.until(picture_or_warning, 'a picture comes')
    for one in subscriptions:
        arm.spinner.node.destroy_subscription(one)
    if isinstance(picture, list):
        pytest.skip(picture[0])
    image = Image.open(io.BytesIO(bytes(picture.data)))
    assert (image.format, image.size) == ('JPEG', (640, 480))
    assert picture.header.frame_id == 'head_camera_optical_frame'


def test_without_gl_there_is_one_warning_and_all_else(
    spinner: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('MUJOCO_GL', 'egl')
    monkeypatch.setenv('PYOPENGL_PLATFORM', 'glx')  # with which mujoco.egl does not work
    infos: list[Any] = []
    spinner.node.create_subscription(
        CompressedImage, 'other/head_camera/color/image_raw/compressed', infos.append, 1
    )
    spinner.node.create_subscription(
        CameraInfo, 'other/head_camera/color/camera_info', infos.append, 1
    )
    log: list[str] = []
    states: list[Any] = []
    spinner.node.create_subscription(JointState, 'other/joint_states', states.append, 1)
    # the bridge publishes the clock, and must not wait for it
    (parameters := tmp_path / 'clock.yaml').write_text(
        '/**: {ros__parameters: {use_sim_time: true}}'
    )
    given = {'sim': 'kitchen', 'namespace': 'other', 'params_file': str(parameters)}
    with ProcessGroup(given, lambda name, line: log.append(line), (BRIDGE,)):
        spinner.until(lambda: len(infos) > 3 and len(states) > 3, 'messages come', seen=log)
    assert all(isinstance(one, CameraInfo) for one in infos)
    (warning,) = (line for line in log if 'no pictures: OpenGL' in line)
    assert 'apt-get install libegl1' in warning


@pytest.mark.filterwarnings('ignore::pytest.PytestUnhandledThreadExceptionWarning')
@pytest.mark.parametrize('of', ['arm', 'fingers'])
def test_a_goal_is_aborted_if_the_physics_ends_by_a_fault(of: str, spinner: Any) -> None:
    break_it = threading.Event()

    def before(simulation: Simulation) -> None:
        if break_it.is_set() and simulation.time > 0.1:
            raise ValueError('broken')

    live = LiveSimulation(shipped_description('kitchen'), before=before)
    node = Node('faulty_arm', namespace='faulty')
    nothing = SkillResult(SkillStatus.FAILED, Observation('not driven'))
    controllers = Controllers(node, live, lambda *_: nothing, lambda: True, threading.Lock())
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    break_it.set()
    if of == 'arm':
        name, kind = ARM, FollowJointTrajectory
        goal = trajectory(ARM_NAMES, (60.0, live.arm + 0.3))
    else:
        name, kind = 'panda_hand_controller/gripper_cmd', GripperCommand
        goal = GripperCommand.Goal()
        goal.command.position = 0.01
    status, _ = Arm(spinner, []).do(f'faulty/{name}', kind, goal)
    assert status == ABORTED
    assert isinstance(live.fault, ValueError)
    executor.shutdown(timeout_sec=5.0)
    thread.join(timeout=5.0)
    controllers.close()
    node.destroy_node()
    live.close()
