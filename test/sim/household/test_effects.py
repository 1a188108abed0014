# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Vessels, nested containers, and what devices do to what is in and on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.household import World, scene_from_dict


def _kitchen(flat: Callable[..., Any], hands: int = 1) -> World:
    """The flat with devices, and with vessels on the kitchen table."""
    data = flat(hands)

    def add(i: int, name: str, category: str, properties: str, states: str, *at: Any) -> None:
        data['nodes'].append(
            {'id': i, 'class_name': name, 'category': category,
             'properties': properties.split(), 'states': states.split()}
        )  # fmt: skip
        for relation, to_id in zip(at[::2], at[1::2], strict=True):
            data['edges'].append({'from_id': i, 'relation_type': relation, 'to_id': to_id})

    device = 'CAN_OPEN CONTAINERS HAS_SWITCH'
    add(50, 'microwave', 'Appliances', device, 'CLOSED OFF', 'INSIDE', 1)
    add(51, 'oven', 'Appliances', device, 'CLOSED OFF', 'INSIDE', 1)
    add(52, 'stove', 'Appliances', 'SURFACES HAS_SWITCH', 'OFF', 'INSIDE', 1)
    add(53, 'coffeemaker', 'Appliances', 'CONTAINERS HAS_SWITCH', 'OFF', 'INSIDE', 1)
    add(54, 'tablelamp', 'Lamps', 'HAS_SWITCH', 'OFF PLUGGED_OUT', 'INSIDE', 1)
    on_table = ('ON', 10, 'INSIDE', 1, 'CLOSE', 10)
    add(60, 'bowl', 'Props', 'GRABBABLE RECIPIENT', '', *on_table)
    add(61, 'mug', 'Props', 'GRABBABLE RECIPIENT', 'DIRTY', *on_table)
    add(62, 'fryingpan', 'Props', 'GRABBABLE CONTAINERS', '', *on_table)
    add(63, 'potato', 'Food', 'GRABBABLE CUTTABLE', '', *on_table)
    add(64, 'cookingpot', 'Props', 'GRABBABLE RECIPIENT CAN_OPEN', 'CLOSED', *on_table)
    add(65, 'sponge', 'Props', 'GRABBABLE', '', *on_table)
    return World(scene_from_dict(data), 'kitchen 1')


@pytest.fixture
def kitchen(flat: Callable[..., Any]) -> World:
    """A robot of one hand in the kitchen."""
    return _kitchen(flat)


@pytest.fixture
def two_hands(flat: Callable[..., Any]) -> World:
    """A robot of two hands in the same kitchen."""
    return _kitchen(flat, hands=2)


def call(world: World, phrase: str) -> Any:
    """Carry out 'put_into: potato 1, bowl 1' or the like."""
    skill, _, names = phrase.partition(': ')
    return world.execute(skill, tuple(names.split(', ')))


def do(world: World, *phrases: str) -> str:
    """Carry out phrases, all of which must succeed; give the last text."""
    text = ''
    for phrase in phrases:
        result = call(world, phrase)
        assert result.status is SkillStatus.SUCCEEDED, result.observation.text
        text = result.observation.text
    return text


TABLE = 'go_to: kitchen table 1'
POTATO = (TABLE, 'pick_up: potato 1')
IN_BOWL = (*POTATO, 'put_into: potato 1, bowl 1')


def in_(device: str, *vessel: str) -> tuple[str, ...]:
    """Bring the potato, or the vessel that it is in, into a device with a door."""
    thing = vessel[0] if vessel else 'potato 1'
    before = (*POTATO, f'put_into: potato 1, {thing}') if vessel else (TABLE,)
    return (*before, f'pick_up: {thing}', f'go_to: {device}', f'open: {device}',
            f'put_down: {thing}', f'close: {device}')  # fmt: skip


