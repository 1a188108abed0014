# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills whose success is checked by real services, topics and worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_interfaces.srv import CheckGoal
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.skills import library_check as skill_check
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.reader import parse_library

test_msgs = pytest.importorskip('test_msgs.action')
std_srvs = pytest.importorskip('std_srvs.srv')
geometry_msgs = pytest.importorskip('geometry_msgs.msg')

pytestmark = pytest.mark.ros

Fibonacci = test_msgs.Fibonacci
SetBool = std_srvs.SetBool
Point = geometry_msgs.Point

ROBOT = """
name: checked robot
world:
  start: shelf
  places: {shelf: {pose: {x: 1, y: 2}}}
  things: {cup: {on_top_of: shelf}}
skills:
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: grabbable, near: true, held: false}}
    action: {name: robot/grasp, type: test_msgs/action/Fibonacci}
    effects: {holds: item}
    check: CHECK
"""
SERVICE = """
      service:
        name: robot/grip
        type: std_srvs/srv/SetBool
        request: {data: true}
        success_if: {success: true}
"""
TOPIC = """
      topic:
        name: robot/load
        type: geometry_msgs/msg/Point
        is: {x: {min: 1, max: 2}, y: [0, 3]}
        within_sec: 2
"""
WORLD = '{world: ["hold the {item.class}", cup_held]}'
UNHURRIED = Timeouts(20.0, 20.0, 20.0)
NOBODY = Timeouts(3.0, 20.0, 20.0)


class Robot:
    """An executor that is told to grasp the cup."""

    def __init__(
        self, spinner: Any, check: str, check_service: str = '', timeouts: Timeouts = UNHURRIED
    ) -> None:
        self._spinner = spinner
        self.library = parse_library(ROBOT.replace('CHECK', check), 'robot.yaml')
        self.executor = RosSkillExecutor(
            spinner.node,
            self.library,
            'robot/observe',
            timeouts,
            MutuallyExclusiveCallbackGroup(),
            check_service=check_service,
        )

    def grasp(self, meanwhile: Callable[[], Any] = lambda: None) -> SkillResult:
        run = self.executor.start(self.library.skills[0].ground('cup 1'), Situation())
        result: SkillResult = self._spinner.until(lambda: meanwhile() or run.poll(), 'the grasp')
        return result

    def holds(self) -> bool:
        return bool(self.executor.observe().poll().held)


@pytest.fixture
def make(spinner: Any, serve: Any) -> Callable[..., Robot]:
    serve('robot/grasp', 'succeed', Fibonacci)
    return lambda *of, **more: Robot(spinner, *of, **more)


def failed_for(robot: Robot, result: SkillResult) -> str:
    assert result.status is SkillStatus.FAILED
    assert not robot.holds(), 'what was not done changes nothing'
    begin = '"grasp cup 1" was reported as done, but '
    assert result.observation.text.startswith(begin)
    return result.observation.text.removeprefix(begin)


def test_a_service_has_the_last_word(make: Any, spinner: Any) -> None:
    asked: list[bool] = []

    def answer(request: Any, response: Any) -> Any:
        asked.append(request.data)
        response.success = len(asked) > 1
        response.message = 'the fingers are empty'
        return response

    spinner.node.create_service(SetBool, 'robot/grip', answer)
    robot = make(SERVICE)
    assert failed_for(robot, robot.grasp()) == 'the fingers are empty.'
    result = robot.grasp()
    assert (result.status, robot.holds()) == (SkillStatus.SUCCEEDED, True)
    assert asked == [True, True]


def test_a_service_that_is_not_there_confirms_nothing(make: Any) -> None:
    robot = make(SERVICE, timeouts=NOBODY)
    told = failed_for(robot, robot.grasp())
    assert told == 'no service robot/grip was there for 3 s to check it.'


@pytest.mark.parametrize(
    ('x', 'y', 'why'),
    [
        (1.5, 3.0, ''),
        (2.0, 0.0, ''),
        (2.5, 3.0, 'x of robot/load is 2.5, not 1 to 2.'),
        (float('nan'), 3.0, 'x of robot/load is nan, not 1 to 2.'),
        (1.5, 1.0, 'y of robot/load is 1.0, not 0 or 3.'),
    ],
)
def test_a_topic_has_the_last_word(make: Any, spinner: Any, x: float, y: float, why: str) -> None:
    publisher = spinner.node.create_publisher(Point, 'robot/load', 10)
    robot = make(TOPIC)
    result = robot.grasp(lambda: publisher.publish(Point(x=x, y=y)))
    if why:
        assert failed_for(robot, result) == why
    else:
        assert (result.status, robot.holds()) == (SkillStatus.SUCCEEDED, True)
    spinner.node.destroy_publisher(publisher)


def test_a_byte_is_a_number(make: Any, spinner: Any) -> None:
    from test_msgs.msg import BasicTypes

    publisher = spinner.node.create_publisher(BasicTypes, 'robot/state', 10)
    robot = make(
        '{topic: {name: robot/state, type: test_msgs/msg/BasicTypes, is: {byte_value: 2}, '
        'within_sec: 2}}'
    )
    wrong = robot.grasp(lambda: publisher.publish(BasicTypes(byte_value=b'\x01')))
    assert failed_for(robot, wrong) == 'byte_value of robot/state is 1, not 2.'
    result = robot.grasp(lambda: publisher.publish(BasicTypes(byte_value=b'\x02')))
    assert result.status is SkillStatus.SUCCEEDED
    spinner.node.destroy_publisher(publisher)


