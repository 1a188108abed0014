# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory: what each observation changes, what recall says, what the blackboard shows."""

from __future__ import annotations

from typing import Any

import py_trees
import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.memory.working import WorkingMemory

ROOMS = ('kitchen 1', 'bedroom 1')
PLACE = frozenset({'furniture', 'surfaces', 'containers'})


@pytest.fixture
def memory() -> Any:
    memory = WorkingMemory(namespace='memory_test')
    yield memory
    memory.close()


def board(key: str) -> Any:
    return py_trees.blackboard.Blackboard.storage[f'/memory_test/{key}']


def place(name: str, *states: str, room: str = 'kitchen 1', near: bool = False) -> ObservedObject:
    class_name, _, number = name.rpartition(' ')
    return ObservedObject(
        class_name, int(number), room, states=frozenset(states), affordances=PLACE, near=near
    )


def thing(
    name: str, where: str = '', relation: str = 'on', room: str = 'kitchen 1', held: bool = False
) -> ObservedObject:
    class_name, _, number = name.rpartition(' ')
    return ObservedObject(
        class_name,
        int(number),
        room,
        where,
        relation if where else '',
        affordances=frozenset({'grabbable'}),
        near=True,
        held=held,
    )


def at(name: str, *objects: ObservedObject, room: str = 'kitchen 1') -> Observation:
    return Observation('seen', room, name, ROOMS, objects)


TABLE, OPEN, CLOSED = place('table 1'), place('fridge 1', 'open'), place('fridge 1', 'closed')
APPLE = thing('apple 1', 'table 1')
JUICE = thing('juice 1', 'fridge 1', 'inside')
HELD = thing('apple 1', held=True)

# observations one after another -> what is remembered of movable objects
UPDATES = [
    # seen
    ([at('table 1', TABLE, APPLE)], {'apple 1': 'on table 1 in kitchen 1'}),
    # out of sight is not gone
    (
        [at('table 1', TABLE, APPLE), at('', TABLE, OPEN), at('', room='bedroom 1')],
        {'apple 1': 'on table 1 in kitchen 1'},
    ),
    # absent where it should be visible
    ([at('table 1', TABLE, APPLE), at('table 1', TABLE)], {}),
    # absent from a place that the robot only sees from afar
    (
        [at('table 1', TABLE, APPLE), at('fridge 1', TABLE, OPEN)],
        {'apple 1': 'on table 1 in kitchen 1'},
    ),
    # moved while the robot was away
    (
        [at('table 1', TABLE, APPLE), at('fridge 1', OPEN, thing('apple 1', 'fridge 1', 'inside'))],
        {'apple 1': 'inside fridge 1 in kitchen 1'},
    ),
    # a closed container keeps its contents known, an open one does not
    (
        [at('fridge 1', OPEN, JUICE), at('fridge 1', CLOSED)],
        {'juice 1': 'inside fridge 1 in kitchen 1'},
    ),
    ([at('fridge 1', OPEN, JUICE), at('fridge 1', CLOSED), at('fridge 1', OPEN)], {}),
    # what lies on top of a closed container would be visible
    ([at('fridge 1', OPEN, thing('mug 1', 'fridge 1')), at('fridge 1', CLOSED)], {}),
    # held, carried, put down
    ([at('table 1', TABLE, APPLE), at('table 1', TABLE, HELD)], {'apple 1': 'in your hand'}),
    (
        [at('table 1', TABLE, HELD), at('', HELD, room='bedroom 1')],
        {'apple 1': 'in your hand'},
    ),
    (
        [
            at('table 1', TABLE, HELD),
            at(
                'desk 1',
                place('desk 1', room='bedroom 1'),
                thing('apple 1', 'desk 1', room='bedroom 1'),
                room='bedroom 1',
            ),
        ],
        {'apple 1': 'on desk 1 in bedroom 1'},
    ),
    # no longer in the hand and nowhere in sight
    ([at('table 1', TABLE, HELD), at('table 1', TABLE)], {}),
    # an observation without structure changes nothing
    (
        [at('table 1', TABLE, APPLE), Observation('You cannot fly.')],
        {'apple 1': 'on table 1 in kitchen 1'},
    ),
    # without a receptacle
    ([at('', thing('box 1'))], {'box 1': 'in kitchen 1'}),
]


