# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions from a transformers model, constrained by a grammar, greedy, with a reused cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llguidance
import llguidance.hf
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

from reactree_ros.core.decision import Choices
from reactree_ros.core.grammar import decision_grammar
from reactree_ros.exceptions import ModelError
from reactree_ros.models.interface import Answer

PREFILL_CHUNK = 256
"""Prompt tokens per forward pass: how long a cancel or a time-out may have to wait."""


class Interrupted(Exception):
    """The request was cancelled or its time is up."""


class TransformersModel:
    """A causal language model in this process.

    The key/value cache of the last prompt is kept. The next prompt reuses it as far as both
    begin alike, so that a node's next decision prefills only what is new, and a new node at
    least reuses the system prompt.

    Args:
        folder: local folder or hub id that ``from_pretrained`` takes.
        device: torch device; empty chooses cuda where there is one.

    Raises:
        ModelError: if the model cannot be loaded.
    """

    def __init__(self, folder: str | Path, device: str = '') -> None:
        self._device = device or ('cuda' if torch.cuda.is_available() else 'cpu')
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
            self._network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f'cannot load the language model {str(folder)!r}: {error}') from error
        self._network.to(self._device).eval()
        self._grammar_tokens = llguidance.hf.from_tokenizer(
            self._tokenizer, n_vocab=self._network.config.get_text_config().vocab_size
        )
        self._forget()

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._tokenizer(text, add_special_tokens=False)['input_ids'])

    def decide(self, prompt: str, choices: Choices, interrupted: Callable[[], bool]) -> Answer:
        """Make one decision.

        Args:
            prompt: all that the model reads.
            choices: what the decision may be.
            interrupted: asked between forward passes; true ends the work.

        Returns:
            The decision line, always one that ``choices`` allows.

        Raises:
            Interrupted: if ``interrupted`` said so.
            ModelError: if the grammar engine fails.
        """
        start = time.monotonic()
        ids: list[int] = self._tokenizer(prompt)['input_ids']
        matcher = llguidance.LLMatcher(self._grammar_tokens, decision_grammar(choices))
        if matcher.is_error():
            raise ModelError(f'the grammar engine refused the choices: {matcher.get_error()}')
        reused = self._rewind(ids)
        out: list[int] = []
        waiting = ids[reused:]
        try:
            while not matcher.is_stopped():
                forced = matcher.compute_ff_tokens()
                if not forced:
                    logits = self._forward(waiting, interrupted)
                    waiting = []
                    forced = [self._best(logits, matcher)]
                    if forced[0] in (self._grammar_tokens.eos_tokens or ()):
                        break
                if not matcher.consume_tokens(forced):
                    raise ModelError(f'the grammar engine failed: {matcher.get_error()}')
                out += forced
                waiting += forced
        except Interrupted:
            raise
        except Exception:
            self._forget()
            raise
        return Answer(
            text=self._tokenizer.decode(out).strip(),
            tokens_in=len(ids),
            tokens_reused=reused,
            tokens_out=len(out),
            seconds=time.monotonic() - start,
        )

    def _forget(self) -> None:
        # No configuration is given to the cache on purpose: layers with a sliding window would
        # drop what lies outside of it, and a cropped cache could not be continued.
        self._cache: Any = DynamicCache()
        self._cached: list[int] = []

    def _rewind(self, ids: list[int]) -> int:
        """Cut the cache to what it shares with a new prompt; return how many tokens remain."""
        shared = 0
        # The last prompt token is always computed: its logits choose the first token.
        for old, new in zip(self._cached, ids[:-1], strict=False):
            if old != new:
                break
            shared += 1
        if shared < len(self._cached):
            if shared == 0:
                self._forget()
            else:
                self._cache.crop(shared - len(self._cached))
                del self._cached[shared:]
        return shared

    @torch.inference_mode()
    def _forward(self, ids: list[int], interrupted: Callable[[], bool]) -> Any:
        logits = None
        for begin in range(0, len(ids), PREFILL_CHUNK):
            if interrupted():
                raise Interrupted
            chunk = ids[begin : begin + PREFILL_CHUNK]
            output = self._network(
                input_ids=torch.tensor([chunk], device=self._device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            )
            self._cached += chunk
            logits = output.logits[0, -1]
        return logits

    def _best(self, logits: Any, matcher: llguidance.LLMatcher) -> int:
        mask = np.frombuffer(matcher.compute_logit_bias(), dtype=np.uint8)
        scores = logits.float().cpu().numpy()
        allowed = np.flatnonzero(mask[: scores.shape[0]])
        return int(allowed[np.argmax(scores[allowed])])
