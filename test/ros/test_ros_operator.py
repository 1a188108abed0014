# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Questions over ROS: the planner's client against real services, and the server for a person."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from reactree_interfaces.srv import AskOperator
from reactree_ros.ros.operator_client import OPERATOR_SERVICE, RosOperator
from reactree_ros.ros.operator_server import OperatorServer

pytestmark = pytest.mark.ros

ASKING = {
    'bring it': ['Ask: Which one?', 'Act: done'],
    'wait for ever': ['Ask: Are you there?', 'Act: done'],
}


class Desk:
    """A real ``AskOperator`` service that answers when the test says so."""

    def __init__(self, name: str, answer: str = '', answered: bool = True) -> None:
        self.node = Node(name.replace('/', '_') + '_desk')
        self.release = threading.Event()
        self.asked = threading.Event()
        self._reply = AskOperator.Response(answer=answer, answered=answered)
        self._server = self.node.create_service(AskOperator, name, self._on_question)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _on_question(self, _: Any, __: Any) -> AskOperator.Response:
        self.asked.set()
        self.release.wait(20.0)
        return self._reply

    def close(self) -> None:
        self.release.set()
        self._executor.shutdown(timeout_sec=5.0)
        self._thread.join(timeout=5.0)
        self.node.destroy_node()


@pytest.fixture
def desk() -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(*arguments: Any) -> Desk:
        desks.append(Desk(*arguments))
        return desks[-1]

    yield make
    for one in desks:
        one.close()


class Clock:
    """Time that passes when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def operator(spinner: Any, clock: Clock) -> Iterator[Callable[[str], RosOperator]]:
    made: list[RosOperator] = []

    def make(service: str) -> RosOperator:
        group = MutuallyExclusiveCallbackGroup()
        made.append(RosOperator(spinner.node, service, 5.0, 60.0, group, clock))
        return made[-1]

    yield make
    for one in made:
        one.destroy()


@pytest.mark.parametrize(
    ('answer', 'answered', 'expected'),
    [
        (' the red one ', True, 'the red one'),
        ('', False, ''),
        ('not said', False, ''),
        ('', True, ''),
    ],
)
def test_an_answer_comes_back(
    spinner: Any, desk: Any, operator: Any, answer: str, answered: bool, expected: str
) -> None:
    served = desk('quick', answer, answered)
    served.release.set()
    asking = operator('quick')
    spinner.until(lambda: asking.present, 'the service is there')
    pending = asking.ask('Which one?')
    assert spinner.until(lambda: pending.poll() is not None)
    assert pending.poll() == expected


def test_a_person_who_takes_too_long_has_not_answered(
    spinner: Any, desk: Any, operator: Any, clock: Clock
) -> None:
    served = desk('slow', 'too late')
    asking = operator('slow')
    spinner.until(lambda: asking.present)
    pending = asking.ask('Which one?')
    spinner.until(served.asked.is_set)
    clock.now += 59.9
    assert pending.poll() is None
    clock.now += 0.2
    assert pending.poll() == ''
    served.release.set()
    after = asking.ask('And now?')
    assert spinner.until(lambda: after.poll() is not None), 'the late answer is dropped'
    assert after.poll() == 'too late'


def test_a_service_that_goes_away_with_the_question_is_not_waited_for(
    spinner: Any, operator: Any, clock: Clock
) -> None:
    elsewhere = Node('leaving_desk')
    service = elsewhere.create_service(AskOperator, 'leaving', lambda _, response: response)
    asking = operator('leaving')
    spinner.until(lambda: asking.present)
    pending = asking.ask('Which one?')
    elsewhere.destroy_service(service)
    spinner.until(lambda: not asking.present, 'the service is gone')
    clock.now += 4.9
    assert pending.poll() is None
    clock.now += 0.2
    assert pending.poll() == ''
    elsewhere.destroy_node()


def test_a_question_can_be_taken_back(spinner: Any, desk: Any, operator: Any) -> None:
    served = desk('patient', 'late')
    asking = operator('patient')
    spinner.until(lambda: asking.present)
    pending = asking.ask('Which one?')
    spinner.until(served.asked.is_set)
    pending.cancel()
    pending.cancel()


def test_the_server_keeps_a_question_until_somebody_answers(spinner: Any, operator: Any) -> None:
    server = OperatorServer()
    try:
        asking = operator(OPERATOR_SERVICE)
        spinner.until(lambda: asking.present)
        server.answer('to nobody')
        first, second = asking.ask(' one\n? '), asking.ask('two?')
        assert spinner.until(lambda: server.question) == 'one ?'
        assert second.poll() is None
        server.answer('yes')
        spinner.until(lambda: first.poll() is not None)
        assert first.poll() == 'yes'
        assert spinner.until(lambda: server.question) == 'two?'
    finally:
        server.close()
    spinner.until(lambda: second.poll() is not None)
    assert second.poll() == '', 'who leaves declines'


def test_the_planner_asks_and_goes_on_with_the_answer(
    start_system: Callable[..., Any], desk: Any
) -> None:
    planner = {'ask_operator': True, 'check_decisions': False, 'operator_sec': 3600.0}
    served = desk(OPERATOR_SERVICE, 'the red one')  # before the handshake of ``ready``
    with start_system(ASKING, planner) as system:
        system.ready()
        handle = system.send(goal='bring it')
        system.happens('ask', 'Which one?')
        system.spinner.until(served.asked.is_set)
        served.release.set()
        system.happens('observation', 'The operator answers: the red one')
        answer = system.result(handle)
        assert answer.result.status == 'succeeded'
        assert answer.result.costs.questions == 1
        assert 'ask: Which one?' in answer.result.tree
        system.logs('ask: Which one? (')


def test_a_goal_can_be_canceled_while_the_operator_thinks(
    start_system: Callable[..., Any], desk: Any
) -> None:
    planner = {'ask_operator': True, 'check_decisions': False, 'operator_sec': 3600.0}
    served = desk(OPERATOR_SERVICE, 'late')
    with start_system(ASKING, planner) as system:
        system.ready()
        handle = system.send(goal='wait for ever')
        system.spinner.until(served.asked.is_set)
        system.cancel(handle)
        assert system.result(handle).result.status == 'canceled'
        served.release.set()
        assert system.result(system.send(goal='bring it')).result.status == 'succeeded'


def test_without_an_operator_nothing_is_asked(start_system: Callable[..., Any]) -> None:
    planner = {'ask_operator': True, 'check_decisions': False}
    with start_system(ASKING, planner) as system:
        system.ready()
        handle = system.send(goal='bring it')
        system.happens('rejected', 'no question is allowed now')
        assert system.result(handle).result.status == 'succeeded'
