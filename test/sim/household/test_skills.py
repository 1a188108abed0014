# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every precondition of every skill, and what each skill changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.household import World, scene_from_dict


def do(world: World, *phrases: str) -> str:
    """Carry out phrases such as 'open: fridge 1', all of which must succeed."""
    text = ''
    for phrase in phrases:
        skill, _, name = phrase.partition(': ')
        result = world.execute(skill, (name,))
        assert result.status is SkillStatus.SUCCEEDED, result.observation.text
        text = result.observation.text
    return text


AT_TABLE = ('go_to: kitchen 1', 'go_to: kitchen table 1')
APPLE_IN_HAND = (*AT_TABLE, 'pick_up: apple 1')
AT_FRIDGE = ('go_to: kitchen 1', 'go_to: fridge 1')
AT_DISHWASHER = ('go_to: kitchen 1', 'go_to: dishwasher 1')

REFUSED = [
    # before, phrase, reason
    ((), 'dance: apple 1', 'there is no such skill, only go_to, pick_up'),
    ((), 'go_to: kitchen 2', 'there is no kitchen (2) in sight'),
    ((), 'go_to: unicorn 1', 'there is no unicorn (1) in sight'),
    ((), 'go_to: kitchen', 'there is no kitchen in sight'),
    ((), 'go_to: fridge 1', 'there is no fridge (1) in sight'),
    ((), 'go_to: character 1', 'there is no character (1) in sight'),
    (AT_TABLE, 'go_to: apple 1', 'go to the furniture where it lies'),
    (('go_to: kitchen 1',), 'pick_up: apple 1', 'there is no apple (1) in sight'),
    ((*AT_TABLE, 'go_to: kitchen 1'), 'pick_up: apple 1', 'it is out of reach from here'),
    ((*AT_TABLE, 'go_to: fridge 1'), 'pick_up: apple 1', 'it is out of reach from here'),
    (AT_FRIDGE, 'pick_up: juice 1', 'there is no juice (1) in sight'),
    (
        (*AT_FRIDGE, 'open: fridge 1', 'close: fridge 1'),
        'pick_up: juice 1',
        'fridge (1) is closed',
    ),
    (AT_FRIDGE, 'pick_up: fridge 1', 'it cannot be picked up'),
    (APPLE_IN_HAND, 'pick_up: apple 1', 'you hold it already'),
    (APPLE_IN_HAND, 'pick_up: plate 1', 'no hand is free, you hold apple (1)'),
    (AT_TABLE, 'put_down: apple 1', 'you do not hold it'),
    (AT_TABLE, 'put_down: unicorn 1', 'you do not hold it'),
    ((*APPLE_IN_HAND, 'go_to: kitchen 1'), 'put_down: apple 1', 'you do not stand at any'),
    ((*APPLE_IN_HAND, 'go_to: fridge 1'), 'put_down: apple 1', 'fridge (1) is closed'),
    ((*APPLE_IN_HAND, 'go_to: faucet 1'), 'put_down: apple 1', 'nothing can be put on or in'),
    (('go_to: kitchen 1',), 'open: fridge 1', 'it is out of reach from here'),
    (AT_TABLE, 'open: kitchen table 1', 'it cannot be opened'),
    ((*AT_FRIDGE, 'open: fridge 1'), 'open: fridge 1', 'it is open already'),
    (('go_to: kitchen 1',), 'close: fridge 1', 'it is out of reach from here'),
    (AT_TABLE, 'close: kitchen table 1', 'it cannot be closed'),
    (AT_FRIDGE, 'close: fridge 1', 'it is closed already'),
    ((), 'turn_on: tv 1', 'it is out of reach from here'),
    (AT_FRIDGE, 'turn_on: fridge 1', 'it has no switch'),
    (('go_to: tv 1',), 'turn_on: tv 1', 'it is on already'),
    ((*AT_DISHWASHER, 'open: dishwasher 1'), 'turn_on: dishwasher 1', 'it is open, close it'),
    ((), 'turn_off: tv 1', 'it is out of reach from here'),
    (AT_FRIDGE, 'turn_off: fridge 1', 'it has no switch'),
    (AT_DISHWASHER, 'turn_off: dishwasher 1', 'it is off already'),
    ((*AT_TABLE, 'go_to: sink 1'), 'slice: apple 1', 'it is out of reach from here'),
    (AT_TABLE, 'slice: plate 1', 'it cannot be sliced'),
    (AT_TABLE, 'slice: apple 1', 'you hold no knife'),
    ((*AT_TABLE, 'pick_up: plate 1'), 'slice: apple 1', 'you hold no knife'),
    (
        (*AT_TABLE, 'pick_up: cutlery knife 1', 'slice: apple 1'),
        'slice: apple 1',
        'it is sliced already',
    ),
]


