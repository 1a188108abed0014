# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's skills in a process of their own, above its standard controllers."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient

from reactree_ros.cli.process_group import ProcessGroup

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('vision_msgs')
pytestmark = pytest.mark.ros

from control_msgs.action import GripperCommand  # noqa: E402

from ..arm_client import ARM_SKILLS, BRIDGE, Skills, Watch  # noqa: E402

PARAMS = """
/**/kitchen_bridge:
  ros__parameters: {skills: false, pose_error: 0.0}
"""
LOG: list[str] = []


@pytest.fixture(scope='module')
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessGroup]:
    path: Path = tmp_path_factory.mktemp('arm') / 'params.yaml'
    path.write_text(PARAMS)
    given = {'sim': 'kitchen', 'params_file': str(path)}
    with ProcessGroup(given, lambda name, line: LOG.append(line), (BRIDGE, ARM_SKILLS)) as group:
        yield group


@pytest.fixture(scope='module')
def skills(group: ProcessGroup, module_spinner: Any) -> Skills:
    skills = Skills(module_spinner, LOG)
    skills.ready()
    return skills


@pytest.fixture
def silent(group: ProcessGroup) -> Iterator[Callable[[bool], None]]:
    """Return what stops the robot's process, or lets it go on."""
    bridge = group.pids[0]
    yield lambda stopped: os.kill(bridge, signal.SIGSTOP if stopped else signal.SIGCONT)
    os.kill(bridge, signal.SIGCONT)


def test_a_block_is_put_into_the_drawer(skills: Skills) -> None:
    assert 'You are in the kitchen (1)' in skills.observe()
    assert 'red block (1)' in skills.do('go_to', 'kitchen table 1')
    assert (
        skills.do('pick_up', 'red block 1') == 'You pick up red block (1). You hold red block (1).'
    )
    assert skills.holds('red block held')
    skills.do('go_to', 'drawer 1')
    skills.do('open', 'drawer 1')
    skills.do('put_down', 'red block 1')
    assert skills.holds('red block inside drawer', 'drawer open')


def test_a_refusal_has_its_reason(skills: Skills) -> None:
    status, text = skills.end(skills.start('pick_up', 'can 1'))
    assert status == GoalStatus.STATUS_ABORTED
    assert text == 'You cannot pick up can (1): it is out of reach from here.'


def test_a_cancel_stops_the_controllers(skills: Skills) -> None:
    handle = skills.start('go_to', 'shelf 1')
    handle.cancel_goal_async()
    status, text = skills.end(handle)
    assert status == GoalStatus.STATUS_CANCELED
    assert text.startswith('go to shelf (1) was canceled.')
    skills.do('go_to', 'shelf 1')


def test_a_robot_that_publishes_nothing_is_told_and_works_when_it_does(
    skills: Skills, silent: Callable[[bool], None]
) -> None:
    silent(True)
    assert skills.observe() == ('The robot does not answer: nothing is published on joint_states.')
    status, text = skills.end(skills.start('go_to', 'drawer 1'))
    assert status == GoalStatus.STATUS_ABORTED
    assert text == 'The robot cannot do it: nothing is published on joint_states.'
    silent(False)
    assert 'You are in the kitchen (1)' in skills.observe()
    skills.do('go_to', 'drawer 1')


def test_a_skill_ends_whose_robot_falls_silent(
    skills: Skills, silent: Callable[[bool], None]
) -> None:
    watch = Watch(skills.spinner)
    handle = skills.start('go_to', 'kitchen cabinet 1')
    skills.spinner.until(
        lambda: 'omni_base_controller/follow_joint_trajectory' in watch.active(), 'it drives'
    )
    silent(True)
    status, text = skills.end(handle)
    assert status == GoalStatus.STATUS_ABORTED
    assert text == 'The robot cannot do it: nothing is published on joint_states.'
    silent(False)
    skills.spinner.until(lambda: not watch.active(), 'what it did is canceled', seen=LOG)
    skills.do('go_to', 'kitchen cabinet 1')


def test_a_hand_that_another_client_opens_is_noticed(skills: Skills) -> None:
    skills.do('go_to', 'kitchen table 1')
    skills.do('pick_up', 'green block 1')
    hand = ActionClient(skills.spinner.node, GripperCommand, 'panda_hand_controller/gripper_cmd')
    skills.spinner.until(hand.server_is_ready, 'the hand is there')
    goal = GripperCommand.Goal()
    goal.command.position = 0.04
    sent = hand.send_goal_async(goal)
    skills.spinner.until(sent.done, 'the goal is answered')
    skills.spinner.until(sent.result().get_result_async().done, 'the hand is open')
    status, text = skills.end(skills.start('put_down', 'green block 1'))
    assert status == GoalStatus.STATUS_ABORTED
    assert text == (
        'green block (1) is no longer in your hand. '
        'You cannot put down green block (1): you do not hold it.'
    )
    assert not [one.name for one in skills.look().objects if one.held]
