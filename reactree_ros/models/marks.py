# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of special tokens in text from outside stay words, and do not end a model's turn."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from reactree_ros.core.prompt import Prompt

KNOWN = re.compile(
    r'<\|[^<>|\s]{1,40}\|>'  # ChatML, Llama 3, Phi
    r'|</?s>|<(?:bos|eos|pad|unk|mask|(?:start|end)_of_turn)>'  # Llama 2, Gemma
    r'|\[/?INST\]|<</?SYS>>'  # Mistral, Llama 2
)
"""Marks of widespread models, for servers whose tokenizer is not known."""


def without_marks(prompt: Prompt, marks: re.Pattern[str] = KNOWN) -> Prompt:
    """Return a prompt in which a space breaks every mark, so that it is read as words.

    Args:
        prompt: what the model reads.
        marks: the names of special tokens.
    """
    if not marks.search(prompt.text()):
        return prompt

    def broken(text: str) -> str:
        return marks.sub(lambda found: f'{found[0][0]} {found[0][1:]}', text)

    return Prompt(
        broken(prompt.system),
        tuple(map(broken, prompt.examples)),
        broken(prompt.task),
        tuple(replace(step, text=broken(step.text)) for step in prompt.steps),
    )


@lru_cache(maxsize=8)
def marks_of(tokenizer: Any) -> re.Pattern[str]:
    """Return the names of a tokenizer's special tokens, and those that are known anyway.

    Args:
        tokenizer: of transformers.
    """
    special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    names = sorted({*special, *tokenizer.all_special_tokens}, key=len, reverse=True)
    return re.compile('|'.join([*map(re.escape, names), KNOWN.pattern]))
