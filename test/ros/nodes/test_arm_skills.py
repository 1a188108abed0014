# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's skills in a process of their own, above its standard controllers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import NodeProcess

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('vision_msgs')
pytestmark = pytest.mark.ros

PROCESSES = (
    NodeProcess(
        'kitchen_bridge', 'reactree_kitchen_bridge', 'reactree_ros.ros.nodes.kitchen_bridge'
    ),
    NodeProcess('arm_skills', 'reactree_arm_skills', 'reactree_ros.ros.nodes.arm_skills'),
)
PARAMS = """
/**/kitchen_bridge:
  ros__parameters: {skills: false, pose_error: 0.0}
"""


class Skills:
    """A client of the skill server and of the simulator, which judges."""

    def __init__(self, spinner: Any, log: list[str]) -> None:
        self._spinner, self._log = spinner, log
        node = spinner.node
        self._skills = ActionClient(node, ExecuteSkill, 'kitchen/execute_skill')
        self._observe = node.create_client(Observe, 'kitchen/observe')
        self._check = node.create_client(CheckGoal, 'kitchen/check_goal')
        for there in (
            self._skills.server_is_ready,
            self._observe.service_is_ready,
            self._check.service_is_ready,
        ):
            spinner.until(there, 'the skills are there', 60.0, seen=log)

    def start(self, skill: str, *arguments: str) -> Any:
        goal = ExecuteSkill.Goal(skill=skill, arguments=list(arguments))
        sent = self._skills.send_goal_async(goal)
        self._spinner.until(sent.done, 'the goal is answered')
        assert sent.result().accepted, self._log
        return sent.result()

    def end(self, handle: Any) -> tuple[int, str]:
        ended = handle.get_result_async()
        self._spinner.until(ended.done, 'the skill has ended', 60.0, seen=self._log)
        return ended.result().status, ended.result().result.observation.text

    def do(self, skill: str, *arguments: str) -> str:
        status, text = self.end(self.start(skill, *arguments))
        assert status == GoalStatus.STATUS_SUCCEEDED, (text, self._log)
        return text

    def ask(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self._spinner.until(future.done, 'the service has answered')
        return future.result()

    def holds(self, *conditions: str) -> bool:
        return bool(self.ask(self._check, CheckGoal.Request(conditions=conditions)).holds)

    def observe(self) -> str:
        return str(self.ask(self._observe, Observe.Request()).observation.text)


@pytest.fixture(scope='module')
def skills(module_spinner: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Skills]:
    path: Path = tmp_path_factory.mktemp('arm') / 'params.yaml'
    path.write_text(PARAMS)
    log: list[str] = []
    given = {'sim': 'kitchen', 'params_file': str(path)}
    with ProcessGroup(given, lambda name, line: log.append(line), PROCESSES):
        yield Skills(module_spinner, log)


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
