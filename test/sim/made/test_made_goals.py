# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of made-up robots: they do not hold at first, and their plans reach them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.made.goals import SHAPES, goals_of
from reactree_ros.sim.made.make import DEV, TEST, TRAIN, made_robot
from reactree_ros.sim.made.planning import plan, plan_stages
from reactree_ros.sim.made.tasks import MADE_SETS, how_many, made_task
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.tasks import select_tasks, surroundings_of, task_of
from reactree_ros.skills.goal_conditions import parse_conditions
from reactree_ros.skills.goal_conditions.language import ConditionWords

if find_spec('up_fast_downward') is None:
    pytest.skip('Fast Downward is not installed', allow_module_level=True)


@pytest.mark.parametrize(
    ('name', 'seed'), [(TRAIN, n) for n in range(1, 9)] + [(TEST, n) for n in range(1, 4)]
)
def test_plans_reach_goals(name: str, seed: int) -> None:
    robot = made_robot(name, seed)
    skills = {one.name: one for one in robot.library.skills}
    for goal in goals_of(robot, 3):
        world = MadeWorld(robot, goal.start, goal.conditions)
        judged = [one for one in world.conditions if not one.asks]
        assert not world.judge().satisfied
        assert goal.instructions
        if goal.impossible or not judged:
            continue
        phrases = []
        for step in plan_stages(robot, world.state, world.conditions) or ():
            phrases.append(skills[step.skill].ground(*step.arguments).phrase)
            world.execute(step.skill, step.arguments)
        assert world.judge().holds, goal
        assert tuple(phrases) == goal.plan


def test_every_shape_comes() -> None:
    found = {
        goal.shape.partition('.')[0]
        for seed in range(1, 13)
        for goal in goals_of(made_robot(TRAIN, seed), 3)
    }
    assert len(found) > 0.6 * len(SHAPES)


def test_what_holds_already_needs_no_plan_and_what_cannot_be_has_none() -> None:
    robot = made_robot(TRAIN, 4)  # an arm
    world = MadeWorld(robot, 1)
    words = ConditionWords.of(robot.library, world._situation())
    state = robot.start(1)
    phrase = next(
        entry['phrase'] for entry in robot.document['predicates'].values()
        if entry['holds'] == {'hands': 'empty'}
    )  # fmt: skip
    assert plan(robot, state, parse_conditions(phrase, words)) == ()
    thing = sorted(robot.library.objects)[0]
    held = next(
        entry['phrase'] for entry in robot.document['predicates'].values()
        if entry['holds'] == {'held': True}
    )  # fmt: skip
    many = held.replace('{item}', f'9 {thing}')
    assert plan(robot, state, parse_conditions(many, words)) is None


def test_plans_are_made_from_what_was_seen() -> None:
    """Where things are is assumed, and looked for elsewhere if they are not there."""
    reached = tried = 0
    for seed in range(1, 9):
        robot = made_robot(TRAIN, seed)
        for goal in goals_of(robot, 2):
            world = MadeWorld(robot, goal.start, goal.conditions)
            if goal.impossible or not goal.plan or len(goal.conditions) > 1:
                continue
            tried += 1
            for _ in range(40):
                steps = plan_stages(robot, world.belief.assumed(), world.conditions)
                if not steps:
                    break
                world.execute(steps[0].skill, steps[0].arguments)
            reached += not world.conditions or world.judge().holds
    assert tried > 4
    assert reached >= 0.7 * tried


def test_tasks_of_a_set_are_of_different_robots() -> None:
    tasks = [task for _, task in select_tasks(f'{DEV}:1-4')]
    assert [task.scene for task in tasks] == [f'{DEV} {n}' for n in range(1, 5)]
    assert task_of(DEV, 2) == tasks[1]
    assert all(len(task.languages) == len(task.instructions) for task in tasks)
    around = surroundings_of(tasks[0])
    assert around.library is not None
    assert around.library.name == tasks[0].made.library.name  # type: ignore[attr-defined]
    assert not around.check().holds


def test_there_is_no_other_task() -> None:
    for number in (0, how_many(TEST) + 1):
        with pytest.raises(ConfigurationError, match='has no task'):
            made_task(TEST, number)
    assert len({*MADE_SETS}) == 3


def test_goals_do_not_hang_on_the_order_of_sets() -> None:
    code = (
        'from reactree_ros.sim.made.goals import goals_of\n'
        'from reactree_ros.sim.made.make import made_robot\n'
        'print(goals_of(made_robot("made_train", 9), 2))\n'
    )
    texts = {
        subprocess.run(
            [sys.executable, '-c', code], env={**os.environ, 'PYTHONHASHSEED': seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ('1', '2')
    }  # fmt: skip
    assert len(texts) == 1