def test_what_was_published_before_the_end_does_not_count(make: Any, spinner: Any) -> None:
    from rclpy.qos import DurabilityPolicy, QoSProfile

    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = spinner.node.create_publisher(Point, 'robot/load', latched)
    publisher.publish(Point(x=1.5, y=3.0))
    robot = make(TOPIC.replace('within_sec: 2', 'within_sec: 0.5'))
    assert failed_for(robot, robot.grasp()) == 'no message came on robot/load for 0.5 s.'
    spinner.node.destroy_publisher(publisher)


def test_the_world_has_the_last_word(make: Any, spinner: Any) -> None:
    asked: list[str] = []
    unmet = ['cup_held']
    known = [True]

    def answer(request: Any, response: Any) -> Any:
        asked.extend(request.conditions)
        response.known = known[0]
        response.unsatisfied = [one for one in request.conditions if one in unmet]
        response.holds = not response.unsatisfied
        return response

    spinner.node.create_service(CheckGoal, 'truth/check_goal', answer)
    robot = make(WORLD, 'truth/check_goal')
    assert failed_for(robot, robot.grasp()) == 'this does not hold: cup_held.'
    assert sorted(asked) == ['cup_held', 'hold the cup']
    known[0] = False
    assert 'the world cannot read "' in failed_for(robot, robot.grasp())
    known[0] = True
    unmet.clear()
    assert robot.grasp().status is SkillStatus.SUCCEEDED


def test_a_world_that_nobody_can_be_asked_about_confirms_nothing(make: Any) -> None:
    robot = make(WORLD)
    assert failed_for(robot, robot.grasp()) == (
        'it cannot be checked: the parameter robot.check_service is empty.'
    )


def test_types_and_fields_of_checks_are_held_against_what_is_installed(make: Any) -> None:
    with pytest.raises(ConfigurationError, match='the package nowhere_srvs is not installed'):
        make(SERVICE.replace('std_srvs', 'nowhere_srvs'))
    for check, faults in (
        (SERVICE, []),
        (TOPIC, []),
        (
            SERVICE.replace('{data: true}', '{dat: true}'),
            [
                'skills.grasp.check.service.request.dat: std_srvs/SetBool_Request has no such '
                'field (it has data)'
            ],
        ),
        (
            TOPIC.replace('y: [0', 'w: [0'),
            ['skills.grasp.check.topic.is.w: no field w (fields: x, y, z)'],
        ),
        (
            TOPIC.replace('geometry_msgs', 'nowhere_msgs'),
            [
                'skills.grasp.check.topic.type: the package nowhere_msgs is not installed (apt '
                'install ros-$ROS_DISTRO-nowhere-msgs)'
            ],
        ),
    ):
        library = parse_library(ROBOT.replace('CHECK', check), 'robot.yaml')
        assert skill_check.faults_of(library.skills[0]) == faults


def test_a_planner_asks_the_world_before_done_counts(start_system: Any) -> None:
    goal = 'fridge open'
    script = {goal: ['Act: go to fridge 1', 'Act: done', 'Act: open fridge 1', 'Act: done']}
    planner = {'agent.check_done': True}
    with start_system(script, planner, {'room': 'kitchen 1'}) as system:
        system.ready()
        answer = system.result(system.send(goal=goal))
        assert answer.result.status == 'succeeded', answer.result.message
        assert system.check(goal).holds
        system.happens('rejected', '"done" does not count, this does not hold: ')


def test_a_goal_that_is_reached_already_succeeds_before_any_skill(start_system: Any) -> None:
    goal = 'put the apple in the fridge'
    script = {goal: ['Act: go to bathroom 1', 'Act: failure']}
    planner = {}
    with start_system(script, planner, {'room': 'kitchen 1'}) as system:
        system.ready()
        true, false = ['robot in kitchen'], ['apple inside fridge']
        answer = system.result(system.send(goal=goal, conditions=true)).result
        assert (answer.status, answer.reason) == ('succeeded', '')
        assert answer.message.startswith('already reached')
        assert (answer.costs.decisions, answer.costs.skills) == (0, 0)
        answer = system.result(system.send(goal=goal, conditions=false)).result
        assert (answer.status, answer.costs.skills) == ('failed', 1)


def test_a_planner_holds_goals_against_what_the_library_says(
    start_system: Any, serve: Any, tmp_path: Any
) -> None:
    serve('robot/grasp', 'succeed', Fibonacci)
    asked: list[bool] = []

    def answer(request: Any, response: Any) -> Any:
        asked.append(request.data)
        response.message = 'the fingers are empty'
        response.success = len(asked) > 1
        return response

    text = ROBOT.replace('    check: CHECK', '    risk: high')
    text += f'done:\n  - goal: fetch {{item}}\n    check:{SERVICE}'
    file = tmp_path / 'robot.yaml'
    file.write_text(text)
    script = {'fetch a cup': ['Act: done', 'Act: grasp cup 1', 'Act: failure']}
    planner = {
        'operator.approval_risk_level': 'high',
        'operator.answer_timeout_sec': 0.3,
    }
    planner['agent.check_at_start'] = False
    with start_system(script, planner, skills=str(file), sim='none') as system:
        system.spinner.node.create_service(SetBool, 'robot/grip', answer)
        system.ready(bridge=False)
        answered = system.result(system.send(goal='fetch a cup'))
        assert answered.result.reason == 'gave_up'
        system.happens('rejected', '"done" does not count, the fingers are empty')
        system.happens('observation', '"grasp cup 1" was refused: nobody is there to allow it.')
        assert asked == [True]
