# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold when something is done: as a library says it, and held against memory."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import (
    GoalCheck,
    Question,
    ServiceCondition,
    TopicCondition,
    WorldCondition,
)
from reactree_ros.skills.limits import Range
from reactree_ros.skills.memory_condition import MemoryCondition
from reactree_ros.skills.reader import parse_library

ROBOT = """
name: checked robot
skills:
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: grabbable}}
    action: robot/grasp
    check:
      memory: {object: "{item}", held: true, not_state: [broken]}
      world: ["the {item.class} is not on the floor"]
      service: {name: robot/grip, type: std_srvs/srv/Trigger, success_if: {success: true}}
      topic:
        name: robot/load
        type: std_msgs/msg/Float64
        is: {data: {min: 0.1}, mode: [1, 2], name: arm}
        within_sec: 0.5
done:
  - check: {memory: {robot_in: hall}}
  - goal: put {item} on {place}
    check:
      memory: [{object: "{item}", on: "{place}"}, {object: "{item}", held: false}]
"""
APPLE = ObservedObject('apple', 1, room='kitchen 1', receptacle='bowl 1', relation='inside')
BOWL = ObservedObject('bowl', 1, room='kitchen 1', receptacle='table 1', relation='on')
CUP = ObservedObject('cup', 1, held=True, states=frozenset({'dirty'}))
OTHER_CUP = ObservedObject('cup', 2, room='hall 1')
FRIDGE = ObservedObject('fridge', 1, room='kitchen 1', states=frozenset({'closed'}))
KNOWN = Situation(
    'kitchen 1',
    'table 1',
    {item.name: item for item in (APPLE, BOWL, CUP, OTHER_CUP, FRIDGE)},
)


@pytest.mark.parametrize(
    ('condition', 'objection'),
    [
        ({'object': 'cup 1', 'held': True}, ''),
        ({'object': 'cup 1', 'held': False}, 'cup 1 is still in the hand'),
        ({'object': '{item}', 'held': True}, 'apple 1 is not in the hand'),
        ({'object': 'cup', 'held': True}, ''),
        ({'object': 'cup', 'held': False}, ''),
        ({'object': 'pear', 'held': True}, 'nothing is known of pear'),
        ({'object': 'apple', 'inside': 'bowl 1'}, ''),
        ({'object': 'apple', 'on': 'table'}, ''),
        ({'object': 'apple', 'on': 'bowl'}, 'apple 1 is inside bowl 1, not on bowl'),
        ({'object': 'cup 2', 'on': 'table 1'}, 'cup 2 is in hall 1, not on table 1'),
        ({'object': 'cup 1', 'on': 'table 1'}, 'cup 1 is in the hand, not on table 1'),
        ({'object': 'apple', 'room': 'kitchen'}, ''),
        ({'object': 'apple', 'room': 'hall 1'}, 'apple 1 is inside bowl 1, not in hall 1'),
        ({'object': 'fridge', 'states': ('closed',)}, ''),
        ({'object': 'fridge', 'states': ('open',)}, 'fridge 1 is not open'),
        ({'object': 'cup 1', 'not_states': ('dirty',)}, 'cup 1 is dirty'),
        ({'object': 'cup', 'not_states': ('dirty',)}, ''),
        ({'robot_in': 'Kitchen'}, ''),
        ({'robot_in': 'hall 1'}, 'the robot is in kitchen 1, not in hall 1'),
        ({'robot_at': 'table'}, ''),
        ({'robot_at': 'fridge 1'}, 'the robot is at table 1, not at fridge 1'),
        ({'robot_in': 'kitchen', 'object': 'apple', 'held': True}, 'apple 1 is not in the hand'),
    ],
)
def test_memory_objects_to_what_it_knows_to_be_otherwise(
    condition: dict[str, Any], objection: str
) -> None:
    look = Surroundings({'item': 'apple 1'}, {}, KNOWN)
    assert MemoryCondition(**condition).objection(KNOWN, look) == objection


def test_a_class_may_be_perceived_with_capitals() -> None:
    cup = ObservedObject('Cup', 1, held=True)
    known = Situation(objects={cup.name: cup})
    condition = MemoryCondition(object='{item}', held=True)
    assert condition.objection(known, Surroundings({'item': cup.name}, {}, known)) == ''


