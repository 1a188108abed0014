# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several continuations of one prompt, whose keys and values are stored only once.

Reading one more token takes a CPU about as long for one text as for a few: it waits for the
weights. A copy of the prompt's keys and values for each text would make it wait for those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import Cache

from reactree_ros.models.local.kv_cache import GrowingLayer


@dataclass(frozen=True)
class Branched:
    """Keys, or values, of a common beginning and of what follows it in each text.

    Args:
        shared: (1, heads, tokens of the prompt, width).
        own: (texts, heads, tokens since, width).
    """

    shared: torch.Tensor
    own: torch.Tensor


class BranchedLayer(GrowingLayer):
    """A layer of several texts that begin alike.

    Args:
        trunk: layer of the common beginning; it is only read, and must stay as it is.
    """

    def __init__(self, trunk: GrowingLayer) -> None:
        super().__init__()
        self._trunk = trunk

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any) -> Any:
        """Append keys and values of each text and return all of them, each a ``Branched``."""
        keys, values = super().update(key_states, value_states)
        return Branched(self._trunk.keys, keys), Branched(self._trunk.values, values)

    def get_seq_length(self) -> int:
        """Return the tokens of each text, the common beginning included."""
        return int(self._trunk.get_seq_length() + super().get_seq_length())


def branch(cache: Cache, texts: int, *, share: bool) -> Cache:
    """Return a cache of several continuations of a cache's content.

    Args:
        cache: what they have in common; as long as they are written it must stay as it is.
        texts: how many.
        share: whether the attention takes ``Branched`` keys, as ``attend_branches`` does; else
            the common beginning is copied for each text, which any attention takes.
    """
    if share:
        return Cache(layers=[BranchedLayer(layer) for layer in cache.layers])
    layers = [layer.fork(layer.get_seq_length(), texts) for layer in cache.layers]
    return Cache(layers=layers)


def keep(cache: Cache, rows: list[int]) -> None:
    """Go on with some of the texts only."""
    for layer in cache.layers:
        layer.keep(rows)


def attend_branches(
    query: torch.Tensor,
    key: Branched,
    value: Branched,
    attention_mask: torch.Tensor | None,
    scaling: float | None,
) -> torch.Tensor:
    """Attend from the next token of each text.

    Args:
        query: (texts, query heads, 1, width).
        key: of all tokens so far.
        value: likewise.
        attention_mask: (1 or texts, 1, 1, all tokens), true where a token is seen; None where all
            are.
        scaling: factor of the scores; None takes 1 / sqrt(width).

    Returns:
        (texts, 1, query heads, width).
    """
    texts, heads, _, width = query.shape
    shared = key.own.shape[1]
    groups, trunk = heads // shared, key.shared.shape[2]
    rows = query.reshape(texts, shared, groups, width)
    # All texts ask the common keys at once, as more queries of one head.
    queries = rows.transpose(0, 1).reshape(shared, texts * groups, width)
    common = torch.matmul(queries, key.shared[0].transpose(1, 2))
    common = common.view(shared, texts, groups, trunk).transpose(0, 1)
    scores = torch.cat((common, torch.matmul(rows, key.own.transpose(2, 3))), dim=-1).float()
    scores *= width**-0.5 if scaling is None else scaling
    if attention_mask is not None:
        scores.masked_fill_(~attention_mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1).to(query.dtype)
    alike = weights[..., :trunk].transpose(0, 1).reshape(shared, texts * groups, trunk)
    attended = torch.matmul(alike, value.shared[0]).view(shared, texts, groups, width)
    own = torch.matmul(weights[..., trunk:], value.own)
    return (attended.transpose(0, 1) + own).reshape(texts, 1, heads, width)
