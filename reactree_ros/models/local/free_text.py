# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Free text after a prompt: the likeliest, or several samples that are written together.

Samples are chosen from the likeliest tokens that together have a given probability: nucleus
sampling (Holtzman et al. 2020, *The Curious Case of Neural Text Degeneration*).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch

from reactree_ros.core.model import TextRequest
from reactree_ros.models.backend import Watch
from reactree_ros.models.local.attention import branch, keep
from reactree_ros.models.local.constraint import Vocabulary
from reactree_ros.models.local.decoder import Decoder, best_of, repeated
from reactree_ros.models.local.experience_cache import Layout

AT_ONCE = 32
"""Samples that are written together; the scores of each are a vocabulary of numbers."""


LIKELIEST = 256
"""Tokens that are sorted at first: a vocabulary has hundreds of thousands, and seldom more than a
few of them come into question."""


class Draft:
    """A text that is being written.

    Args:
        vocabulary: of the model.
        stop: it ends before the first of these.
        most: longest text, in tokens.
    """

    def __init__(self, vocabulary: Vocabulary, stop: Sequence[str], most: int) -> None:
        self._vocabulary = vocabulary
        self._stop = [text.encode() for text in stop]
        self._most = most
        self._written = bytearray()
        self.tokens: list[int] = []
        self.finished = most <= 0

    @property
    def text(self) -> str:
        """What is written; a character that was cut off at the end is left out."""
        return self._written.decode(errors='ignore')

    def add(self, token: int) -> None:
        """Write a token, and finish if it ends the text."""
        self.tokens.append(token)
        if self._vocabulary.ends(token):
            self.finished = True
            return
        before = len(self._written)
        self._written += self._vocabulary.bytes([token])
        ends = [self._written.find(stop, max(0, before - len(stop))) for stop in self._stop]
        found = [end for end in ends if end >= 0]
        if found:
            del self._written[min(found) :]
        self.finished = bool(found) or len(self.tokens) >= self._most


@dataclass(frozen=True)
class Texts:
    """What was written after one prompt, and what it cost.

    Args:
        drafts: one for each sample.
        reused: prompt tokens taken from the cache.
        prefill_seconds: until the prompt was read.
        decode_seconds: from then on.
    """

    drafts: list[Draft]
    reused: int
    prefill_seconds: float
    decode_seconds: float


def write_text(
    decoder: Decoder, vocabulary: Vocabulary, layout: Layout, request: TextRequest, watch: Watch
) -> Texts:
    """Write what a request asks for after a prompt.

    Args:
        decoder: runs the network.
        vocabulary: of the model.
        layout: tokens of the prompt.
        request: the rest of what is asked.
        watch: asked between passes.

    Raises:
        Interrupted: if ``watch`` said so; what was read by then stays in the cache.
    """
    greedy = request.temperature <= 0.0
    drafts = [
        Draft(vocabulary, request.stop, request.max_tokens)
        for _ in range(1 if greedy else request.samples)
    ]
    begin = time.monotonic()
    if greedy:
        reused, read = _write_likeliest(decoder, layout, drafts[0], watch)
        drafts *= request.samples
    else:
        reused, read = _write_samples(decoder, layout, drafts, request, watch)
    return Texts(drafts, reused, read - begin, time.monotonic() - read)


def _write_likeliest(
    decoder: Decoder, layout: Layout, draft: Draft, watch: Watch
) -> tuple[int, float]:
    """Write the likeliest token each time; return what was reused and when the prompt was read."""
    read = 0.0
    with decoder.reading(layout, watch) as (reading, reused):
        while not draft.finished:
            text = layout.tokens + draft.tokens
            hidden = reading.last(text, partial(repeated, text))
            read = read or time.monotonic()
            draft.add(best_of(decoder.scores(hidden)))
        reading.keep(layout.tokens + draft.tokens)
    return reused, read or time.monotonic()


def _write_samples(
    decoder: Decoder, layout: Layout, drafts: list[Draft], request: TextRequest, watch: Watch
) -> tuple[int, float]:
    """Write all samples; return the reused tokens and when the prompt was read."""
    generator = torch.Generator().manual_seed(request.seed)
    chances = torch.rand((len(drafts), request.max_tokens), generator=generator)
    with decoder.reading(layout, watch) as (reading, reused):
        hidden = reading.last(layout.tokens, list)
        reading.keep(layout.tokens)
        read = time.monotonic()
        for begin in range(0, len(drafts), AT_ONCE):
            some = drafts[begin : begin + AT_ONCE]
            cache = branch(reading.cache, len(some), share=decoder.shares_branches)
            scores = decoder.scores(hidden).expand(len(some), -1)
            open_ones = list(range(len(some)))
            for place in range(request.max_tokens):
                drawn = chances[[begin + row for row in open_ones], place]
                chosen = sample(scores, drawn, request.temperature, request.top_p)
                for row, token in zip(open_ones, chosen, strict=True):
                    some[row].add(token)
                left = [n for n, row in enumerate(open_ones) if not some[row].finished]
                if not left:
                    break
                if len(left) < len(open_ones):
                    keep(cache, left)
                    open_ones = [open_ones[n] for n in left]
                tokens = [some[row].tokens[-1] for row in open_ones]
                scores = decoder.scores(decoder.read_next(tokens, cache, watch))
    return reused, read


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