@pytest.mark.parametrize(('observations', 'remembered'), UPDATES)
def test_each_observation_changes_what_it_contradicts(
    memory: WorkingMemory, observations: list[Observation], remembered: dict[str, str]
) -> None:
    for observation in observations:
        memory.update(observation)
    locations = board('locations')
    assert {name: where for group in locations.values() for name, where in group.items()} == (
        remembered
    )
    assert all(name.startswith(group) for group, names in locations.items() for name in names)
    assert board('held') == [name for name, where in remembered.items() if 'hand' in where]


def test_what_is_out_of_sight_is_out_of_reach(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    assert memory.situation().objects['apple 1'].near
    memory.update(at('', TABLE))
    assert not memory.situation().objects['apple 1'].near


RECALLS = [
    ('apple', 'apple: apple 1 on table 1 in kitchen 1; apple 2 in your hand.'),
    (' Apple ', 'apple: apple 1 on table 1 in kitchen 1; apple 2 in your hand.'),
    ('apples', 'apples: apple 1 on table 1 in kitchen 1; apple 2 in your hand.'),
    ('tomatoes', 'tomatoes: tomato 1 on table 1 in kitchen 1.'),
    ('plum', 'plum: not seen so far.'),
    ('app', 'app: not seen so far.'),
    ('soap', 'soap: soap 1 on table 1 in kitchen 1.'),
    ('bar soap', 'bar soap: not seen so far.'),
    ('table', 'table: table 1 in kitchen 1.'),
    ('coffee table', 'coffee table: not seen so far.'),
]


@pytest.mark.parametrize(('wanted', 'answer'), RECALLS)
def test_recall_says_where_every_one_was_last_seen(
    memory: WorkingMemory, wanted: str, answer: str
) -> None:
    apple = thing('apple 2', held=True)
    others = thing('tomato 1', 'table 1'), thing('soap 1', 'table 1')
    memory.update(at('table 1', TABLE, APPLE, *others, apple))
    assert memory.recall(wanted) == answer


LOOKED = [
    # a closed place was not looked into; a room, or a place out of sight, is none
    ([at('fridge 1', CLOSED)], []),
    ([at('fridge 1', CLOSED), at('fridge 1', OPEN)], ['fridge 1']),
    ([at('table 1', TABLE, OPEN)], ['table 1']),
    ([at('', TABLE, OPEN)], []),
    ([at('table 1', TABLE), at('fridge 1', OPEN), at('table 1', TABLE)], ['table 1', 'fridge 1']),
    ([at('table 1', TABLE), Observation('You cannot fly.')], ['table 1']),
]


@pytest.mark.parametrize(('observations', 'looked_into'), LOOKED)
def test_a_place_was_looked_into_when_the_robot_stood_at_it_open(
    memory: WorkingMemory, observations: list[Observation], looked_into: list[str]
) -> None:
    for observation in observations:
        memory.update(observation)
    assert board('looked_into') == looked_into
    assert memory.situation().looked_into == set(looked_into)


def test_the_blackboard_shows_where_the_robot_is(memory: WorkingMemory) -> None:
    assert (board('room'), board('place'), board('locations')) == ('', '', {})
    memory.update(at('table 1', TABLE))
    assert (board('room'), board('place')) == ('kitchen 1', 'table 1')
    assert memory.rooms == ROOMS
    memory.update(at('', room='bedroom 1'))
    assert (board('room'), board('place')) == ('bedroom 1', '')


def test_the_blackboard_can_be_watched_by_its_keys(memory: WorkingMemory) -> None:
    watcher = py_trees.blackboard.Client(name='watcher')
    watcher.register_key('/memory_test/locations', access=py_trees.common.Access.READ)
    memory.update(at('table 1', TABLE, APPLE))
    assert watcher.get('/memory_test/locations') == {
        'apple': {'apple 1': 'on table 1 in kitchen 1'}
    }
    watcher.unregister()


def test_two_namespaces_are_two_memories_and_a_new_one_starts_empty(memory: WorkingMemory) -> None:
    other = WorkingMemory(namespace='memory_other')
    memory.update(at('table 1', TABLE, APPLE))
    storage = py_trees.blackboard.Blackboard.storage
    assert storage['/memory_other/locations'] == {}
    assert other.recall('apple') == 'apple: not seen so far.'
    other.close()
    assert not any(key.startswith('/memory_other') for key in storage)
    again = WorkingMemory(namespace='memory_test')
    assert board('locations') == {}
    again.close()


def test_a_situation_is_a_reading_that_later_observations_do_not_change(
    memory: WorkingMemory,
) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    before = memory.situation()
    memory.update(at('table 1', TABLE))
    assert 'apple 1' in before.objects
    assert 'apple 1' not in memory.situation().objects
