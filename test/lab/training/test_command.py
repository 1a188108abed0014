# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab train``: what it says, Ctrl-C, and that the same command goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from reactree_ros.lab.dataset.dataset import Dataset, Header, write_dataset
from reactree_ros.lab.dataset.example import TrainingExample

pytest.importorskip('rclpy')
pytest.importorskip('torch')
pytest.importorskip('peft')

from reactree_ros.lab.cli import main
from reactree_ros.models.local.embedded import GENERALIST, trained_options

Make = Callable[..., list[TrainingExample]]


@pytest.fixture
def command(tiny_models: dict[str, Path], make_examples: Make, tmp_path: Path) -> list[str]:
    data, recipe = tmp_path / 'data.jsonl.gz', tmp_path / 'recipe.yaml'
    write_dataset(
        data, Dataset(Header('reactree-lab dataset', 'household'), tuple(make_examples(16)))
    )
    values = {'rank': 2, 'row_tokens': 900, 'step_rows': 1, 'epochs': 3, 'dtype': 'float32',
              'device': 'cpu', 'threads': 1, 'held_out': 0.2}  # fmt: skip
    recipe.write_text(yaml.safe_dump(values))
    return ['train', '--recipe', str(recipe), '--data', str(data),
            '--model', str(tiny_models['qwen2']), '--out', str(tmp_path / 'out')]  # fmt: skip


def test_after_ctrl_c_the_same_command_continues(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with subprocess.Popen(
        [sys.executable, '-u', '-m', 'reactree_ros.lab.cli.main', *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if 'step 1 of ' in line:
                process.send_signal(signal.SIGINT)
        assert process.wait() == 130, lines
    assert 'The same command continues from here' in lines[-2]
    assert lines[-1].split() == ['reactree-lab', *command]
    assert (tmp_path / 'out' / 'checkpoint.pt').exists()

    assert main.run(command) == 0
    said = capsys.readouterr()
    assert 'step 1 of' not in said.err, 'it does nothing twice'
    assert 'tokens/s' in said.err
    assert ' left' in said.err
    whole = ' '.join(said.out.split())  # where a line is broken depends on the path in it
    assert 'an adapter of' in whole
    assert 'held-out loss' in whole

    assert main.run(command) == 0
    assert 'is complete' in capsys.readouterr().err


def test_a_wrong_recipe_is_told(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'recipe.yaml').write_text('lora_rank: 8\n')
    assert main.run(command) == 2
    assert 'parameter lora_rank is unknown' in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ('recipe', 'dataset', 'start'),
    [
        ('generalist', '--tasks made_train:1-2,goals_train:1 --wordings 1', ''),
        (
            'methods',
            '--planner hiagent+wm,step+wm,adapt+wm --tasks wah_train:1-3 --wordings 1',
            GENERALIST,
        ),
    ],
)
def test_a_recipe_makes_its_data_and_trains_on_it(
    recipe: str, dataset: str, start: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if recipe == 'generalist' and find_spec('up_fast_downward') is None:
        pytest.skip('Fast Downward is not installed')
    out = tmp_path / 'out'
    small = ['--dataset', dataset, '--max-steps', '1', '--out', str(out)]
    assert main.run(['train', '--recipe', recipe, *small]) == 0
    assert '1 steps' in ' '.join(capfd.readouterr().out.split())
    card = json.loads((out / 'card.json').read_text(encoding='utf-8'))
    assert card['data']['sources'] == {'solver': card['data']['examples']}
    assert card['data']['tasks'] == 3
    assert card['recipe']['start'] == start
    assert card['options']['prompt.facts'] == ['unexplored']
    assert trained_options(str(out)) == card['options']


def test_what_is_missing_is_said_before_the_data_is_made(
    tiny_models: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'recipe.yaml').write_text(f'start: {tmp_path / "gone"}\n')
    command = ['train', '--recipe', str(tmp_path / 'recipe.yaml'), '--dataset',
               '--tasks wah_test:1', '--model', str(tiny_models['qwen2']),
               '--out', str(tmp_path / 'out')]  # fmt: skip
    assert main.run(command) == 2
    assert f'cannot read {tmp_path / "gone"}' in capfd.readouterr().err
    (tmp_path / 'recipe.yaml').write_text('')
    assert main.run(command) == 2
    assert "nothing is learned from 'wah_test'" in capfd.readouterr().err


def test_data_of_another_recipe_is_not_trained_on(
    make_examples: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / 'out' / 'data.jsonl.gz'
    made_by = f'reactree-lab dataset --tasks wah_train:1 --out {data}'
    write_dataset(data, Dataset(Header(made_by, 'household'), tuple(make_examples(2))))
    recipe = tmp_path / 'recipe.yaml'
    recipe.write_text('dataset: --tasks wah_train:2\n')
    command = ['train', '--recipe', str(recipe), '--out', str(data.parent)]
    assert main.run(command) == 2
    said = ' '.join(capfd.readouterr().err.split())
    assert 'was made with other arguments than the recipe says' in said
    assert f'--data {data}' in said