@pytest.mark.parametrize(('before', 'phrase', 'reason'), REFUSED)
def test_a_refused_skill_says_why_and_changes_nothing(
    world: World, before: tuple[str, ...], phrase: str, reason: str
) -> None:
    """Every precondition: the reason is in the text; graph and observation stay the same."""
    do(world, *before)
    graph, seen = world.graph(), world.observe()

    skill, _, name = phrase.partition(': ')
    result = world.execute(skill, (name,))

    assert result.status is SkillStatus.REFUSED
    assert result.observation.text.startswith(f'You cannot {skill.replace("_", " ")} ')
    assert f': {reason}' in result.observation.text
    assert world.graph() == graph
    assert world.observe() == seen
    assert result.observation.objects == seen.objects


@pytest.mark.parametrize('arguments', [(), ('apple 1', 'plate 1')])
def test_a_skill_with_the_wrong_number_of_names_is_refused(
    world: World, arguments: tuple[str, ...]
) -> None:
    """One name is needed, and the text says how many there were."""
    result = world.execute('open', arguments)

    assert result.status is SkillStatus.REFUSED
    assert f'it takes one name, not {len(arguments)}' in result.observation.text


CHANGED = [
    # phrases, lines of change
    (('go_to: kitchen 1', 'go_to: sink 1'), []),
    (APPLE_IN_HAND, ["apple 1: on kitchen table 1 -> in the robot's hand"]),
    ((*APPLE_IN_HAND, 'put_down: apple 1'), []),
    (
        (
            *APPLE_IN_HAND,
            'go_to: fridge 1',
            'open: fridge 1',
            'put_down: apple 1',
            'close: fridge 1',
        ),
        ['apple 1: on kitchen table 1 -> inside fridge 1', 'apple 1: cold', 'juice 1: cold'],
    ),
    (
        (*APPLE_IN_HAND, 'go_to: sink 1', 'put_down: apple 1'),
        ['apple 1: on kitchen table 1 -> inside sink 1'],
    ),
    ((*AT_FRIDGE, 'open: fridge 1'), ['fridge 1: closed -> open']),
    ((*AT_DISHWASHER, 'turn_on: dishwasher 1'), ['dishwasher 1: off -> on']),
    (('go_to: tv 1', 'turn_off: tv 1'), ['tv 1: on -> off']),
    (('go_to: tv 1', 'turn_off: tv 1', 'turn_on: tv 1'), []),
    (
        (*AT_TABLE, 'pick_up: cutlery knife 1', 'slice: apple 1'),
        ['apple 1: sliced', "cutlery knife 1: on kitchen table 1 -> in the robot's hand"],
    ),
]


@pytest.mark.parametrize(('phrases', 'lines'), CHANGED)
def test_changes_lists_what_differs_from_the_start(
    world: World, phrases: tuple[str, ...], lines: list[str]
) -> None:
    """What was undone is not a difference, nor is where the robot stands."""
    do(world, *phrases)

    assert world.changes() == lines


