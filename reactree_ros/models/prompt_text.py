# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A prompt as a model gets it: a conversation, with the names of special tokens as words."""

from __future__ import annotations

import re
from dataclasses import replace

from reactree_ros.core.prompt import Prompt

KNOWN = re.compile(
    r'<\|[^<>|\s]{1,40}\|>'  # ChatML, Llama 3, Phi
    r'|</?s>|<(?:bos|eos|pad|unk|mask|(?:start|end)_of_turn)>'  # Llama 2, Gemma
    r'|\[/?INST\]|<</?SYS>>'  # Mistral, Llama 2
)
"""Marks of widespread models, for servers whose tokenizer is not known."""


def to_messages(prompt: Prompt) -> list[dict[str, str]]:
    """Return the messages of a chat: the system prompt, and all the rest as the user's message.

    The node's own decisions are not laid out as the model's turns. Where they were, while those
    of the examples stood in the user's message, models followed the examples far less.

    Args:
        prompt: what the model reads.

    Returns:
        Two messages with ``role`` (system, user) and ``content``. The second one's next version
        continues where this one ends, so that its key/value cache is reused.
    """
    system = prompt.system.strip()
    rest = prompt.text()[len(system) :].strip()
    return [{'role': 'system', 'content': system}, {'role': 'user', 'content': rest}]


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
