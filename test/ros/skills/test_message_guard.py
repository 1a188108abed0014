# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is looked at in a message before it is sent to a real server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_ros.core.observation import ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.option import make
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.execution.claims import Claims
from reactree_ros.execution.guard import guarded
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.services import make_parts
from reactree_ros.ros.skills import frames
from reactree_ros.ros.skills import library_check as skill_check
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.message_guard import check_limits, positions
from reactree_ros.ros.skills.messages import fill
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.limits import Range
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.reader import parse_library

test_msgs = pytest.importorskip('test_msgs.action')
more_test_msgs = pytest.importorskip('test_msgs.msg')
geometry_msgs = pytest.importorskip('geometry_msgs.msg')

pytestmark = pytest.mark.ros

Fibonacci = test_msgs.Fibonacci
PoseStamped = geometry_msgs.PoseStamped

ROBOT = """
name: counting robot
world:
  start: dock
  places:
    dock: {pose: {x: 1, y: 2}}
    shelf: {pose: {x: 5, y: 5}}
    shelf 3: {pose: {frame: shelf_frame}}
keep_out:
  - {polygon: [[4, 4], [6, 4], [6, 6], [4, 6]]}
skills:
  count:
    phrase: count at {place}
    arguments: {place: {affordance: furniture}}
    action: {name: robot/count, type: test_msgs/action/Fibonacci}
    goal: {order: "{place.number}"}
    limits: {order: {min: 1, max: 2}}
  point:
    phrase: point at {place}
    arguments: {place: {affordance: furniture}}
    topic: {name: robot/point, type: geometry_msgs/msg/PoseStamped}
    message: "{place.pose}"
"""
TIMEOUTS = Timeouts(20.0, 20.0, 20.0)


@pytest.fixture
def do(spinner: Any) -> Callable[..., SkillResult]:
    def run(
        name: str, *arguments: str, text: str = ROBOT, situation: Situation | None = None
    ) -> SkillResult:
        library = parse_library(text, 'robot.yaml')
        group = MutuallyExclusiveCallbackGroup()
        robot = RosSkillExecutor(spinner.node, library, 'robot/observe', TIMEOUTS, group)
        skill = next(one for one in library.skills if one.name == name)
        started = robot.start(skill.ground(*arguments), situation or Situation())
        result: SkillResult = spinner.until(started.poll, name)
        robot.destroy()
        return result

    return run


def test_a_number_that_is_out_of_its_range_is_not_sent(do: Any, serve: Any) -> None:
    server = serve('robot/count', 'succeed', Fibonacci)
    result = do('count', 'shelf 3')
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        '"count at shelf 3" was refused: order is 3, and 1 to 2 is allowed.'
    )
    assert not server.goals
    assert do('count', 'shelf 1').status is SkillStatus.SUCCEEDED
    assert [goal.order for goal in server.goals] == [1]


def test_a_pose_in_a_forbidden_area_is_not_sent(do: Any, spinner: Any) -> None:
    heard: list[Any] = []
    spinner.node.create_subscription(PoseStamped, 'robot/point', heard.append, 10)
    result = do('point', 'shelf 1')
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        '"point at shelf 1" was refused: pose lies in an area that the robot must keep out of '
        '(5.00, 5.00 in map).'
    )
    assert do('point', 'dock 1').status is SkillStatus.SUCCEEDED
    spinner.until(lambda: heard)
    assert [message.pose.position.x for message in heard] == [1.0]


def test_a_pose_of_which_nobody_knows_where_it_is_is_not_sent(do: Any) -> None:
    result = do('point', 'shelf 3')
    assert result.status is SkillStatus.REFUSED
    assert 'shelf_frame' in result.observation.text
    assert 'map' in result.observation.text


