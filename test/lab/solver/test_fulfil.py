# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for lines of conditions: the world confirms what they end in."""

from __future__ import annotations

import pytest

from reactree_ros.errors import WorldError
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.household import Task
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.household.truth import read_conditions, true_situation


def _task(line: str) -> Task:
    return Task(1, 'put', 'home_1', 'bathroom 1', line, conditions=(line,))


@pytest.mark.parametrize(
    'line',
    [
        'apple on bed',
        '2 apple inside fridge; all cutlery on kitchen table',
        'cold apple on sofa; hot sliced potato on coffee table; clean mug held',
        'plate with apple on coffee table',
        'apple on plate',
        'exactly 2 book on bed; at most 1 pillow on sofa; no thing on kitchen table',
        'cooked chicken on desk or cooked chicken on coffee table',
        'unicorn on bed or apple on bed',
        'apple in bedroom; not robot in bathroom; tv switched on',
        'all kitchen cabinet open; then all kitchen cabinet closed',
        'book on sofa; then apple on sofa; then floor lamp switched on; robot at sofa',
        'book held at table lamp',
        'no apple in kitchen; hands empty',
        'all apple in kitchen on sofa',
        'robot in living room',
        'exactly 1 mug in bedroom; mug in kitchen inside sink',
        'all mug inside dishwasher; dishwasher closed; dishwasher switched on',
        'pillow on sofa; exactly 1 thing on sofa',
        'milk hot; then milk on coffee table',
        'fruit on nightstand; no apple on nightstand',
    ],
)
def test_the_world_confirms_the_end(line: str) -> None:
    """Whatever the shape of the goal."""
    task = _task(line.replace('unicorn', 'sundae'))
    world = TaskWorld(task)

    plan = fulfil(world, world.conditions)

    assert world.check().holds, world.check().unsatisfied
    assert plan


@pytest.mark.parametrize(
    ('line', 'least', 'most'),
    [
        ('tell where fridge', 1, 1),
        ('tell where apple', 1, 4),
        ('tell whether apple inside fridge', 2, 4),
        ('tell how many apple', 50, 150),
        ('tell whether tv switched on', 1, 2),
    ],
)
def test_questions_are_answered_by_looking(line: str, least: int, most: int) -> None:
    """Only how many there are at all takes a search of the home."""
    world = TaskWorld(_task(line))

    plan = fulfil(world, read_conditions(line, true_situation(world)))

    assert least <= len(plan) <= most
    assert not any(skill in ('pick_up', 'slice', 'turn_on') for skill, _ in plan)


@pytest.mark.parametrize(
    'line', ['sundae on sofa', '9 apple on sofa', 'sundae held', 'tv on sofa; sundae hot']
)
def test_what_cannot_be_is_said(line: str) -> None:
    """There are not so many, or none."""
    world = TaskWorld(_task(line.replace('tv on sofa', 'apple on sofa')))
    text = line.replace('tv on sofa', 'apple on sofa')

    with pytest.raises(WorldError):
        fulfil(world, read_conditions(text, true_situation(world)))


@pytest.mark.parametrize('name', ['household', *(n for n in TASK_SETS if n[:3] in ('wah', 'alf'))])
def test_every_shipped_task_is_solved(name: str) -> None:
    """No goal holds at the start; the plan is as long as noted."""
    for task in task_set(name):
        world = TaskWorld(task)
        assert not world.check().holds, task
        plan = fulfil(world, world.conditions)
        assert task.steps in (0, len(plan)), task
        assert world.check().holds, task
