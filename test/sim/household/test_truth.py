# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A household judges conditions by its own truth, in their order, and knows right answers."""

from __future__ import annotations

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.household import (
    GoalCheck,
    Task,
    TaskWorld,
    check,
    check_lines,
    judged,
    shipped_tasks,
    true_situation,
)
from reactree_ros.sim.household.task_sets import task_set, world_of
from reactree_ros.sim.household.truth import read_conditions
from reactree_ros.skills.goal_conditions import conditions_text

TASKS = [*shipped_tasks(), *task_set('wah_train')[:5], *task_set('alfred_train')[:14]]


@pytest.mark.parametrize('task', TASKS, ids=lambda task: f'{task.type} {task.id}')
def test_both_notations_are_judged_alike(task: Task) -> None:
    """At every step to the goal."""
    world = world_of(task)
    read = read_conditions(task.condition_line, true_situation(world))
    assert conditions_text(read) == task.condition_line
    plan = fulfil(world_of(task), read)
    for skill, arguments in (('', ()), *plan):
        world.execute(skill, arguments)
        wah, line = check(world, task.goal), check_lines(world, [task.condition_line])
        assert line is not None
        assert (wah.holds, wah.wanted) == (line.holds, line.wanted)
        assert wah.met == line.met or 'look_at' in task.type  # there the lamp may be off
    assert wah.holds


def made(*conditions: str, answer: tuple[str, ...] = (), impossible: bool = False) -> Task:
    return Task(
        1,
        'made',
        'apartment_1',
        'kitchen 1',
        'do it',
        conditions=conditions,
        answer=answer,
        impossible=impossible,
    )


def test_what_cannot_be_read_is_not_judged() -> None:
    world = TaskWorld(made())
    assert check_lines(world, []) is None
    assert check_lines(world, ['none']) is None
    assert check_lines(world, ['put the apple in the fridge']) is None
    assert check_lines(world, ['inside_unicorn_fridge: 1']) is None
    assert world.missing(['no apple held; fridge open']) == ('fridge open (0 of 1)',)
    with pytest.raises(ConfigurationError, match='the goal of task 1: the condition "a unicorn'):
        TaskWorld(made('a unicorn held'))


@pytest.mark.parametrize(('first', 'second'), [('fridge 1', 'tv 1'), ('tv 1', 'fridge 1')])
def test_the_order_is_followed(first: str, second: str) -> None:
    world = TaskWorld(made('fridge open', 'then tv switched on'))
    for name in (first, second):
        room = next(one.room for one in world.everything().objects if one.name == name)
        world.execute('go_to', (room,))
        world.execute('go_to', (name,))
        world.execute('open' if name == 'fridge 1' else 'turn_on', (name,))
    right = first == 'fridge 1'
    found = world.check()
    assert (found.holds, found.met, found.wanted) == (right, 1 + right, 2)
    if not right:
        assert found.unsatisfied == ('then tv switched on (not when its turn came)',)


def test_an_answer_is_right_if_it_has_one_of_the_words() -> None:
    task = made('tell whether milk inside fridge', 'fridge closed', answer=('yes', 'there is'))
    found = TaskWorld(task).check()
    assert found.satisfied == ('fridge closed',)
    assert judged(task, found, 'Yes, there is milk (1) in it.').holds
    for wrong in ('', 'no', 'yesterday', 'eyes'):
        one = judged(task, found, wrong)
        assert (one.holds, one.met, one.wanted) == (False, 1, 2)
    assert judged(made('fridge closed'), found) == found


def test_what_is_impossible_is_reached_by_saying_so() -> None:
    task = made(impossible=True)
    found = TaskWorld(task).check()
    assert not found.holds
    assert judged(task, found, refusal='there is no elephant').holds
    for one in (judged(task, found), judged(task, GoalCheck(('x',), ()), answer='yes')):
        assert (one.holds, one.met, one.wanted) == (False, 0, 1)
