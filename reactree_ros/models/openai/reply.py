# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an OpenAI-compatible server's reply says: texts, token counts, seconds."""

from __future__ import annotations

from typing import Any

from reactree_ros.core.model import Answer
from reactree_ros.models.openai.http import Reply, Values


def written_texts(values: Values) -> list[tuple[str, str]]:
    """Return the texts of a reply, and why each ends; a choice without text is left out."""
    choices = values.get('choices')
    found = []
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            text = choice['text'] if 'text' in choice else _part(choice, 'message').get('content')
            if isinstance(text, str):
                found.append((text, str(choice.get('finish_reason'))))
    return found


def counted(reply: Reply, model: str, dropped: int) -> Answer:
    """Return an answer without text that counts what a reply cost.

    Args:
        reply: of the server.
        model: name by which the server knows the model.
        dropped: what was left out of the prompt.
    """
    usage = _part(reply.values, 'usage')
    timings = _part(reply.values, 'timings')
    tokens_in = _whole(usage, 'prompt_tokens')
    reused = _whole(_part(usage, 'prompt_tokens_details'), 'cached_tokens')
    decode = _seconds(timings, 'predicted_ms')
    return Answer(
        text='',
        tokens_in=tokens_in,
        tokens_reused=min(tokens_in, reused or _whole(timings, 'cache_n')),
        tokens_out=_whole(usage, 'completion_tokens'),
        prefill_seconds=_seconds(timings, 'prompt_ms'),
        decode_seconds=decode if timings else reply.seconds,
        dropped=dropped,
        model=model,
    )


def _part(values: Values, key: str) -> Values:
    part = values.get(key)
    return part if isinstance(part, dict) else {}


def _whole(values: Values, key: str) -> int:
    number = values.get(key)
    return max(0, number) if isinstance(number, int) else 0


def _seconds(values: Values, key: str) -> float:
    number: Any = values.get(key)
    return max(0.0, float(number)) / 1000.0 if isinstance(number, (int, float)) else 0.0