def test_a_robot_that_nobody_knows_where_it_is_is_nowhere() -> None:
    look = Surroundings({}, {}, Situation())
    told = MemoryCondition(robot_in='hall').objection(Situation(), look)
    assert told == 'the robot is in no known place, not in hall'


def test_a_library_says_what_is_checked() -> None:
    library = parse_library(ROBOT, 'robot.yaml')
    check = library.skills[0].ground('cup 1').check
    assert check.memory == (MemoryCondition('{item}', held=True, not_states=('broken',)),)
    world, service, topic = check.asked
    assert isinstance(world, WorldCondition)
    assert isinstance(service, ServiceCondition)
    assert service.call.limit_sec == 5.0
    assert topic == TopicCondition(
        'robot/load',
        'std_msgs/msg/Float64',
        {('data',): Range(0.1), ('mode',): (1, 2), ('name',): ('arm',)},
        0.5,
    )
    look = Surroundings({'item': 'cup 1'}, {}, KNOWN)
    assert Question(world, look).text == 'world: the cup is not on the floor'
    every, one = library.done
    assert (every.goal, one.names) == ('', {'item', 'place'})
    assert len(one.check.memory) == 2


@pytest.mark.parametrize(
    ('pattern', 'goal', 'words'),
    [
        ('', 'anything', {}),
        (
            'put the {item} on {place}',
            'Put  the apple on Table 1.',
            {'item': 'apple', 'place': 'table 1'},
        ),
        ('put {item} on {place}', 'put the apple in the bowl', None),
        ('Fetch {it}', 'fetch a cup', {'it': 'a cup'}),
        ('open the fridge', 'Open the fridge!', {}),
        ('Open the {door}.', 'open the fridge.', {'door': 'fridge'}),
        ('open (.*)', 'open the fridge', None),
    ],
)
def test_goals_are_found_by_their_words(
    pattern: str, goal: str, words: dict[str, str] | None
) -> None:
    check = parse_library(ROBOT, 'robot.yaml').done[0].check
    assert GoalCheck(check, pattern).fits(goal) == words


FAULTS = [
    ('held: true, not_state: [broken]', '', 'skills.grasp.check.memory: say what of the object'),
    ('object: "{item}", held: true, ', '', 'not_state: name the object'),
    ('held: true,', 'held: maybe,', 'skills.grasp.check.memory.held: true or false is expected'),
    (
        '"the {item.class} is',
        '"the {thing} is',
        "skills.grasp.check.world: {thing}: 'thing' is not",
    ),
    ('{item.class}', '{item.pose}', 'check.world: {item.pose}: a pose is not text'),
    (', success_if: {success: true}', '', 'skills.grasp.check.service: success_if is missing'),
    ('std_srvs/srv/Trigger', 'std_srvs/msg/Trigger', 'is not a type of a service'),
    (
        'std_msgs/msg/Float64',
        'std_msgs/srv/Float64',
        'check.topic.type: std_msgs/srv/Float64 is no',
    ),
    ('{min: 0.1}', '{most: 0.1}', "check.topic.is.data: unknown key 'most'"),
    ('within_sec: 0.5', 'within_sec: 0', 'skills.grasp.check.topic.within_sec: '),
    ('within_sec: 0.5', 'within_sec: .nan', 'skills.grasp.check.topic.within_sec: '),
    (
        '    check:\n      memory: [',
        '    checks:\n      memory: [',
        "done[1]: unknown key 'checks'",
    ),
    ('goal: put {item} on', 'goal: put {place} on', 'done[1].goal: {place} is there twice'),
    ('goal: put {item} on', 'goal: put {It} on', 'done[1].goal: a brace is not a word like {item}'),
    ('robot_in: hall', 'robot_in: "{item}"', "done[0].check.memory: {item}: 'item' is not known"),
]


@pytest.mark.parametrize(('old', 'new', 'fault'), FAULTS, ids=[one[2] for one in FAULTS])
def test_what_is_wrong_is_named_with_its_place(old: str, new: str, fault: str) -> None:
    assert ROBOT.count(old) == 1
    with pytest.raises(ConfigurationError) as raised:
        parse_library(ROBOT.replace(old, new), 'robot.yaml')
    assert fault in str(raised.value)
