# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots whose action servers, services and topics are not ours, driven by YAML alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.task import Future

from reactree_interfaces.srv import Observe
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.reader import parse_library

test_msgs = pytest.importorskip('test_msgs.action')
std_srvs = pytest.importorskip('std_srvs.srv')
geometry_msgs = pytest.importorskip('geometry_msgs.msg')

pytestmark = pytest.mark.ros

Fibonacci = test_msgs.Fibonacci
SetBool = std_srvs.SetBool
PoseStamped = geometry_msgs.PoseStamped

ROBOT = """
name: counting robot
result_sec: 2
world:
  start: dock
  rooms: [hall]
  places:
    dock: {room: hall, pose: {x: 1, y: 2, yaw: 90}}
    shelf: {room: hall, is: [surfaces], pose: {frame: shelf_frame}}
  things:
    cup: {on_top_of: shelf}
skills:
  count:
    phrase: count at {place}
    arguments: {place: {affordance: furniture, here: false}}
    action: {name: robot/count, type: test_msgs/action/Fibonacci}
    goal: {order: "{place.number}"}
    success_if: {sequence.0: [1, 2]}
    refused_if: {sequence.0: 7}
    success_text: "Counted to {result.sequence.1}."
    failure_text: "it counted {result.sequence.0}"
    feedback_text: "at {feedback.sequence.0}"
    effects: {at: place}
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: grabbable, near: true, held: false}}
    service: {name: robot/gripper, type: std_srvs/srv/SetBool}
    request: {data: true}
    success_if: {success: true}
    effects: {holds: item}
  point:
    phrase: point at {place}
    arguments: {place: {affordance: furniture}}
    topic: {name: robot/point, type: geometry_msgs/msg/PoseStamped}
    message: "{place.pose}"
"""
UNHURRIED = ROBOT.replace('result_sec: 2', 'result_sec: 60')
LONG = Timeouts(20.0, 20.0, 20.0)
SHORT = Timeouts(0.3, 0.3, 0.3)


class Robot:
    """An executor, and what is known to it."""

    def __init__(self, spinner: Any, text: str, timeouts: Timeouts) -> None:
        self._spinner = spinner
        self.library = parse_library(text, 'robot.yaml')
        group = MutuallyExclusiveCallbackGroup()
        self.executor = RosSkillExecutor(
            spinner.node, self.library, 'robot/observe', timeouts, group
        )
        self.skills = {skill.name: skill for skill in self.library.skills}

    def start(self, name: str, *arguments: str) -> Any:
        return self.executor.start(self.skills[name].ground(*arguments), Situation())

    def do(self, name: str, *arguments: str) -> SkillResult:
        result: SkillResult = self._spinner.until(self.start(name, *arguments).poll, name)
        return result


@pytest.fixture
def robot(spinner: Any) -> Callable[..., Robot]:
    def make(text: str = ROBOT, timeouts: Timeouts = LONG) -> Robot:
        return Robot(spinner, text, timeouts)

    return make


def counted(*numbers: int) -> Any:
    return Fibonacci.Result(sequence=list(numbers))


def test_a_goal_is_filled_and_its_result_read(robot: Any, serve: Any) -> None:
    server = serve('robot/count', 'succeed', Fibonacci, counted(1, 5))
    result = robot().do('count', 'shelf 1')
    assert result.status is SkillStatus.SUCCEEDED
    assert result.observation.text == ('Counted to 5. You are at the shelf (1). You see: cup (1).')
    assert (result.observation.place, result.observation.room) == ('shelf 1', 'hall 1')
    assert [goal.order for goal in server.goals] == [1]


@pytest.mark.parametrize(
    ('manner', 'numbers', 'status', 'text'),
    [
        ('succeed', (3, 5), SkillStatus.FAILED, '"count at shelf 1" failed: it counted 3.'),
        ('succeed', (7,), SkillStatus.REFUSED, '"count at shelf 1" was refused: it counted 7.'),
        ('succeed', (), SkillStatus.FAILED, 'sequence.0: it has only 0 elements'),
        ('abort', (4,), SkillStatus.FAILED, 'failed: the robot aborted it: it counted 4.'),
        ('abort', (7,), SkillStatus.REFUSED, 'was refused: it counted 7.'),
        ('reject', (1,), SkillStatus.FAILED, 'the action server robot/count rejected it.'),
        ('hold', (1,), SkillStatus.FAILED, 'there was no result for 2 s; the robot stopped.'),
    ],
)
def test_what_goes_wrong_is_told_and_changes_nothing(
    robot: Any, serve: Any, manner: str, numbers: tuple[int, ...], status: SkillStatus, text: str
) -> None:
    serve('robot/count', manner, Fibonacci, counted(*numbers))
    made = robot()
    result = made.do('count', 'shelf 1')
    assert result.status is status
    assert text in result.observation.text
    assert not result.observation.objects
    assert made.executor.observe().poll().place == 'dock 1'


