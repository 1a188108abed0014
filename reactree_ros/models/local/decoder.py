# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a network: reads prompts, and writes greedily with as few passes as possible.

Four things save work without changing the answer:

- What the grammar leaves no choice about is written without asking the network.
- Only the scores of allowed tokens are computed, while they are few.
- Each token of a thought, question or subgoal is first chosen among the tokens of the prompts, a
  small part of the output layer (a draft). After at most 16 drafts the whole output layer checks
  them together, which takes a CPU little longer than checking one. The first wrong one is replaced,
  and what follows it is written again (after *FR-Spec*, Zhao et al. 2025).
- What follows the same words earlier in the prompt is read ahead together with the next token
  (prompt lookup decoding); a wrong guess is cut off again. Subgoals and thoughts repeat the prompt
  much, and reading eight tokens takes a CPU about as long as reading one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from transformers.cache_utils import Cache

from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.local import attention
from reactree_ros.models.local.constraint import Constraint
from reactree_ros.models.local.experience_cache import ExperienceCache, Layout
from reactree_ros.models.local.kv_cache import CachedPrompt, PromptCache, common

PREFILL_CHUNK = 256
"""Prompt tokens per pass: how long a cancel or a time limit may have to wait."""
FEW = 4096
"""Allowed tokens up to which their scores are computed one by one."""
GUESS = 8
"""Most tokens that are read ahead."""
MATCH = 3
"""Tokens that must be the same for a guess; after free text two are too few."""
DRAFTS = 16
"""Most drafts that are checked together."""
KNOWN = 4096
"""Most tokens that a draft is chosen from."""
SLACK = 64
"""Tokens at the end of a cache that another prompt may overwrite."""


@dataclass(frozen=True)
class Written:
    """What was written, and what it cost.

    Args:
        tokens: the answer.
        reused: prompt tokens taken from the cache.
        prefill_seconds: until the first token was chosen.
        decode_seconds: from then on.
        passes: how often the network was run.
    """

    tokens: list[int]
    reused: int
    prefill_seconds: float
    decode_seconds: float
    passes: int


