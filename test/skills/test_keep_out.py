# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Allowed ranges, what a robot must keep out of, and faults of a library in both."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.strategies.plan_steps import steps_of
from reactree_ros.skills.keep_out import Area, KeepOut
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.limits import Range
from reactree_ros.skills.reader import parse_library

ROBOT = """
name: careful robot
world:
  start: dock
  rooms: [hall, nursery]
  places:
    dock: {room: hall, pose: {x: 0, y: 0}}
    shelf: {room: hall, pose: {x: 3, y: 3}}
    crib: {room: nursery, pose: {x: 9, y: 9}}
  things:
    knife: {on_top_of: dock}
    cup: {on_top_of: shelf}
    doll: {on_top_of: crib}
keep_out:
  - Nursery
  - knife
  - {polygon: [[2, 2], [4, 2], [4, 4], [2, 4]]}
  - {frame: /odom, circle: {x: 0, y: 0, radius: 1}}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: [{kind: room}, {affordance: furniture}]}
    action: {name: drive, type: robot_msgs/action/Drive}
    goal: {pose: "{place.pose}", speed: 0.5}
    limits: {speed: {min: 0, max: 0.8}, wheels.*.torque: {max: 3}}
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: grabbable}}
    action: {name: grasp, type: robot_msgs/action/Grasp}
poses: {hall: {x: 1, y: 1}, nursery: {x: 9, y: 8}}
"""
L_SHAPE = Area('map', ((0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)))


@pytest.mark.parametrize(
    ('point', 'inside'),
    [
        ((1, 1), True),
        ((3, 1), True),
        ((1, 3), True),
        ((3, 3), False),
        ((5, 1), False),
        ((-1, 2), False),
        ((-1, 0), False),
        ((0, 0), True),
        ((4, 1), True),
        ((2, 3), True),
        ((3, 2), True),
        ((2, 2), True),
        ((4.000001, 1), False),
        ((math.nan, 1), True),
        ((math.inf, 1), True),
        ((1e308, 1), True),
    ],
)
def test_a_point_in_a_polygon_or_on_its_edge_is_inside(
    point: tuple[float, float], inside: bool
) -> None:
    assert L_SHAPE.has(*point) is inside
    turned = Area('map', tuple(reversed(L_SHAPE.polygon)))
    assert turned.has(*point) is inside


def test_a_point_in_a_circle_or_on_its_edge_is_inside() -> None:
    circle = Area('map', centre=(1.0, 1.0), radius=0.5)
    assert circle.has(1.5, 1.0)
    assert circle.has(1.3, 1.3)
    assert not circle.has(1.4, 1.4)


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf, '1', True, None, 10**400, b'1'])
def test_what_is_no_finite_number_is_out_of_every_range(value: Any) -> None:
    assert not Range().has(value)


@pytest.fixture
def robot() -> SkillLibrary:
    return parse_library(ROBOT, 'robot.yaml')


@pytest.fixture
def known(robot: SkillLibrary) -> Observation:
    model = robot.world_model()
    assert model is not None
    return model.observe()


def situation(seen: Observation) -> Situation:
    objects = {item.name: item for item in seen.objects}
    return Situation(seen.room, seen.place, objects, rooms=seen.rooms)


@pytest.mark.parametrize(
    'name', ['stove', 'Stove', 'STOVE 2', 'stove (2)', 'stove 4294967295', ' stove  1 ']
)
def test_a_forbidden_name_counts_however_it_is_written(name: str) -> None:
    assert KeepOut(frozenset({'stove'})).names_it(name)
    assert not KeepOut(frozenset({'stove 7'})).names_it(name)


@pytest.mark.parametrize('name', ['nursery (1)', 'Nursery 1', 'NURSERY'])
def test_it_is_read_however_it_is_written(name: str) -> None:
    library = parse_library(ROBOT.replace('- Nursery', f'- {name}'), 'robot.yaml')
    assert library.keep_out.names_it('nursery 1')


def test_a_place_that_is_perceived_is_found_by_its_pose_however_that_is_written() -> None:
    sees = """
name: robot that sees
keep_out: [{circle: {x: 9, y: 0, radius: 1}}]
poses: {Lab (1): {x: 9}, Dock: {x: 0}}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: {affordance: furniture}}
    action: {name: drive, type: robot_msgs/action/Drive}
    goal: {pose: "{place.pose}"}
"""
    library = parse_library(sees, 'robot.yaml')
    furniture = frozenset({'furniture'})
    seen = [ObservedObject(one, 1, affordances=furniture) for one in ('lab', 'Dock')]
    offered = library.executable(situation(Observation('', objects=tuple(seen))))
    assert [skill.phrase for skill in offered] == ['go to Dock 1']


def test_a_library_says_what_is_forbidden(robot: SkillLibrary) -> None:
    assert robot.keep_out.names == {'nursery', 'knife'}
    assert [area.frame for area in robot.keep_out.areas] == ['map', 'odom']
    assert robot.skills[0].call.limits == {
        ('speed',): Range(0, 0.8),
        ('wheels', '*', 'torque'): Range(high=3),
    }


def test_forbidden_names_rooms_and_areas_are_not_offered(
    robot: SkillLibrary, known: Observation
) -> None:
    offered = robot.executable(situation(known))
    assert {skill.phrase for skill in offered} == {'go to hall 1', 'go to dock 1'}
    planned = {phrase for phrase in steps_of(robot, known) if phrase.startswith('go to')}
    assert planned == {'go to hall 1', 'go to dock 1'}


