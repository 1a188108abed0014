# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory as it lies on the blackboard: its keys, who has access, what a person reads."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import py_trees
import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.memory.working import WorkingMemory

ROOMS = ('kitchen 1', 'bedroom 1')
PLACE = frozenset({'furniture', 'surfaces', 'containers'})
TABLE = ObservedObject('table', 1, 'kitchen 1', affordances=PLACE)
OPEN = ObservedObject('fridge', 1, 'kitchen 1', states=frozenset({'open'}), affordances=PLACE)
APPLE = ObservedObject(
    'apple', 1, 'kitchen 1', 'table 1', 'on', affordances=frozenset({'grabbable'}), near=True
)
HELD = replace(APPLE, receptacle='', relation='', held=True)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[WorkingMemory]:
    memory = WorkingMemory(namespace='memory_test', clock=clock)
    yield memory
    memory.close()


def storage() -> dict[str, Any]:
    return py_trees.blackboard.Blackboard.storage


def board(key: str) -> Any:
    return storage()[f'/memory_test/{key}']


def at(name: str, *objects: ObservedObject, room: str = 'kitchen 1') -> Observation:
    return Observation('seen', room, name, ROOMS, objects)


def test_the_blackboard_shows_where_the_robot_is(memory: WorkingMemory) -> None:
    assert (board('room'), board('place'), board('rooms'), board('step')) == ('', '', [], 0)
    memory.update(at('table 1', TABLE))
    assert (board('room'), board('place'), board('step')) == ('kitchen 1', 'table 1', 1)
    assert tuple(board('rooms')) == memory.reader.situation().rooms == ROOMS
    memory.update(at('', room='bedroom 1'))
    assert (board('room'), board('place'), board('step')) == ('bedroom 1', '', 2)


def test_a_class_has_a_key_from_when_it_is_seen_until_the_end(memory: WorkingMemory) -> None:
    coffee = replace(TABLE, class_name='coffee table')
    robot = ['held', 'looked_into', 'place', 'room', 'rooms', 'step']
    keys = [robot]
    for objects in ((TABLE,), (TABLE, APPLE), (TABLE, coffee)):
        memory.update(at('table 1', *objects))
        names = [name.removeprefix('/memory_test/') for name in storage()]
        keys.append(sorted(name for name in names if '/' not in name))
    assert keys[1:] == [
        sorted([*robot, 'table']),
        sorted([*robot, 'apple', 'table']),
        sorted([*robot, 'apple', 'coffee_table', 'table']),
    ]
    assert board('apple').objects == ()
    memory.close()
    memory.close()
    assert not any(name.startswith('/memory_test') for name in storage())


# classes -> their keys; the robot's own keys, the methods of a client and each other's are taken
KEYS_OF = [
    (['Coffee Table', 'coffee-table'], ['coffee_table', 'coffee_table_2']),
    (['room', 'held', 'step'], ['room_2', 'held_2', 'step_2']),
    (['read', 'get', 'name'], ['read', 'get', 'name']),
    (["cat's toy.", 'a/b', 'tür 3'], ['cat_s_toy', 'a_b', 'tür_3']),
    (['?'], ['unnamed']),
]


@pytest.mark.parametrize(('classes', 'keys'), KEYS_OF)
def test_any_class_has_a_key_of_its_own_and_can_be_recalled(
    memory: WorkingMemory, classes: list[str], keys: list[str]
) -> None:
    memory.update(at('', *(replace(APPLE, class_name=name, instance=7) for name in classes)))
    assert [board(key).class_name for key in keys] == classes
    for name in classes:
        assert memory.reader.recall(name).startswith(f'{name}: {name} 7 ')
    memory.update(at('table 1', TABLE))
    assert [board(key).objects for key in keys] == [()] * len(keys)
    for name in classes:
        assert 'not seen' in memory.reader.recall(name)


