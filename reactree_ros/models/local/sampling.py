# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Choosing among tokens by chance, from the likeliest that together have a given probability.

Nucleus sampling (Holtzman et al. 2020, *The Curious Case of Neural Text Degeneration*).
"""

from __future__ import annotations

import torch

LIKELIEST = 256
"""Tokens that are sorted at first: a vocabulary has hundreds of thousands, and seldom more than a
few of them come into question."""


@torch.inference_mode()
def sample(
    scores: torch.Tensor, chances: torch.Tensor, temperature: float, top_p: float
) -> list[int]:
    """Choose a token for each of several texts.

    Args:
        scores: of all tokens, (texts, vocabulary).
        chances: a number of at least 0 and below 1 for each text, (texts), drawn evenly.
        temperature: more than 0.
        top_p: sampled is from the likeliest tokens that together have this probability.

    Returns:
        The tokens.
    """
    probabilities = torch.softmax(scores.float() / temperature, dim=-1)
    best, tokens = probabilities.topk(min(LIKELIEST, probabilities.shape[-1]), dim=-1)
    rows = zip(probabilities, best, tokens, chances.tolist(), strict=True)
    return [_draw(*row, top_p) for row in rows]


def _draw(
    probabilities: torch.Tensor,
    best: torch.Tensor,
    tokens: torch.Tensor,
    chance: float,
    top_p: float,
) -> int:
    """Return one token, looking at more and more of the likeliest until they decide it."""
    size = probabilities.shape[-1]
    while True:
        place = _place(best, chance, top_p, whole=len(best) == size)
        if place is not None:
            return int(tokens[place])
        best, tokens = probabilities.topk(min(16 * len(best), size))


def _place(probabilities: torch.Tensor, chance: float, top_p: float, *, whole: bool) -> int | None:
    """Return which of the likeliest tokens is meant; None if it takes more of them to know.

    Args:
        probabilities: of the likeliest, in order.
        chance: at least 0 and below 1.
        top_p: what all that come into question have together.
        whole: whether these are all tokens.
    """
    reach = probabilities.double().cumsum(-1)
    inside = int(torch.searchsorted(reach, top_p)) if top_p < 1.0 else len(reach)
    if inside < len(reach):
        mass = float(reach[inside])
    elif whole:
        mass = float(reach[-1])
    elif top_p >= 1.0 and chance < float(reach[-1]):
        mass = 1.0
    else:
        return None
    return min(int(torch.searchsorted(reach, chance * mass, right=True)), len(reach) - 1)
