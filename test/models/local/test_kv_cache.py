# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Caches hold what was read, share beginnings, and keep to their budget."""

from __future__ import annotations

import pytest

torch = pytest.importorskip('torch')

from reactree_ros.models.local.attention import attend  # noqa: E402
from reactree_ros.models.local.kv_cache import ROOM, CachedPrompt, GrowingLayer, PromptCache, common  # noqa: E402

HEADS, WIDTH = 2, 4


def states(tokens: list[int]) -> torch.Tensor:
    """Return keys or values that tell which token they are of, (1, heads, tokens, width)."""
    column = torch.tensor(tokens, dtype=torch.float32)
    return column[None, None, :, None].expand(1, HEADS, len(tokens), WIDTH).clone()


def read(cached: CachedPrompt, tokens: list[int]) -> None:
    for layer in range(2):
        cached.cache.update(states(tokens), -states(tokens), layer)
    cached.tokens += tokens


def holds(cached: CachedPrompt) -> list[int]:
    """Return the tokens whose keys and values a cache holds in every layer."""
    for layer in cached.cache.layers:
        assert torch.equal(layer.keys, -layer.values)
        assert layer.keys.shape[-2] == len(cached.tokens)
    return [int(value) for value in cached.cache.layers[0].keys[0, 1, :, 2]]


def test_a_layer_grows_in_place_and_is_cut() -> None:
    cached = CachedPrompt.empty()
    read(cached, [1, 2, 3])
    layer = cached.cache.layers[0]
    before = layer.keys.data_ptr()
    read(cached, [4] * (ROOM - 3))
    assert layer.keys.data_ptr() == before
    read(cached, [5])
    assert layer.keys.data_ptr() != before
    assert holds(cached) == [1, 2, 3, *[4] * (ROOM - 3), 5]
    cached.cut(2)
    read(cached, [7])
    assert holds(cached) == cached.tokens == [1, 2, 7]
    assert cached.size == 2 * 2 * 2 * ROOM * HEADS * WIDTH * 4


def test_a_fork_has_a_life_of_its_own() -> None:
    cached = CachedPrompt.empty()
    read(cached, [1, 2, 3, 4])
    fork = cached.fork(2)
    read(fork, [8, 9])
    read(cached, [5])
    assert holds(fork) == fork.tokens == [1, 2, 8, 9]
    assert holds(cached) == cached.tokens == [1, 2, 3, 4, 5]
    assert isinstance(fork.cache.layers[0], GrowingLayer)


def filled(cache: PromptCache, tokens: list[int], forget: int = 0) -> CachedPrompt:
    taken = cache.take(tokens, forget)
    read(taken, tokens[len(taken.tokens) :])
    cache.trim()
    return taken


def test_a_continued_prompt_takes_its_cache_over_and_a_new_one_copies_the_beginning() -> None:
    cache = PromptCache(1 << 30)
    first = filled(cache, [1, 2, 3])
    assert filled(cache, [1, 2, 3, 4, 5]) is first
    assert cache.shared([1, 2, 3, 4, 6, 7]) == 4
    other = filled(cache, [1, 2, 9, 9])
    assert other is not first
    assert holds(first) == [1, 2, 3, 4, 5]
    assert holds(other) == [1, 2, 9, 9]
    assert cache.size == first.size + other.size


def test_the_last_token_is_always_read_anew() -> None:
    cache = PromptCache(1 << 30)
    filled(cache, [1, 2, 3])
    assert cache.shared([1, 2, 3]) == 2
    assert cache.take([1, 2, 3], forget=1).tokens == [1, 2]


def test_a_little_at_the_end_may_be_overwritten() -> None:
    cache = PromptCache(1 << 30)
    first = filled(cache, [1, 2, 3, 4])
    assert filled(cache, [1, 2, 3, 5, 6], forget=1) is first
    assert filled(cache, [1, 7], forget=3) is not first


def test_the_least_recently_used_goes_first_and_the_one_in_use_stays() -> None:
    one = CachedPrompt.empty()
    read(one, [0])
    cache = PromptCache(2 * one.size)
    for first in (1, 2):
        filled(cache, [first, 0])
    filled(cache, [1, 0, 0])
    filled(cache, [3, 0])
    assert [cache.shared([first, 0, 5]) > 0 for first in (1, 2, 3)] == [True, False, True]
    cache = PromptCache(0)
    filled(cache, [1, 0])
    filled(cache, [2, 0])
    assert [cache.shared([first, 0, 0]) for first in (1, 2)] == [0, 2]
    assert cache.size > 0


def test_a_dropped_cache_is_gone() -> None:
    cache = PromptCache(1 << 30)
    cache.drop(filled(cache, [1, 2]))
    assert cache.shared([1, 2, 3]) == 0


@pytest.mark.parametrize(
    ('first', 'second', 'length'),
    [([], [], 0), ([1], [], 0), ([1, 2], [1, 2], 2), ([1, 2], [1, 3], 1), ([1, 2], [1, 2, 3], 2)],
)
def test_common_beginning(first: list[int], second: list[int], length: int) -> None:
    assert common(first, second) == length


@pytest.mark.parametrize('new', [1, 2, 7, 40])
@pytest.mark.parametrize('groups', [1, 3])
@pytest.mark.parametrize('masked', ['causal', 'window'])
def test_attention_is_that_of_torch(new: int, groups: int, masked: str) -> None:
    torch.manual_seed(new)
    tokens, width = 50, 8
    query = torch.randn(1, HEADS * groups, new, width)
    key, value = (torch.randn(1, HEADS, tokens + 9, width)[:, :, :tokens] for _ in range(2))
    rows, columns = torch.arange(tokens - new, tokens)[:, None], torch.arange(tokens)[None]
    seen = (columns <= rows) & ((columns > rows - 20) | (masked == 'causal'))
    mask = None if new == 1 and masked == 'causal' else seen[None, None]
    module = torch.nn.Module()
    ours, nothing = attend(module, query, key, value, mask, scaling=0.3)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=seen[None, None], scale=0.3, enable_gqa=True
    )
    assert nothing is None
    torch.testing.assert_close(ours, theirs.transpose(1, 2))