@pytest.mark.parametrize(
    ('manner', 'numbers', 'status'),
    [
        ('succeed', (3, 5), SkillStatus.FAILED),
        ('abort', (4,), SkillStatus.FAILED),
        ('succeed', (7,), SkillStatus.REFUSED),
    ],
)
def test_after_a_skill_that_failed_the_robot_is_asked_what_it_perceives(
    spinner: Any, serve: Any, manner: str, numbers: tuple[int, ...], status: SkillStatus
) -> None:
    serve('robot/count', manner, Fibonacci, counted(*numbers))

    def observe(_: Observe.Request, response: Observe.Response) -> Observe.Response:
        seen = response.observation
        seen.text, seen.room, seen.rooms = 'You are between two places.', 'hall 1', ['hall 1']
        return response

    service = spinner.node.create_service(Observe, 'robot/observe', observe)
    unworldly = yaml.safe_load(ROBOT)
    del unworldly['world']
    unworldly['poses'] = {'shelf': {'x': 1}}
    unworldly['skills'] = {'count': unworldly['skills']['count']}
    del unworldly['skills']['count']['effects']
    try:
        result = Robot(spinner, yaml.safe_dump(unworldly), LONG).do('count', 'shelf 1')
    finally:
        spinner.node.destroy_service(service)
    assert result.status is status
    text = result.observation.text
    assert text.startswith('"count at shelf 1" ')
    looked = status is SkillStatus.FAILED
    assert text.endswith('You are between two places.') == looked
    assert (result.observation.rooms == ('hall 1',)) == looked


def test_a_server_that_dies_in_the_middle_is_told(robot: Any, serve: Any, spinner: Any) -> None:
    server = serve('robot/count', 'hold', Fibonacci)
    run = robot(UNHURRIED, Timeouts(3.0, 20.0, 20.0)).start('count', 'shelf 1')
    spinner.until(lambda: run.poll() or server.started.is_set())
    server.vanish()
    result = spinner.until(run.poll)
    assert result.status is SkillStatus.FAILED
    assert 'the action server robot/count went away while it ran' in result.observation.text


def test_a_service_does_a_skill_once(robot: Any, spinner: Any) -> None:
    asked: list[bool] = []

    def answer(request: Any, response: Any) -> Any:
        asked.append(request.data)
        response.success = len(asked) > 1
        response.message = 'the hand is stuck'
        return response

    spinner.node.create_service(SetBool, 'robot/gripper', answer)
    made = robot()
    first = made.do('grasp', 'cup 1')
    assert first.status is SkillStatus.FAILED
    assert first.observation.text == '"grasp cup 1" failed: the hand is stuck.'
    second = made.do('grasp', 'cup 1')
    assert second.observation.text == 'You grasp cup 1. You hold cup (1).'
    assert [item.name for item in second.observation.held] == ['cup 1']
    assert asked == [True, True]


def test_a_service_that_does_not_answer_is_not_called_again(robot: Any, spinner: Any) -> None:
    run = robot(timeouts=SHORT).start('grasp', 'cup 1')
    result = spinner.until(run.poll)
    assert 'no service robot/gripper was there for 0.3 s' in result.observation.text
    calls: list[Any] = []

    async def never(request: Any, response: Any) -> Any:
        calls.append(request)
        await Future()

    group = ReentrantCallbackGroup()
    spinner.node.create_service(SetBool, 'robot/gripper', never, callback_group=group)
    unhurried = Timeouts(20.0, 20.0, cancel_sec=0.3)
    made = robot(ROBOT.replace('result_sec: 2', 'result_sec: 0.5'), unhurried)
    result = made.do('grasp', 'cup 1')
    assert result.status is SkillStatus.FAILED
    assert 'did not answer for 0.5 s; it may have done it' in result.observation.text
    run = made.start('grasp', 'cup 1')
    spinner.until(lambda: len(calls) == 2)
    run.cancel()
    assert run.poll() is None, 'it is still at it'
    assert spinner.until(run.poll).status is SkillStatus.CANCELED
    text = 'cannot be stopped, did not answer for 0.3 s and may have done it'
    assert text in run.poll().observation.text


def test_a_service_that_has_just_appeared_is_called_a_little_later(
    robot: Any, spinner: Any
) -> None:
    called: list[float] = []

    def answer(request: Any, response: Any) -> Any:
        called.append(time.monotonic())
        response.success = True
        return response

    run = robot(timeouts=Timeouts(20.0, 20.0, cancel_sec=0.3)).start('grasp', 'cup 1')
    assert run.poll() is None
    spinner.node.create_service(SetBool, 'robot/gripper', answer)
    appeared = time.monotonic()
    assert spinner.until(run.poll).status is SkillStatus.SUCCEEDED
    assert called[0] - appeared >= 1.0