@pytest.fixture
def transforms(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], tuple[float, float]]:
    """Where the second frame is in the first, as TF tells it; not every machine has tf2_ros."""
    known: dict[tuple[str, str], tuple[float, float]] = {}

    class Buffer:
        def lookup_transform(self, target: str, source: str, _: Any) -> Any:
            if (target, source) not in known:
                raise LookupError(f'no tree has {source}')
            x, y = known[target, source]
            at = geometry_msgs.Vector3(x=x, y=y)
            return geometry_msgs.TransformStamped(transform=geometry_msgs.Transform(translation=at))

    class TransformListener:
        def __init__(self, buffer: Buffer, node: Any) -> None:
            pass

        def unregister(self) -> None:
            pass

    tf2_ros = SimpleNamespace(
        Buffer=Buffer, TransformListener=TransformListener, TransformException=LookupError
    )
    monkeypatch.setattr(frames, 'tf2_ros', tf2_ros)
    return known


BY_NAME = (
    ROBOT.split('skills:')[0]
    + """
skills:
  fetch:
    phrase: fetch {item}
    arguments: {item: {}}
    action: robot/fetch
"""
)
NOWHERE = 'it is not known whether shelf 3 lies in an area that the robot must keep out of: '


def test_what_is_sent_by_name_is_looked_up_in_the_frame_of_the_area(
    do: Any, serve: Any, transforms: dict[tuple[str, str], tuple[float, float]]
) -> None:
    server = serve('robot/fetch', 'succeed')
    transforms['map', 'shelf_frame'] = (5.0, 5.5)
    on_shelf = Situation(objects={'cup 1': ObservedObject('cup', 1, receptacle='shelf 3')})
    result = do('fetch', 'cup 1', text=BY_NAME, situation=on_shelf)
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        '"fetch cup 1" was refused: cup 1 is there, and shelf 3 lies in an area that the robot '
        'must keep out of (5.00, 5.50 in map).'
    )
    assert not server.goals
    transforms['map', 'shelf_frame'] = (7.0, 5.5)
    result = do('fetch', 'cup 1', text=BY_NAME, situation=on_shelf)
    assert result.status is SkillStatus.SUCCEEDED
    assert len(server.goals) == 1


CONSTANT = """
name: pointing robot
keep_out:
  - {polygon: [[4, 4], [6, 4], [6, 6], [4, 6]]}
skills:
  point:
    phrase: point
    topic: {name: robot/point, type: geometry_msgs/msg/PoseStamped}
    message: {header: {frame_id: shelf_frame}, pose: {orientation: {w: 1.0}}}
"""


@pytest.mark.parametrize(
    ('at', 'why'),
    [
        ((5.0, 5.5), 'pose lies in an area that the robot must keep out of (5.00, 5.50 in map).'),
        ((7.0, 5.5), ''),
        (None, 'no tree has shelf_frame'),
    ],
)
def test_a_position_that_no_argument_names_is_looked_up_in_the_frame_of_the_area(
    do: Any,
    spinner: Any,
    transforms: dict[tuple[str, str], tuple[float, float]],
    at: tuple[float, float] | None,
    why: str,
) -> None:
    spinner.node.create_subscription(PoseStamped, 'robot/point', lambda _: None, 10)
    if at is not None:
        transforms['map', 'shelf_frame'] = at
    result = do('point', text=CONSTANT)
    assert result.status is (SkillStatus.REFUSED if why else SkillStatus.SUCCEEDED)
    assert why in result.observation.text


def test_what_is_sent_by_name_is_refused_if_tf_does_not_know_the_way(
    do: Any, serve: Any, transforms: dict[tuple[str, str], tuple[float, float]]
) -> None:
    server = serve('robot/fetch', 'succeed')
    result = do('fetch', 'shelf 3', text=BY_NAME)
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        f'"fetch shelf 3" was refused: {NOWHERE}no transform from shelf_frame to map: '
        'no tree has shelf_frame.'
    )
    assert do('fetch', 'dock 1', text=BY_NAME).status is SkillStatus.SUCCEEDED
    assert len(server.goals) == 1


