# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How skills reach the robot: what a library says of it, and what is wrong with that."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.skills.call import EXECUTE_SKILL, Kind
from reactree_ros.skills.declared_world import Effects
from reactree_ros.skills.document import SCHEMA
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.reader import parse_library, read_library

ROBOT = """
name: robot
frame: odom
result_sec: 7
world:
  start: dock
  rooms: [hall, kitchen]
  places:
    dock: {room: hall, pose: {x: 1, yaw: 180}}
    shelf: {room: kitchen, is: [surfaces], pose: {frame: shelf_link}}
  things:
    cup: {on_top_of: shelf, states: [dirty]}
    cup 3: {inside: dock}
    Cup: {room: kitchen}
poses:
  hall: {x: 4}
  kitchen: {quaternion: [0, 0, 1, 0]}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: [{kind: room}, {affordance: furniture}]}
    action: {name: drive, type: nav_msgs/action/Drive}
    goal: {pose: "{place.pose}", speed: 0.5}
    success_if: {error.code: 0}
    refused_if: {error.code: [3, 4]}
    success_text: "At {place} after {result.seconds:.0f} s."
    feedback_text: "{feedback.left} m"
    effects: {at: place}
  put:
    phrase: put {item} on {vessel}
    arguments: {item: {held: true}, vessel: {affordance: recipient}}
    service: {name: put, type: robot_msgs/srv/Put}
    request: {what: "{item.id}"}
    result_sec: 3
    effects: {puts: item, on_top_of: vessel, states: {vessel: [full]}}
  beep:
    phrase: beep
    topic: {name: beep, type: std_msgs/msg/String}
    message: {data: "beep {robot.place}"}
    wait_sec: 0.5
"""


def test_calls_are_read_as_written() -> None:
    go_to, put, beep = (skill.call for skill in parse_library(ROBOT, 'robot.yaml').skills)
    assert (go_to.kind, go_to.name, go_to.limit_sec) == (Kind.ACTION, 'drive', 7.0)
    assert go_to.success_if == {('error', 'code'): (0,)}
    assert go_to.refused_if == {('error', 'code'): (3, 4)}
    assert go_to.posed == ('place',)
    assert go_to.effects == Effects(at='place')
    assert (put.kind, put.type, put.limit_sec) == (Kind.SERVICE, 'robot_msgs/srv/Put', 3.0)
    assert put.effects == Effects(puts='item', onto='vessel', states={'vessel': ('full',)})
    assert (beep.kind, beep.fields, beep.limit_sec) == (
        Kind.TOPIC,
        {'data': 'beep {robot.place}'},
        0.5,
    )


def test_a_world_is_read_as_declared() -> None:
    library = parse_library(ROBOT, 'robot.yaml')
    declared = library.declared
    assert declared is not None
    assert (declared.rooms, declared.start) == (('hall 1', 'kitchen 1'), 'dock 1')
    things = {item.name: item for item in declared.objects}
    assert list(things) == ['dock 1', 'shelf 1', 'cup 1', 'cup 3', 'cup 2']
    assert things['dock 1'].affordances == {'furniture', 'surfaces'}
    assert things['cup 1'].affordances == {'grabbable'}
    assert (things['cup 1'].receptacle, things['cup 1'].relation) == ('shelf 1', 'on')
    assert (things['cup 1'].room, things['cup 1'].states) == ('kitchen 1', {'dirty'})
    assert (things['cup 3'].receptacle, things['cup 3'].relation) == ('dock 1', 'inside')
    assert (library.objects, library.places) == ({'cup'}, {'dock', 'shelf'})
    assert library.poses['dock 1'].position == (1.0, 0.0, 0.0)
    assert library.poses['dock 1'].frame == library.frame == 'odom'
    assert library.poses['shelf 1'] == Pose('shelf_link')
    assert library.poses['hall 1'].position == (4.0, 0.0, 0.0)
    assert library.poses['kitchen 1'].orientation == (0.0, 0.0, 1.0, 0.0)


