# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Attention of trajectories that share one system prompt, without a look at what they cannot see.

A mask over the whole row would compute, and then drop, what each trajectory's tokens think of all
other trajectories, which is most of it. Here queries are taken tile by tile with the keys that some
query of the tile sees. The backward pass computes the weights of a tile again, so that none are
kept (as FlashAttention does, Dao et al. 2022). Query heads that share a head of keys are rows of
one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AttentionInterface

NAME = 'reactree_blocks'
TILE = 128
"""Queries at once on a CPU (measured with 4 heads of 256 numbers)."""
TILE_GPU = 1024


@dataclass(frozen=True)
class Tile:
    """Some queries of one trajectory, and what they see.

    Args:
        queries: where they stand in the row.
        system: keys of the system prompt that one of them sees.
        own: keys of their own trajectory that one of them sees.
        hidden: which query does not see which of the keys, (queries, keys).
    """

    queries: slice
    system: slice
    own: slice
    hidden: torch.Tensor


class Blocks:
    """What each token of a row sees: the system prompt, and its own trajectory up to itself.

    Args:
        lengths: number of tokens of the system prompt and of each trajectory behind it.
        device: torch device.
    """

    def __init__(self, lengths: Sequence[int], device: torch.device | str = 'cpu') -> None:
        self._lengths = tuple(lengths)
        self._device = torch.device(device)
        self._tiles: dict[int | None, list[Tile]] = {}

    def tiles(self, window: int | None) -> list[Tile]:
        """Return the tiles of a layer.

        Args:
            window: how many tokens a token sees at most, itself among them; None for all.
        """
        if window not in self._tiles:
            system, *others = self._lengths
            found = self._of(0, 0, system, window)
            begin = system
            for length in others:
                found += self._of(system, begin, length, window)
                begin += length
            self._tiles[window] = found
        return self._tiles[window]

    def _of(self, system: int, begin: int, length: int, window: int | None) -> list[Tile]:
        """Return the tiles of what stands behind a system prompt, or of that itself."""
        size = TILE if self._device.type == 'cpu' else TILE_GPU
        return [
            self._tile(system, begin, first, min(first + size, length), window)
            for first in range(0, length, size)
        ]

    def _tile(self, system: int, begin: int, first: int, end: int, window: int | None) -> Tile:
        # Positions count from the beginning of the system prompt.
        oldest = 0 if window is None else max(0, system + first - window + 1)
        own = max(oldest, system) - system
        queries = torch.arange(first, end, device=self._device)[:, None] + system
        keys = torch.cat((torch.arange(min(oldest, system), system, device=self._device),
                          torch.arange(own, end, device=self._device) + system))  # fmt: skip
        hidden = keys > queries
        if window is not None:
            hidden |= keys <= queries - window
        return Tile(
            slice(begin + first, begin + end),
            slice(min(oldest, system), system),
            slice(begin + own, begin + end),
            hidden,
        )


class _BlockAttention(torch.autograd.Function):
    """Attends tile by tile; all tensors are (heads, tokens, width)."""

    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        tiles: list[Tile],
        scale: float,
    ) -> torch.Tensor:
        out = torch.empty_like(query, memory_format=torch.contiguous_format)
        for tile in tiles:
            weights = _weights(query, key, tile, scale)
            found = torch.matmul(weights.to(value.dtype), _seen(value, tile))
            out[:, tile.queries] = found.view(query.shape[0], -1, query.shape[2])
        ctx.save_for_backward(query, key, value, out)
        ctx.tiles, ctx.scale = tiles, scale
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        query, key, value, out = ctx.saved_tensors
        into_out = gradients[0]
        into_query = torch.empty_like(query)
        into_key = torch.zeros_like(key, dtype=torch.float32)
        into_value = torch.zeros_like(value, dtype=torch.float32)
        for tile in ctx.tiles:
            weights = _weights(query, key, tile, ctx.scale)
            towards = _grouped(into_out, key, tile)
            _add(into_value, tile, torch.matmul(weights.to(key.dtype).mT, towards))
            change = torch.matmul(towards, _seen(value, tile).mT).float()
            mean = (towards.float() * _grouped(out, key, tile).float()).sum(-1, keepdim=True)
            scores = (change.sub_(mean).mul_(weights).mul_(ctx.scale)).to(key.dtype)
            found = torch.matmul(scores, _seen(key, tile))
            into_query[:, tile.queries] = found.view(query.shape[0], -1, query.shape[2])
            _add(into_key, tile, torch.matmul(scores.mT, _grouped(query, key, tile)))
        return into_query, into_key.to(key.dtype), into_value.to(value.dtype), None, None


def attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    sliding_window: int | None = None,
    *,
    blocks: Blocks,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Attend to what ``blocks`` says; the signature is that of transformers' attention functions.

    Args:
        module: the attention layer.
        query: (1, query heads, tokens, width).
        key: (1, key heads, tokens, width).
        value: likewise.
        attention_mask: None; ``blocks`` stands for it.
        scaling: factor of the scores; None takes 1 / sqrt(width).
        sliding_window: how many tokens a token sees at most, itself among them; None for all.
        blocks: of the row.
        **options: not used.

    Returns:
        (1, tokens, query heads, width), and None in the place of the weights.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    tiles = blocks.tiles(sliding_window)
    out: torch.Tensor = _BlockAttention.apply(  # type: ignore[no-untyped-call]
        query[0], key[0], value[0], tiles, scale
    )
    return out.transpose(0, 1)[None], None


def register() -> str:
    """Make the attention known to transformers and return its name."""
    AttentionInterface.register(NAME, attend)
    return NAME


def _weights(query: torch.Tensor, key: torch.Tensor, tile: Tile, scale: float) -> torch.Tensor:
    """Return how much each query heeds each key, (key heads, group · queries, keys), float32."""
    scores = torch.matmul(_grouped(query, key, tile), _seen(key, tile).mT).float().mul_(scale)
    apart = scores.view(key.shape[0], -1, *tile.hidden.shape)
    apart.masked_fill_(tile.hidden, -torch.inf)
    return torch.softmax(scores, dim=-1)


def _grouped(of_queries: torch.Tensor, key: torch.Tensor, tile: Tile) -> torch.Tensor:
    """Return what belongs to a tile's queries, those of heads that share keys as one."""
    return of_queries[:, tile.queries].reshape(key.shape[0], -1, of_queries.shape[2])


def _seen(of_keys: torch.Tensor, tile: Tile) -> torch.Tensor:
    """Return what belongs to the keys that a tile sees, (key heads, keys, width)."""
    return torch.cat((of_keys[:, tile.system], of_keys[:, tile.own]), dim=1)


def _add(total: torch.Tensor, tile: Tile, part: torch.Tensor) -> None:
    """Add what belongs to the keys that a tile sees."""
    system = tile.system.stop - tile.system.start
    total[:, tile.system] += part[:, :system]
    total[:, tile.own] += part[:, system:]
