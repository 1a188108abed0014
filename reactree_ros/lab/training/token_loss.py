# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The loss of tokens, without the scores of all tokens that the model knows.

A vocabulary has 150,000 to 260,000 tokens, a data set uses a few thousand of them. The scores of
those are computed; what all others add to the denominator of the softmax is estimated from some of
them that are drawn again for each row, each standing for as many as it was drawn from
(complementary sum sampling, Botev et al. 2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional


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
    if candidates is None:
        scores = torch.matmul(states, weight.mT).float()
    else:
        scores = torch.matmul(states, weight[candidates.tokens].mT).float() + candidates.extra
        targets = candidates.index[targets]
    return functional.cross_entropy(scores, targets, reduction='sum')
