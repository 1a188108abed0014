# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of everyday instructions: it understands every word, or nothing."""

from __future__ import annotations

import pytest

from reactree_ros.sim.household import (
    Task,
    World,
    check,
    conditions_from_text,
    parse_conditions,
    shipped_scene,
    shipped_tasks,
)

UNREAD = [
    '',
    '   ',
    'hello',
    'please',
    'put',
    'put the apple',
    'put the apple in',
    'put the in the fridge',
    'tidy up',
    'put the unicorn in the fridge',
    'put the red apple in the fridge',
    'put apples in the fridge',
    'put the wine glasses in the dishwasher',
    'put some apples in the fridge',
    'put all apples in the fridge',
    'put two apple in the fridge',
    'put one apples in the fridge',
    'put zero apples in the fridge',
    'put the glass in the dishwasher',
    'put the apple on the table',
    'put the apple on the fridge',
    'put the apple in the sofa',
    'put the apple in the tv',
    'put the sofa in the fridge',
    'put the apple in the fridge or on the sofa',
    'do not put the apple in the fridge',
    'put the apple in the fridge if it is open',
    'put the apple in the fridge and',
    'put the apple in the fridge and sing',
    'put it in the fridge',
    'turn it on',
    'turn on the fridge',
    'put the apple in the fridge and turn it on',
    'open the apple',
    'slice the plate',
    'put the apple from the kitchen in the fridge',
    'put the apple, in the fridge',
    'put an apple and an apple in the fridge',
    'put the apple and the plate in the fridge and slice it',
    'pick up two apples',
    'put den apfel in den kühlschrank',
    'turn tv',
]


@pytest.mark.parametrize('text', UNREAD)
def test_what_is_not_wholly_understood_is_not_read(text: str) -> None:
    """No part of the sentence is taken for the whole."""
    assert conditions_from_text(text, shipped_scene('apartment_1')) is None


READ = [
    ('Put the apple in the fridge.', {'inside_apple_fridge': 1}),
    ('put the pudding on the coffee table', {'on_pudding_coffeetable': 1}),
    ('Please place two apples in the fridge!', {'inside_apple_fridge': 2}),
    ('place 2 wine glasses inside the dishwasher', {'inside_wineglass_dishwasher': 2}),
    (
        'put one cupcake and one apple on the coffee table',
        {'on_cupcake_coffeetable': 1, 'on_apple_coffeetable': 1},
    ),
    (
        'put a fork, a knife, and two plates on the kitchen table',
        {
            'on_cutleryfork_kitchentable': 1,
            'on_cutleryknife_kitchentable': 1,
            'on_plate_kitchentable': 2,
        },
    ),
    (
        'put the plate in the dishwasher and turn it on',
        {'inside_plate_dishwasher': 1, 'turnOn_dishwasher': 1},
    ),
    (
        'Could you put the salmon into the microwave, then close it and switch it on, please?',
        {'inside_salmon_microwave': 1, 'closed_microwave': 1, 'turnOn_microwave': 1},
    ),
    ('bring the book to the sofa', {'on_book_sofa': 1}),
    ('take the milk to the refrigerator', {'inside_milk_fridge': 1}),
    ('slice the apple', {'sliced_apple': 1}),
    ('turn on the tv', {'turnOn_tv': 1}),
    ('Turn the television off', {'turnOff_tv': 1}),
    ('close the fridge', {'closed_fridge': 1}),
    (
        'open the fridge, put the apple in the fridge and close the fridge',
        {'inside_apple_fridge': 1, 'closed_fridge': 1},
    ),
    ('pick up the book', {'holds_book': 1}),
    ('Pick up the book and put it on the sofa.', {'on_book_sofa': 1}),
    (
        'slice the apple and put it in the fridge',
        {'inside_sliced.apple_fridge': 1},
    ),
    (
        'put the apple in the fridge and the book on the sofa',
        {'inside_apple_fridge': 1, 'on_book_sofa': 1},
    ),
    (
        'Put the apple in the fridge. Then turn on the tv.',
        {'inside_apple_fridge': 1, 'turnOn_tv': 1},
    ),
    (
        'Make sure there is a wine and a juice on the coffee table.',
        {'on_wine_coffeetable': 1, 'on_juice_coffeetable': 1},
    ),
    ('put the bananas in the sink', {'inside_bananas_sink': 1}),
    ('put twenty apples in the fridge', None),
    ('put 20 apples in the fridge', {'inside_apple_fridge': 20}),
    ('PUT THE REMOTE CONTROL ONTO THE TV STAND', {'on_remotecontrol_tvstand': 1}),
    ('hey robot, put the mug in the dishwasher for me', {'inside_mug_dishwasher': 1}),
]


@pytest.mark.parametrize(('text', 'goal'), READ)
def test_an_everyday_instruction_is_read_as_goal_conditions(
    text: str, goal: dict[str, int] | None
) -> None:
    """In the form of Watch-And-Help; a world takes the conditions as they are."""
    world = World(shipped_scene('apartment_1'))

    assert conditions_from_text(text, world.scene) == goal
    if goal:
        assert len(parse_conditions(goal, world.scene)) == len(goal)
        check(world, goal)


@pytest.mark.parametrize('task', shipped_tasks(), ids=lambda task: str(task.id))
def test_the_instruction_of_a_shipped_task_means_its_goal(task: Task) -> None:
    """Read from the words alone."""
    assert conditions_from_text(task.instruction, shipped_scene(task.scene)) == task.goal


def test_a_very_long_text_is_not_read() -> None:
    """In reasonable time, and without an error."""
    assert conditions_from_text('put ' * 25_000, shipped_scene('apartment_1')) is None
    assert conditions_from_text('a' * 100_000, shipped_scene('apartment_1')) is None
