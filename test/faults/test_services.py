# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that are services or messages, and the question what is perceived: every fault of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import Observe
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.reader import parse_library

from .conftest import PatientClock, PatientExecutor

Trigger = pytest.importorskip('std_srvs.srv').Trigger
String = pytest.importorskip('std_msgs.msg').String

pytestmark = pytest.mark.ros

LIMITS = Timeouts(server_wait_sec=0.3, goal_response_sec=0.3, cancel_sec=0.3)
RESULT_SEC = 0.5
LATE_SEC, TOO_LATE_SEC, AWAY_SEC = 0.15, 0.9, 0.15
BUSY_SEC = 30.0
LIBRARY = {
    'name': 'robot',
    'result_sec': RESULT_SEC,
    'skills': {
        'push': {
            'phrase': 'push',
            'service': {'name': 'robot/push', 'type': 'std_srvs/srv/Trigger'},
            'success_if': {'success': True},
        },
        'shout': {
            'phrase': 'shout',
            'topic': {'name': 'robot/shout', 'type': 'std_msgs/msg/String'},
            'message': {'data': 'hello'},
            'wait_sec': RESULT_SEC,
        },
    },
}
SUCCEEDED, FAILED, CANCELED = SkillStatus.SUCCEEDED, SkillStatus.FAILED, SkillStatus.CANCELED
UNANSWERED = CANCELED, 'cannot be stopped, did not answer for 0.3 s and may have done it'
AFTER_A_CANCEL = {
    'missing': (CANCELED, 'was canceled before it was sent'),
    **dict.fromkeys(('too_late', 'silent', 'dead', 'restarted'), UNANSWERED),
}
"""How a skill ends that would end otherwise if nobody cancelled it."""


class FaultyService:
    """A service that answers in some manner; ``calls`` counts."""

    def __init__(self, stage: Stage, kind: Any, name: str, manner: str, fill: Any) -> None:
        self.calls = 0
        self._stage, self._manner, self._fill = stage, manner, fill
        self._kind, self._name = kind, name
        self._serve()

    def _serve(self) -> None:
        self.service = self._stage.robot_node.create_service(self._kind, self._name, self._take)
        self._send = self.service.send_response
        self.service.send_response = self._reply

    def _take(self, _: Any, response: Any) -> Any:
        self.calls += 1
        self._fill(response)
        return response

    def _reply(self, response: Any, header: Any) -> None:
        late = {'late': LATE_SEC, 'too_late': TOO_LATE_SEC}
        if self._manner in late:
            self._stage.after(late[self._manner], partial(self._send, response, header))
        elif self._manner == 'twice':
            self._send(response, header)
            self._fill(response)
            self._send(response, header)
        elif self._manner in ('dead', 'restarted'):
            self._stage.robot_node.destroy_service(self.service)
            if self._manner == 'restarted':
                self._stage.after(AWAY_SEC, self._serve)
        elif self._manner != 'silent':
            self._send(response, header)


class Stage:
    """A client and its robot, on one thread and one clock."""

    def __init__(self, clock: PatientClock) -> None:
        self.clock = clock
        self._due: list[tuple[float, Callable[[], None]]] = []
        self.robot_node, self._node = Node('faulty_robot'), Node('client')
        self._spinner = PatientExecutor(clock)
        for node in (self.robot_node, self._node):
            self._spinner.add_node(node)
        library = parse_library(yaml.safe_dump(LIBRARY), 'here')
        self.skills = {skill.name: skill for skill in library.skills}
        self.executor = RosSkillExecutor(
            self._node, library, 'robot/observe', LIMITS, MutuallyExclusiveCallbackGroup(), clock
        )

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        self._due.append((self.clock() + seconds, act))

    def offer(self, name: str, manner: str, *says: str) -> FaultyService | None:
        """Offer a service of the robot; what it says changes from answer to answer."""
        if manner == 'missing':
            return None
        texts = iter([*says, *says])

        def fill(response: Any) -> None:
            text = next(texts)
            if name == 'observe':
                response.observation.text = text
            else:
                response.success, response.message = True, text

        kind = Observe if name == 'observe' else Trigger
        return FaultyService(self, kind, f'robot/{name}', manner, fill)

    def start(self, name: str) -> Any:
        return self.executor.start(self.skills[name].ground(), Situation())

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        end = time.monotonic() + BUSY_SEC
        while not (value := condition()):
            assert time.monotonic() < end, f'it hangs: {what}'
            self._spinner.spin_step()
            due = [one for one in self._due if one[0] <= self.clock()]
            self._due = [one for one in self._due if one not in due]
            for _, act in due:
                act()
        return value

    def wait(self, seconds: float) -> None:
        end = self.clock() + seconds
        self.until(lambda: self.clock() >= end, 'time passes')

    def close(self) -> None:
        self.executor.destroy()
        self._spinner.shutdown()
        for node in (self.robot_node, self._node):
            node.destroy_node()


