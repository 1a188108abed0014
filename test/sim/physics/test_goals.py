# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every goal of the arm can be reached, or cannot, as its task says; by the state of the physics.

All of them take minutes: without REACTREE_ALL_PLANS some are done (``make plans``).
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.bench.kitchen import do_plan, read_step
from reactree_ros.lab.generator.arm_tasks import wanted
from reactree_ros.sim.household import GoalCheck, judged
from reactree_ros.sim.physics.task_world import KitchenTaskWorld
from reactree_ros.sim.physics.tasks import ARM_GOAL_SETS, KitchenTask, arm_tasks, arranged
from reactree_ros.sim.physics.world import arm_library
from reactree_ros.sim.robots.tasks import ROBOT_TYPES, bt_sets

TESTS, SHOWN = map(arm_tasks, ARM_GOAL_SETS[:2])
QUICK = {'arm': {3, 5, 7, 11, 20, 21, 33, 34, 36, 39, 40}, 'arm_shown': {1, 2, 17, 27, 29}}
QUICK |= {'bt_arm': set(), 'bt_arm_partial': {4}, 'bt_arm_failing': {4}, 'bt_arm_shown': set()}
FULL, _, FAILING = bt_sets('arm')
TASKS = [
    (name, task)
    for name in ARM_GOAL_SETS
    for task in arm_tasks(name)
    if os.environ.get('REACTREE_ALL_PLANS') or task.id in QUICK[name]
]


def goal_of(task: KitchenTask) -> frozenset[str]:
    """Return the conditions of a goal, in no order."""
    return frozenset(line.removeprefix('then ') for line in wanted(task.conditions))


@pytest.mark.parametrize(('name', 'task'), TASKS, ids=[f'{n}-{t.id}' for n, t in TASKS])
def test_the_plan_of_a_goal_does_what_the_goal_says(name: str, task: KitchenTask) -> None:
    before = KitchenTaskWorld(task).judge()
    assert not judged(task, before).holds
    assert not task.once or not judged(task, before, *task.answer[:1]).holds, 'it can be guessed'

    made = do_plan(task, seed=0)
    assert made.reached, made.failures
    if name in (FULL, FAILING):
        assert bool(made.failed) == (name == FAILING)


def test_there_are_goals_of_every_type() -> None:
    assert [task.id for task in TESTS] == [*range(1, 41)]
    assert [task.id for task in SHOWN] == [*range(1, 31)]
    for tasks in (TESTS, SHOWN):
        assert {task.type for task in tasks} == {*ROBOT_TYPES}
        assert sum(bool(task.languages) for task in tasks) >= len(tasks) / 10
        assert len({task.instruction for task in tasks}) == len(tasks)
    types = Counter(task.type for task in TESTS)
    assert 2 <= min(types.values()) and max(types.values()) <= 5


def test_every_step_is_a_skill() -> None:
    for task in (*TESTS, *SHOWN):
        for step in task.plan:
            read_step(step, arm_library())


def test_what_is_shown_solves_no_goal_that_planners_are_judged_by() -> None:
    others = [goal_of(one) for name in ('kitchen', 'apartment') for one in arm_tasks(name)]
    for task in SHOWN:
        assert not task.conditions or goal_of(task) not in others, task.id
        for other in TESTS:
            goal = goal_of(other)
            assert not goal or not goal <= goal_of(task), f'{task.id} reaches {other.id}'
            assert task.plan != other.plan or task.asks or task.impossible


def test_a_solution_is_shown_with_the_subgoals_that_divide_it() -> None:
    divided = [task for task in SHOWN if task.subgoals]
    assert len(divided) > len(SHOWN) / 2
    for task in divided:
        assert task.plan == tuple(step for _, steps in task.subgoals for step in steps)
    assert not any(task.subgoals for task in TESTS)


def test_what_is_shown_first_and_what_a_person_says_in_the_end() -> None:
    plain, parts, asked = SHOWN[:3]
    assert not plain.subgoals and len(parts.subgoals) == 2 and asked.asks
    for task in SHOWN:
        assert bool(task.says) == (task.asks or task.impossible), task.id
        assert not task.asks or judged(task, GoalCheck((), ()), task.says).holds, task.id


def test_what_held_in_between_counts_and_what_nobody_asked_for() -> None:
    hold = next(task for task in TESTS if task.id == 3)
    task = replace(
        hold,
        conditions=('robot at kitchen table',),
        once=('robot at kitchen table', 'drawer open'),
        never=('green block held', 'milk held'),
    )
    world = KitchenTaskWorld(task)
    for step in task.plan:
        world.execute(*read_step(step, world.library))
    found = world.judge()
    assert found.satisfied == ('robot at kitchen table',)
    assert found.unsatisfied == (
        'drawer open (at no time)',
        'not green block held (at some time)',
        'green block 1 was moved, which nobody asked for',
    )


def test_a_drawer_and_a_cupboard_can_be_open_and_a_thing_gone() -> None:
    task = KitchenTask(
        *(1, 'do', 'kitchen', 'kitchen 1', ''),
        moved=(('can 1', 'inside', 'drawer 1'),),
        opened=('drawer 1', 'kitchen cabinet 1'),
        missing=('milk 1',),
        conditions=('drawer open; kitchen cabinet open; can inside drawer',),
    )
    world = KitchenTaskWorld(task)
    assert world.judge().holds
    assert 'milk 1' not in {one.name for one in world.everything().objects}
    for wrong in ({'opened': ('shelf 1',)}, {'missing': ('spoon 1',)}):
        with pytest.raises(ConfigurationError, match='there is no (shelf|spoon) 1 in kitchen'):
            arranged(replace(task, **wrong), 0)


def test_blocks_can_be_stacked_and_nothing_can_be_put_on_the_milk() -> None:
    things = KitchenTaskWorld(TESTS[10]).everything().objects
    blocks = {f'{colour} block 1' for colour in ('red', 'green', 'blue')}
    assert {one.name for one in things if 'recipient' in one.affordances} == {
        *blocks,
        *('bowl 1', 'cup 1', 'tray 1'),
    }
