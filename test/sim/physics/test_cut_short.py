# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill is cut short, or another client moves the hand: the next skill works all the same."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.world import PhysicsWorld

SUCCEEDED, REFUSED, FAILED, CANCELED = SkillStatus
RED = ('go_to: kitchen table 1', 'pick_up: red block 1')


def do(world: PhysicsWorld, *lines: str) -> SkillResult:
    for line in lines:
        skill, arguments = line.split(': ')
        result = world.execute(skill, arguments.split(', '))
        assert result.status is SUCCEEDED, f'{line}: {result.observation.text}'
    return result


def cut(world: PhysicsWorld, line: str, seconds: float) -> str:
    """Cancel a skill after some simulated time; return what is said."""
    skill, arguments = line.split(': ')
    end = world.simulation.time + seconds
    result = world.execute(skill, arguments.split(', '), lambda: world.simulation.time > end)
    assert result.status is CANCELED, result.observation.text
    return result.observation.text


@pytest.mark.parametrize(
    ('before', 'skill', 'seconds', 'next_one', 'done'),
    [
        (['go_to: drawer 1'], 'open: drawer 1', 4.5, 'open: drawer 1', 'drawer open'),
        (
            ['go_to: drawer 1', 'open: drawer 1'],
            'close: drawer 1',
            5.0,
            'close: drawer 1',
            'drawer closed',
        ),
        (['go_to: kitchen cabinet 1'], 'open: kitchen cabinet 1', 13.6, 'go_to: shelf 1', ''),
        (
            [*RED, 'go_to: drawer 1', 'open: drawer 1'],
            'put_down: red block 1',
            2.17,
            'put_down: red block 1',
            'red block inside drawer',
        ),
    ],
)
def test_the_hand_comes_out_of_where_a_cancel_left_it(
    world: PhysicsWorld, before: list[str], skill: str, seconds: float, next_one: str, done: str
) -> None:
    do(world, *before)
    cut(world, skill, seconds)
    do(world, next_one)
    if done:
        found = world.check([done])
        assert found is not None and found.holds
    do(world, 'go_to: kitchen counter 1')


def test_what_a_cancel_leaves_on_the_deck_is_told_and_picked_up_again(world: PhysicsWorld) -> None:
    do(world, *RED, 'go_to: drawer 1')
    assert cut(world, 'open: drawer 1', 9.0).endswith(
        'was canceled. On your own deck stands red block (1).'
    )
    seen = do(world, 'go_to: shelf 1').observation
    assert seen.text.endswith('On your own deck stands red block (1).')
    (red,) = [one for one in world.observe().objects if one.name == 'red block 1']
    assert red.near and not red.receptacle
    assert do(world, 'pick_up: red block 1').observation.text == (
        'You pick up red block (1). You hold red block (1).'
    )
    assert world.simulation.in_hand() == 'red block 1'
    do(world, 'put_down: red block 1')
    assert world.changes()[-1] == 'red block 1: on kitchen table 1 -> on shelf 1'


def test_what_is_put_when_the_cancel_comes_is_not_held(world: PhysicsWorld) -> None:
    do(world, *RED, 'go_to: shelf 1')
    assert 'You hold' not in cut(world, 'put_into: red block 1, tray 1', 2.9)
    result = world.execute('put_into', ['red block 1', 'tray 1'])
    assert (result.status, result.observation.text) == (
        REFUSED,
        'You cannot put red block (1) into tray (1): you do not hold it.',
    )


@pytest.mark.parametrize('looked', [True, False])
def test_a_hand_that_another_client_opens_holds_nothing(kitchen: Description, looked: bool) -> None:
    world = PhysicsWorld(kitchen)
    do(world, *RED)
    world.simulation.stop = lambda: False
    world.simulation.grip(0.08)
    world.simulation.advance(0.5)
    said = 'red block (1) is no longer in your hand. '
    if looked:
        seen = world.observe()
        assert seen.text.startswith(said) and not seen.held
        assert not world.observe().text.startswith(said), 'told once'
    result = world.execute('put_down', ['red block 1'])
    assert (result.status, result.observation.text) == (
        REFUSED,
        ('' if looked else said) + 'You cannot put down red block (1): you do not hold it.',
    )
    do(world, 'go_to: kitchen table 1', 'pick_up: can 1')


def test_what_is_lost_on_the_way_is_not_put_down(kitchen: Description) -> None:
    world = PhysicsWorld(kitchen)
    do(world, *RED, 'go_to: kitchen counter 1')
    begin = world.simulation.time

    def lose() -> bool:
        if world.simulation.time > begin + 0.5:
            world.simulation.data.ctrl[world.simulation._gripper] = 0.04
        return False

    result = world.execute('put_down', ['red block 1'], lose)
    assert (result.status, result.observation.text) == (
        FAILED,
        'red block (1) is no longer in your hand. You could not put down red block (1): '
        'red block (1) slipped out of the gripper.',
    )
