# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Questions over ROS: the planner's client against real services, and the server for a person."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from reactree_interfaces.srv import AskOperator
from reactree_ros.core.operator import Reply, ReplyStatus
from reactree_ros.ros.goals.operator_client import (
    ASSISTANT_SERVICE,
    OPERATOR_SERVICE,
    RosOperator,
)
from reactree_ros.ros.goals.operator_server import OperatorServer

pytestmark = pytest.mark.ros

ASKING = {
    'bring it': ['Ask: Which one?', 'Act: done'],
    'wait for ever': ['Ask: Are you there?', 'Act: done'],
}


ANSWERED, DECLINED = AskOperator.Response.ANSWERED, AskOperator.Response.DECLINED
REPLIES = {one: Reply(one) for one in ReplyStatus}
CAREFUL = {
    'operator.approval_risk_level': 'low',
}
GOING = {'go': ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done']}
KITCHEN = {'room': 'kitchen 1'}
NOT_NOW = 'the goal or subgoal that asked was canceled or has ended'


def answered(text: str) -> Reply:
    return Reply(ReplyStatus.ANSWERED, text)


class Desk:
    """A real ``AskOperator`` service that answers when the test says so."""

    def __init__(self, name: str, answer: str = '', outcome: int = ANSWERED) -> None:
        self.node = Node(name.replace('/', '_') + '_desk')
        self.release = threading.Event()
        self.asked = threading.Event()
        self._reply = AskOperator.Response(answer=answer, outcome=outcome)
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
    ('answer', 'outcome', 'expected'),
    [
        (' the red one ', ANSWERED, answered('the red one')),
        ('', DECLINED, REPLIES[ReplyStatus.DECLINED]),
        ('not said', 0, REPLIES[ReplyStatus.UNANSWERED]),
        ('', ANSWERED, REPLIES[ReplyStatus.UNANSWERED]),
        ('', AskOperator.Response.UNANSWERED, REPLIES[ReplyStatus.UNANSWERED]),
        ('not said', 77, REPLIES[ReplyStatus.UNANSWERED]),
    ],
)
def test_an_answer_comes_back(
    spinner: Any, desk: Any, operator: Any, answer: str, outcome: int, expected: Reply
) -> None:
    served = desk('quick', answer, outcome)
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
    assert pending.poll() == REPLIES[ReplyStatus.UNANSWERED]
    served.release.set()
    after = asking.ask('And now?')
    assert spinner.until(lambda: after.poll() is not None), 'the late answer is dropped'
    assert after.poll() == answered('too late')


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
    assert pending.poll() == REPLIES[ReplyStatus.UNANSWERED]
    elsewhere.destroy_node()


def test_a_service_that_comes_back_was_not_asked(spinner: Any, operator: Any, clock: Clock) -> None:
    asking, elsewhere = operator('restarted'), Node('restarted_desk')

    def serve() -> Any:
        return elsewhere.create_service(AskOperator, 'restarted', lambda _, response: response)

    service = serve()
    spinner.until(lambda: asking.present)
    pending = asking.ask('Which one?')
    elsewhere.destroy_service(service)
    spinner.until(lambda: pending.poll() or not asking.present, 'the service is gone')
    assert pending.poll() is None
    serve()
    assert spinner.until(pending.poll) == REPLIES[ReplyStatus.UNANSWERED]
    elsewhere.destroy_node()


def test_a_question_can_be_taken_back(spinner: Any, desk: Any, operator: Any) -> None:
    served = desk('patient', 'late')
    asking = operator('patient')
    spinner.until(lambda: asking.present)
    pending = asking.ask('Which one?')
    spinner.until(served.asked.is_set)
    pending.cancel()
    pending.cancel()


@pytest.fixture
def two(
    spinner: Any, desk: Callable[..., Desk], operator: Callable[[str], RosOperator]
) -> Callable[..., tuple[Desk, Desk, RosOperator]]:
    """Return a person and an assistant who reply so, and who asks them."""

    def make(person: tuple[str, int], assistant: tuple[str, int]) -> tuple[Desk, Desk, RosOperator]:
        asking = operator(OPERATOR_SERVICE)
        helper = desk(ASSISTANT_SERVICE, *assistant)
        spinner.until(lambda: asking.present)
        assert not asking.person_present
        human = desk(OPERATOR_SERVICE, *person)
        spinner.until(lambda: asking.person_present)
        return human, helper, asking

    return make


