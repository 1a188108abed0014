# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of TextCraft: their depths, their known plans, and how they are evaluated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.lab.cli import main
from reactree_ros.lab.evaluation.trace import read_trace
from reactree_ros.sim.textcraft.recipes import Recipe, RecipeBook, recipe_book
from reactree_ros.sim.textcraft.tasks import SIZES, TEXTCRAFT_SETS, CraftTask, craft_tasks
from reactree_ros.strategies.registry import strategy_names

pytest.importorskip('minecraft_data')
NUMBER = 3
"""A task of depth 3."""


def test_depths_are_those_of_the_game() -> None:
    book = recipe_book()
    assert Counter(book.depths.values())[4] == 11, 'as in the paper (section 6.3)'
    assert book.depths['oak planks'] == book.depths['stick'] - 0 == 1
    assert book.depths['beehive'] == 2, 'the example of the paper (Figure 3)'
    assert book.depths['iron ingot'] == book.depths['iron block'] == 0, 'made of each other only'
    assert {one.command for one in book.recipes['stick']} == {
        'craft 4 stick using 2 planks', 'craft 1 stick using 2 bamboo',
    }  # fmt: skip
    assert 'oak planks' in book.kinds['planks']


def test_depth_is_that_of_the_shortest_way() -> None:
    ways = (Recipe('c', 1, (('b', 1),)), Recipe('c', 1, (('raw', 2), ('any', 1))))
    recipes = {'b': (Recipe('b', 1, (('a', 1),)),), 'a': (Recipe('a', 1, (('raw', 1),)),)}
    book = RecipeBook({**recipes, 'c': ways}, {'any': ('a', 'b')})
    assert book.depths == {'raw': 0, 'a': 1, 'b': 2, 'c': 2}


@pytest.mark.parametrize('name', TEXTCRAFT_SETS)
def test_the_known_plan_of_every_task_reaches_its_goal(name: str) -> None:
    tasks = craft_tasks(name)
    assert Counter(task.depth for task in tasks) == SIZES[name]
    for task in tasks:
        world, library = task.world(), task.library()
        assert not world.check().holds
        skills = {one.phrase: one for one in library.executable(Situation())}
        for phrase in task.plan:
            done = world.execute(skills[phrase].name)
            assert done.status is SkillStatus.SUCCEEDED, (task.instruction, phrase)
        found = world.check()
        assert found.holds and found.met == found.wanted == len(task.problem.crafted)
        in_a_row = sum(1 for phrase in dict.fromkeys(task.plan) if phrase.startswith('craft'))
        assert in_a_row >= task.depth
        gold = len(task.problem.crafted)
        assert gold < len(task.problem.commands) <= gold + 10 or task.depth == 1


def test_sets_share_no_kind_of_target() -> None:
    dev, test = ({task.problem.target.split()[-1] for task in craft_tasks(name)}
                 for name in TEXTCRAFT_SETS)  # fmt: skip
    assert not dev & test


def evaluated(tmp_path: Path, task: CraftTask, lines: list[str], planner: str) -> Path:
    script = tmp_path / 'script.yaml'
    script.write_text(yaml.safe_dump({task.instruction: lines} if lines else {}))
    out = tmp_path / 'results'
    tasks = f'textcraft_dev:{task.id}-{task.id}'
    line = ['evaluate', '--no-baselines', '--planners', planner, '--tasks', tasks]
    assert main.run([*line, '--out', str(out), '--models', f'scripted:{script}']) == 0
    return out


@pytest.mark.parametrize(('planner', 'prefix'), [('react', 'Act: '), ('zsp', '')])
@pytest.mark.parametrize('acts', ['all', 'but the last'])
def test_runs_are_judged_by_the_inventory(
    tmp_path: Path, acts: str, planner: str, prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    task = craft_tasks('textcraft_dev')[NUMBER - 1]
    plan = task.plan if acts == 'all' else task.plan[:-1]
    lines = [f'{prefix}{phrase}' for phrase in (*plan, 'done')]
    (path,) = evaluated(tmp_path, task, lines, planner).rglob('*.jsonl')
    ending = read_trace(path).ending
    assert ending.holds is (acts == 'all')
    assert (ending.met, ending.wanted) == (2 + (acts == 'all'), 3)
    assert ending.costs.skills == len(plan)
    assert 'textcraft_dev' in capsys.readouterr().out


def test_progress_and_depth_are_in_the_report(tmp_path: Path) -> None:
    task = craft_tasks('textcraft_dev')[NUMBER - 1]
    lines = [f'Act: {phrase}' for phrase in (*task.plan[:-1], 'failure')]
    out = evaluated(tmp_path, task, lines, 'react')
    (row,) = (out / 'summary.csv').read_text().splitlines()[1:]
    heads = (out / 'summary.csv').read_text().splitlines()[0].split(',')
    wanted = len(task.problem.crafted)
    progress = float(row.split(',')[heads.index('progress')])
    assert progress == pytest.approx((wanted - 1) / wanted, abs=1e-4)
    assert 'depth_3' in (out / 'runs.csv').read_text()


@pytest.mark.parametrize('strategy', strategy_names())
def test_every_strategy_comes_to_an_end_in_it(tmp_path: Path, strategy: str) -> None:
    task = craft_tasks('textcraft_dev')[0]
    (path,) = evaluated(tmp_path, task, [], strategy.replace('_', '-')).rglob('*.jsonl')
    assert read_trace(path).ending.status == 'failed'


def test_it_is_not_for_robots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ['evaluate', '--planners', 'react', '--tasks', 'textcraft_dev:1', '--ros', '--out']
    assert main.run([*line, str(tmp_path / 'results')]) == 2
    assert 'omit --ros' in capsys.readouterr().err
