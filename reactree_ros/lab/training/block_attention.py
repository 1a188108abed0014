# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Attention of trajectories that share one system prompt, each computed with the keys it sees.

A mask over the whole row would compute, and then drop, what each trajectory's tokens think of all
other trajectories, which is most of it. Query heads that share a head of keys are rows of one
matrix product: on a CPU in bfloat16 torch's ``scaled_dot_product_attention`` takes twice as long.
A GPU computes whole rows, masked, sooner than it is asked for the parts one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

NAME = 'reactree_blocks'
_TILE = 256
"""Queries at once: what later tokens alone see is not computed for them."""


class Blocks:
    """What each token of a row sees: the system prompt, and its own trajectory up to itself.

    Args:
        rows: of each row, number of tokens of the system prompt and of each trajectory behind it.
        device: torch device.
    """

    def __init__(self, rows: Sequence[Sequence[int]], device: torch.device | str = 'cpu') -> None:
        self.rows = rows
        self._device = torch.device(device)
        self._hidden: dict[int | None, torch.Tensor] = {}
        self._scores: dict[int | None, torch.Tensor] = {}

    def hidden(self, window: int | None) -> torch.Tensor:
        """Return which query of a text of the only row does not see which key, (queries, keys).

        Args:
            window: how many tokens a token sees at most, itself among them; None for all.
        """
        if window not in self._hidden:
            system, *others = self.rows[0]
            longest = torch.arange(system + max(others, default=0), device=self._device)
            hidden = longest > longest[:, None]
            if window is not None:
                hidden |= longest <= longest[:, None] - window
            self._hidden[window] = hidden
        return self._hidden[window]

    def scores(self, window: int | None, dtype: torch.dtype) -> torch.Tensor:
        """Return what is added to scores, (rows, 1, tokens, tokens): 0 or minus infinity.

        What fills a row up to the longest sees all that is before it, and is not seen.

        Args:
            window: as for ``hidden``.
            dtype: number format, the same in each call.
        """
        if window not in self._scores:
            texts, places = (one.to(self._device) for one in self._texts())
            seen = (texts[:, None] == texts[:, :, None]) | (texts[:, None] == 0)
            seen |= texts[:, :, None] < 0
            seen &= places[:, None] <= places[:, :, None]
            if window is not None:
                seen &= places[:, None] > places[:, :, None] - window
            hidden = ~seen[:, None]
            none = torch.zeros(hidden.shape, dtype=dtype, device=self._device)
            self._scores[window] = none.masked_fill_(hidden, -torch.inf)
        return self._scores[window]

    def _texts(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return number and position of each token's text, (rows, tokens) each."""
        longest = max(map(sum, self.rows))
        texts = torch.full((len(self.rows), longest), -1)
        places = torch.arange(longest).repeat(len(self.rows), 1)
        for number, lengths in enumerate(self.rows):
            system, *others = lengths
            whole = sum(lengths)
            texts[number, :whole] = torch.repeat_interleave(
                torch.arange(len(lengths)), torch.tensor(lengths)
            )
            starts = [torch.arange(system), *(system + torch.arange(one) for one in others)]
            places[number, :whole] = torch.cat(starts)
        return texts, places


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
        module: not used.
        query: (rows, query heads, tokens, width).
        key: (rows, key heads, tokens, width).
        value: likewise.
        attention_mask: not used; ``blocks`` stands for it.
        scaling: factor of the scores; None takes 1 / sqrt(width).
        sliding_window: how many tokens a token sees at most, itself among them; None for all.
        blocks: of the rows.
        **options: not used.

    Returns:
        (rows, tokens, query heads, width), and None in the place of the weights.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if len(blocks.rows) > 1 or query.device.type == 'cuda':
        return attend_masked(query, key, value, scale, sliding_window, blocks), None
    return attend_in_parts(query, key, value, scale, sliding_window, blocks), None


def attend_masked(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scale: float,
    window: int | None,
    blocks: Blocks,
) -> torch.Tensor:
    """Attend by one call for all rows; see ``attend``."""
    heads = query.shape[1] // key.shape[1]
    # What torch 2.11 chooses by itself gave NaN on an H100 after 27 steps.
    with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        out = scaled_dot_product_attention(
            query,
            key.repeat_interleave(heads, 1),
            value.repeat_interleave(heads, 1),
            attn_mask=blocks.scores(window, query.dtype),
            scale=scale,
        )
    return out.transpose(1, 2)


def attend_in_parts(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scale: float,
    window: int | None,
    blocks: Blocks,
) -> torch.Tensor:
    """Attend by calls for each text of one row, with the keys it sees; see ``attend``."""
    hidden = blocks.hidden(window)
    lengths = blocks.rows[0]
    texts = [torch.split_with_sizes(one[0], lengths, dim=1) for one in (query, key, value)]
    (_, keys, values), *_ = parts = list(zip(*texts, strict=True))
    out = []
    for number, (asked, own_keys, own_values) in enumerate(parts):
        system = lengths[0] if number else 0
        seen = torch.cat((keys[:, :system], own_keys), 1)
        found = torch.cat((values[:, :system], own_values), 1)
        for begin in range(system, seen.shape[1], _TILE):
            end = min(begin + _TILE, seen.shape[1])
            oldest = max(0, begin - window + 1) if window else 0
            out.append(
                _Attended.apply(  # type: ignore[no-untyped-call]
                    asked[:, begin - system : end - system],
                    seen[:, oldest:end],
                    found[:, oldest:end],
                    hidden[begin:end, oldest:end],
                    scale,
                )
            )
    return torch.cat(out, dim=1).transpose(0, 1)[None]


def register() -> str:
    """Make the attention known to transformers and return its name."""
    # Rows differ in how many texts they have: each number would be compiled by itself.
    whole = torch.compiler.disable(attend)  # type: ignore[no-untyped-call]
    AttentionInterface.register(NAME, whole)
    return NAME


class _Attended(torch.autograd.Function):
    """The result for the queries of one text; all tensors are (heads, tokens, width).

    The backward pass reads the weights again, in the number format of the texts: computing them a
    second time, or in float32, takes longer than all matrix products.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        hidden: torch.Tensor,
        scale: float,
    ) -> torch.Tensor:
        grouped = (query * scale).reshape(key.shape[0], -1, query.shape[2])
        scores = torch.matmul(grouped, key.mT)
        scores.view(key.shape[0], -1, *hidden.shape).masked_fill_(hidden, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        ctx.save_for_backward(grouped, key, value, weights)
        ctx.scale = scale
        return torch.matmul(weights, value).view(query.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        grouped, key, value, weights = ctx.saved_tensors
        gradient = gradients[0].reshape(grouped.shape)
        of_weights = torch.matmul(gradient, value.mT)
        of_scores = torch._softmax_backward_data(of_weights, weights, -1, weights.dtype)
        of_query = (torch.matmul(of_scores, key) * ctx.scale).view(gradients[0].shape)
        of_key = torch.matmul(of_scores.mT, grouped)
        return of_query, of_key, torch.matmul(weights.mT, gradient), None, None
