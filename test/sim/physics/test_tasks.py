# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of the kitchen: their plans reach their goals, and what is knocked over is taken again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.bench.kitchen import do_plan, read_step
from reactree_ros.sim.physics.task_world import KitchenTaskWorld
from reactree_ros.sim.physics.tasks import KITCHEN_SETS, KitchenTask, arm_tasks, arranged
from reactree_ros.sim.physics.world import arm_library
from reactree_ros.sim.tasks import select_tasks, surroundings_of

from ...thorough import thorough


def task(number: int, name: str = 'kitchen') -> KitchenTask:
    return next(one for one in arm_tasks(name) if one.id == number)


def test_the_sets_have_the_same_fifteen_tasks() -> None:
    for name in KITCHEN_SETS:
        if name == 'kitchen_blocked':
            continue
        assert [one.id for _, one in select_tasks(name)] == list(range(1, 16))
    assert {one.error for one in arm_tasks('kitchen_error')} == {0.005}
    knocked = arm_tasks('kitchen_knock')
    assert all(one.knock for one in knocked if one.type != 'open')
    assert not any(one.knock for one in arm_tasks('kitchen'))


def test_every_step_of_a_plan_is_a_skill() -> None:
    for one in (*arm_tasks('kitchen'), *arm_tasks('kitchen_train')):
        for step in one.plan:
            read_step(step, arm_library())
    with pytest.raises(ValueError, match='dance'):
        read_step('dance', arm_library())


def test_a_seed_says_where_things_stand() -> None:
    first, again, other = (arranged(task(11), seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first.on['cup 1'][0] == 'kitchen cabinet 1'
    assert first.on['tray 1'] == other.on['tray 1'], 'nobody could have carried it'


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ConfigurationError, match='there is no spoon 1'):
        arranged(replace(task(2), moved=(('spoon 1', 'on', 'shelf 1'),)), 0)
    many = tuple(
        (name, 'inside', 'drawer 1') for name in ('milk 1', 'bowl 1', 'can 1', 'cup 1', 'apple 1')
    )
    with pytest.raises(ConfigurationError, match='has no room on drawer 1'):
        arranged(replace(task(2), moved=many), 0)
    with pytest.raises(ConfigurationError, match='the goal of task 2'):
        KitchenTaskWorld(replace(task(2), conditions=('can on moon',)))


@pytest.mark.parametrize('number', thorough([4, 8, 9, 11], [8, 9]))
def test_a_plan_reaches_the_goal(number: int) -> None:
    made = do_plan(task(number), seed=1)
    assert made.reached, made.failures


def test_what_holds_from_the_start_is_seen() -> None:
    found = surroundings_of(task(4), 3).check()
    assert (found.holds, found.met, found.wanted) == (False, 0, 1)


def test_a_blocked_drawer_is_felt() -> None:
    world = KitchenTaskWorld(task(14), 0)
    assert 'stool (1)' in world.observe().text
    world.execute('go_to', ['drawer 1'])
    opened = world.execute('open', ['drawer 1'])
    assert opened.status is SkillStatus.FAILED
    assert 'opens only 5 cm: something blocks it' in opened.observation.text


def test_a_plan_of_what_cannot_be_fails_at_the_drawer_and_nowhere_else() -> None:
    put = task(5, 'kitchen_blocked')
    assert do_plan(put, seed=0).reached
    # Something is refused on the way there: nobody has felt the drawer.
    assert not do_plan(replace(put, plan=put.plan[1:]), seed=0).reached
    assert not do_plan(replace(put, blocked=''), seed=0).reached


@pytest.mark.parametrize('number', [3, 9])
def test_a_drawn_task_starts_without_its_goal_and_its_plan_reaches_it(number: int) -> None:
    drawn = task(number, 'kitchen_train')
    assert surroundings_of(drawn, 0).check().met == 0
    made = do_plan(drawn, seed=0)
    assert made.reached, made.failures


def test_a_thing_that_is_knocked_over_is_missed_then_taken_from_where_it_lies() -> None:
    knocked = task(2, 'kitchen_knock')
    missed = do_plan(knocked, seed=0)
    assert not missed.reached
    assert 'holds nothing' in missed.failures[0] or 'something blocks' in missed.failures[0]
    taken = do_plan(knocked, seed=0, retries=2)
    assert taken.reached, taken.failures
    assert taken.repeated