CHANGES = [
    # phrases, what else than places changed
    ((*in_('microwave oven 1'), 'turn_on: microwave oven 1'), 'potato 1: cooked, hot'),
    ((*in_('oven 1', 'bowl 1'), 'turn_on: oven 1'), 'bowl 1: hot; potato 1: cooked, hot'),
    ((*in_('microwave oven 1', 'mug 1'), 'turn_on: microwave oven 1'), 'mug 1: hot; potato 1: co'),
    (
        (*POTATO, 'go_to: stove 1', 'put_down: potato 1', 'turn_on: stove 1'),
        'potato 1: cooked, hot',
    ),
    (
        (*POTATO, 'put_into: potato 1, frying pan 1', 'pick_up: frying pan 1', 'go_to: stove 1',
         'turn_on: stove 1', 'put_down: frying pan 1'),
        'frying pan 1: hot; potato 1: cooked, hot',
    ),
    (
        (TABLE, 'pick_up: mug 1', 'go_to: coffee maker 1', 'put_down: mug 1',
         'turn_on: coffee maker 1'),
        'mug 1: hot',
    ),
    (
        (TABLE, 'pick_up: sponge 1', 'go_to: coffee maker 1', 'put_down: sponge 1',
         'turn_on: coffee maker 1'),
        '',
    ),
    (in_('fridge 1'), 'juice 1: cold; potato 1: cold'),
    (in_('fridge 1', 'bowl 1'), 'bowl 1: cold; juice 1: cold; potato 1: cold'),
    (
        (*in_('microwave oven 1'), 'turn_on: microwave oven 1', 'open: microwave oven 1',
         'pick_up: potato 1', 'go_to: fridge 1', 'open: fridge 1', 'put_down: potato 1',
         'close: fridge 1'),
        'juice 1: cold; potato 1: cold, cooked',
    ),
    (
        (TABLE, 'pick_up: mug 1', 'go_to: sink 1', 'put_down: mug 1', 'go_to: faucet 1',
         'turn_on: faucet 1'),
        'mug 1: dirty -> clean',
    ),
    (
        ('go_to: faucet 1', 'turn_on: faucet 1', TABLE, 'pick_up: mug 1', 'go_to: sink 1',
         'put_down: mug 1'),
        'mug 1: dirty -> clean',
    ),
    (
        (TABLE, 'pick_up: mug 1', 'go_to: dishwasher 1', 'open: dishwasher 1', 'put_down: mug 1',
         'close: dishwasher 1', 'turn_on: dishwasher 1'),
        'mug 1: dirty -> clean',
    ),
    (('go_to: stove 1', 'turn_on: stove 1', 'turn_off: stove 1'), ''),
]  # fmt: skip


@pytest.mark.parametrize(('phrases', 'expected'), CHANGES)
def test_devices_change_what_is_in_and_on_them(
    kitchen: World, phrases: tuple[str, ...], expected: str
) -> None:
    """And nothing else: neither what lies elsewhere, nor the devices themselves."""
    do(kitchen, *phrases)

    devices = ('microwave', 'oven', 'stove', 'coffee', 'faucet', 'dishwasher', 'fridge')
    lines = [
        line
        for line in kitchen.changes()
        if not line.startswith(devices) and ': on ' not in line and ': inside ' not in line
    ]
    assert '; '.join(lines).startswith(expected)
    assert bool(lines) == bool(expected)


REFUSED = [
    # before, phrase, reason
    ((TABLE,), 'put_into: potato 1, bowl 1', 'you do not hold it'),
    (POTATO, 'put_into: potato 1, potato 1', 'it cannot be put into itself'),
    (POTATO, 'put_into: potato 1, sponge 1', 'nothing can be put into sponge (1)'),
    (POTATO, 'put_into: potato 1, cooking pot 1', 'cooking pot (1) is closed'),
    (POTATO, 'put_into: potato 1, kitchen table 1', 'kitchen table (1) is not a vessel'),
    (POTATO, 'put_into: potato 1, unicorn 1', 'there is no unicorn (1) in sight'),
    ((*POTATO, 'go_to: sink 1'), 'put_into: potato 1, bowl 1', 'it is out of reach from here'),
    (POTATO, 'put_into: potato 1', 'it takes two names, not 1'),
    (IN_BOWL, 'go_to: bowl 1', 'go to the furniture where it lies'),
    (('go_to: table lamp 1',), 'turn_on: table lamp 1', 'it is not plugged in'),
]


@pytest.mark.parametrize(('before', 'phrase', 'reason'), REFUSED)
def test_a_refusal_has_its_reason_and_changes_nothing(
    kitchen: World, before: tuple[str, ...], phrase: str, reason: str
) -> None:
    """As for the other skills."""
    do(kitchen, *before)
    graph = kitchen.graph()

    result = call(kitchen, phrase)

    assert result.status is SkillStatus.REFUSED
    assert reason in result.observation.text
    assert kitchen.graph() == graph