# what is replaced in ROBOT, by what, what the error says
FAULTS = [
    ('action: {name: drive, type: nav_msgs/action/Drive}', '', 'skills.go_to: give an action,'),
    ('nav_msgs/action/Drive', 'nav_msgs/Drive', 'skills.go_to.action.type: '),
    ('nav_msgs/action/Drive', 'nav_msgs/srv/Drive', 'nav_msgs/srv/Drive is not a type of a action'),
    ('    request: {what', '    goal: {what', 'skills.put.goal: only a skill with a action'),
    ('wait_sec: 0.5', 'success_if: {ok: true}', 'skills.beep: success_if: a topic has no answer'),
    ('result_sec: 3', 'wait_sec: 3', 'skills.put.wait_sec: only a skill with a topic has it'),
    ('result_sec: 3', 'feedback_text: x', 'skills.put.feedback_text: a service has no feedback'),
    (
        'service: {name: put, type: robot_msgs/srv/Put}',
        'service: {name: put, type: robot_msgs/srv/Put}\n    action: put',
        'skills.put: give only one of action and service',
    ),
    ('"{place.pose}"', '"{plaice.pose}"', "{plaice.pose}: 'plaice' is not known there"),
    ('"{place.pose}"', '"{place.poze}"', 'after place comes one of class, number, id, pose'),
    ('"{place.pose}"', '"{result.pose}"', 'result is not available there'),
    ('{result.seconds:.0f}', '{result}', 'name a field of the result'),
    ('{feedback.left}', '{result.left}', 'result is not available there'),
    ('{robot.place}', '{robot.name}', 'after robot comes one of held, place, room'),
    ('error.code: 0', '"error code": 0', 'skills.go_to.success_if: '),
    (
        '{at: place}',
        '{at: sofa}',
        "skills.go_to.effects: 'sofa' is neither an argument of the phrase nor in world",
    ),
    ('puts: item, ', '', 'skills.put.effects: on_top_of and inside need puts'),
    ('puts: item, ', 'puts: item, inside: vessel, ', 'skills.put.effects: it is either put on'),
    ('start: dock', 'start: moon', "world.start: 'moon' is not in world"),
    ('on_top_of: shelf', 'on_top_of: sofa', "world.things.cup: 'sofa' is not in world"),
    ('inside: dock', 'inside: dock, on_top_of: dock', 'world.things.cup 3: it is either on'),
    ('room: hall, ', 'room: cellar, ', "world.places.dock.room: 'cellar' is not in world"),
    ('yaw: 180', 'yaw: 180, quaternion: [0, 0, 0, 1]', 'give angles or a quaternion, not both'),
    ('[0, 0, 1, 0]', '[0, 0, 2, 0]', 'poses.kitchen.quaternion: its length is 2.000, not 1'),
    ('[0, 0, 1, 0]', '[0, 0, 1]', 'poses.kitchen.quaternion: '),
    ('x: 4', 'x: .inf', 'poses.hall: not every number is finite'),
    ('  hall: {x: 4}\n', '', 'it asks for {place.pose}, and there is no pose of hall 1'),
    (', pose: {frame: shelf_link}', '', 'and there is no pose of shelf 1'),
    (
        '  things:',
        '    hall: {}\n  things:',
        "world.places: 'hall' is hall 1, which world.rooms has",
    ),
    ('world:\n', 'worlds:\n', "top level: unknown key 'worlds'"),
]


@pytest.mark.parametrize(('old', 'new', 'error'), FAULTS)
def test_a_fault_is_named_with_its_place(old: str, new: str, error: str) -> None:
    assert old in ROBOT
    with pytest.raises(ConfigurationError) as caught:
        parse_library(ROBOT.replace(old, new, 1), 'robot.yaml')
    assert error in str(caught.value)


def test_effects_need_a_declared_world() -> None:
    text = """
name: robot
skills:
  go: {phrase: go, action: {name: go, type: a_msgs/action/Go}, effects: {states: {}}}
"""
    with pytest.raises(ConfigurationError, match=r'skills\.go\.effects: only a library that decl'):
        parse_library(text, 'robot.yaml')


def test_the_projects_own_action_needs_no_fields() -> None:
    skill = '{phrase: go, goal: {speed: 1}, success_text: "Gone."}'
    text = f'{{name: x, action: act, skills: {{go: {skill}}}}}'
    with pytest.raises(
        ConfigurationError, match=rf'goal, success_text: .* type {EXECUTE_SKILL} gets'
    ):
        parse_library(text, 'robot.yaml')


@pytest.mark.parametrize('path', sorted(share('behaviors').glob('*.yaml')), ids=lambda p: p.stem)
def test_shipped_libraries_are_right(path: Path) -> None:
    if path.stem == 'blocksworld':
        pytest.importorskip('unified_planning')
    assert read_library(path).skills


def test_the_schema_is_one_and_explains_every_key() -> None:
    schema = json.loads(share(*SCHEMA).read_text())
    Draft202012Validator.check_schema(schema)
    unexplained = list(undescribed(schema, 'library', schema['$defs']))
    assert unexplained == []


def undescribed(schema: Any, where: str, known: Any) -> Any:
    for key, one in schema.get('properties', {}).items():
        if 'description' not in one and 'description' not in known.get(
            one.get('$ref', '').rpartition('/')[2], {}
        ):
            yield f'{where}.{key}'
        yield from undescribed(one, f'{where}.{key}', known)
    for name, one in schema.get('$defs', {}).items():
        yield from undescribed(one, name, known)


def test_what_a_yaml_program_writes_again_is_the_same_library() -> None:
    again = yaml.safe_dump(yaml.safe_load(ROBOT))
    assert parse_library(again, 'again.yaml').skills[0].call == (
        next(one for one in parse_library(ROBOT, 'x').skills if one.name == 'beep').call
    )


def test_the_twelve_lines_of_the_documentation_are_a_library() -> None:
    name = 'docs/skills.md'
    text = (Path(__file__).parents[2] / name).read_text(encoding='utf-8')
    (block,) = (one for one in re.findall(r'```yaml\n(.*?)```', text, re.DOTALL) if 'Nav' in one)
    (skill,) = parse_library(block, name).skills
    assert skill.call.type == 'nav2_msgs/action/NavigateToPose'
    assert len(block.splitlines()) == 12