class Decoder:
    """Runs a network.

    Args:
        network: a causal language model of transformers.
        cache: keeps what was read.
        experiences: keeps experiences by themselves; None reads every prompt in a row.
    """

    def __init__(
        self,
        network: Any,
        cache: PromptCache,
        experiences: ExperienceCache | None = None,
    ) -> None:
        self._body = network.get_decoder()
        self._head = network.get_output_embeddings()
        self._device = network.device
        self._cache = cache
        self._experiences = experiences
        self._known = KnownTokens(self._head)
        self.shares_branches = self._body.config._attn_implementation == attention.NAME
        """Whether several continuations of one prompt need no copies of it."""

    def new_tokens(self, layout: Layout) -> int:
        """Return how many tokens of a prompt would have to be read."""
        return self._look_up(layout)[0]

    def _look_up(self, layout: Layout) -> tuple[int, ExperienceCache | None]:
        """Return how many tokens must be read, and what puts the experiences together, if any."""
        tokens = layout.tokens
        shared = self._cache.shared(tokens)
        if self._experiences is None or not layout.cuts or shared >= layout.cuts[-1]:
            return len(tokens) - shared, None
        new = self._experiences.missing(layout) + len(tokens) - layout.cuts[-1]
        return new, self._experiences

    def forget(self) -> None:
        """Forget which tokens the prompts held."""
        self._known = KnownTokens(self._head)

    def write(
        self,
        layout: Layout,
        constraint: Constraint,
        watch: Watch,
        margins: Mapping[int, float] | None = None,
    ) -> Written:
        """Write an answer.

        Args:
            layout: tokens to be read.
            constraint: what may be written, at its beginning.
            watch: asked between passes.
            margins: tokens that are written, where only some tokens are allowed, only if their
                logits exceed all others by so much.

        Raises:
            Interrupted: if ``watch`` said so; what was read by then stays in the cache.
            ModelError: if the grammar engine fails.
        """
        begin = time.monotonic()
        prompt = layout.tokens
        out: list[int] = []
        drafts: dict[int, torch.Tensor] = {}
        most = DRAFTS
        first: float | None = None
        self._known.add(prompt)
        with self.reading(layout, watch) as (reading, reused):
            while drafts or not constraint.finished:
                if constraint.finished or len(drafts) >= most:
                    # What was wrong costs the passes behind it: fewer are tried then.
                    most = min(DRAFTS, max(1, 2 * self._check(drafts, out, constraint)))
                    drafts.clear()
                    continue
                tokens = constraint.forced()
                if tokens:
                    constraint.write(tokens)
                else:
                    text = prompt + out
                    hidden = reading.last(text, partial(self._guess, text, constraint))
                    token, is_draft = self._take_best(hidden, constraint, margins or {})
                    if is_draft:
                        drafts[len(out)] = hidden
                    tokens = [token]
                    first = first or time.monotonic()
                out += tokens
            reading.keep(prompt + out)
        end = time.monotonic()
        first = first or end
        return Written(out, reused, first - begin, end - first, reading.passes)

    @contextmanager
    def reading(self, layout: Layout, watch: Watch) -> Iterator[tuple[Reading, int]]:
        """Give what goes on reading where the caches end, and how many tokens they had.

        After a fault, what was read is forgotten.
        """
        held, reused = self._begin(layout, watch)
        try:
            yield Reading(self._body, self._device, held, watch), reused
        except Interrupted:
            raise  # what was read by then is right and will be wanted again
        except BaseException:
            self._cache.drop(held)
            raise
        finally:
            self._cache.trim()

    @torch.inference_mode()
    def read_next(self, tokens: list[int], cache: Cache, watch: Watch) -> torch.Tensor:
        """Read the next token of each of several texts and return their states, (texts, width)."""
        watch.check()
        output = self._body(
            input_ids=torch.tensor(tokens, device=self._device)[:, None],
            past_key_values=cache,
            use_cache=True,
        )
        states: torch.Tensor = output.last_hidden_state[:, -1]
        return states

    @torch.inference_mode()
    def scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the scores of all tokens after states of the network, (…, vocabulary)."""
        scores: torch.Tensor = self._head(hidden)
        return scores

    def _begin(self, layout: Layout, watch: Watch) -> tuple[CachedPrompt, int]:
        """Return a cache of as much of a prompt as can be had without reading it in a row.

        The number is that of the prompt's tokens that were known before.
        """

        def read(cached: CachedPrompt, tokens: list[int]) -> None:
            reading = Reading(self._body, self._device, cached, watch)
            for begin in range(0, len(tokens), PREFILL_CHUNK):
                reading.read(tokens[begin : begin + PREFILL_CHUNK])

        new, experiences = self._look_up(layout)
        if experiences is not None:
            self._cache.add(experiences.assemble(layout, read))
        return self._cache.take(layout.tokens, forget=SLACK), len(layout.tokens) - new

    def _guess(self, text: list[int], constraint: Constraint) -> list[int]:
        """Return tokens that may come next and that the constraint allows."""
        guess = repeated(text)
        return guess[: constraint.valid(guess)] if guess else []

    @torch.inference_mode()
    def _take_best(
        self, hidden: torch.Tensor, constraint: Constraint, margins: Mapping[int, float]
    ) -> tuple[int, bool]:
        """Write the best of the allowed tokens; return it, and whether it is a draft."""
        if constraint.is_free():
            # A GPU computes all scores in less time than one wrong draft costs.
            on_cpu = self._device.type == 'cpu'
            if on_cpu and constraint.take(draft := self._known.best(hidden)):
                return draft, True
            return self._take_best_of_all(self._head(hidden), constraint), False
        allowed = self._allowed(constraint)
        if len(allowed) <= FEW:
            scores = torch.nn.functional.linear(hidden, *part_of(self._head, allowed))
        else:
            scores = self._head(hidden)[allowed]
        for token, margin in margins.items():
            scores = torch.where(allowed == token, scores - margin, scores)
        best = int(allowed[best_of(scores)])
        constraint.write([best])
        return best, False

    def _take_best_of_all(self, scores: torch.Tensor, constraint: Constraint) -> int:
        """Write the best of the allowed tokens, given the scores of all; return it."""
        best = best_of(scores)
        if not constraint.take(best):
            allowed = self._allowed(constraint)
            best = int(allowed[best_of(scores[allowed])])
            constraint.write([best])
        self._known.add([best])
        return best

    def _allowed(self, constraint: Constraint) -> torch.Tensor:
        return torch.from_numpy(constraint.allowed()).to(self._device)

    @torch.inference_mode()
    def _check(
        self, drafts: dict[int, torch.Tensor], out: list[int], constraint: Constraint
    ) -> int:
        """Replace the first wrong draft and drop what follows it; return how many were right.

        Args:
            drafts: states of the network before the drafts, (width) each, by place in ``out``.
            out: the answer so far.
            constraint: what may be written, at its end.
        """
        scores = self._head(torch.stack([*drafts.values()]))
        for right, (place, row) in enumerate(zip(drafts, scores, strict=True)):
            if best_of(row) == out[place]:
                continue
            behind = out[place:]
            constraint.undo(len(behind))
            best = self._take_best_of_all(row, constraint)
            if best != behind[0]:
                out[place:] = [best]
                return right
            constraint.write(behind[1:])  # what would have been better is not allowed
        return len(drafts)


class KnownTokens:
    """The part of an output layer that belongs to tokens that were read or written.

    Args:
        head: a linear layer.
    """

    def __init__(self, head: Any) -> None:
        self._head = head
        self._tokens: list[int] = []
        self._seen: set[int] = set()
        self._part: tuple[torch.Tensor, torch.Tensor | None] | None = None

    def add(self, tokens: list[int]) -> None:
        """Add tokens; of too many, known ones with high numbers go: they are rare."""
        if self._seen.issuperset(tokens):
            return
        # In order, so that of equals the first is the best, as among all.
        self._tokens = sorted([*dict.fromkeys([*tokens, *self._tokens])][:KNOWN])
        self._seen = set(self._tokens)
        self._part = None

    def best(self, hidden: torch.Tensor) -> int:
        """Return the best of them after a state of the network, (width)."""
        if self._part is None:
            self._part = part_of(self._head, self._tokens)
        return self._tokens[best_of(torch.nn.functional.linear(hidden, *self._part))]


def part_of(
    head: Any, tokens: list[int] | torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the rows of a linear output layer for some tokens, and their bias if it has one."""
    return head.weight[tokens], None if head.bias is None else head.bias[tokens]


