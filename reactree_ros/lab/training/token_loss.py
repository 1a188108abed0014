# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The loss of the tokens that a model is to write, without scores of a whole vocabulary.

A vocabulary has 150,000 to 260,000 tokens, a data set uses a few thousand of them. The scores of
those are computed; what all others add to the denominator of the softmax is estimated from some of
them that are drawn again for each row, each standing for as many as it was drawn from
(complementary sum sampling, Botev et al. 2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

CHUNK = 256
"""Targets whose scores are in memory at once."""


@dataclass(frozen=True)
class Candidates:
    """The tokens whose scores are computed.

    Args:
        tokens: which, int64, (candidates).
        extra: added to each score: the logarithm of how many tokens it stands for, (candidates).
        index: place of each token of the vocabulary among them, -1 if it has none, (vocabulary).
    """

    tokens: torch.Tensor
    extra: torch.Tensor
    index: torch.Tensor


class Sampler:
    """Draws candidates.

    Args:
        known: all tokens that the data set has, int64, each once.
        vocabulary: number of tokens that the model knows.
        count: how many of the other tokens are drawn; 0 computes the scores of all tokens.
        device: torch device.
    """

    def __init__(
        self, known: torch.Tensor, vocabulary: int, count: int, device: torch.device | str
    ) -> None:
        others = torch.ones(vocabulary, dtype=torch.bool)
        others[known] = False
        self._known = known
        self._others = others.nonzero()[:, 0]
        self._count = count if count < len(self._others) else 0
        self._vocabulary = vocabulary
        self._device = torch.device(device)

    def draw(self, seed: int) -> Candidates | None:
        """Return candidates, the same for the same seed; None for the whole vocabulary."""
        if not self._count:
            return None
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randint(len(self._others), (self._count,), generator=generator)
        places = torch.from_numpy(np.unique(drawn.numpy()))
        tokens = torch.cat((self._known, self._others[places]))
        extra = torch.zeros(len(tokens))
        extra[len(self._known) :] = math.log(len(self._others) / len(places))
        index = torch.full((self._vocabulary,), -1)
        index[tokens] = torch.arange(len(tokens))
        return Candidates(tokens.to(self._device), extra.to(self._device), index.to(self._device))


class _TokenLoss(torch.autograd.Function):
    """Computes the gradient together with the loss, so that no scores are kept."""

    @staticmethod
    def forward(
        ctx: Any,
        states: torch.Tensor,
        weight: torch.Tensor,
        targets: torch.Tensor,
        extra: torch.Tensor | None,
    ) -> torch.Tensor:
        total = torch.zeros((), dtype=torch.float32, device=states.device)
        wanted = ctx.needs_input_grad[0]
        into = torch.empty_like(states) if wanted else None
        for begin in range(0, len(states), CHUNK):
            part = slice(begin, begin + CHUNK)
            right = targets[part, None]
            scores = torch.matmul(states[part], weight.mT).float()
            if extra is not None:
                scores += extra
            scores -= scores.amax(-1, keepdim=True)
            of_right = scores.gather(-1, right)
            shares = scores.exp_()
            mass = shares.sum(-1, keepdim=True)
            total += (mass.log() - of_right).sum()
            if into is not None:
                shares /= mass
                shares.scatter_add_(-1, right, torch.full_like(of_right, -1.0))
                into[part] = torch.matmul(shares.to(weight.dtype), weight)
        ctx.save_for_backward(into)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (into,) = ctx.saved_tensors
        return into * gradients[0], None, None, None


def token_loss(
    states: torch.Tensor,
    weight: torch.Tensor,
    targets: torch.Tensor,
    candidates: Candidates | None = None,
) -> torch.Tensor:
    """Return the sum of the negative log-probabilities of tokens, float32.

    Args:
        states: last hidden states of the places before the tokens, (targets, width).
        weight: of the output layer, frozen, (vocabulary, width).
        targets: the tokens, int64, (targets).
        candidates: whose scores are computed; None for all of the vocabulary.
    """
    extra = None
    if candidates is not None:
        weight, extra = weight[candidates.tokens], candidates.extra
        targets = candidates.index[targets]
    loss: torch.Tensor = _TokenLoss.apply(states, weight, targets, extra)  # type: ignore[no-untyped-call]
    return loss
