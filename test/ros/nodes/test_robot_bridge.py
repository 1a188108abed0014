# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robots behind real servers: known plans, sent as the planner sends them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_interfaces.srv import CheckGoal
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import bridge_of
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.library_check import faults_of
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.sim.household import GoalCheck, judged
from reactree_ros.sim.household.truth import situation_of
from reactree_ros.sim.robots.tasks import ROBOTS, SHOWN, RobotTask, robot_tasks
from reactree_ros.sim.robots.world import robot_library
from reactree_ros.sim.worlds import OFFICE, ROVER, WAREHOUSE

pytest.importorskip('nav2_msgs')
pytest.importorskip('control_msgs')
pytestmark = pytest.mark.ros

EACH = 1 if os.environ.get('REACTREE_ALL_PLANS') else 3
"""Every how many-th plan is carried out."""
WORLDS = dict(zip(ROBOTS, (OFFICE, WAREHOUSE, ROVER), strict=True))


class Client:
    """What the planner has of a robot: its skills, and the service that judges."""

    def __init__(self, robot: str, spinner: Any) -> None:
        self.robot, self.said = robot, ''
        self._spinner, self.library = spinner, robot_library(robot)
        self._group = MutuallyExclusiveCallbackGroup()
        node = spinner.node
        self._set = node.create_client(
            SetParametersAtomically, 'robot_bridge/set_parameters_atomically'
        )
        self._judge = node.create_client(CheckGoal, f'{robot}/check_goal')
        self._executor: RosSkillExecutor | None = None
        self.seen = Observation('')
        for one in (self._set, self._judge):
            spinner.until(one.service_is_ready, 'the bridge is there')
        settled = time.monotonic() + 1.0  # a service that has just appeared drops its answer
        spinner.until(lambda: time.monotonic() > settled)

    def begin(self, task_set: str, number: int) -> str:
        """Begin a task, and return why it cannot begin."""
        parameters = [
            _parameter('task_set', type=ParameterType.PARAMETER_STRING, string_value=task_set),
            _parameter('task', type=ParameterType.PARAMETER_INTEGER, integer_value=number),
        ]
        result = self._ask(self._set, SetParametersAtomically.Request(parameters=parameters)).result
        return '' if result.successful else str(result.reason)

    def connect(self) -> None:
        """Make the planner's client, whose declared world is as it was at first."""
        self.close()
        timeouts = Timeouts(20.0, 20.0, 20.0)
        self._executor = RosSkillExecutor(
            self._spinner.node, self.library, 'observe', timeouts, self._group
        )
        self._spinner.until(lambda: not self._executor.missing(), self._executor.missing)
        self.seen = self._spinner.until(self._executor.observe().poll)

    def do(self, phrase: str) -> SkillStatus:
        assert self._executor is not None
        situation = situation_of(self.seen, self.library)
        offered = {one.phrase: one for one in self.library.executable(situation)}
        if phrase not in offered:
            self.said = 'that is not possible'
            return SkillStatus.REFUSED
        run = self._executor.start(offered[phrase], situation)
        result = self._spinner.until(run.poll, phrase)
        seen = result.observation
        self.said = seen.text
        self.seen = seen if seen.objects else self.seen
        return result.status

    def check(self, *lines: str) -> CheckGoal.Response:
        return self._ask(self._judge, CheckGoal.Request(conditions=lines))

    def reached(self, task: RobotTask, answer: str = '', refusal: str = '') -> bool:
        found = self.check()
        check = GoalCheck(tuple(found.satisfied), tuple(found.unsatisfied))
        return judged(task, check, answer, refusal).holds

    def close(self) -> None:
        if self._executor is not None:
            self._executor.destroy()

    def _ask(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self._spinner.until(future.done)
        return future.result()


def _parameter(name: str, **value: Any) -> Parameter:
    return Parameter(name=name, value=ParameterValue(**value))


@pytest.fixture(scope='module', params=ROBOTS)
def client(request: Any, module_spinner: Any) -> Iterator[Client]:
    process = bridge_of(WORLDS[request.param])
    with ProcessGroup({}, lambda name, line: None, (process,)):
        client = Client(request.param, module_spinner)
        yield client
        client.close()


def test_the_library_fits_the_interfaces(client: Client) -> None:
    assert not [fault for skill in client.library.skills for fault in faults_of(skill)]


def test_every_plan_does_what_its_task_says(client: Client) -> None:
    for name in (client.robot, f'{client.robot}{SHOWN}'):
        for task in robot_tasks(name)[::EACH]:
            where = f'{name} {task.id}'
            assert not client.begin(name, task.id)
            client.connect()
            assert not client.reached(task), where
            ended = [client.do(phrase) for phrase in task.plan]
            answer = task.answer[0] if task.asks else ''
            if task.impossible:
                assert SkillStatus.SUCCEEDED not in ended[-1:], where
                assert client.reached(task, refusal=client.said), where
            else:
                assert client.reached(task, answer), (where, client.check().unsatisfied)
