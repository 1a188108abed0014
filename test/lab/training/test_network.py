# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a packed row teaches is what separate rows teach, by transformers and peft themselves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.training.encode import encode_all
from reactree_ros.lab.training.packing import Row, pack
from reactree_ros.lab.training.recipe import Recipe

torch = pytest.importorskip('torch')
pytest.importorskip('peft')

from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

from reactree_ros.lab.training.block_attention import (  # noqa: E402
    Blocks,
    attend_in_parts,
    attend_masked,
)
from reactree_ros.lab.training.lora import LoraNetwork, rounded  # noqa: E402
from reactree_ros.lab.training.rows import OwnRows, RowJob  # noqa: E402

Make = Callable[..., list[TrainingExample]]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Keep threads from waiting for each other at every small matrix, where cores are busy."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def packed(make: Make, folder: Path, count: int = 6, words: int = 8) -> list[Row]:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    encoded, left_out = encode_all(make(count, words=words), tokenizer, 4000)
    assert left_out == 0
    return pack(encoded, 4000, 'seed')


def network_of(folder: Path, **values: Any) -> LoraNetwork:
    recipe = Recipe(model=str(folder), rank=4, **values)
    network = LoraNetwork(folder, recipe, torch.float32, 'cpu')
    # An adapter that changes nothing, as a new one, would hide what is wrong with it.
    generator = torch.Generator().manual_seed(1)
    for weights in network.parameters():
        weights.data = torch.randn(weights.shape, generator=generator) * 0.1
    return network


def plain_gradients(folder: Path, network: LoraNetwork, row: Row) -> tuple[float, dict[str, Any]]:
    """Return loss and gradients of a row's trajectories one by one, by peft and transformers."""
    from peft import LoraConfig, get_peft_model, set_peft_model_state_dict

    base = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation='eager'
    )
    modules = list(Recipe().modules)
    plain: Any = get_peft_model(base, LoraConfig(r=4, lora_alpha=32, target_modules=modules))
    set_peft_model_state_dict(plain, network.state())
    total = 0.0
    for part in row.parts:
        tokens = torch.tensor([[*part.shared, *part.tokens.tolist()]])
        labels = tokens.clone()
        labels[0, : len(part.shared)] = -100
        labels[0, len(part.shared) :][~torch.from_numpy(part.target)] = -100
        loss = plain(input_ids=tokens, labels=labels).loss * part.targets
        loss.backward()
        total += float(loss.detach())
    found = {name: p.grad for name, p in plain.named_parameters() if p.requires_grad}
    return total, found


@pytest.mark.parametrize(
    ('name', 'words', 'compiled'),  # trajectories within a window, and longer ones
    [
        ('qwen2', 2, False),
        ('qwen2', 30, False),
        ('gemma3', 2, False),
        ('gemma3', 30, False),
        ('gemma3', 30, True),
    ],
)
def test_a_packed_row_teaches_what_separate_rows_do(
    tiny_models: dict[str, Path], make_examples: Make, name: str, words: int, compiled: bool
) -> None:
    if compiled and shutil.which('g++') is None:
        pytest.skip('torch compiles for a CPU with g++')
    folder = tiny_models[name]
    network = network_of(folder, compiled=compiled)
    row = max(packed(make_examples, folder, words=words), key=lambda row: len(row.parts))
    assert len(row.parts) > 2
    loss = network.loss(row)
    loss.backward()
    expected, gradients = plain_gradients(folder, network, row)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)
    parameters = dict(network._network.named_parameters())
    assert gradients.keys() == {n for n, p in parameters.items() if p.requires_grad}
    for one, gradient in gradients.items():
        scale = float(gradient.abs().max())
        assert scale > 0
        torch.testing.assert_close(parameters[one].grad, gradient, rtol=1e-3, atol=1e-3 * scale)


def test_no_trajectory_sees_another(tiny_models: dict[str, Path], make_examples: Make) -> None:
    folder = tiny_models['gemma3']
    network = network_of(folder)
    row = max(packed(make_examples, folder), key=lambda row: len(row.parts))
    together = float(network.loss(row))
    apart = sum(float(network.loss(Row((part,)))) for part in row.parts)
    assert together == pytest.approx(apart, rel=1e-5)
    backwards = float(network.loss(Row(row.parts[::-1])))
    assert backwards == pytest.approx(together, rel=1e-5)


def test_the_frozen_weights_get_no_gradient(
    tiny_models: dict[str, Path], make_examples: Make
) -> None:
    network = network_of(tiny_models['qwen2'])
    network.loss(packed(make_examples, tiny_models['qwen2'])[0]).backward()
    for name, weights in network._network.named_parameters():
        assert (weights.grad is not None) == ('lora_' in name)
        assert weights.requires_grad == ('lora_' in name)


def test_dropout_is_honoured(tiny_models: dict[str, Path], make_examples: Make) -> None:
    folder = tiny_models['qwen2']
    network = network_of(folder, dropout=0.5)
    row = packed(make_examples, folder)[0]
    losses = []
    for training in (True, False):
        network.train(training)
        losses.append([float(network.loss(row)) for _ in range(2)])
    assert losses[0][0] != losses[0][1]
    assert losses[1][0] == losses[1][1]


def test_saved_numbers_have_three_bits_behind_the_leading_one() -> None:
    weights = torch.tensor([0.0, 1.0, -1.06, 1.07, 0.124, 1.9999, -3e-5])
    expected = torch.tensor([0.0, 1.0, -1.0, 1.125, 0.125, 2.0, -16 * 2.0**-19])
    assert rounded(weights).tolist() == expected.tolist()


@pytest.mark.parametrize('window', [None, 7])
def test_a_masked_row_attends_as_its_parts_do(window: int | None) -> None:
    generator = torch.Generator().manual_seed(2)
    blocks = Blocks([(9, 5, 13, 2)])
    query, key, value = (
        torch.randn(1, heads, 29, 8, generator=generator, requires_grad=True) for heads in (4, 2, 2)
    )
    weights = torch.randn(1, 29, 4, 8, generator=generator)
    found = []
    for attend in (attend_in_parts, attend_masked):
        out = attend(query, key, value, 0.3, window, blocks)
        found.append([out, *torch.autograd.grad((out * weights).sum(), (query, key, value))])
    for mine, other in zip(*found, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize('name', ['qwen2', 'gemma3'])
def test_rows_at_once_teach_what_they_teach_one_by_one(
    tiny_models: dict[str, Path], make_examples: Make, name: str
) -> None:
    folder = tiny_models[name]
    network = network_of(folder)
    rows = packed(make_examples, folder, count=9, words=30)
    assert len({row.length for row in rows}) > 1
    found = []
    for at_once in (1, len(rows)):
        learner = OwnRows(network, at_once)
        loss = sum(learner.learn([RowJob(row, 0, 7.0) for row in rows]))
        measured = sum(learner.measure(rows))
        gradients = [one.grad for one in network.parameters()]
        for parameter in network.parameters():
            parameter.grad = None
        found.append((loss, measured, gradients))
    (loss, measured, gradients), other = found
    assert other[:2] == pytest.approx((loss, measured), rel=1e-4)
    for mine, his in zip(gradients, other[2], strict=True):
        torch.testing.assert_close(mine, his, rtol=1e-3, atol=1e-3 * float(mine.abs().max()))
