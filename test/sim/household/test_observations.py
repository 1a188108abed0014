# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The observation rules of Tables 8 and 9 of the paper, row by row, in our wording."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.household import World

KITCHEN = (
    'Around you: chair (1, 2), dishwasher (1), faucet (1), fridge (1), kitchen table (1), sink (1).'
)

ROWS = [
    # rule, phrases before, phrase, what the model reads
    ('go to room', '', 'go_to: kitchen 1', f'You enter the kitchen (1). {KITCHEN}'),
    (
        'go to room, holding',
        'go_to: sofa 1, pick_up: apple 2',
        'go_to: kitchen 1',
        f'You enter the kitchen (1). {KITCHEN} You hold apple (2).',
    ),
    (
        'go to receptacle: what is close, other furniture too, not itself',
        'go_to: kitchen 1',
        'go_to: kitchen table 1',
        'You are at the kitchen table (1). You see: apple (1), chair (1), cupcake (1), '
        'cutlery knife (1), plate (1).',
    ),
    (
        'go to receptacle: from the other end of the closeness',
        'go_to: kitchen 1',
        'go_to: chair 1',
        'You are at the chair (1). You see: kitchen table (1).',
    ),
    (
        'go to closed receptacle: its contents are hidden',
        'go_to: kitchen 1',
        'go_to: fridge 1',
        'You are at the fridge (1). It is closed. You see nothing there.',
    ),
    (
        'go to open receptacle: its contents are visible',
        'go_to: kitchen 1, go_to: fridge 1, open: fridge 1, go_to: sink 1',
        'go_to: fridge 1',
        'You are at the fridge (1). It is open. You see: juice (1).',
    ),
    (
        'go to receptacle: the contents of a closed box on it are hidden',
        '',
        'go_to: sofa 1',
        'You are at the sofa (1). You see: apple (2), box (1).',
    ),
    (
        'go to receptacle, holding: what is held is not seen there',
        'go_to: sofa 1, pick_up: apple 2',
        'go_to: sofa 1',
        'You are at the sofa (1). You see: box (1). You hold apple (2).',
    ),
    (
        'pick up',
        'go_to: sofa 1',
        'pick_up: apple 2',
        'You pick up apple (2). You hold apple (2).',
    ),
    (
        'put down on a surface',
        'go_to: sofa 1, pick_up: apple 2, go_to: kitchen 1, go_to: kitchen table 1',
        'put_down: apple 2',
        'You put down apple (2) on kitchen table (1).',
    ),
    (
        'put down in a container',
        'go_to: sofa 1, pick_up: apple 2, go_to: kitchen 1, go_to: fridge 1, open: fridge 1',
        'put_down: apple 2',
        'You put down apple (2) in fridge (1).',
    ),
    (
        'open: the contents appear',
        'go_to: kitchen 1, go_to: fridge 1',
        'open: fridge 1',
        'You open fridge (1). You see: juice (1).',
    ),
    (
        'open an empty one',
        'go_to: kitchen 1, go_to: dishwasher 1',
        'open: dishwasher 1',
        'You open dishwasher (1). You see nothing there.',
    ),
    (
        'open a box: the contents appear among the neighbours',
        'go_to: sofa 1',
        'open: box 1',
        'You open box (1). You see: apple (2), box (1), candy bar (1).',
    ),
    (
        'close',
        'go_to: kitchen 1, go_to: fridge 1, open: fridge 1',
        'close: fridge 1',
        'You close fridge (1).',
    ),
    (
        'turn on',
        'go_to: kitchen 1, go_to: dishwasher 1',
        'turn_on: dishwasher 1',
        'You turn on dishwasher (1).',
    ),
    ('turn off', 'go_to: tv 1', 'turn_off: tv 1', 'You turn off tv (1).'),
    (
        'slice',
        'go_to: kitchen 1, go_to: kitchen table 1, pick_up: cutlery knife 1',
        'slice: apple 1',
        'You slice apple (1). You see: apple (1), chair (1), cupcake (1), plate (1). '
        'Apple (1) is sliced. You hold cutlery knife (1).',
    ),
    (
        'refusal',
        'go_to: kitchen 1, go_to: fridge 1, open: fridge 1',
        'open: fridge 1',
        'You cannot open fridge (1): it is open already.',
    ),
]