def test_of_a_person_and_an_assistant_the_first_answer_counts(spinner: Any, two: Any) -> None:
    person, assistant, asking = two(('', DECLINED), ('the red one', ANSWERED))
    pending = asking.ask('Which one?')
    spinner.until(lambda: person.asked.is_set() and assistant.asked.is_set())
    person.release.set()
    spinner.until(pending._sent[0]._future.done)
    assert pending.poll() is None, 'who declines does not speak for the other'
    assistant.release.set()
    assert spinner.until(pending.poll) == answered('the red one')


def test_what_a_person_has_to_decide_never_reaches_an_assistant(spinner: Any, two: Any) -> None:
    person, assistant, asking = two(('yes', ANSWERED), ('no', ANSWERED))
    assistant.release.set()
    pending = asking.ask('May it?', ('yes', 'no'), person=True)
    assert spinner.until(person.asked.is_set)
    person.release.set()
    assert spinner.until(pending.poll) == answered('yes')
    assert not assistant.asked.is_set()


@pytest.fixture
def server() -> Iterator[OperatorServer]:
    server = OperatorServer()
    yield server
    server.close()


def shown(server: OperatorServer) -> str:
    return server.question.text if server.question is not None else ''


def test_the_server_keeps_a_question_until_somebody_answers(
    spinner: Any, operator: Any, server: OperatorServer
) -> None:
    asking = operator(OPERATOR_SERVICE)
    spinner.until(lambda: asking.present)
    first = asking.ask(' one\n? ')
    assert spinner.until(lambda: shown(server)) == 'one\n?'
    older = server.question
    second = asking.ask('two?')
    spinner.until(lambda: shown(server) == 'two?', 'the newest question is shown')
    assert server.answer(older.id, 'yes') == ''
    assert spinner.until(first.poll) == answered('yes')
    assert server.answer(older.id, 'no') == 'too late: it has been answered'
    assert server.answer('0' * 32, 'yes') == 'too late: the question is not known any more'
    assert (second.poll(), shown(server)) == (None, 'two?')


def test_who_leaves_does_not_answer_for_another(
    spinner: Any, operator: Any, server: OperatorServer
) -> None:
    asking = operator(OPERATOR_SERVICE)
    other = OperatorServer()
    try:
        spinner.until(lambda: asking.present)
        pending = asking.ask('Sure?')
        spinner.until(lambda: shown(server) and shown(other), 'both are asked')
        server.close()
        end = time.monotonic() + 0.5
        spinner.until(lambda: time.monotonic() > end)
        assert pending.poll() is None
        assert other.answer(other.question.id, 'yes') == ''
        assert spinner.until(pending.poll) == answered('yes')
    finally:
        other.close()


def test_a_question_with_options_takes_one_of_them(
    spinner: Any, operator: Any, server: OperatorServer
) -> None:
    asking = operator(OPERATOR_SERVICE)
    spinner.until(lambda: asking.present)
    pending = asking.ask('Sure?', ('yes', 'no'))
    question = spinner.until(lambda: server.question)
    assert question.options == ('yes', 'no')
    for unclear in ('ja', 'maybe', '3'):
        told = server.answer(question.id, unclear)
        assert told == f"not understood: '{unclear}'; choose yes or no"
    assert server.question == question
    assert server.answer(question.id, '2') == ''
    assert spinner.until(pending.poll) == answered('no')