@pytest.mark.parametrize(
    ('name', 'why'),
    [
        ('dock 1', ''),
        ('hall 1', ''),
        ('nursery 1', 'the robot must keep away from nursery 1'),
        ('knife 1', 'the robot must keep away from knife 1'),
        ('crib 1', 'crib 1 is there, and the robot must keep away from nursery 1'),
        ('doll 1', 'doll 1 is there, and the robot must keep away from nursery 1'),
        ('shelf 1', 'shelf 1 lies in an area that the robot must keep out of'),
        ('cup 1', 'cup 1 is there, and shelf 1 lies in an area that the robot must keep out of'),
    ],
)
def test_why_a_skill_is_forbidden_is_told(
    robot: SkillLibrary, known: Observation, name: str, why: str
) -> None:
    assert robot.forbids(robot.skills[0].ground(name), situation(known)) == why


def test_poses_and_areas_of_different_frames_are_told_apart(
    robot: SkillLibrary, known: Observation
) -> None:
    def elsewhere(name: str) -> list[tuple[str, str, str]]:
        found = robot.keep_out.elsewhere(name, situation(known), robot.poses)
        return [(where, pose.frame, area.frame) for where, pose, area in found]

    assert elsewhere('cup 1') == [('shelf 1', 'map', 'odom'), ('hall 1', 'map', 'odom')]
    assert elsewhere('crib 1') == [('crib 1', 'map', 'odom'), ('nursery 1', 'map', 'odom')]
    assert elsewhere('spoon 1') == []
    assert robot.keep_out.needs_transforms(robot.poses)
    assert not KeepOut(areas=robot.keep_out.areas[:1]).needs_transforms(robot.poses)


@pytest.mark.parametrize('frame', ['/map', 'map'])
def test_a_slash_before_a_frame_makes_no_other_frame(frame: str) -> None:
    text = f'frame: {frame}\n' + ROBOT.replace('{x: 3, y: 3}', '{frame: /map, x: 3, y: 3}')
    library = parse_library(text, 'robot.yaml')
    assert library.frame == 'map'
    model = library.world_model()
    assert model is not None
    seen = situation(model.observe())
    assert library.forbids(library.skills[0].ground('shelf 1'), seen) == (
        'shelf 1 lies in an area that the robot must keep out of'
    )


def test_what_lies_on_each_other_in_a_circle_is_no_endless_way(robot: SkillLibrary) -> None:
    one = ObservedObject('cup', 1, receptacle='bowl 1', relation='on')
    other = ObservedObject('bowl', 1, receptacle='cup 1', relation='on')
    seen = Situation(objects={one.name: one, other.name: other})
    assert robot.forbids(robot.skills[1].ground('cup 1'), seen) == ''


FAULTS = [
    ('- knife\n', '- spoon\n', "keep_out: 'spoon' is not in world"),
    ('- knife\n', '- 7\n', 'keep_out[1]: a text is expected, not 7'),
    ('[2, 4]]', '[2]]', 'keep_out[2].polygon[3]: '),
    ('[[2, 2], [4, 2], [4, 4], [2, 4]]', '[[2, 2], [4, 2]]', 'keep_out[2].polygon: '),
    ('[4, 4], [2, 4]', '[4, 2], [2, 2]', 'keep_out[2]: a polygon has at least three corners'),
    ('[2, 4]]', '[2, .nan]]', 'keep_out[2]: a number is not finite, or beyond 1e+09 m'),
    ('[2, 4]]', '[2, 1.0e+308]]', 'keep_out[2]: a number is not finite, or beyond 1e+09 m'),
    ('circle: {x: 0, y: 0, radius: 1}', 'frame: a', 'is not YAML'),
    ('{frame: /odom, circle: {x: 0, y: 0, radius: 1}}', '{frame: odom}', 'either a polygon or'),
    ('radius: 1', 'radius: 0', 'keep_out[3].circle.radius: '),
    ('radius: 1', 'radius: .inf', 'keep_out[3]: a number is not finite, or beyond 1e+09 m'),
    ('x: 0, y: 0, radius', 'y: 0, radius', 'keep_out[3].circle: x is missing'),
    ('max: 3', 'maximum: 3', "skills.go_to.limits.wheels.*.torque: unknown key 'maximum'"),
    ('min: 0, max: 0.8', '', 'skills.go_to.limits.speed: give at least one'),
    ('min: 0,', 'min: 1,', 'skills.go_to.limits.speed: min is greater than max'),
    ('min: 0,', 'min: .nan,', 'skills.go_to.limits.speed: not every number is finite'),
    (
        'action: {name: grasp, type: robot_msgs/action/Grasp}',
        'action: grasp\n    limits: {x: {max: 1}}',
        'skills.grasp: limits: an action of the type reactree_interfaces/action/ExecuteSkill',
    ),
    (
        '{name: grasp, type: robot_msgs/action/Grasp}',
        'grasp\n    risk: deadly',
        "skills.grasp.risk: low or medium or high is expected, not 'deadly'",
    ),
    (
        '{name: grasp, type: robot_msgs/action/Grasp}',
        'grasp\n    claims: arm',
        "skills.grasp.claims: a list is expected, not 'arm'",
    ),
    (
        '{name: grasp, type: robot_msgs/action/Grasp}',
        "grasp\n    claims: ['{hand}']",
        "skills.grasp.claims: '{hand}' is not an argument of the phrase",
    ),
]


@pytest.mark.parametrize(('old', 'new', 'fault'), FAULTS, ids=[one[2] for one in FAULTS])
def test_what_is_wrong_is_named_with_its_place(old: str, new: str, fault: str) -> None:
    assert ROBOT.count(old) == 1
    with pytest.raises(ConfigurationError) as raised:
        parse_library(ROBOT.replace(old, new), 'robot.yaml')
    assert fault in str(raised.value)
