# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model that is trained between rounds on what it did."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli import main
from reactree_ros.lab.dataset.dataset import Dataset, Header, read_dataset, write_dataset
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.learning.rounds import make_dataset
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.memory.sqlite.store import SqliteStore

pytest.importorskip('torch')
pytest.importorskip('peft')

PLANNER = 'react+wm[example_tokens=0]'
SCRIPT = {
    'Put the apple in the fridge.': [
        'Act: go to kitchen 1', 'Act: go to kitchen counter 1', 'Act: pick up apple 1',
        'Act: go to fridge 1', 'Act: open fridge 1', 'Act: put down apple 1', 'Act: done',
    ],
    'Please put the pudding on the coffee table.': ['Act: failure'],
}  # fmt: skip


@pytest.fixture
def recipe(tmp_path: Path, tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe for a tiny model, and an empty cache."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    values: dict[str, Any] = {
        'model': str(tiny_models['qwen2']),
        'rank': 2,
        'epochs': 2,
        'row_tokens': 8192,
        'step_rows': 1,
        'held_out': 0.0,
        'dtype': 'float32',
        'threads': 1,
    }
    path = tmp_path / 'recipe.yaml'
    path.write_text(yaml.safe_dump(values))
    return path


def plan_of(tmp_path: Path, **changed: Any) -> LearningPlan:
    memory = str(tmp_path / 'memory.sqlite')
    plan = LearningPlan(
        PLANNER, 'm', ('household:2',), memory, str(tmp_path), rounds=2, recipe=Recipe().to_json()
    )
    return replace(plan, **changed)


def test_each_round_has_the_model_that_was_trained_before_it(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, seed=5)
    models = [{spec.model for spec in plan.round(number).runs()} for number in (1, 2)]
    assert models == [{'m'}, {str(tmp_path / 'adapter_1')}]
    assert [{spec.seed for spec in plan.round(number).runs()} for number in (1, 2)] == [{5}, {6}]
    assert LearningPlan.from_json(json.loads(json.dumps(asdict(plan)))) == plan


def test_the_solver_cannot_be_trained(tmp_path: Path) -> None:
    plan_of(tmp_path).check()
    with pytest.raises(ConfigurationError, match='cannot be trained'):
        plan_of(tmp_path, model='solver').check()


def test_it_runs_trains_and_does_nothing_twice(
    recipe: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('COLUMNS', '160')
    script, out = tmp_path / 'script.yaml', tmp_path / 'out'
    script.write_text(yaml.safe_dump(SCRIPT))
    asked = [
        'learn', '--planner', PLANNER, '--model', f'scripted:{script}', '--tasks', 'household:2',
        '--train', str(recipe), '--out', str(out),
    ]  # fmt: skip
    assert main.run(asked) == 0
    told = capsys.readouterr()
    assert 'kept 1 experience' in told.out + told.err
    assert 'step 2 of 2' in told.out + told.err
    data = read_dataset(out / 'data_1.jsonl.gz')
    assert {example.origin.task for example in data.examples} == {'household 1'}
    assert data.header.counts['made from'] == {'own': 1, 'given': 0}
    card = json.loads((out / 'adapter_1' / 'card.json').read_text())
    assert card['data']['examples'] == 1
    assert main.run(['learn', '--out', str(out)]) == 0
    again = capsys.readouterr()
    assert 'seed' not in again.err and 'step' not in again.err
    assert again.out.splitlines()[-1] == told.out.splitlines()[-1]


def test_a_given_data_set_is_trained_on_as_well(tmp_path: Path, make_examples: Any) -> None:
    examples = make_examples(8)  # of wah_train 0 to 3
    path = tmp_path / 'given.jsonl.gz'
    write_dataset(path, Dataset(Header(), tuple(examples)))
    SqliteStore(tmp_path / 'memory.sqlite', 'an encoder').close()
    made = make_dataset(plan_of(tmp_path, data=str(path)))
    assert {*made.examples} == {*examples}
    with pytest.raises(ConfigurationError, match='nothing to train on'):
        make_dataset(plan_of(tmp_path))


def test_a_recipe_that_cannot_be_used_is_refused_before_the_first_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ['learn', '--tasks', 'household:2', '--out', str(tmp_path / 'out')]
    wrong = tmp_path / 'wrong.yaml'
    wrong.write_text('model: nobody\n')
    for more, message in (
        (('--train', str(wrong)), "no model 'nobody'"),
        (('--data', str(wrong)), '--data is for training'),
    ):
        assert main.run([*asked, *more]) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / 'out').exists()
