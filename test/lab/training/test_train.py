# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A training ends with the same adapter however often it is interrupted, and learns."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.lab.dataset.dataset import Dataset, Header, write_dataset
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.training.material import held_out_tasks
from reactree_ros.lab.training.progress import StepReport
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.models.local.conversion import sha256

torch = pytest.importorskip('torch')
pytest.importorskip('peft')

from safetensors.torch import load_file  # noqa: E402

from reactree_ros.lab.training.train import train  # noqa: E402

Make = Callable[..., list[TrainingExample]]
KILLED = """
import json, os, signal, sys
from pathlib import Path
from reactree_ros.lab.training.recipe import recipe_of
from reactree_ros.lab.training.train import train

class View:
    def note(self, text): pass
    def stop(self): return False
    def stepped(self, report):
        if report.line.step == 3:
            os.kill(os.getpid(), signal.SIGKILL)

recipe = recipe_of(json.loads(sys.argv[1]), 'test')
train(recipe, Path(sys.argv[2]), View())
"""


class View:
    """Stops a training when it has asked so often."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.reports: list[StepReport] = []
        self._left = stop_at

    def note(self, text: str) -> None:
        pass

    def stepped(self, report: StepReport) -> None:
        self.reports.append(report)

    def stop(self) -> bool:
        if self._left is None:
            return False
        self._left -= 1
        return self._left < 0


def log_of(out: Path) -> list[dict[str, str]]:
    with (out / 'log.csv').open(newline='') as file:
        return [{k: v for k, v in row.items() if k != 'seconds'} for row in csv.DictReader(file)]


def weights_of(out: Path) -> bytes:
    return (out / 'adapter_model.safetensors').read_bytes()


def test_after_any_interruption_the_adapter_is_the_same(recipe: Recipe, tmp_path: Path) -> None:
    straight = tmp_path / 'straight'
    view = View()
    assert train(recipe, straight, view)
    steps = view.reports[-1].steps
    assert [report.line.step for report in view.reports] == list(range(1, steps + 1))
    assert steps >= 5
    # Stopped again and again: while it measures, and within and between steps.
    stopped = tmp_path / 'stopped'
    times = 0
    while not train(recipe, stopped, View(stop_at=4)):
        times += 1
        assert not (stopped / 'card.json').exists()
    assert times > 2
    # Killed.
    killed = tmp_path / 'killed'
    arguments = [sys.executable, '-c', KILLED, json.dumps(recipe.to_json()), str(killed)]
    done = subprocess.run(arguments, timeout=500, check=False, stderr=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    view = View()
    assert train(recipe, killed, view)
    assert view.reports[0].line.step == 3  # its checkpoint is of the step before
    for out in (stopped, killed):
        assert weights_of(out) == weights_of(straight)
        assert log_of(out) == log_of(straight)
        assert not (out / 'checkpoint.pt').exists()


def test_it_learns_and_the_card_tells_how(recipe: Recipe, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    recipe = replace(recipe, epochs=6, dropout=0.0, checkpoint_minutes=60.0)
    assert train(recipe, out, View())
    card = json.loads((out / 'card.json').read_text())
    run = card['training']
    assert run['held_out_after'] < 0.8 * run['held_out_before']
    assert card['base']['model'] == recipe.model
    assert len(card['base']['sha256']) == len(card['data']['sha256']) == 64
    assert card['data']['examples'] == 16
    assert card['data']['held_out'] == 2  # of one task
    assert card['recipe'] == {**recipe.to_json(), 'data': 'data.jsonl.gz'}
    readme = (out / 'README.md').read_text()
    assert card['data']['sha256'] in readme
    modes = {(out / name).stat().st_mode for name in ('card.json', 'adapter_model.safetensors')}
    assert len(modes) == 1, 'who may read the card may read the adapter'
    last = log_of(out)[-1]
    assert int(last['step']) == run['steps']
    assert float(last['held_out']) == pytest.approx(run['held_out_after'], rel=1e-4)
    # Done is done.
    view = View()
    assert train(recipe, out, view)
    assert not view.reports


def test_peft_reads_the_adapter(recipe: Recipe, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    recipe = replace(recipe, max_steps=2)
    assert train(recipe, tmp_path / 'out', View())
    base: Any = AutoModelForCausalLM.from_pretrained(recipe.model, dtype=torch.float32)
    tokens = torch.arange(40)[None]
    with torch.inference_mode():
        before = base(tokens).logits
        after = PeftModel.from_pretrained(base, tmp_path / 'out')(tokens).logits
    assert not torch.allclose(before, after, atol=1e-3)
    config = json.loads((tmp_path / 'out' / 'adapter_config.json').read_text())
    assert config['base_model_name_or_path'] == recipe.model
    assert config['inference_mode'] is True


def test_it_continues_from_another_adapter(recipe: Recipe, tmp_path: Path) -> None:
    first, second = tmp_path / 'first', tmp_path / 'second'
    assert train(replace(recipe, epochs=6), first, View())
    assert train(replace(recipe, start=str(first), max_steps=1), second, View())
    measured = [json.loads((out / 'card.json').read_text())['training'] for out in (first, second)]
    # an adapter is kept with three bits behind the leading one
    assert measured[1]['held_out_before'] == pytest.approx(measured[0]['held_out_after'], rel=2e-3)
    with pytest.raises(ConfigurationError, match='rank is 2, and its start'):
        train(replace(recipe, start=str(first), rank=2), tmp_path / 'third', View())
    weights = first / 'adapter_model.safetensors'
    card = json.loads((second / 'card.json').read_text())
    assert card['base']['start'] == sha256(weights)
    assert card['start_card'] == json.loads((first / 'card.json').read_text())
    assert card['recipe']['start'] == 'first'
    weights.write_bytes((second / weights.name).read_bytes())
    with pytest.raises(ConfigurationError, match='the adapter to start from is another one'):
        train(replace(recipe, start=str(first), max_steps=1), second, View())


def test_the_result_may_be_an_average_with_the_start(recipe: Recipe, tmp_path: Path) -> None:
    first, plain, out = tmp_path / 'first', tmp_path / 'plain', tmp_path / 'average'
    assert train(recipe, first, View())
    further = replace(recipe, start=str(first), max_steps=4, learning_rate=0.02)
    assert train(further, plain, View())
    averaged = replace(further, keep_start=0.25)
    assert not train(averaged, out, View(stop_at=2))
    assert train(averaged, out, View())
    weights = [load_file(each / 'adapter_model.safetensors') for each in (first, plain, out)]
    for name, average in weights[2].items():
        start, end = (each[name].float() for each in weights[:2])
        # what is saved has three bits behind the leading one
        torch.testing.assert_close(average.float(), 0.25 * start + 0.75 * end, rtol=0.1, atol=2e-3)
    cards = [json.loads((each / 'card.json').read_text()) for each in (plain, out)]
    runs = [card['training'] for card in cards]
    assert runs[1]['held_out_trained'] == pytest.approx(runs[0]['held_out_after'])
    assert runs[1]['held_out_after'] != runs[1]['held_out_trained']
    text = ' '.join((out / 'README.md').read_text().split())
    assert 'the result is an average, 0.25 of that and 0.75 of what was trained' in text
    assert 'averaged.' in text and 'averaged.' not in (plain / 'README.md').read_text()
    (first / 'card.json').unlink()
    assert train(further, tmp_path / 'of_another', View())  # an adapter made by others
    with pytest.raises(ConfigurationError, match='keep_start, and no start'):
        train(replace(recipe, keep_start=0.5), tmp_path / 'none', View())


def test_a_folder_is_not_mixed_up(recipe: Recipe, tmp_path: Path, make_examples: Make) -> None:
    out = tmp_path / 'out'
    assert not train(recipe, out, View(stop_at=4))
    with pytest.raises(ConfigurationError, match='rank was 4 and is 2'):
        train(replace(recipe, rank=2), out, View())
    write_dataset(Path(recipe.data), Dataset(Header(), tuple(make_examples(14))))
    with pytest.raises(ConfigurationError, match='the data set is another one'):
        train(recipe, out, View())


def test_test_tasks_are_refused(recipe: Recipe, tmp_path: Path, make_examples: Make) -> None:
    one = make_examples(1)[0]
    judged = replace(one, origin=replace(one.origin, task='wah_test 1'))
    write_dataset(Path(recipe.data), Dataset(Header(), (judged,)))
    with pytest.raises(ConfigurationError, match='planners are judged by the task'):
        train(recipe, tmp_path / 'out', View())


def test_unusable_recipes_are_refused(recipe: Recipe, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    with pytest.raises(ConfigurationError, match='not all in'):
        train(replace(recipe, modules=('no_proj',)), out, View())
    with pytest.raises(ConfigurationError, match='nothing is left'):
        train(replace(recipe, row_tokens=30), out, View())
    with pytest.raises(ConfigurationError, match='"reactree-lab dataset"'):
        train(replace(recipe, data=''), out, View())
    with pytest.raises(ModelError, match='learning_rate below'):
        train(replace(recipe, learning_rate=1e30, clip=1e30, warm_up=0.0), out, View())


def test_held_out_are_whole_tasks(make_examples: Make) -> None:
    examples = make_examples(40)
    assert len(held_out_tasks(examples, 0.25, 0)) == 4
    assert held_out_tasks(examples, 0.25, 0) == held_out_tasks(examples[::-1], 0.25, 0)
    assert held_out_tasks(examples, 0.25, 0) != held_out_tasks(examples, 0.25, 1)
    assert len(held_out_tasks(examples, 0.001, 0)) == 1
    assert held_out_tasks(examples, 0.0, 0) == set()
    assert held_out_tasks(examples[:2], 0.5, 0) == set()