def execute(world: World, phrase: str) -> str:
    """Carry out a phrase such as 'open: fridge 1' and give what the model reads."""
    skill, _, name = phrase.partition(': ')
    return world.execute(skill, (name,)).observation.text


@pytest.mark.parametrize(('before', 'phrase', 'text'), [row[1:] for row in ROWS], ids=[
    row[0] for row in ROWS
])  # fmt: skip
def test_what_is_read_follows_from_the_skill(
    world: World, before: str, phrase: str, text: str
) -> None:
    """One row of the tables each."""
    for earlier in filter(None, before.split(', ')):
        execute(world, earlier)

    assert execute(world, phrase) == text


def test_the_initial_observation_lists_rooms_and_furniture_only(world: World) -> None:
    """Neither small objects nor parts of the house, nor what only hangs on the wall."""
    assert world.observe().text == (
        'The house has 2 rooms: kitchen (1), living room (1). You are in the living room (1). '
        'Around you: sofa (1), tv (1).'
    )


def test_the_observation_at_a_receptacle_names_it_and_what_is_held(world: World) -> None:
    """As a later agent node reads it first."""
    execute(world, 'go_to: sofa 1')
    execute(world, 'pick_up: apple 2')

    assert world.observe().text == (
        'The house has 2 rooms: kitchen (1), living room (1). You are in the living room (1), '
        'at the sofa (1). Around you: sofa (1), tv (1). You hold apple (2).'
    )


def test_the_structure_has_furniture_what_is_visible_close_by_and_what_is_held(
    world: World,
) -> None:
    """What is near is exactly what skills can reach."""
    execute(world, 'go_to: sofa 1')
    execute(world, 'pick_up: apple 2')
    execute(world, 'go_to: kitchen 1')
    execute(world, 'go_to: kitchen table 1')

    seen = world.observe()

    assert (seen.room, seen.place) == ('kitchen 1', 'kitchen table 1')
    assert seen.rooms == ('kitchen 1', 'living room 1')
    near = {item.name for item in seen.objects if item.near}
    far = [item.name for item in seen.objects if not item.near]
    assert near == {
        'apple 1', 'apple 2', 'cupcake 1', 'cutlery knife 1', 'kitchen table 1', 'plate 1',
    }  # fmt: skip
    assert far == ['chair 1', 'chair 2', 'dishwasher 1', 'faucet 1', 'fridge 1', 'sink 1']
    assert [item.name for item in seen.held] == ['apple 2']


def test_the_structure_says_where_things_are_and_what_can_be_done_with_them(world: World) -> None:
    """Class, room, receptacle, relation, states and affordances in the words of the message."""
    execute(world, 'go_to: kitchen 1')
    execute(world, 'go_to: fridge 1')
    execute(world, 'open: fridge 1')
    at_fridge = {item.name: item for item in world.observe().objects}
    execute(world, 'go_to: kitchen table 1')
    at_table = {item.name: item for item in world.observe().objects}

    juice, fridge = at_fridge['juice 1'], at_fridge['fridge 1']
    assert (juice.room, juice.relation, juice.receptacle) == ('kitchen 1', 'inside', 'fridge 1')
    assert juice.affordances == {'grabbable'}
    assert fridge.states == {'open'}
    assert fridge.affordances == {'can_open', 'containers', 'furniture'}
    assert (fridge.receptacle, fridge.relation) == ('', '')
    assert 'juice 1' not in at_table
    assert at_table['cupcake 1'].receptacle == 'plate 1'
    assert 'cutter' in at_table['cutlery knife 1'].affordances
    assert at_fridge['dishwasher 1'].states == {'closed', 'off'}


def test_a_refused_skill_reveals_nothing_new(world: World) -> None:
    """An object that was never seen is answered like one that does not exist."""
    for name in ('juice 1', 'unicorn 1'):
        result = world.execute('pick_up', (name,))
        assert result.status is SkillStatus.REFUSED
        assert f'there is no {name[:-2]} (1) in sight' in result.observation.text