def test_what_is_sent_by_name_is_refused_without_tf(
    do: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, 'tf2_ros', None)
    server = serve('robot/fetch', 'succeed')
    result = do('fetch', 'shelf 3', text=BY_NAME)
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        f'"fetch shelf 3" was refused: {NOWHERE}cannot transform a pose from shelf_frame to map: '
        'install tf2_ros_py or tf2_msgs.'
    )
    assert not server.goals


def test_a_limit_of_a_field_that_is_not_there_stops_the_planner_and_the_check(do: Any) -> None:
    text = ROBOT.replace('limits: {order', 'limits: {orders')
    with pytest.raises(ConfigurationError, match='skill count: limits.orders: no field'):
        do('count', 'shelf 1', text=text)
    skill = parse_library(text, 'robot.yaml').skills[0]
    assert skill_check.faults_of(skill) == [
        'skills.count.limits.orders: no field orders (fields: order)'
    ]


@pytest.mark.parametrize(
    ('path', 'value', 'why'),
    [
        ('float64_value', 2.0, ''),
        ('float64_value', 2.5, 'float64_value is 2.5, and -1 to 2 is allowed'),
        ('float64_value', float('nan'), 'float64_value is nan'),
        ('float64_value', float('inf'), 'float64_value is inf'),
        ('int32_value', -2, 'int32_value is -2'),
    ],
)
def test_numbers_of_all_types_are_looked_at(path: str, value: Any, why: str) -> None:
    message = more_test_msgs.BasicTypes()
    setattr(message, path, value)
    if not why:
        check_limits(message, {(path,): Range(-1, 2)})
        return
    with pytest.raises(SkillError) as raised:
        check_limits(message, {(path,): Range(-1, 2)})
    assert why in str(raised.value)


def test_every_element_of_an_array_is_looked_at() -> None:
    message = more_test_msgs.UnboundedSequences(float64_values=[0.0, 1.0, 9.0])
    for path in (('float64_values',), ('float64_values', '*')):
        with pytest.raises(SkillError, match=r'float64_values.2 is 9.0, and at most 2 is allowed'):
            check_limits(message, {path: Range(high=2)})
    with pytest.raises(SkillError, match='it has only 3 elements'):
        check_limits(message, {('float64_values', '3'): Range(high=2)})
    values = [more_test_msgs.BasicTypes(float64_value=number) for number in (0.0, 3.0)]
    message = more_test_msgs.UnboundedSequences(basic_types_values=values)
    with pytest.raises(SkillError, match=r'basic_types_values.1.float64_value is 3.0'):
        check_limits(message, {('basic_types_values', '*', 'float64_value'): Range(high=2)})


@pytest.mark.parametrize(
    ('kind', 'values', 'found'),
    [
        ('PoseStamped', Pose('odom', (1.0, 2.0, 3.0)), [('pose', 'odom', (1.0, 2.0, 3.0))]),
        (
            'PoseArray',
            {'header': {'frame_id': '/odom'}, 'poses': [Pose('map', (1.0, 0.0, 0.0))]},
            [('poses[0]', 'odom', (1.0, 0.0, 0.0))],
        ),
        ('PointStamped', {'point': {'x': 4.0}}, [('point', 'map', (4.0, 0.0, 0.0))]),
        (
            'PolygonStamped',
            {'polygon': {'points': [{'x': 1}, {'y': 2}]}},
            [
                ('polygon.points[0]', 'map', (1.0, 0.0, 0.0)),
                ('polygon.points[1]', 'map', (0.0, 2.0, 0.0)),
            ],
        ),
        ('Vector3', Pose('map', (1.0, 0.0, 0.0)), [('', 'map', (1.0, 0.0, 0.0))]),
        ('Twist', {'linear': {'x': 5.0}}, []),
        (
            'PoseStamped',
            {'header': {'frame_id': 'odom'}},
            [('pose', 'odom', (0.0, 0.0, 0.0))],
        ),
        ('TwistStamped', {'header': {'frame_id': 'odom'}}, []),
    ],
)
def test_positions_are_found_wherever_the_library_fills_them(
    kind: str, values: Any, found: list[Any]
) -> None:
    message = getattr(geometry_msgs, kind)()
    fill(message, values, lambda pose: pose)
    told = [(place, pose.frame, pose.position) for place, pose in positions(message, values, 'map')]
    assert told == found