def test_a_bowl_in_a_closed_fridge_hides_and_carries_what_is_in_it(kitchen: World) -> None:
    """Nested: in the bowl, in the fridge; out again with the bowl."""
    do(kitchen, *in_('fridge 1', 'bowl 1'))
    assert 'potato' not in do(kitchen, 'go_to: sink 1', 'go_to: fridge 1')
    assert 'bowl (1), juice (1), potato (1)' in do(kitchen, 'open: fridge 1')

    do(kitchen, 'pick_up: bowl 1', TABLE, 'put_down: bowl 1')

    seen = {item.name: item for item in kitchen.observe().objects}
    assert (seen['potato 1'].receptacle, seen['potato 1'].near) == ('bowl 1', True)
    again = World(scene_from_dict(kitchen.graph()))
    assert again.observe().objects == kitchen.observe().objects


def test_things_lie_on_a_plate_and_in_a_bowl(kitchen: World) -> None:
    """By what the vessel is; texts say which."""
    assert do(kitchen, *IN_BOWL) == 'You put potato (1) into bowl (1).'

    text = do(kitchen, 'pick_up: potato 1', 'put_into: potato 1, plate 1')

    assert text == 'You put potato (1) on plate (1).'


def test_what_is_in_the_hand_holds_things_too(two_hands: World) -> None:
    """Into the vessel in the other hand, and out of it; not into what it lies in itself."""
    text = do(two_hands, *POTATO, 'pick_up: bowl 1', 'put_into: potato 1, bowl 1')
    assert text == 'You put potato (1) into bowl (1). You hold bowl (1). In bowl (1): potato (1).'
    carried = {item.name: item for item in two_hands.observe().objects}['potato 1']
    assert (carried.near, carried.held, carried.receptacle) == (True, False, 'bowl 1')

    do(two_hands, 'go_to: living room 1', 'pick_up: potato 1')
    assert [item.name for item in two_hands.observe().held] == ['bowl 1', 'potato 1']

    do(two_hands, TABLE, 'put_into: potato 1, mug 1', 'pick_up: mug 1', 'put_into: mug 1, bowl 1')
    do(two_hands, 'pick_up: mug 1')
    do(two_hands, 'put_into: bowl 1, mug 1')
    refused = call(two_hands, 'put_into: mug 1, bowl 1').observation.text
    assert refused == 'You cannot put mug (1) into bowl (1): bowl (1) is in or on it.'


REMARKS = [
    # phrases, how the last text ends
    ((TABLE, 'pick_up: mug 1'), 'You hold mug (1). Mug (1) is dirty.'),
    ((TABLE,), 'sponge (1). Mug (1) is dirty.'),
    (
        (*in_('microwave oven 1'), 'turn_on: microwave oven 1', 'open: microwave oven 1'),
        'It switches off. You see: potato (1). Potato (1) is hot and cooked.',
    ),
    (
        (*POTATO, 'go_to: stove 1', 'put_down: potato 1', 'turn_on: stove 1'),
        'You turn on stove (1). Potato (1) is hot and cooked.',
    ),
    (
        ('go_to: stove 1', 'turn_on: stove 1', 'go_to: kitchen 1', 'go_to: stove 1'),
        'You see nothing there. Stove (1) is on.',
    ),
    (
        (TABLE, 'pick_up: cutlery knife 1', 'slice: potato 1', 'slice: apple 1',
         'go_to: sink 1', TABLE),
        'Apple (1), potato (1) are sliced. Mug (1) is dirty.',
    ),
    (('go_to: sink 1',), 'You are at the sink (1). You see nothing there.'),
]  # fmt: skip


@pytest.mark.parametrize(('phrases', 'end'), REMARKS)
def test_texts_end_with_what_is_remarkable(
    kitchen: World, phrases: tuple[str, ...], end: str
) -> None:
    """Things in the same states together; nothing where nothing is remarkable."""
    assert do(kitchen, *phrases).endswith(end)


def test_furniture_in_the_hand_is_no_place_to_go_to(flat: Callable[..., Any]) -> None:
    """Files of VirtualHome have chairs that can be picked up."""
    data = flat()
    data['nodes'][6]['properties'].append('GRABBABLE')
    world = World(scene_from_dict(data), 'kitchen 1')
    do(world, 'go_to: chair 1', 'pick_up: chair 1')

    result = call(world, 'go_to: chair 1')

    assert 'you carry it' in result.observation.text
    text = do(world, 'go_to: living room 1')
    assert (
        text == 'You enter the living room (1). Around you: sofa (1), tv (1). You hold chair (1).'
    )
    assert World(scene_from_dict(world.graph())).observe() == world.observe()
    do(world, 'go_to: sofa 1', 'put_down: chair 1')
    assert 'chair (1), sofa (1)' in do(world, 'go_to: living room 1')
