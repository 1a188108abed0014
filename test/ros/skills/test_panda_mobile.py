# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The library ``panda_mobile`` on the simulated arm: its example runs are what happens there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import NodeProcess
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.paths import share
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.library_check import faults_of
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.sim.household.truth import situation_of
from reactree_ros.skills.executable_set import executable_set
from reactree_ros.skills.reader import read_library

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('control_msgs')
pytestmark = pytest.mark.ros

from sensor_msgs.msg import JointState  # noqa: E402
from vision_msgs.msg import Detection3DArray  # noqa: E402

LIBRARY = read_library(share('behaviors', 'panda_mobile.yaml'))
BRIDGE = NodeProcess(
    'kitchen_bridge', 'reactree_kitchen_bridge', 'reactree_ros.ros.nodes.kitchen_bridge'
)


class Robot:
    """The simulated arm behind the library's skills, which all start from the beginning."""

    def __init__(self, spinner: Any) -> None:
        self._spinner = spinner
        self._executor = RosSkillExecutor(
            spinner.node,
            LIBRARY,
            'not_there',
            Timeouts(20.0, 20.0, 20.0),
            MutuallyExclusiveCallbackGroup(),
        )
        self._latest: dict[str, Any] = {}
        for kind, topic in (
            (Detection3DArray, 'head_camera/detections'),
            (JointState, 'joint_states'),
        ):
            spinner.node.create_subscription(kind, topic, self._keep(topic), 1)
        spinner.until(lambda: not self._executor.missing(), 'the controllers are there')
        self.observe()

    def _keep(self, topic: str) -> Any:
        return lambda message: self._latest.__setitem__(topic, message)

    def observe(self) -> Observation:
        self.observation: Observation = self._spinner.until(self._executor.observe().poll)
        return self.observation

    def do(self, phrase: str) -> SkillStatus:
        situation = situation_of(self.observation, LIBRARY)
        offered = {one.phrase: one for one in executable_set(LIBRARY, situation)}
        assert phrase in offered
        result = self._spinner.until(self._executor.start(offered[phrase], situation).poll, phrase)
        self.observation = result.observation
        return result.status

    def latest(self, topic: str) -> Any:
        self._latest.clear()
        return self._spinner.until(lambda: self._latest.get(topic), topic)

    def where(self, name: str) -> Any:
        """Return where the camera sees a thing, after one more look."""

        def seen() -> Any:
            things = self.latest('head_camera/detections').detections
            return next((one.bbox.center.position for one in things if one.id == name), None)

        return self._spinner.until(seen, f'{name} is seen')

    def joints(self) -> dict[str, float]:
        message = self.latest('joint_states')
        return dict(zip(message.name, message.position, strict=True))

    def close(self) -> None:
        self._executor.destroy()


@pytest.fixture
def robot(spinner: Any) -> Iterator[Robot]:
    log: list[str] = []
    with ProcessGroup({'sim': 'kitchen'}, lambda name, line: log.append(line), (BRIDGE,)):
        robot = Robot(spinner)
        yield robot
        robot.close()


def runs() -> list[list[str]]:
    """Return the lines of each example run, without its goal."""
    text = LIBRARY.examples['flat'].read_text(encoding='utf-8')
    runs = [run.strip().splitlines() for run in text.split('---\n')]
    assert all(run[0].startswith('Goal: ') and run[-1] == 'Act: done' for run in runs)
    return [run[1:-1] for run in runs]


def test_the_library_fits_the_interfaces() -> None:
    assert not [fault for skill in LIBRARY.skills for fault in faults_of(skill)]


def test_the_first_example_moves_the_block_and_the_second_drives_home(robot: Robot) -> None:
    first, second = runs()
    follow(robot, first)
    block = robot.where('red block 1')
    assert (block.x, block.y, block.z) == pytest.approx((1.63, -0.47, 0.72), abs=0.02)
    assert robot.joints()['base_y'] == pytest.approx(-0.47, abs=0.02)
    assert robot.do('grasp red block 1') is SkillStatus.FAILED
    assert 'the gripper closed to 0.000 m and holds nothing' in robot.observation.text
    follow(robot, second)
    joints = robot.joints()
    assert (joints['base_x'], joints['base_y']) == pytest.approx((0.0, -0.4), abs=0.02)
    assert joints['panda_joint1'] == pytest.approx(2.5, abs=0.02)


def follow(robot: Robot, run: list[str]) -> None:
    assert robot.observe().text == run[0]
    for act, said in zip(run[1::2], run[2::2], strict=True):
        status = robot.do(act.removeprefix('Act: '))
        assert (status, robot.observation.text) == (SkillStatus.SUCCEEDED, said)