@pytest.mark.parametrize('how', ['time', 'cancel', 'destroy'])
def test_a_question_that_nobody_waits_for_is_withdrawn(
    spinner: Any, operator: Any, clock: Clock, server: OperatorServer, how: str
) -> None:
    asking = operator(OPERATOR_SERVICE)
    spinner.until(lambda: asking.present)
    pending = asking.ask('May it?', ('yes', 'no'), 'it was refused')
    question = spinner.until(lambda: server.question)
    if how == 'time':
        clock.now += 60.1
        assert pending.poll() == Reply(ReplyStatus.UNANSWERED)
        why = 'nobody answered within 60 s; it was refused'
    elif how == 'cancel':
        pending.cancel()
        why = NOT_NOW
    else:
        asking.destroy()
        why = 'the planner has shut down'
    spinner.until(lambda: server.question is None, 'the question is withdrawn')
    assert server.answer(question.id, 'yes') == f'too late: {why}'


def test_a_question_ends_with_its_time_limit_whoever_asked(
    spinner: Any, server: OperatorServer
) -> None:
    client = spinner.node.create_client(AskOperator, OPERATOR_SERVICE)
    spinner.until(client.service_is_ready)
    request = AskOperator.Request(question='Are you there?')
    request.time_limit.nanosec = 300_000_000
    future = client.call_async(request)
    question = spinner.until(lambda: server.question)
    assert spinner.until(future.done)
    assert future.result().outcome == AskOperator.Response.UNANSWERED
    assert server.answer(question.id, 'yes') == 'too late: nobody answered within 0.3 s'
    spinner.node.destroy_client(client)


def test_a_process_with_one_name_for_all_its_nodes_logs_once() -> None:
    # ros2 launch names the viewer's process so, and its page opens a server
    code = """
import rclpy
from rclpy.node import Node
from reactree_ros.ros.goals.operator_server import OperatorServer
rclpy.init(args=['--ros-args', '-r', '__node:=viewer'])
node = Node('any')
OperatorServer().close()
node.get_logger().info('still here')
"""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert 'still here' in done.stderr
    assert 'already registered' not in done.stderr


def test_the_question_of_a_canceled_goal_is_withdrawn(start_system: Callable[..., Any]) -> None:
    planner = {**CAREFUL, 'operator.answer_timeout_sec': 3600.0}
    server = OperatorServer()
    try:
        with start_system(GOING, planner, KITCHEN) as system:
            system.ready()
            handle = system.send(goal='go')
            question = system.spinner.until(lambda: server.question, seen=system.log)
            assert question.text == 'Allow the robot to "go to bathroom 1"?'
            system.cancel(handle)
            assert system.result(handle).result.status == 'canceled'
            system.spinner.until(lambda: server.question is None, 'the question is withdrawn')
            assert server.answer(question.id, 'yes') == f'too late: {NOT_NOW}'
    finally:
        server.close()


def test_a_skill_that_nobody_allows_in_time_takes_its_question_back(
    start_system: Callable[..., Any],
) -> None:
    planner = {**CAREFUL, 'operator.answer_timeout_sec': 2.0}
    server = OperatorServer()
    try:
        with start_system(GOING, planner, KITCHEN) as system:
            system.ready()
            handle = system.send(goal='go')
            system.spinner.until(lambda: shown(server) == 'Allow the robot to "go to bathroom 1"?')
            late = server.question
            system.spinner.until(lambda: shown(server) == 'Allow the robot to "go to bedroom 1"?')
            assert server.answer(late.id, 'yes') == (
                'too late: nobody answered within 2 s; "go to bathroom 1" was refused'
            )
            assert server.answer(server.question.id, 'no') == ''
            system.happens('observation', '"go to bedroom 1" was refused: the operator said no.')
            assert system.result(handle).result.status == 'succeeded'
    finally:
        server.close()


def test_the_planner_asks_and_continues_with_the_answer(
    start_system: Callable[..., Any], desk: Any
) -> None:
    planner = {
        'operator.ask': True,
        'operator.answer_timeout_sec': 3600.0,
    }
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
    planner = {
        'operator.ask': True,
        'operator.answer_timeout_sec': 3600.0,
    }
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
    planner = {'operator.ask': True}
    with start_system(ASKING, planner) as system:
        system.ready()
        handle = system.send(goal='bring it')
        system.happens('rejected', 'no question is allowed now')
        assert system.result(handle).result.status == 'succeeded'