def test_furniture_seen_before_can_be_gone_to_from_another_room(world: World) -> None:
    """The robot walks there through the rooms."""
    do(world, 'go_to: kitchen 1', 'go_to: living room 1')

    do(world, 'go_to: fridge 1')

    assert (world.observe().room, world.observe().place) == ('kitchen 1', 'fridge 1')


def test_a_plate_is_carried_with_what_lies_on_it(world: World) -> None:
    """The cupcake goes along, can be reached on the way and lies in the new room afterwards."""
    do(world, *AT_TABLE, 'pick_up: plate 1', 'go_to: living room 1', 'go_to: sofa 1')

    do(world, 'put_down: plate 1')

    seen = {item.name: item for item in world.observe().objects}
    assert seen['cupcake 1'].receptacle == 'plate 1'
    assert seen['cupcake 1'].room == 'living room 1'
    assert seen['cupcake 1'].near
    do(world, 'pick_up: cupcake 1')


def test_two_hands_hold_two_things_and_no_third(two_handed: World) -> None:
    """The number of hands is the scene's."""
    text = do(two_handed, *APPLE_IN_HAND, 'pick_up: cutlery knife 1')

    assert text.endswith('You hold apple (1), cutlery knife (1).')
    refused = two_handed.execute('pick_up', ('plate 1',))
    assert 'no hand is free, you hold apple (1), cutlery knife (1)' in refused.observation.text
    do(two_handed, 'slice: apple 1', 'put_down: apple 1', 'put_down: cutlery knife 1')
    assert two_handed.changes() == ['apple 1: sliced']


def test_names_with_brackets_and_capitals_are_understood(world: World) -> None:
    """As a model or a person may write them after reading an observation."""
    do(world, 'go_to: Kitchen (1)', 'go_to: KITCHEN  table (1)', 'pick_up: apple (1)')

    assert [item.name for item in world.observe().held] == ['apple 1']


def test_the_graph_of_a_changed_world_loads_as_the_same_world(world: World) -> None:
    """Round trip through VirtualHome's format in the middle of a task."""
    do(world, *APPLE_IN_HAND, 'go_to: fridge 1', 'open: fridge 1')

    again = World(scene_from_dict(world.graph()))

    assert again.graph() == world.graph()
    assert again.observe() == world.observe()
    do(again, 'put_down: apple 1')
    assert again.changes() == ["apple 1: in the robot's hand -> inside fridge 1"]


def test_an_unchanged_world_exports_its_file(flat: Any) -> None:
    """Keys, order and fields that the world does not use are kept."""
    data = flat()
    data['comment'] = 'kept'
    data['nodes'][4]['bounding_box'] = {'center': [0.0, 1.0, 2.0], 'size': [1.0, 1.0, 1.0]}
    data['edges'].append({'from_id': 20, 'relation_type': 'FACING', 'to_id': 21})
    before = copy.deepcopy(data)

    assert World(scene_from_dict(data)).graph() == before


def test_worlds_of_one_scene_do_not_touch_each_other(world: World) -> None:
    """Neither another world nor the scene sees a change."""
    other = World(world.scene)
    before = other.graph()

    do(world, *APPLE_IN_HAND, 'go_to: fridge 1', 'open: fridge 1', 'put_down: apple 1')

    assert other.graph() == before
    assert World(world.scene).graph() == before


def test_the_same_skills_give_the_same_observations(flat: Any) -> None:
    """Also when the file lists nodes and edges in another order."""
    data = flat()
    shuffled = {**data, 'nodes': data['nodes'][::-1], 'edges': data['edges'][::-1]}
    phrases = [*APPLE_IN_HAND, 'go_to: fridge 1', 'open: fridge 1', 'put_down: apple 1']
    runs = []
    for graph in (data, data, shuffled):
        world = World(scene_from_dict(graph))
        calls = [phrase.split(': ') for phrase in phrases]
        runs.append([world.observe(), *(world.execute(s, (n,)) for s, n in calls)])

    assert runs[0] == runs[1]
    assert runs[0] == runs[2]
