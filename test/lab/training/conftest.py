# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Networks with random weights, and training examples, made on the spot."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.prompt import Step
from reactree_ros.lab.dataset.dataset import Dataset, Header, write_dataset
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.training.recipe import Recipe

WORDS = 'the robot goes to a fridge and opens it then sees apple pear plum on shelf'.split()


@pytest.fixture(scope='session')
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of two small models whose tokens are bytes: Qwen2; Gemma 3 with sliding windows."""
    torch = pytest.importorskip('torch')
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        Gemma3ForCausalLM,
        Gemma3TextConfig,
        PreTrainedTokenizerFast,
        Qwen2Config,
        Qwen2ForCausalLM,
    )

    vocabulary = {char: n for n, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary['<|end|>'] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    size: dict[str, Any] = {
        'vocab_size': 320,
        'hidden_size': 64,
        'intermediate_size': 96,
        'num_hidden_layers': 3,
        'num_attention_heads': 4,
        'num_key_value_heads': 2,
        'initializer_range': 0.2,
    }
    qwen = Qwen2Config(**size)
    gemma = Gemma3TextConfig(
        **size,
        head_dim=16,
        sliding_window=40,
        layer_types=['sliding_attention', 'full_attention', 'sliding_attention'],
        query_pre_attn_scalar=16,
    )
    folders = {}
    for name, kind, config in (
        ('qwen2', Qwen2ForCausalLM, qwen),
        ('gemma3', Gemma3ForCausalLM, gemma),
    ):
        torch.manual_seed(0)
        folders[name] = tmp_path_factory.mktemp(name)
        kind(config).save_pretrained(folders[name])
        wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token='<|end|>')
        wrapped.save_pretrained(folders[name])
    return folders


@pytest.fixture
def make_examples() -> Callable[..., list[TrainingExample]]:
    """Return what makes training examples by chance, of two system prompts."""

    def make(count: int, seed: int = 0, words: int = 12) -> list[TrainingExample]:
        generator = random.Random(seed)

        def sentence(most: int) -> str:
            return ' '.join(generator.choices(WORDS, k=generator.randint(1, most)))

        examples = []
        for number in range(count):
            steps = []
            for _ in range(generator.randint(1, 4)):
                steps.append(Step(f'Think: {sentence(words)}.', True))
                steps.append(Step(f'You see {sentence(words)}.', False))
            steps.append(Step('Act: done', True))
            examples.append(
                TrainingExample(
                    ('You steer a robot.', 'You own one goal.')[number % 2],
                    (),
                    f'Goal: {sentence(words)}\nYou see {sentence(words)}.\n',
                    tuple(steps),
                    ExampleOrigin(
                        f'wah_train {number // 2}',
                        'home',
                        0,
                        sentence(words),
                        'reactree+wm',
                        'solver',
                        True,
                    ),  # fmt: skip
                )
            )
        return examples

    return make


@pytest.fixture
def recipe(
    tiny_models: dict[str, Path],
    make_examples: Callable[..., list[TrainingExample]],
    tmp_path: Path,
) -> Recipe:
    path = tmp_path / 'data.jsonl.gz'
    write_dataset(
        path, Dataset(Header('reactree-lab dataset', 'household'), tuple(make_examples(16)))
    )
    return Recipe(
        model=str(tiny_models['gemma3']),
        data=str(path),
        rank=4,
        dropout=0.1,
        learning_rate=0.01,
        epochs=2,
        row_tokens=900,
        step_rows=2,
        held_out=0.2,
        held_out_steps=3,
        dtype='float32',
        device='cpu',
        threads=1,
        checkpoint_minutes=1e-9,
    )
