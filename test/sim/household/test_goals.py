# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goal conditions: what is refused, and what holds when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import World, check, parse_conditions, scene_from_dict

REFUSED = [
    ({}, 'expected conditions with counts'),
    (['inside_apple_fridge'], 'expected conditions with counts'),
    ({'under_apple_fridge': 1}, "goal.under_apple_fridge: 'under' is not one of inside, on"),
    ({'inside_apple': 1}, "goal.inside_apple: 'apple' is not two classes of the scene"),
    ({'inside_apple_oven': 1}, "the scene has no 'oven'"),
    ({'inside_unicorn_fridge': 1}, "the scene has no 'unicorn'"),
    ({'turnOn_oven': 1}, "goal.turnOn_oven: the scene has no 'oven'"),
    ({'turnOn_fridge': 1}, 'fridge has no switch'),
    ({'sliced_plate': 1}, 'plate cannot be sliced'),
    ({'inside_apple_fridge': 0}, 'the count 0 is not a whole number from 1'),
    ({'inside_apple_fridge': '1'}, "the count '1' is not a whole number from 1"),
    ({'inside_apple_fridge': True}, 'the count True is not a whole number from 1'),
]


@pytest.mark.parametrize(('raw', 'message'), REFUSED)
def test_a_condition_that_does_not_fit_is_named(world: World, raw: Any, message: str) -> None:
    """With the key and what is wrong about it."""
    with pytest.raises(ConfigurationError) as error:
        parse_conditions(raw, world.scene)

    assert message in str(error.value)


def test_all_wrong_conditions_are_named_at_once(world: World) -> None:
    """One line each."""
    with pytest.raises(ConfigurationError) as error:
        parse_conditions({'turnOn_oven': 1, 'sliced_plate': 1}, world.scene)

    assert len(str(error.value).splitlines()) == 2


CHECKED = [
    # skills before, condition, count, line, holds
    ('', 'inside_juice_fridge', 1, 'juice inside fridge: 1 of 1', True),
    ('', 'inside_apple_fridge', 1, 'apple inside fridge: 0 of 1', False),
    ('', 'on_apple_kitchentable', 1, 'apple on kitchen table: 1 of 1', True),
    ('', 'on_apple_kitchentable', 2, 'apple on kitchen table: 1 of 2', False),
    ('', 'on_apple_kitchentable', 3, 'apple on kitchen table: 1 of 3', False),
    ('', 'on_cupcake_plate', 1, 'cupcake on plate: 1 of 1', True),
    ('', 'on_cupcake_kitchentable', 1, 'cupcake on kitchen table: 0 of 1', False),
    ('', 'inside_candy_bar_box', 1, 'candy bar inside box: 1 of 1', True),
    ('', 'turnOn_dishwasher', 1, 'dishwasher turned on: 0 of 1', False),
    ('', 'turnOff_dishwasher', 1, 'dishwasher turned off: 1 of 1', True),
    ('', 'turnOn_tv', 1, 'tv turned on: 1 of 1', True),
    ('', 'closed_fridge', 1, 'fridge closed: 1 of 1', True),
    ('', 'open_fridge', 1, 'fridge open: 0 of 1', False),
    ('go_to kitchen 1, go_to fridge 1, open fridge 1', 'open_fridge', 1, 'fridge open: 1 of 1',
     True),
    ('go_to kitchen 1, go_to fridge 1, open fridge 1', 'closed_fridge', 1, 'fridge closed: 0 of 1',
     False),
    ('', 'holds_apple', 1, 'apple held: 0 of 1', False),
    ('go_to sofa 1, pick_up apple 2', 'holds_apple', 1, 'apple held: 1 of 1', True),
    ('', 'sliced_apple', 1, 'apple sliced: 0 of 1', False),
    ('go_to kitchen 1, go_to kitchen table 1, pick_up cutlery knife 1, slice apple 1',
     'sliced_apple', 1, 'apple sliced: 1 of 1', True),
    ('go_to kitchen 1, go_to kitchen table 1, pick_up plate 1, go_to fridge 1, open fridge 1, '
     'put_down plate 1', 'inside_cupcake_fridge', 1, 'cupcake inside fridge: 1 of 1', True),
]  # fmt: skip


@pytest.mark.parametrize(('before', 'key', 'count', 'line', 'holds'), CHECKED)
def test_a_condition_is_checked_against_the_world(
    world: World, before: str, key: str, count: int, line: str, holds: bool
) -> None:
    """The line says how far it is met."""
    for phrase in filter(None, before.split(', ')):
        skill, _, name = phrase.partition(' ')
        world.execute(skill, (name,))

    found = check(world, {key: count})

    assert found.holds is holds
    assert (found.satisfied if holds else found.unsatisfied) == (line,)
    assert not (found.unsatisfied if holds else found.satisfied)