def repeated(text: list[int]) -> list[int]:
    """Return what came after the last words of a text when they last stood in it before."""
    tail = text[-MATCH:]
    for begin in range(len(text) - MATCH - 1, -1, -1):
        if text[begin + MATCH - 1] == tail[-1] and text[begin : begin + MATCH] == tail:
            return text[begin + MATCH : begin + MATCH + GUESS]
    return []


def best_of(scores: torch.Tensor) -> int:
    """Return the place of the highest score; the first of equals."""
    # torch's own takes twenty times as long on a CPU in bfloat16.
    return int(scores.float().cpu().numpy().argmax())


class Reading:
    """The network's states of the tokens that it has just read."""

    def __init__(self, body: Any, device: Any, held: CachedPrompt, watch: Watch) -> None:
        self._body = body
        self._device = device
        self._held = held
        self._watch = watch
        self._states: torch.Tensor | None = None
        self.passes = 0

    @property
    def cache(self) -> Cache:
        """Keys and values of what was read."""
        return self._held.cache

    def keep(self, text: list[int]) -> None:
        """Forget what was read beyond a text."""
        self._held.cut(common(self._held.tokens, text))

    def last(self, text: list[int], guess: Callable[[], list[int]]) -> torch.Tensor:
        """Return the state of the last token of a text, (width); reads what was not read yet."""
        tokens = self._held.tokens
        kept = common(tokens, text)
        if self._states is not None and kept == len(text):
            ahead = len(tokens) - kept
            if ahead < self._states.shape[0]:
                return self._states[self._states.shape[0] - 1 - ahead]
        self._held.cut(min(kept, len(text) - 1))
        waiting = text[len(tokens) :]
        ahead_of_it = guess()
        while len(waiting) > PREFILL_CHUNK:
            self.read(waiting[:PREFILL_CHUNK])
            del waiting[:PREFILL_CHUNK]
        states = self.read(waiting + ahead_of_it)
        self._states = states[len(waiting) - 1 :]
        return self._states[0]

    @torch.inference_mode()
    def read(self, tokens: list[int]) -> torch.Tensor:
        """Read tokens in one pass and return their states, (tokens, width)."""
        self._watch.check()
        output = self._body(
            input_ids=torch.tensor([tokens], device=self._device),
            past_key_values=self._held.cache,
            use_cache=True,
        )
        self._held.tokens += tokens
        self.passes += 1
        states: torch.Tensor = output.last_hidden_state[0]
        return states
