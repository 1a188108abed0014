# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Attention for one or a few new tokens after a long prompt, on a CPU.

Where several query heads share one head of keys and values (grouped-query attention), torch's CPU
kernel walks over the shared keys once for every query head, and with a single query it cannot use
both cores well. Laid out as more queries of one head, the same attention reads the keys once.

Several continuations of one prompt share its keys and values (``branch``). Reading one more token
takes a CPU about as long for one text as for a few: it waits for the weights. A copy of the
prompt's keys and values for each text would make it wait for those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.cache_utils import Cache
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from reactree_ros.models.local.kv_cache import GrowingLayer

NAME = 'reactree_cpu'
FEW = 96
"""Queries up to which matrix products are quicker than the kernel (measured at 1,300 keys)."""


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


def attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor | Branched,
    value: torch.Tensor | Branched,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Attend to keys and values; the signature is that of transformers' attention functions.

    Args:
        module: the attention layer.
        query: (1, query heads, new tokens, width); more than 1 with ``Branched`` keys.
        key: (1, key heads, all tokens, width).
        value: likewise.
        attention_mask: (1, 1, new tokens, all tokens), true where a token is seen; None where all
            are, or where the mask is causal from the first token on.
        scaling: factor of the scores; None takes 1 / sqrt(width).
        **options: passed on to torch's kernel.

    Returns:
        (1, new tokens, query heads, width), and None in the place of the weights.
    """
    if isinstance(key, Branched) or isinstance(value, Branched):
        assert isinstance(key, Branched) and isinstance(value, Branched)
        return attend_branches(query, key, value, attention_mask, scaling), None
    batch, heads, new, width = query.shape
    if batch > 1 or new > FEW or (new > 1 and attention_mask is None) or options.get('softcap'):
        out: tuple[torch.Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, scaling=scaling, **options
        )
        return out
    shared = key.shape[1]
    groups = heads // shared
    if new == 1:
        attended = torch.nn.functional.scaled_dot_product_attention(
            query.view(1, shared, groups, width), key, value, attention_mask, scale=scaling
        )
        return attended.reshape(1, 1, heads, width), None
    scores = torch.matmul(query.reshape(shared, groups * new, width), key[0].transpose(1, 2))
    scores = scores.float() * (width**-0.5 if scaling is None else scaling)
    if attention_mask is not None:
        masked = scores.view(shared, groups, new, -1)
        masked.masked_fill_(~attention_mask[0], -torch.inf)
    weights = torch.softmax(scores, dim=-1).to(value.dtype)
    attended = torch.matmul(weights, value[0]).view(1, heads, new, width)
    return attended.transpose(1, 2).contiguous(), None


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


def register() -> str:
    """Make the attention known to transformers and return its name."""
    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    return NAME
