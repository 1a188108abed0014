# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tutorial of docs/training.md, command by command, at small size."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reactree_ros.lab.dataset.dataset import read_dataset
from reactree_ros.paths import share

torch = pytest.importorskip('torch')
pytest.importorskip('peft')

PAGE = share('resource').parent / 'docs' / 'training.md'
BLOCKS = re.findall(r'^```sh\n(.*?)^```', PAGE.read_text(encoding='utf-8'), re.M | re.S)
PATIENCE_SEC = 280


@pytest.fixture
def tiny_model(tmp_path: Path) -> Path:
    """A model with random weights whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    vocabulary = {char: n for n, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary['<|end|>'] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=272, hidden_size=32, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=8192,
    )  # fmt: skip
    folder = tmp_path / 'tiny'
    Qwen2ForCausalLM(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token='<|end|>').save_pretrained(folder)
    return folder


@pytest.mark.thorough
def test_the_tutorial_goes_from_runs_to_a_planner(tiny_model: Path, tmp_path: Path) -> None:
    place = tmp_path / 'my_workshop'
    environment = {**os.environ, 'XDG_CACHE_HOME': str(tmp_path / 'cache')}

    def run(commands: str, folder: Path) -> str:
        for program, room in (('reactree', 'cli'), ('reactree-lab', 'lab.cli')):
            module = f'{sys.executable} -m reactree_ros.{room}.main '
            commands = re.sub(rf'^{program} ', module, commands, flags=re.M)
        commands = re.sub(r'^python ', f'{sys.executable} ', commands, flags=re.M)
        done = subprocess.run(
            ['bash', '-ec', commands], cwd=folder, env=environment, capture_output=True, text=True,
            timeout=PATIENCE_SEC, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    copy, record, collect, train, use = BLOCKS
    run(copy.replace('docs/workshop', str(PAGE.parent / 'workshop')).replace(
        'my_workshop', str(place)), tmp_path)  # fmt: skip
    recipe = yaml.safe_load((place / 'recipe.yaml').read_text())
    small = {'model': str(tiny_model), 'epochs': 1, 'row_tokens': 8192, 'dtype': 'float32'}
    (place / 'recipe.yaml').write_text(yaml.safe_dump({**recipe, **small}))
    run(record, place)
    run(collect, place)
    examples = read_dataset(place / 'data.jsonl.gz').examples
    assert 'grasp' in examples[0].system or any('grasp' in one.text() for one in examples)
    assert len(examples) == 11 and {one.origin.task for one in examples} == {''}
    run(train, place)
    card = json.loads((place / 'trained' / 'card.json').read_text())
    assert (card['data']['examples'], card['data']['library']) == (11, 'workshop')
    fetch, plan = use.splitlines()
    merged = Path(run(fetch, place).splitlines()[-1])
    assert (merged / 'config.json').is_file()
    assert merged.is_relative_to(tmp_path / 'cache')
    assert plan.startswith('python plan.py trained ')
    # A model with random weights decides something, but for how long nobody knows.
    short = (place / 'plan.py').read_text().replace('max_decisions=30', 'max_decisions=2')
    (place / 'plan.py').write_text(short)
    assert 'goal: Bring the drill to the workbench.' in run(plan, place)
