# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory: what each observation changes, what recall says, what the next goal keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import py_trees
import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.errors import WorldError
from reactree_ros.memory.belief import Correction
from reactree_ros.memory.sighting import ClassSightings
from reactree_ros.memory.working import WorkingMemory

ROOMS = ('kitchen 1', 'bedroom 1')
PLACE = frozenset({'furniture', 'surfaces', 'containers'})
PLACES = ('table', 'fridge', 'desk', 'shelf', 'cabinet', 'toaster')
VESSEL = frozenset({'grabbable', 'recipient', 'containers', 'can_open'})


@pytest.fixture
def memory() -> Any:
    memory = WorkingMemory(namespace='memory_test')
    yield memory
    memory.close()


def storage() -> dict[str, Any]:
    return py_trees.blackboard.Blackboard.storage


def board(key: str) -> Any:
    return storage()[f'/memory_test/{key}']


def believed() -> dict[str, str]:
    """Where everything movable is, as the blackboard has it."""
    sightings = [
        one
        for key, value in storage().items()
        if key.startswith('/memory_test/') and isinstance(value, ClassSightings)
        for one in value.objects
    ]
    things = sorted(sightings, key=lambda one: one.number)
    return {one.name: one.where for one in things if one.name.rpartition(' ')[0] not in PLACES}


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
PLATE = thing('plate 1', 'table 1')
CABINET = place('cabinet 1', 'open')
PLUM = thing('plum 1', 'plate 1')
TOASTER = replace(place('toaster 1'), receptacle='cabinet 1', relation='inside')


def box(where: str, *states: str, room: str = 'kitchen 1', held: bool = False) -> ObservedObject:
    return replace(
        thing('box 1', where, room=room, held=held), states=frozenset(states), affordances=VESSEL
    )


KEYS = thing('keys 1', 'box 1', 'inside')

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
    # absent from a vessel that is in reach, although the robot stands at something else
    (
        [at('table 1', TABLE, PLATE, PLUM), at('table 1', TABLE, PLATE)],
        {'plate 1': 'on table 1 in kitchen 1'},
    ),
    # a vessel that was shut up somewhere and stands in view now shows what is on it
    (
        [
            at(
                'cabinet 1',
                CABINET,
                replace(PLATE, receptacle='cabinet 1', relation='inside'),
                PLUM,
            ),
            at('', replace(CABINET, states=frozenset({'closed'}))),
            at('table 1', TABLE, PLATE, replace(CABINET, states=frozenset({'closed'}))),
        ],
        {'plate 1': 'on table 1 in kitchen 1'},
    ),
    # absent from a vessel that is held
    (
        [at('table 1', TABLE, PLATE, PLUM), at('table 1', TABLE, thing('plate 1', held=True))],
        {'plate 1': 'in your hand'},
    ),
    # a vessel that is gone took along what was in it
    ([at('table 1', TABLE, PLATE, PLUM), at('table 1', TABLE)], {}),
    # what is shut up in a vessel goes where the vessel goes, also when it is put down
    (
        [
            at('table 1', TABLE, box('table 1', 'open'), KEYS),
            at('table 1', TABLE, box('table 1', 'closed')),
            at('', box('', 'closed', room='bedroom 1', held=True), room='bedroom 1'),
        ],
        {'box 1': 'in your hand', 'keys 1': 'inside box 1 in bedroom 1'},
    ),
    (
        [
            at('table 1', TABLE, box('table 1', 'open'), KEYS),
            at(
                'desk 1',
                place('desk 1', room='bedroom 1'),
                box('desk 1', 'closed', room='bedroom 1'),
                room='bedroom 1',
            ),
        ],
        {'box 1': 'on desk 1 in bedroom 1', 'keys 1': 'inside box 1 in bedroom 1'},
    ),
    # opened again, it is empty
    (
        [
            at('table 1', TABLE, box('table 1', 'open'), KEYS),
            at('table 1', TABLE, box('table 1', 'closed')),
            at('table 1', TABLE, box('table 1', 'open')),
        ],
        {'box 1': 'on table 1 in kitchen 1'},
    ),
]


@pytest.mark.parametrize(('observations', 'remembered'), UPDATES)
def test_each_observation_changes_what_it_contradicts(
    memory: WorkingMemory, observations: list[Observation], remembered: dict[str, str]
) -> None:
    for observation in observations:
        memory.update(observation)
    assert believed() == remembered
    assert board('held') == [name for name, where in remembered.items() if 'hand' in where]