# what was seen at 0 s and 90 s -> what a person reads of it at 100 s
LINES = [
    ([at('table 1', TABLE, APPLE)] * 3, 'apple 1 on table 1 in kitchen 1 (in view)'),
    ([at('table 1', TABLE, HELD)] * 3, 'apple 1 in the hand (in view)'),
    (
        [at('table 1', TABLE, APPLE), at('', TABLE), at('', TABLE)],
        'apple 1 on table 1 in kitchen 1 (seen at step 1, 2 steps and 2 min ago)',
    ),
    (
        [at('', TABLE), at('table 1', TABLE, APPLE, replace(APPLE, instance=2)), at('', TABLE)],
        'apple 1 on table 1 in kitchen 1 (seen at step 2, 1 step and 30 s ago); '
        'apple 2 on table 1 in kitchen 1 (seen at step 2, 1 step and 30 s ago)',
    ),
    (
        [at('', replace(APPLE, states=frozenset({'sliced', 'plugged_in'})))] * 3,
        'apple 1 on table 1 in kitchen 1, plugged in, sliced (in view)',
    ),
    (
        [at('table 1', TABLE, APPLE), at('table 1', TABLE), at('', TABLE)],
        'not where it was seen, and not seen elsewhere',
    ),
]


@pytest.mark.parametrize(('observations', 'text'), LINES)
def test_a_value_is_read_by_a_person(
    memory: WorkingMemory, clock: Clock, observations: list[Observation], text: str
) -> None:
    for observation, clock.now in zip(observations, (0.0, 90.0, 120.0), strict=True):
        memory.update(observation)
    assert str(board('apple')) == text
    shown = py_trees.display.unicode_blackboard(key_filter=['/memory_test/apple'])
    assert shown.splitlines()[-1].partition(':')[2].strip() == text


def test_the_values_can_be_copied_compared_and_sent(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE, OPEN))
    values = {key: value for key, value in storage().items() if key.startswith('/memory_test/')}
    assert copy.deepcopy(values) == values
    assert pickle.loads(pickle.dumps(values)) == values


def test_who_only_recalls_can_not_write(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    clients = py_trees.blackboard.Blackboard.clients
    metadata = py_trees.blackboard.Blackboard.metadata
    for key in ('apple', 'table', 'held', 'room'):
        access = metadata[f'/memory_test/{key}']
        assert [clients[one] for one in access.write] == ['run']
        assert [clients[one] for one in access.read] == ['agent nodes']
    with pytest.raises(AttributeError, match='write access'):
        memory.reader.board.set('apple', None)


def test_two_namespaces_are_two_memories_and_a_new_one_starts_empty(memory: WorkingMemory) -> None:
    other = WorkingMemory(namespace='memory_other')
    memory.update(at('table 1', TABLE, APPLE))
    assert '/memory_other/apple' not in storage()
    assert other.reader.recall('apple') == 'apple: not seen so far.'
    other.close()
    memory.close()
    again = WorkingMemory(namespace='memory_test')
    assert again.reader.recall('apple') == 'apple: not seen so far.'
    assert board('looked_into') == []
    again.close()


def test_the_documentation_shows_what_is_there(
    memory: WorkingMemory, clock: Clock, world: Any
) -> None:
    acts = (
        ('go_to', 'kitchen table 1'),
        ('go_to', 'fridge 1'),
        ('open', 'fridge 1'),
        ('pick_up', 'pudding 1'),
        ('go_to', 'living room 1'),
        ('go_to', 'coffee table 1'),
    )
    memory.update(world.observe())
    for skill, item in acts:
        clock.now += 7
        memory.update(world.execute(skill, (item,)).observation)
    page = Path(__file__).parents[2] / 'docs' / 'working_memory.md'
    block = page.read_text(encoding='utf-8').partition('```text\n')[2].partition('```')[0]
    parts = [line.removeprefix('/working_memory/').partition(':') for line in block.splitlines()]
    shown = {key.strip(): value.strip() for key, _, value in parts}
    assert len(shown) == 11
    assert shown == {key: str(board(key)) for key in shown}