def test_a_topic_is_told_a_pose(robot: Any, spinner: Any) -> None:
    made = robot(timeouts=SHORT)
    result = made.do('point', 'dock 1')
    assert result.status is SkillStatus.FAILED
    assert 'nobody listened to the topic robot/point for 0.3 s' in result.observation.text
    heard: list[Any] = []
    spinner.node.create_subscription(PoseStamped, 'robot/point', heard.append, 10)
    result = robot().do('point', 'dock 1')
    assert (result.status, result.observation.text) == (
        SkillStatus.SUCCEEDED,
        'You point at dock 1.',
    )
    spinner.until(lambda: heard)
    assert heard[0].header.frame_id == 'map'
    assert (heard[0].pose.position.x, heard[0].pose.position.y) == (1.0, 2.0)
    assert heard[0].pose.orientation.z == pytest.approx(0.5**0.5)
    robot().do('point', 'shelf 1')
    spinner.until(lambda: len(heard) == 2)
    assert heard[1].header.frame_id == 'shelf_frame'


def test_a_type_that_is_not_installed_is_named(robot: Any) -> None:
    text = ROBOT.replace('test_msgs/action/Fibonacci', 'nowhere_msgs/action/Fibonacci')
    with pytest.raises(ConfigurationError, match='skill count: the package nowhere_msgs is not'):
        robot(text)


@pytest.mark.parametrize('manner', ['abort', 'reject', 'hold', 'succeed'])
def test_an_agent_continues_after_what_a_foreign_server_does(
    start_system: Any, serve: Any, tmp_path: Path, manner: str
) -> None:
    file = tmp_path / 'robot.yaml'
    file.write_text(ROBOT)
    serve('robot/count', manner, Fibonacci, counted(1, 2))
    server = serve('robot/count_again', 'succeed', Fibonacci, counted(1, 2))
    document = yaml.safe_load(ROBOT)
    again = dict(document['skills']['count'], phrase='count again at {place}')
    again['action'] = {'name': 'robot/count_again', 'type': 'test_msgs/action/Fibonacci'}
    document['skills']['count_again'] = again
    file.write_text(yaml.safe_dump(document))
    script = {'count': ['Act: count at shelf 1', 'Act: count again at shelf 1', 'Act: done']}
    if manner == 'succeed':
        script = {'count': ['Act: count at shelf 1', 'Act: done']}
    with start_system(script, skills=str(file), sim='none') as system:
        system.ready(bridge=False)
        answer = system.result(system.send(goal='count'))
        assert answer.result.status == 'succeeded', answer.result.message
        assert bool(server.goals) is (manner != 'succeed')
        told = {
            'abort': 'failed: the robot aborted it',
            'reject': 'rejected it',
            'hold': 'there was no result for 2 s',
            'succeed': 'Counted to 2.',
        }[manner]
        system.happens('observation', told)


HOME = """
name: household
agent: a household robot
rules: >-
  Closed places must be opened before you see what is in them. You can hold one thing at a time: put
  it down before you pick up the next.
world:
  start: kitchen
  rooms: [kitchen, living room]
  places:
    kitchen table: {room: kitchen}
    coffee table 3: {room: living room}
    sofa: {room: living room}
  things:
    mug: {on_top_of: kitchen table}
    book: {on_top_of: sofa}
predicates:
  "on":
    phrase: "{item} on {place}"
    item: [mug, book]
    place: [kitchen table, coffee table, sofa]
    holds: {relation: "on"}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: [{kind: room, here: false}, {affordance: furniture, here: false}]}
    action: {name: robot/go, type: test_msgs/action/Fibonacci}
    goal: {order: "{place.number}"}
    effects: {at: place}
  pick_up:
    phrase: pick up {item}
    arguments: {item: {affordance: grabbable, near: true, held: false}}
    when: {hands: free}
    action: {name: robot/grasp, type: test_msgs/action/Fibonacci}
    effects: {holds: item}
  put_down:
    phrase: put down {item}
    arguments: {item: {held: true}}
    when: {at: {affordance: surfaces}}
    action: {name: robot/release, type: test_msgs/action/Fibonacci}
    effects: {puts: item}
"""


@pytest.mark.thorough
@pytest.mark.model
def test_a_language_model_does_a_goal_with_foreign_servers(
    start_system: Any, serve: Any, tmp_path: Path
) -> None:
    file = tmp_path / 'home.yaml'
    file.write_text(HOME)
    go, grasp, release = (
        serve(f'robot/{name}', 'succeed', Fibonacci) for name in ('go', 'grasp', 'release')
    )
    model = 'gemma-3-270m-household'
    planner = {'robot.check_service': ''}
    with start_system({}, planner, skills=str(file), sim='none', model=model) as system:
        system.ready(bridge=False, seconds=120.0)
        handle = system.send(goal='put the mug on the coffee table')
        result = system.result(handle, 120.0).result
        assert result.status == 'succeeded', result.tree
        assert len(grasp.goals) == len(release.goals) == 1
        assert go.goals[-1].order == 3, 'it stands at the coffee table when it lets go'
        assert 'You put down mug 1.' in result.tree
