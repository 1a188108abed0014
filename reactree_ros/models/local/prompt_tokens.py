# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a prompt becomes tokens: the same where a model decides and where it is trained."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from reactree_ros.core.prompt import Prompt
from reactree_ros.models.prompt_text import KNOWN, to_messages, without_marks


def prompt_tokens(prompt: Prompt, tokenizer: Any, *, chat: bool) -> tuple[list[int], list[int]]:
    """Return the tokens of a prompt; its experiences are cut out, each on its own.

    Its content stays text, even where it names one of the model's special tokens.

    Args:
        prompt: what the model reads.
        tokenizer: of transformers.
        chat: whether the prompt is laid out with the tokenizer's chat template.

    Returns:
        The tokens; and where each experience begins and the last one ends, empty if there is none.
    """
    prompt = without_marks(prompt, marks_of(tokenizer))
    if chat:
        text = tokenizer.apply_chat_template(
            to_messages(prompt), tokenize=False, add_generation_prompt=True
        )
    else:
        text = prompt.text()
    parts = [f'{example.strip()}\n\n' for example in prompt.examples]
    before, found, after = text.partition(''.join(parts)) if parts else (text, '', '')
    tokens = text_tokens(before, tokenizer, begins=not chat)
    if not found:
        return tokens, []
    cuts = [len(tokens)]
    for part in parts:
        tokens += text_tokens(part, tokenizer)
        cuts.append(len(tokens))
    return tokens + text_tokens(after, tokenizer), cuts


def text_tokens(text: str, tokenizer: Any, *, begins: bool = False) -> list[int]:
    """Return the tokens of a text.

    Args:
        text: any.
        tokenizer: of transformers.
        begins: whether nothing stands before it; many models mark that by a token.
    """
    tokens: list[int] = tokenizer(text, add_special_tokens=begins)['input_ids']
    return tokens


@lru_cache(maxsize=8)
def marks_of(tokenizer: Any) -> re.Pattern[str]:
    """Return the names of a tokenizer's special tokens, and those that are known anyway.

    Args:
        tokenizer: of transformers.
    """
    special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    names = sorted({*special, *tokenizer.all_special_tokens}, key=len, reverse=True)
    return re.compile('|'.join([*map(re.escape, names), KNOWN.pattern]))