def test_skills_that_claim_the_same_wait_for_each_other(spinner: Any, serve: Any) -> None:
    text = ROBOT.replace('    limits: {order', '    claims: [arm]\n    limits: {order')
    library = parse_library(text, 'robot.yaml')
    group = MutuallyExclusiveCallbackGroup()
    robot = RosSkillExecutor(spinner.node, library, 'robot/observe', TIMEOUTS, group)
    first_robot, second_robot = guarded(robot, library), guarded(robot, library, Claims(0.3))
    model = library.world_model()
    assert model is not None
    seen = {item.name: item for item in model.observe().objects}
    count = library.skills[0].ground('dock 1')
    server = serve('robot/count', 'hold', Fibonacci)

    first = first_robot.start(count, Situation(objects=seen))
    spinner.until(lambda: first.poll() or server.started.is_set())
    second = first_robot.start(count, Situation(objects=seen))
    ticks = iter(range(20))
    spinner.until(lambda: second.poll() or next(ticks) == 19)
    assert second.poll() is None
    assert len(server.goals) == 1
    first.cancel()
    spinner.until(first.poll)
    spinner.until(lambda: second.poll() or len(server.goals) == 2, 'the second is sent')
    second.cancel()
    spinner.until(second.poll)

    busy = second_robot.start(count, Situation(objects=seen))
    spinner.until(lambda: busy.poll() or len(server.goals) == 3)
    refused = spinner.until(second_robot.start(count, Situation(objects=seen)).poll)
    assert refused.observation.text == (
        '"count at dock 1" was refused: the arm is still busy with "count at dock 1".'
    )
    busy.cancel()
    spinner.until(busy.poll)
    assert len(server.goals) == 3
    robot.destroy()


def test_a_planner_whose_safe_state_needs_a_person_starts_neither_robot_nor_model(
    tmp_path: Path,
) -> None:
    skills = tmp_path / 'robot.yaml'
    skills.write_text(BY_NAME + '    risk: high\nsafe_state: [{fetch: {item: dock 1}}]\n')
    given = {
        'model.name': 'scripted:nowhere',
        'skills': str(skills),
        'operator.approval_risk_level': 'medium',
    }
    config = make(PlannerConfig, given)

    def make_robot(library: SkillLibrary, name: str) -> Any:
        raise AssertionError('no robot is wanted')

    nobody: Any = None
    with pytest.raises(
        ConfigurationError, match=r"approval_risk_level is 'medium'.* fetch \(risk high\)"
    ):
        make_parts(config, make_robot, nobody)


def test_all_strategies_of_a_planner_share_the_guards_of_its_robots(tmp_path: Path) -> None:
    script = tmp_path / 'script.yaml'
    script.write_text('{}')
    given = {
        'skills': 'household',
        'model.name': f'scripted:{script}',
        'memory.store': '',
        'robots': ('one', 'two'),
        'robot.cancel_sec': 0.7,
    }
    config = make(PlannerConfig, given)
    made: list[Any] = []

    def make_robot(library: SkillLibrary, name: str) -> Any:
        made.append(object())
        return made[-1]

    nobody: Any = None
    parts = make_parts(config, make_robot, nobody)
    first, other = parts.services('reactree'), parts.services('react')
    assert isinstance(first.executor, SkillPipeline)
    assert first.executor is other.executor
    assert [*first.helpers] == ['two']
    assert [stage.name for stage in first.executor.stages] == ['guard']
    helper: Any = first.helpers['two']
    assert [stage.name for stage in helper.stages] == ['guard']
    assert first.helpers['two'] is not first.executor
    assert len(made) == 2
    claims = [one.stages[0]._claims for one in (first.executor, helper)]
    assert claims[0] is claims[1], 'one robot waits for what another claims'
    assert claims[0].wait_sec == 0.7
    parts.close()
