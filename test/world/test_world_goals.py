# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goal conditions: what is refused, and what holds when."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.world import World, check, parse_conditions

REFUSED = [
    ({}, 'expected conditions with counts'),
    (['inside_apple_fridge'], 'expected conditions with counts'),
    ({'under_apple_fridge': 1}, "goal.under_apple_fridge: 'under' is not one of inside, on"),
    ({'inside_apple': 1}, "goal.inside_apple: 'apple' is not two classes of the scene"),
    ({'inside_apple_oven': 1}, "'apple_oven' is not two classes of the scene"),
    ({'turnOn_oven': 1}, "goal.turnOn_oven: the scene has no 'oven'"),
    ({'turnOn_fridge': 1}, 'fridge is not has_switch'),
    ({'sliced_plate': 1}, 'plate is not cuttable'),
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