def test_what_is_out_of_sight_is_out_of_reach(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    assert memory.situation().objects['apple 1'].near
    memory.update(at('', TABLE))
    assert not memory.situation().objects['apple 1'].near


# what is seen of places that may be carried away, or stand in others -> which are believed
FURNITURE = [
    ([at('', TABLE, OPEN), at('', OPEN)], {'fridge 1'}),
    ([at('', TABLE), at('', room='bedroom 1')], {'table 1'}),
    # one that stands in something is seen through its open door only
    ([at('', place('cabinet 1', 'open'), TOASTER), at('', place('cabinet 1', 'open'))], set()),
    (
        [at('', place('cabinet 1', 'open'), TOASTER), at('', place('cabinet 1', 'closed'))],
        {'toaster 1'},
    ),
]


@pytest.mark.parametrize(('observations', 'there'), FURNITURE)
def test_furniture_that_is_not_in_its_room_is_gone(
    memory: WorkingMemory, observations: list[Observation], there: set[str]
) -> None:
    for observation in observations:
        memory.update(observation)
    known = set(memory.situation().objects) - {'cabinet 1'}
    assert known == there


RECALLS = [
    ('apple', 'apple: apple 1 on table 1 in kitchen 1; apple 2 in your hand.'),
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
    assert memory.reader.recall(wanted) == answer


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


# first observation of the next goal -> what is believed then
NEXT_GOALS = [
    # in the same place
    (at('', room='bedroom 1'), {'apple 1': 'on table 1 in kitchen 1'}),
    (
        Observation('seen', 'bedroom 1', '', tuple(reversed(ROOMS))),
        {'apple 1': 'on table 1 in kitchen 1'},
    ),
    (at('table 1', TABLE), {}),
    (at('', TABLE, HELD), {'apple 1': 'in your hand'}),
    (Observation('The camera is dark.'), {'apple 1': 'on table 1 in kitchen 1'}),
    (Observation('seen', objects=(TABLE,)), {'apple 1': 'on table 1 in kitchen 1'}),
    # elsewhere
    (Observation('seen', 'kitchen 1', '', ('kitchen 1',)), {}),
    (Observation('seen', 'kitchen 1', '', (*ROOMS, 'attic 1')), {}),
]


@pytest.mark.parametrize(('first', 'remembered'), NEXT_GOALS)
def test_the_next_goal_keeps_what_was_seen_in_the_same_rooms(
    memory: WorkingMemory, first: Observation, remembered: dict[str, str]
) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    memory.begin_goal()
    assert board('looked_into') == []
    memory.update(first)
    assert believed() == remembered
    assert memory.situation().looked_into == ({'table 1'} if first.place else set())


def test_only_the_beginning_of_a_goal_is_held_against_the_rooms(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    memory.begin_goal()
    memory.update(Observation('The camera is dark.'))
    memory.update(at('', TABLE))
    # A robot that explores comes to know more rooms.
    memory.update(Observation('seen', 'attic 1', '', (*ROOMS, 'attic 1')))
    assert believed() == {'apple 1': 'on table 1 in kitchen 1'}
    assert memory.situation().rooms == (*ROOMS, 'attic 1')
    memory.begin_goal()
    memory.update(Observation('seen', 'cellar 1', '', ('cellar 1',)))
    assert believed() == {}
    assert '/memory_test/apple' not in storage()
    memory.update(at('table 1', TABLE, APPLE))
    assert memory.reader.recall('apple') == 'apple: apple 1 on table 1 in kitchen 1.'


def test_a_situation_is_a_reading_that_later_observations_do_not_change(
    memory: WorkingMemory,
) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    before = memory.situation()
    memory.update(at('table 1', TABLE))
    assert 'apple 1' in before.objects
    assert 'apple 1' not in memory.situation().objects


def test_a_person_corrects_where_a_thing_is(memory: WorkingMemory) -> None:
    box, pen = thing('box 1', 'table 1'), thing('pen 1', 'box 1', 'inside')
    desk = place('desk 1', room='bedroom 1')
    memory.update(at('table 1', TABLE, desk, box, pen))
    memory.correct(Correction('box 1', 'on', 'desk 1'))
    assert believed() == {
        'box 1': 'on desk 1 in bedroom 1',
        'pen 1': 'inside box 1 in bedroom 1',
    }
    assert not memory.situation().objects['box 1'].near
    memory.correct(Correction('pen 1', 'in_room', 'kitchen 1'))
    assert believed()['pen 1'] == 'in kitchen 1'
    memory.update(at('table 1', TABLE, box))
    assert believed()['box 1'] == 'on table 1 in kitchen 1', 'what the robot sees counts more'
    memory.correct(Correction('box 1', 'nowhere', ''))
    assert believed() == {'pen 1': 'in kitchen 1'}


def test_what_a_person_says_is_there_is_looked_for_again(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, thing('cup 1', 'table 1')))
    memory.update(at('', TABLE))
    memory.correct(Correction('cup 1', 'on', 'table 1'))
    assert board('looked_into') == []


@pytest.mark.parametrize(
    ('said', 'why'),
    [
        (Correction('cup 1', 'on', 'table 1'), 'is not known'),
        (Correction('box 1', 'on', 'desk 7'), 'is not known'),
        (Correction('box 1', 'in_room', 'attic 1'), 'no room'),
        (Correction('box 1', 'inside', 'pen 1'), 'in or on itself'),
        (Correction('box 1', 'on', 'box 1'), 'in or on itself'),
        (Correction('apple 1', 'nowhere', ''), 'the robot has'),
        (Correction('table 1', 'in_room', 'bedroom 1'), 'stands at'),
    ],
)
def test_a_correction_that_cannot_be_is_refused(
    memory: WorkingMemory, said: Correction, why: str
) -> None:
    box, pen = thing('box 1', 'table 1'), thing('pen 1', 'box 1', 'inside')
    memory.update(at('table 1', TABLE, box, pen, HELD))
    before = believed()
    with pytest.raises(WorldError, match=why):
        memory.correct(said)
    assert believed() == before
