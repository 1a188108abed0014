# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A household judges conditions by its own truth, in their order, and knows right answers."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.household import (
    GoalCheck,
    Task,
    TaskWorld,
    World,
    check_lines,
    judged,
    shipped_tasks,
    true_situation,
)
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.sim.household.truth import read_conditions
from reactree_ros.skills.goal_conditions import conditions_text

TASKS = [*shipped_tasks(), *task_set('wah_train')[:5], *task_set('alfred_train')[:14]]


@pytest.mark.parametrize('task', TASKS, ids=lambda task: f'{task.type} {task.id}')
def test_the_conditions_of_a_task_hold_once_it_is_solved(task: Task) -> None:
    """They are written as the language writes them, and do not hold at the start."""
    world = TaskWorld(task)
    conditions = read_conditions(task.condition_line, true_situation(world))
    assert conditions_text(conditions) == task.condition_line
    assert not world.check().holds
    fulfil(world, conditions)
    found = world.check()
    assert found.holds and found.met == found.wanted


OPENED = 'go_to kitchen 1, go_to fridge 1, open fridge 1'
CHECKED = [
    # skills before, condition, how far it is met
    ('', 'juice inside fridge', ''),
    ('', 'apple inside fridge', '0 of 1'),
    ('', 'apple on kitchen table', ''),
    ('', '3 apple on kitchen table', '1 of 3'),
    ('', 'cupcake on plate', ''),
    ('', 'cupcake on kitchen table', '0 of 1'),
    ('', 'candy bar inside box', ''),
    ('', 'plate with cupcake on kitchen table', ''),
    ('', 'plate with apple on kitchen table', 'there is none'),
    ('', 'dishwasher switched on', '0 of 1'),
    ('', 'dishwasher switched off', ''),
    ('', 'fridge closed', ''),
    (OPENED, 'fridge open', ''),
    (OPENED, 'fridge closed', '0 of 1'),
    ('go_to sofa 1, pick_up apple 2', 'apple held', ''),
    ('', 'sliced apple on kitchen table', 'there is none'),
    (
        'go_to kitchen 1, go_to kitchen table 1, pick_up cutlery knife 1, slice apple 1',
        'sliced apple on kitchen table',
        '',
    ),
    (
        'go_to kitchen 1, go_to kitchen table 1, pick_up plate 1, go_to fridge 1, open fridge 1, '
        'put_down plate 1',
        'cupcake inside fridge',
        '',
    ),
]


@pytest.mark.parametrize(('before', 'line', 'missing'), CHECKED)
def test_a_condition_is_checked_against_the_world(
    world: World, before: str, line: str, missing: str
) -> None:
    """The line of an unmet one says how far it is met."""
    for phrase in filter(None, before.split(', ')):
        skill, _, name = phrase.partition(' ')
        assert world.execute(skill, (name,)).status is SkillStatus.SUCCEEDED
    found = check_lines(world, [line])
    assert found is not None
    assert (found.satisfied, found.unsatisfied) == (
        ((), (f'{line} ({missing})',)) if missing else ((line,), ())
    )


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
