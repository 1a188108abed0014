# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Attention for one or a few new tokens after a long prompt, on a CPU.

Where several query heads share one head of keys and values (grouped-query attention), torch's CPU
kernel walks over the shared keys once for every query head, and with a single query it cannot use
both cores well. Laid out as more queries of one head, the same attention reads the keys once.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from reactree_ros.models.local.branches import Branched, attend_branches

NAME = 'reactree_cpu'
FEW = 96
"""Queries up to which matrix products are quicker than the kernel (measured at 1,300 keys)."""


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


def register() -> str:
    """Make the attention known to transformers and return its name."""
    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    return NAME
