# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Key/value caches of several prompts, which share what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer

ROOM = 256
"""Tokens by which a layer grows; writing into spare room costs nothing, growing copies all."""


class GrowingLayer(DynamicLayer):  # type: ignore[misc]  # transformers is untyped
    """A layer that writes new keys and values into spare room behind the old ones.

    The layer of transformers concatenates, which copies the whole cache for every token: on a
    CPU that took more than half of the time of decoding with a model of 270 million parameters.

    ``keys`` and ``values`` are views of (texts, heads, tokens, width) into the buffers.
    """

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append keys and values and return all of them."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
            self._buffers = [new_buffer(key_states), new_buffer(value_states)]
            self.keys, self.values = (buffer[:, :, :0] for buffer in self._buffers)
        begin = self.keys.shape[-2]
        end = begin + key_states.shape[-2]
        self.reserve(end)
        for buffer, states in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[:, :, begin:end] = states
        self._show(end)
        return self.keys, self.values

    def reserve(self, tokens: int) -> None:
        """Make room for a number of tokens in all."""
        if tokens > self._buffers[0].shape[-2]:
            room = -(-tokens // ROOM) * ROOM
            self._buffers = [grown(buffer, room) for buffer in self._buffers]
            self._show(self.keys.shape[-2])

    def crop(self, tokens_to_remove: int) -> None:
        """Forget the last tokens; the number is given as a negative one, as transformers does."""
        if self.is_initialized:
            self._show(self.keys.shape[-2] + tokens_to_remove)

    def fork(self, tokens: int, texts: int = 1) -> GrowingLayer:
        """Return a layer of its own with a copy of the first tokens, one for each text."""
        layer = GrowingLayer()
        if self.is_initialized:
            layer.lazy_initialization(self.keys, self.values)
            room = -(-(tokens + 1) // ROOM) * ROOM
            layer._buffers = [
                grown(buffer[:, :, :tokens].expand(texts, -1, -1, -1), room)
                for buffer in self._buffers
            ]
            layer._show(tokens)
        return layer

    def keep(self, rows: list[int]) -> None:
        """Go on with some of the texts only."""
        if self.is_initialized:
            tokens = self.keys.shape[-2]
            self._buffers = [buffer[rows] for buffer in self._buffers]
            self._show(tokens)

    @property
    def size(self) -> int:
        """Bytes of the buffers."""
        return sum(buffer.nbytes for buffer in self._buffers) if self.is_initialized else 0

    def _show(self, tokens: int) -> None:
        self.keys, self.values = (buffer[:, :, :tokens] for buffer in self._buffers)


def new_buffer(states: torch.Tensor) -> torch.Tensor:
    """Return an empty buffer for keys or values like these."""
    return states.new_empty((*states.shape[:2], 0, states.shape[-1]))


def grown(buffer: torch.Tensor, room: int) -> torch.Tensor:
    """Return a buffer with room for that many tokens and the old contents at its beginning."""
    larger = buffer.new_empty((*buffer.shape[:2], room, buffer.shape[-1]))
    larger[:, :, : buffer.shape[-2]] = buffer
    return larger


class CachedPrompt:
    """The tokens that a model has read, and their keys and values.

    Args:
        tokens: what was read.
        cache: keys and values of exactly these tokens.
    """

    def __init__(self, tokens: list[int], cache: Cache) -> None:
        self.tokens = tokens
        self.cache = cache

    @classmethod
    def empty(cls) -> CachedPrompt:
        """Return one that has read nothing."""
        return cls([], Cache(layer_class_to_replicate=GrowingLayer))

    @property
    def size(self) -> int:
        """Bytes of keys and values."""
        return sum(layer.size for layer in self.cache.layers)

    def cut(self, length: int) -> None:
        """Forget all but the first tokens."""
        surplus = len(self.tokens) - length
        if surplus > 0:
            for layer in self.cache.layers:
                layer.crop(-surplus)
            del self.tokens[length:]

    def fork(self, length: int) -> CachedPrompt:
        """Return a copy of the first tokens."""
        copy = CachedPrompt.empty()
        copy.cache.layers = [layer.fork(length) for layer in self.cache.layers]
        copy.tokens = self.tokens[:length]
        return copy


class PromptCache:
    """Caches of the prompts read lately, the least recently used dropped first.

    A prompt that continues a cached one takes it over; one that only begins alike gets a copy of
    the common part, so that the nodes of a tree that decide in turn, or at once, do not cost each
    other their caches.

    Args:
        budget: most bytes of all caches together. The one in use is kept even if it alone is
            larger.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._kept: list[CachedPrompt] = []  # the least recently used first

    @property
    def size(self) -> int:
        """Bytes of all caches."""
        return sum(one.size for one in self._kept)

    def shared(self, tokens: Sequence[int]) -> int:
        """Return how many tokens of a prompt are in a cache."""
        return self._best(tokens)[1]

    def take(self, tokens: Sequence[int], forget: int = 0) -> CachedPrompt:
        """Return a cache that holds the beginning of a prompt, as much as any cache has of it.

        The last token is never in it: the model must read it to predict the next one.

        Args:
            tokens: the prompt.
            forget: a cache may be taken over if no more than this many tokens of it are lost;
                what follows a decision line is often laid out a little differently.
        """
        found, shared = self._best(tokens)
        if found is None:
            taken = CachedPrompt.empty()
        elif len(found.tokens) - shared <= forget:
            self._kept.remove(found)
            found.cut(shared)
            taken = found
        else:
            self._kept.remove(found)
            self._kept.append(found)  # its beginning is still of use
            taken = found.fork(shared)
        self._kept.append(taken)
        return taken

    def add(self, cached: CachedPrompt) -> None:
        """Keep a cache that was made elsewhere."""
        self._kept.append(cached)

    def drop(self, cached: CachedPrompt) -> None:
        """Forget a cache, whose contents may be wrong after a fault."""
        self._kept = [one for one in self._kept if one is not cached]

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def trim(self) -> None:
        """Keep to the budget."""
        while len(self._kept) > 1 and self.size > self._budget:
            del self._kept[0]

    def _best(self, tokens: Sequence[int]) -> tuple[CachedPrompt | None, int]:
        best, most = None, 0
        for one in reversed(self._kept):
            shared = common(one.tokens, tokens)
            if shared > most:
                best, most = one, shared
        return best, min(most, len(tokens) - 1)


def common(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common beginning."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return index
    return min(len(first), len(second))