@pytest.fixture
def stage(clock: PatientClock) -> Iterator[Stage]:
    stage = Stage(clock)
    yield stage
    stage.close()


@pytest.mark.parametrize('canceled', [False, True], ids=['waited for', 'canceled'])
@pytest.mark.parametrize(
    ('manner', 'status', 'text', 'settled'),
    [
        ('right', SUCCEEDED, 'You push.', True),
        ('late', SUCCEEDED, 'You push.', True),
        ('twice', SUCCEEDED, 'You push.', True),
        ('too_late', FAILED, 'did not answer for 0.5 s; it may have done it', True),
        ('silent', FAILED, 'did not answer for 0.5 s; it may have done it', False),
        ('dead', FAILED, 'went away before it answered; it may have done it', True),
        ('restarted', FAILED, 'did not answer for 0.5 s; it may have done it', True),
        ('missing', FAILED, 'no service robot/push was there for 0.3 s', True),
    ],
)
def test_a_service_is_called_once_whatever_it_does(
    stage: Stage, manner: str, status: SkillStatus, text: str, settled: bool, canceled: bool
) -> None:
    stage.offer('observe', 'right', 'You are in a hall.')
    service = stage.offer('push', manner, 'pushed', 'no')
    run = stage.start('push')
    if service is not None:
        stage.until(lambda: service.calls, 'the service is called')
    if canceled:
        run.cancel()
        status, text = AFTER_A_CANCEL.get(manner, (status, text))
    result = stage.until(run.poll, 'the skill has ended')
    assert result.status is status
    assert text in result.observation.text
    stage.wait(TOO_LATE_SEC + 0.1)
    assert run.poll() is result
    assert (run.settled, stage.executor.unsettled) == (settled, () if settled else ('push',))
    assert service is None or service.calls == 1


def test_a_message_is_given_time_also_when_it_is_canceled(stage: Stage) -> None:
    stage.offer('observe', 'right', 'You are in a hall.')
    heard: list[Any] = []
    stage.robot_node.create_subscription(String, 'robot/shout', heard.append, 10)
    run = stage.start('shout')
    stage.until(lambda: heard, 'the message is heard')
    run.cancel()
    assert run.poll() is None, 'the robot is given time'
    assert stage.until(run.poll, 'the skill has ended').status is CANCELED
    assert 'was not asked to stop' in run.poll().observation.text
    assert stage.executor.unsettled == ('shout',)
    stage.wait(RESULT_SEC + 0.1)
    assert run.settled and stage.executor.unsettled == ()
    assert len(heard) == 1


@pytest.mark.parametrize(
    ('manner', 'text'),
    [
        ('right', 'You are in a hall.'),
        ('late', 'You are in a hall.'),
        ('twice', 'You are in a hall.'),
        ('too_late', 'did not answer for 0.3 s'),
        ('silent', 'did not answer for 0.3 s'),
        ('dead', 'did not answer for 0.3 s'),
        ('missing', 'was not available for 0.3 s'),
    ],
)
def test_a_fault_of_looking_is_told_and_undoes_nothing(
    stage: Stage, manner: str, text: str
) -> None:
    stage.offer('observe', manner, 'You are in a hall.', 'You are elsewhere.')
    first = stage.executor.observe()

    def seen() -> str:
        try:
            observation = first.poll()
        except WorldError as error:
            return str(error)
        return '' if observation is None else observation.text

    assert text in stage.until(seen, 'the observation is there')


@pytest.mark.parametrize('manner', ['silent', 'missing'])
def test_a_skill_that_was_done_stays_done_when_looking_fails(stage: Stage, manner: str) -> None:
    stage.offer('push', 'right', 'pushed')
    stage.offer('observe', manner, 'You are in a hall.')
    result = stage.until(stage.start('push').poll, 'the skill has ended')
    assert result.status is SUCCEEDED
    assert result.observation.text.startswith('You push. What is there now is not known')
