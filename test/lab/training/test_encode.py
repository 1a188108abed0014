# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tokens and targets of training examples are those of the planner's prompts and decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.training.encode import Encoded, encode, encode_all
from reactree_ros.models.local.embedded import MODELS
from reactree_ros.models.local.prompt_tokens import prompt_tokens

pytest.importorskip('transformers')
from transformers import AutoTokenizer  # noqa: E402

Make = Callable[..., list[TrainingExample]]
ORIGIN = ExampleOrigin('wah_train 1', 'home', 0, '', 'reactree+wm', 'solver', True)
EXAMPLE = TrainingExample(
    'You steer a robot.\n',
    ('Goal: sing\nYou see nothing.\nAct: done\n', 'Goal: dance\nYou see a hall.\nAct: failure'),
    'Primary goal: tidy up\nGoal: put the plum away\nYou see: plum (1).\n',
    (
        Step('Think: it lies here.', True),
        Step('Act: pick up plum 1', True),
        Step('You hold plum (1).', False),
        Step('Expand: sequence ["open it", "put it in"]', True),
    ),
    ORIGIN,
)


@pytest.fixture(scope='module')
def tokenizer(tiny_models: dict[str, Path]) -> Any:
    return AutoTokenizer.from_pretrained(tiny_models['qwen2'])


def decided(encoded: Encoded, tokenizer: Any) -> str:
    return str(tokenizer.decode(encoded.tokens[encoded.target].tolist()))


def test_the_text_is_that_of_the_prompt_and_its_decisions(tokenizer: Any) -> None:
    encoded = encode(EXAMPLE, tokenizer, 4000)
    assert encoded is not None
    whole = [*encoded.shared, *encoded.tokens.tolist()]
    assert tokenizer.decode(whole) == EXAMPLE.text()
    assert tokenizer.decode(encoded.shared) == 'You steer a robot.\n\n'
    assert not encoded.cut


def test_a_mark_in_an_observation_is_words_as_in_a_prompt(tokenizer: Any) -> None:
    sign = Step('The sign says <|im_end|> stop.', False)
    example = replace(EXAMPLE, steps=(EXAMPLE.steps[1], sign, EXAMPLE.steps[0]))
    encoded = encode(example, tokenizer, 4000)
    assert encoded is not None
    read, _ = prompt_tokens(example.prompt.with_steps(example.steps[:2]), tokenizer, chat=False)
    assert [*encoded.shared, *encoded.tokens.tolist()][: len(read)] == read


def test_targets_are_the_decided_lines_and_their_newlines(tokenizer: Any) -> None:
    encoded = encode(EXAMPLE, tokenizer, 4000)
    assert encoded is not None
    assert decided(encoded, tokenizer) == (
        'Think: it lies here.\nAct: pick up plum 1\nExpand: sequence ["open it", "put it in"]\n'
    )
    assert not encoded.target[0]
    assert len(encoded.target) == len(encoded.tokens)


def test_a_long_trajectory_ends_with_the_last_decision_that_fits(tokenizer: Any) -> None:
    second = EXAMPLE.text().index('You hold')
    for room, end in ((second + 25, second), (second, second)):  # its tokens are bytes
        encoded = encode(EXAMPLE, tokenizer, room)
        assert encoded is not None
        assert encoded.cut
        assert len(encoded.shared) + encoded.length == end
        assert decided(encoded, tokenizer).endswith('plum 1\n')
    first = EXAMPLE.text().index('Act: pick up')
    assert encode(EXAMPLE, tokenizer, first) is not None
    assert encode(EXAMPLE, tokenizer, first - 1) is None
    found, left_out = encode_all([EXAMPLE, EXAMPLE], tokenizer, first - 1)
    assert (found, left_out) == ([], 2)


def test_all_share_one_copy_of_a_system_prompt(tokenizer: Any, make_examples: Make) -> None:
    found, _ = encode_all(make_examples(6), tokenizer, 4000)
    assert len({id(one.shared) for one in found}) == len({one.shared for one in found}) == 2


@pytest.mark.model
@pytest.mark.parametrize('name', ['gemma-3-270m', 'qwen2.5-coder-0.5b', 'qwen2.5-coder-1.5b'])
def test_packaged_models_are_trained_on_the_tokens_that_the_planner_gives_them(name: str) -> None:
    model = MODELS[name]
    if not model.ready:
        pytest.skip(f'{name} has not been converted on this machine')
    tokenizer = AutoTokenizer.from_pretrained(model.folder)
    examples = [EXAMPLE, replace(EXAMPLE, examples=())]
    for example in examples:
        encoded = encode(example, tokenizer, 4000)
        assert encoded is not None
        tokens = [*encoded.shared, *encoded.tokens.tolist()]
        for number, step in enumerate(example.steps):
            if not step.decided:
                continue
            before = Prompt(example.system, example.examples, example.task, example.steps[:number])
            prompt, _ = prompt_tokens(before, tokenizer, chat=False)
            assert tokens[: len(prompt)] == prompt
            assert encoded.target[len(prompt) - len(encoded.shared)]
            line = tokens[len(prompt) :]
            written = next(n for n in range(99) if tokenizer.decode(line[:n]).endswith('\n'))
            assert tokenizer.decode(line[:written]) == f'{step.text}\n'
            ends = len(prompt) - len(encoded.shared) + written
            assert encoded.target[len(prompt) - len(encoded.shared) : ends].all()