def test_a_goal_holds_only_when_all_conditions_do(world: World) -> None:
    """The lines come in the order of the goal."""
    found = check(world, {'turnOn_tv': 1, 'sliced_apple': 1, 'inside_juice_fridge': 1})

    assert not found.holds
    assert found.satisfied == ('tv turned on: 1 of 1', 'juice inside fridge: 1 of 1')
    assert found.unsatisfied == ('apple sliced: 0 of 1',)


def test_a_goal_without_conditions_never_holds(world: World) -> None:
    """Nothing to confirm is nothing confirmed."""
    assert not check(world, ()).holds


MODIFIED_REFUSED = [
    ({'inside_warm.apple_fridge': 1}, "'warm' is not one of the states hot, cold, cooked"),
    ({'inside_sliced.plate_fridge': 1}, 'plate cannot be sliced'),
    ({'on_hot.cold.apple_sofa': 1}, 'hot, cold cannot all be asked of one object'),
    ({'on_hot.unicorn_sofa': 1}, "the scene has no 'unicorn'"),
    ({'on_apple+plate_sofa': 1}, 'nothing can be put on or in apple'),
    ({'on_plate+unicorn_sofa': 1}, "the scene has no 'unicorn'"),
    ({'on_plate+sofa_kitchentable': 1}, 'sofa cannot be picked up'),
    ({'on_box+plate+apple_sofa': 1}, 'only one thing can be asked for on or in box'),
    ({'turnOn_hot.tv': 1}, 'tv cannot be picked up'),
    ({'lit_sofa': 1}, 'sofa cannot be picked up'),
    ({'cold_unicorn': 1}, "the scene has no 'unicorn'"),
]


@pytest.mark.parametrize(('raw', 'message'), MODIFIED_REFUSED)
def test_a_wrong_subject_is_named(world: World, raw: Any, message: str) -> None:
    """States that there are not or that do not fit, loads of what carries nothing."""
    with pytest.raises(ConfigurationError) as error:
        parse_conditions(raw, world.scene)

    assert message in str(error.value)


def test_a_state_before_the_class_counts_only_such_objects(world: World) -> None:
    """An apple on the table is not yet a sliced apple on the table."""
    goal = {'on_sliced.apple_kitchentable': 1, 'sliced_apple': 1}
    before = check(world, goal)
    for skill, name in (
        ('go_to', 'kitchen 1'),
        ('go_to', 'kitchen table 1'),
        ('pick_up', 'cutlery knife 1'),
        ('slice', 'apple 1'),
    ):
        world.execute(skill, (name,))

    assert before.unsatisfied == (
        'sliced apple on kitchen table: 0 of 1',
        'apple sliced: 0 of 1',
    )
    assert check(world, goal).holds


def test_a_vessel_counts_with_what_it_must_carry(world: World) -> None:
    """A plate with a cupcake on it is one; a plate with an apple is not there."""
    assert check(world, {'on_plate+cupcake_kitchentable': 1}).satisfied == (
        'plate with cupcake on kitchen table: 1 of 1',
    )
    assert not check(world, {'on_plate+apple_kitchentable': 1}).holds
    # What is on a vessel is in it, too.
    assert check(world, {'inside_cupcake_plate': 1}).holds


def test_something_is_lit_while_it_is_held_at_a_lamp_that_is_on(
    flat: Callable[..., dict[str, Any]],
) -> None:
    """Away from the lamp, or with the lamp off, it is not."""
    data = flat()
    data['nodes'].append(
        {
            'id': 40,
            'class_name': 'tablelamp',
            'category': 'Lamps',
            'properties': ['HAS_SWITCH'],
            'states': ['OFF'],
        }
    )
    data['edges'].append({'from_id': 40, 'relation_type': 'INSIDE', 'to_id': 2})
    world = World(scene_from_dict(data))
    lit = []
    for skill, name in (
        ('go_to', 'sofa 1'),
        ('pick_up', 'apple 2'),
        ('go_to', 'table lamp 1'),
        ('turn_on', 'table lamp 1'),
        ('go_to', 'sofa 1'),
    ):
        world.execute(skill, (name,))
        lit.append(check(world, {'lit_apple': 1}).holds)

    assert lit == [False, False, False, True, False]
