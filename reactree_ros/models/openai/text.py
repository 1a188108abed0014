# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Free text of OpenAI-compatible servers: what is asked, and how the texts are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.models.openai.http import Values

MOST_STOPS = 4
"""OpenAI refuses more of them; the text is cut at all of them when it is here."""


def text_fields(request: TextRequest, samples: int, done: int) -> Values:
    """Return the fields of a request for free text, except prompt and model.

    Args:
        request: what is asked.
        samples: how many texts.
        done: samples that are there already; the others must not be the same.
    """
    fields: Values = {
        'temperature': request.temperature,
        'max_tokens': request.max_tokens,
        'stop': list(request.stop[:MOST_STOPS]),
    }
    if request.temperature > 0.0:
        fields |= {'top_p': request.top_p, 'seed': request.seed + done}
    if samples > 1:
        fields['n'] = samples
    return fields


def texts_as_answers(
    texts: Sequence[tuple[str, str]], stop: Sequence[str], cost: Answer
) -> list[Answer]:
    """Return the texts of one reply, each up to its first stop.

    Args:
        texts: as ``openai_reply.written_texts`` returns them.
        stop: what ends a text.
        cost: what all of them cost together, which the first one is given.
    """
    answers = []
    for text, _ in texts:
        ends = [end for end in map(text.find, stop) if end >= 0]
        answers.append(Answer(text[: min(ends, default=None)], model=cost.model))
    return [replace(cost, text=answers[0].text), *answers[1:]]


def counted_once(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """Return answers of which the first has the prompt tokens and seconds of all."""
    first, *others = answers
    once = replace(
        first,
        prefill_seconds=sum(one.prefill_seconds for one in answers),
        decode_seconds=sum(one.decode_seconds for one in answers),
    )
    rest = [Answer(one.text, tokens_out=one.tokens_out, model=one.model) for one in others]
    return (once, *rest)
