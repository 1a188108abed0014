# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm takes things, opens what is closed and says why something did not work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.simulation import Simulation
from reactree_ros.sim.physics.world import PhysicsWorld

SUCCEEDED, REFUSED, FAILED, CANCELED = SkillStatus


def do(world: PhysicsWorld, *lines: str) -> str:
    """Carry out skills that must succeed; return the text of the last."""
    text = ''
    for line in lines:
        skill, *arguments = line.split(': ')
        result = world.execute(skill, arguments[0].split(', '))
        text = result.observation.text
        assert result.status is SUCCEEDED, f'{line}: {text}'
    return text


def refusal(world: PhysicsWorld, line: str) -> str:
    skill, arguments = line.split(': ')
    result = world.execute(skill, arguments.split(', '))
    assert result.status is REFUSED
    return result.observation.text


def test_the_texts_are_those_of_the_household(world: PhysicsWorld) -> None:
    assert world.observe().text == (
        'The house has 1 room: kitchen (1). You are in the kitchen (1). Around you: drawer (1), '
        'kitchen cabinet (1), kitchen counter (1), kitchen table (1), shelf (1).'
    )
    assert do(world, 'go_to: kitchen table 1') == (
        'You are at the kitchen table (1). You see: blue block (1), can (1), green block (1), '
        'orange (1), red block (1).'
    )
    assert do(world, 'pick_up: can 1') == 'You pick up can (1). You hold can (1).'
    assert do(world, 'go_to: shelf 1') == (
        'You are at the shelf (1). You see: cup (1), tray (1). You hold can (1).'
    )
    assert do(world, 'put_into: can 1, tray 1') == 'You put can (1) on tray (1).'
    seen = {one.name: one for one in world.observe().objects}
    assert (seen['can 1'].receptacle, seen['can 1'].relation) == ('tray 1', 'on')
    assert seen['can 1'].near


def test_a_drawer_is_opened_with_a_full_hand_filled_and_shut(world: PhysicsWorld) -> None:
    do(world, 'go_to: kitchen table 1', 'pick_up: red block 1')
    assert do(world, 'go_to: drawer 1') == (
        'You are at the drawer (1). It is closed. You see nothing there. You hold red block (1).'
    )
    do(world, 'open: drawer 1')
    assert world.simulation.in_hand() == 'red block 1'
    assert do(world, 'put_down: red block 1') == 'You put down red block (1) in drawer (1).'
    do(world, 'close: drawer 1')
    found = world.check(['red block inside drawer', 'drawer closed', 'hands empty'])
    assert found is not None and found.holds
    assert world.changes() == ['red block 1: on kitchen table 1 -> inside drawer 1']


def test_what_is_in_a_closed_cabinet_is_found_when_its_doors_are_open(
    placed: Callable[..., Description],
) -> None:
    world = PhysicsWorld(placed('cup 1', ('kitchen cabinet 1', 0.03, 0.0)))
    assert world.everything().objects
    assert do(world, 'go_to: kitchen cabinet 1').endswith('It is closed. You see nothing there.')
    assert refusal(world, 'pick_up: cup 1') == (
        'You cannot pick up cup (1): there is no cup (1) in sight.'
    )
    assert do(world, 'open: kitchen cabinet 1') == (
        'You open kitchen cabinet (1). You see: cup (1).'
    )
    found = world.check(['kitchen cabinet open', 'cup inside kitchen cabinet'])
    assert found is not None and found.holds


def test_what_cannot_be_done_is_refused_with_the_reason(world: PhysicsWorld) -> None:
    do(world, 'go_to: kitchen table 1')
    assert 'you do not hold it' in refusal(world, 'put_down: can 1')
    assert 'it is out of reach from here' in refusal(world, 'open: drawer 1')
    assert 'there is no window (1) in sight' in refusal(world, 'go_to: window 1')
    assert 'it has no door' in refusal(world, 'open: kitchen table 1')
    assert 'no such skill' in refusal(world, 'paint: kitchen table 1')
    do(world, 'pick_up: can 1')
    assert 'you hold can (1)' in refusal(world, 'pick_up: red block 1')
    do(world, 'go_to: drawer 1')
    assert 'drawer (1) is closed' in refusal(world, 'put_down: can 1')
    assert 'it is closed already' in refusal(world, 'close: drawer 1')
    assert not world.changes() or world.changes() == [
        "can 1: on kitchen table 1 -> in the robot's hand"
    ]


def test_a_slippery_thing_slips_away(placed: Callable[..., Description]) -> None:
    world = PhysicsWorld(placed('can 1', mass=1.5))
    world.simulation.model.geom('arm/hand/panda_leftfinger_collision').friction[0] = 0.02
    world.simulation.model.geom('arm/hand/panda_rightfinger_collision').friction[0] = 0.02
    do(world, 'go_to: kitchen table 1')
    result = world.execute('pick_up', ['can 1'])
    assert result.status is FAILED
    assert result.observation.text == (
        'You could not pick up can (1): can (1) slipped out of the gripper.'
    )
    assert not result.observation.held


def test_a_thing_before_a_drawer_blocks_it(kitchen: Description) -> None:
    def hold_shut(simulation: Simulation) -> None:
        joint = simulation.data.joint('drawer 1')
        joint.qfrc_applied[0] = -4000.0 * max(0.0, float(joint.qpos[0]) - 0.05)

    world = PhysicsWorld(kitchen, before=hold_shut)
    do(world, 'go_to: drawer 1')
    result = world.execute('open', ['drawer 1'])
    assert result.status is FAILED
    assert 'something blocks it' in result.observation.text


def test_a_canceled_skill_leaves_the_arm_at_rest(kitchen: Description) -> None:
    world = PhysicsWorld(kitchen)
    do(world, 'go_to: kitchen table 1')
    begin = world.simulation.time
    result = world.execute('pick_up', ['can 1'], lambda: world.simulation.time > begin + 1.0)
    assert world.simulation.time < begin + 1.2
    assert result.status is CANCELED
    world.simulation.advance(0.5)
    arm = world.simulation.arm
    world.simulation.advance(0.2)
    assert np.abs(world.simulation.arm - arm).max() < 0.01
    assert world.execute('go_to', ['shelf 1']).status is SUCCEEDED


def test_the_same_seed_gives_the_same_run(kitchen: Description) -> None:
    ends = []
    for _ in range(2):
        world = PhysicsWorld(kitchen, error=0.003, seed=4)
        do(world, 'go_to: kitchen table 1', 'pick_up: blue block 1', 'go_to: kitchen counter 1')
        do(world, 'put_down: blue block 1')
        ends.append(world.simulation.poses()['blue block 1'].position.round(4).tolist())
    assert ends[0] == ends[1]


@pytest.mark.parametrize('lines', [[], ['red block under drawer'], ['nonsense']])
def test_conditions_that_cannot_be_read_are_not_judged(
    world: PhysicsWorld, lines: list[str]
) -> None:
    assert world.check(lines) is None
