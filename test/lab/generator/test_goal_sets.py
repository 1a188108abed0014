# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Generated goals of every shape: what they want, how they begin, what is right in the end."""

from __future__ import annotations

from collections import Counter

import pytest

from reactree_ros.lab.generator.homes import FLOOR_PLANS
from reactree_ros.lab.generator.shapes import WEIGHTS
from reactree_ros.lab.generator.wordings import YES_NO
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.household import Task
from reactree_ros.sim.household.task import GOAL_TYPES
from reactree_ros.sim.household.task_sets import TEST_SETS, TRAINING_SETS, task_set
from reactree_ros.sim.household.task_world import TaskWorld, judged
from reactree_ros.skills.goal_conditions import Condition, conditions_text

from ...thorough import thorough

SETS = ('goals_train', 'said_train', 'goals_dev', 'long_train', 'long_test')


def _conditions(task: Task) -> tuple[Condition, ...]:
    return TaskWorld(task).conditions


def test_every_shape_is_drawn() -> None:
    """Few of each are too few to learn from."""
    counts = Counter(task.type for task in task_set('goals_train'))

    assert {*counts} == {*WEIGHTS}
    assert {*WEIGHTS, 'long'} == {*GOAL_TYPES}
    assert min(counts.values()) >= 5


def test_what_is_judged_by_is_not_learned_from() -> None:
    """Nor is what is used to choose."""
    assert 'long_test' in TEST_SETS
    assert {'goals_train', 'said_train', 'long_train'} <= {*TRAINING_SETS}
    assert 'goals_dev' not in TRAINING_SETS
    trained = {task.scene for name in ('goals_train', 'long_train') for task in task_set(name)}
    unseen = [task.unseen for task in task_set('long_test')]
    assert not trained & {name for name, plan in FLOOR_PLANS.items() if plan.unseen}
    assert sum(unseen) == len(unseen) / 2


@pytest.mark.parametrize('name', SETS)
def test_lines_are_canonical_and_worded(name: str) -> None:
    """A task without conditions is one that makes no sense."""
    for task in task_set(name)[: thorough(200, 50)]:
        conditions = _conditions(task)
        assert conditions_text(conditions) == task.condition_line
        assert bool(conditions) or task.impossible
        assert task.asks == any(condition.asks for condition in conditions)
        assert task.instruction == task.instructions[0]
        assert not any('{' in text or '  ' in text for text in task.instructions), task


def test_some_hold_already_and_some_cannot_be_reached() -> None:
    """Of the latter some only a search shows to be so."""
    tasks = task_set('goals_train')
    already = [task for task in tasks if not task.impossible and not task.steps]
    search = [task for task in tasks if task.impossible and task.conditions]

    assert 0.02 < len(already) / len(tasks) < 0.06
    assert 0.015 < len(search) / len(tasks) < 0.06
    assert all(TaskWorld(task).check().holds for task in already if not task.asks)


def test_half_of_the_answers_are_yes() -> None:
    """And the number or the place is right in the home as it begins."""
    tasks = [task for task in task_set('goals_train') if task.type.startswith('whether')]
    yes = [task for task in tasks if {*task.answer} & {*YES_NO['en'][0]}]

    assert 0.35 < len(yes) / len(tasks) < 0.65
    question = next(task for task in task_set('goals_train') if task.type == 'where')
    found = TaskWorld(question).check()
    assert judged(question, found, f'it is {question.answer[0]}').holds
    assert not judged(question, found, 'nowhere').holds


@pytest.mark.parametrize('name', ['goals_dev', 'long_test'])
def test_every_possible_task_is_solved_in_its_order(name: str) -> None:
    """By the plan whose length is noted, and the world says so."""
    for task in task_set(name)[:: thorough(1, 4)]:
        if not task.impossible:
            world = TaskWorld(task)
            plan = fulfil(world, _conditions(task))
            assert len(plan) == task.steps, task
            assert judged(task, world.check(), ' '.join(task.answer)).holds, task


def test_long_tasks_are_long() -> None:
    """Two to five destinations, five to sixteen things."""
    tasks = (*task_set('long_train'), *task_set('long_test'))
    for task in tasks[:: thorough(1, 4)]:
        clauses = [one for condition in _conditions(task) for one in condition.clauses]
        put = [one for one in clauses if one.others and one.others[0].name not in ('', 'robot')]
        assert 25 <= task.steps <= 90
        assert 2 <= len({one.others[0].text for one in put}) <= 6
        assert 5 <= sum(one.count for one in put) <= 17
