# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences that a model reads once, wherever they stand in later prompts.

The agent nodes of a tree retrieve different selections of the same experiences, so their prompts
differ soon after the system prompt, and a cache of whole prefixes is of no use. Here each
experience is read by itself behind the system prompt, and its keys and values are put together as
a prompt needs them; rotary position embeddings only have to be turned on by the distance. The
experiences do not see each other then, which is not what reading them in a row would compute, but
they have nothing to do with each other. (Parallel context windows, Ratner et al. 2023, without
their limit to one position.)
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from reactree_ros.models.local.kv_cache import CachedPrompt

Tokens = tuple[int, ...]
Read = Callable[[CachedPrompt, list[int]], None]


@dataclass(frozen=True)
class Layout:
    """The tokens of a prompt, and where its experiences stand.

    Args:
        tokens: all of them.
        cuts: where each experience begins, and where the last one ends; empty if there is none.
    """

    tokens: list[int]
    cuts: tuple[int, ...] = ()

    @property
    def prefix(self) -> Tokens:
        """What comes before the experiences."""
        return tuple(self.tokens[: self.cuts[0]])

    @property
    def experiences(self) -> list[Tokens]:
        """The tokens of each experience."""
        pairs = zip(self.cuts, self.cuts[1:], strict=False)
        return [tuple(self.tokens[begin:end]) for begin, end in pairs]


class ExperienceCache:
    """Keys and values of experiences, the least recently used dropped first.

    Args:
        frequencies: for each layer, the angles by which one position turns the pairs of a key,
            (rotated width / 2).
        budget: most bytes.
    """

    def __init__(self, frequencies: list[torch.Tensor], budget: int) -> None:
        self._frequencies = frequencies
        self._budget = budget
        self._kept: OrderedDict[tuple[Tokens, Tokens], list[tuple[torch.Tensor, torch.Tensor]]]
        self._kept = OrderedDict()
        self._prefix = CachedPrompt.empty()

    @property
    def size(self) -> int:
        """Bytes of all experiences."""
        layers = (layer for kept in self._kept.values() for layer in kept)
        return sum(keys.nbytes + values.nbytes for keys, values in layers)

    def missing(self, layout: Layout) -> int:
        """Return how many tokens must be read to put a prompt's beginning together."""
        prefix = layout.prefix
        known = self._prefix.tokens == list(prefix)
        new = {one for one in layout.experiences if (prefix, one) not in self._kept}
        return sum(len(one) for one in new) + (0 if known else len(prefix))

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._prefix = CachedPrompt.empty()

    @torch.inference_mode()
    def assemble(self, layout: Layout, read: Read) -> CachedPrompt:
        """Return a cache of a prompt's beginning up to the end of its experiences.

        Args:
            layout: the prompt; it has experiences.
            read: reads tokens into a cache; it may raise, and what was read by then is kept.
        """
        prefix = layout.prefix
        if self._prefix.tokens != list(prefix):
            fresh = CachedPrompt.empty()
            read(fresh, list(prefix))
            self._prefix = fresh
        parts = []
        for tokens in layout.experiences:
            key = (prefix, tokens)
            if key not in self._kept:
                alone = self._prefix.fork(len(prefix))
                read(alone, list(tokens))
                self._kept[key] = [
                    (
                        layer.keys[:, :, len(prefix) :].clone(),
                        layer.values[:, :, len(prefix) :].clone(),
                    )
                    for layer in alone.cache.layers
                ]
            self._kept.move_to_end(key)
            parts.append(self._kept[key])
        whole = self._prefix.fork(len(prefix))
        for begin, tokens, part in zip(layout.cuts, layout.experiences, parts, strict=False):
            distance = begin - len(prefix)
            for layer, turn, (keys, values) in zip(
                whole.cache.layers, self._frequencies, part, strict=True
            ):
                layer.update(turned(keys, turn, distance), values)
            whole.tokens += tokens
        while self._kept and self.size > self._budget:
            self._kept.popitem(last=False)
        return whole


def turned(keys: torch.Tensor, frequencies: torch.Tensor, distance: int) -> torch.Tensor:
    """Return keys as they were at a later position (rotary position embedding, Su et al. 2021).

    Args:
        keys: (1, heads, tokens, width), already turned to their own positions; the first half of
            the rotated width is paired with its second half.
        frequencies: angle per position of each pair, (rotated width / 2).
        distance: positions to move by.
    """
    if distance == 0:
        return keys
    half = frequencies.shape[0]
    angles = frequencies.to(keys.device, torch.float32) * distance
    cos, sin = angles.cos(), angles.sin()
    first, second = keys[..., :half].float(), keys[..., half : 2 * half].float()
    pairs = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return torch.cat((pairs.to(keys.dtype), keys[..., 2 * half :]), dim=-1)


@torch.inference_mode()
def rotary_frequencies(network: Any) -> list[torch.Tensor] | None:
    """Return the frequencies of a network's layers; None if its keys cannot be turned on.

    Whether they can is tried: a few tokens are read at two places, and the keys of one must be
    those of the other, turned.
    """
    body = network.get_decoder()
    rotary = getattr(body, 'rotary_emb', None)
    layers = network.config.get_text_config().num_hidden_layers
    kinds = getattr(body.config, 'layer_types', None) or [''] * layers
    found: list[torch.Tensor] = []
    for kind in kinds:
        names = ('inv_freq', f'{kind}_inv_freq')
        found += [getattr(rotary, name) for name in names if hasattr(rotary, name)][:1]
    if len(found) != layers:
        return None
    distance, count = 1000, 8
    tokens = torch.arange(10, 10 + count, device=network.device)[None]
    places = torch.arange(count, device=network.device)[None]
    caches = [CachedPrompt.empty().cache for _ in range(2)]
    for cache, begin in zip(caches, (0, distance), strict=True):
        body(input_ids=tokens, position_ids=places + begin, past_key_values=cache, use_cache=True)
    here, there = (cache.layers for cache in caches)
    if len(here) != layers:
        return None
    for layer, later, frequencies in zip(here, there, found, strict=True):
        error = (turned(layer.keys, frequencies, distance) - later.keys).float().norm()
        if error > 0.1 * later.keys.float().norm():
            return None
    return found
