# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn tasks of the arm: made again, apart from the test tasks, with plans that fit."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from reactree_ros.lab.generator.arm_tasks import (
    SHAPES,
    SIZE,
    ArmGoal,
    Kitchen,
    known_plan,
    make_arm_tasks,
    wanted,
)
from reactree_ros.paths import share
from reactree_ros.sim.household.shipped import read_archive
from reactree_ros.sim.physics.description import shipped_description
from reactree_ros.sim.physics.tasks import ARM_SETS, arm_tasks


@pytest.fixture(scope='module')
def kitchen() -> Kitchen:
    return Kitchen(shipped_description('kitchen'))


def test_the_shipped_set_is_what_the_generator_makes() -> None:
    shipped = read_archive(share('resource', 'tasks', 'kitchen_train.json.gz'))

    made = make_arm_tasks()
    assert shipped['about'].startswith('TRAINING tasks')
    assert [one['id'] for one in shipped['tasks']] == list(range(1, SIZE + 1))
    for one, again in zip(shipped['tasks'], made, strict=True):
        assert list(one) == list(again)
        assert (one['conditions'], one['plan']) == (list(again['conditions']), list(again['plan']))
        assert one['instructions'] == list(again['instructions'])


def test_no_goal_is_one_of_a_test_task() -> None:
    judged = {
        wanted(task.conditions)
        for name in ('kitchen', 'apartment', 'arm')
        for task in arm_tasks(name)
        if task.conditions
    }

    assert not [one.id for one in arm_tasks('kitchen_train') if wanted(one.conditions) in judged]
    assert wanted(('a on b; c on d',)) == wanted(('c on d', 'a on b'))


def test_shapes_take_turns_and_no_two_tasks_are_the_same() -> None:
    tasks = arm_tasks('kitchen_train')

    shapes = Counter(task.type for task in tasks[:40])
    assert {*shapes} == {*SHAPES}
    assert max(shapes.values()) - min(shapes.values()) <= 1
    assert len({(wanted(task.conditions), task.moved) for task in tasks}) == SIZE


def test_every_task_is_said_in_four_ways() -> None:
    for task in arm_tasks('kitchen_train'):
        assert len(task.instructions) == 4, task.id
        assert not any(re.search('[{}]', text) for text in task.instructions), task.id


def test_a_plan_goes_opens_picks_up_and_puts(kitchen: Kitchen) -> None:
    goal = ArmGoal(
        'put_close',
        start={'can': 'kitchen table', 'cup': 'drawer', 'bowl': 'kitchen table'},
        moves=[('cup', 'bowl'), ('can', 'drawer')],
        closed=['drawer'],
    )

    assert known_plan(goal, kitchen) == (
        *('go to drawer', 'open drawer', 'pick up cup', 'go to kitchen table', 'put cup into bowl'),
        *('pick up can', 'go to drawer', 'put down can', 'close drawer'),
    )
    left = ArmGoal('leave_open', moves=[('can', 'drawer')], opened=['drawer', 'kitchen cabinet'])
    assert known_plan(left, kitchen)[-2:] == ('go to kitchen cabinet', 'open kitchen cabinet')
    assert known_plan(ArmGoal('hold', moves=[('can', '')]), kitchen)[-1] == 'pick up can'


@pytest.mark.parametrize(
    ('things', 'place', 'fit'),
    [
        (['can'], 'drawer', True),
        (['milk'], 'drawer', False),
        (['milk'], 'kitchen cabinet', True),
        (['apple', 'orange'], 'bowl', True),
        (['apple', 'orange', 'red block'], 'bowl', False),
        (['bowl'], 'bowl', False),
        (['apple'], 'cup', False),
        (['red block'], 'green block', True),
        (['can'], 'green block', False),
        (['bowl', 'can'], 'tray', True),
        (['bowl'], 'kitchen cabinet', True),
        (['bowl', 'can'], 'kitchen cabinet', False),
    ],
)
def test_sizes_say_what_fits(kitchen: Kitchen, things: list[str], place: str, fit: bool) -> None:
    assert kitchen.fit(things, place) == fit


def test_low_things_are_not_to_be_taken_out_of_the_cupboard(kitchen: Kitchen) -> None:
    assert kitchen.takes('red block', 'drawer')
    assert kitchen.takes('cup', 'kitchen cabinet')
    assert kitchen.takes('bowl', 'kitchen cabinet'), 'it is held by its rim'
    assert not kitchen.takes('red block', 'kitchen cabinet')
    moved = [move for task in arm_tasks('kitchen_train') for move in task.moved]
    assert not [name for name, _, place in moved if 'block' in name and 'cabinet' in place]


def test_who_needs_the_drawer_finds_it_blocked() -> None:
    for name in ('kitchen', 'kitchen_train'):
        blocked = {task.id: task for task in arm_tasks(f'{name}_blocked')}
        for task in arm_tasks(name):
            assert ('open drawer' in task.plan) == (task.id in blocked)
        for task in blocked.values():
            assert task.impossible
            assert not task.conditions
            assert task.blocked == 'drawer 1'
            assert task.plan[-1] == 'open drawer'
            assert task.steps == len(task.plan)
    assert [task.id for task in arm_tasks('kitchen_blocked')] == [3, 5, 7, 13, 14]


def test_sets_differ_in_error_and_knock_only_as_their_names_say() -> None:
    for name in ARM_SETS:
        tasks = arm_tasks(name)
        assert {task.error for task in tasks} == {0.005 if name.endswith('_error') else 0.0}
        assert any(task.knock for task in tasks) == name.endswith(('_knock', '_failing'))
