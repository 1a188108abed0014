# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fits a prompt that is longer than the model's context, openly and never at the goal's cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ModelError

NOTE = '({count} earlier steps are left out.)'
BLOCK = 16
"""Steps are left out by the block, so that the following prompts begin alike and reuse the cache;
line by line, every prompt after an overflow would have to be read again."""


def fit(prompt: Prompt, limit: int, count: Callable[[Prompt], int]) -> tuple[Prompt, int]:
    """Return a prompt that fits, and how much of it was left out.

    Experiences go first, the least similar before the others; then the oldest steps, with a note
    in their place. System prompt, message, goal, first observation and the last step stay.

    Args:
        prompt: what the model should read.
        limit: most tokens.
        count: counts the tokens of a prompt.

    Returns:
        The prompt, and the number of experiences and steps that are not in it.

    Raises:
        ModelError: if not even goal and last step fit.
    """
    if count(prompt) <= limit:
        return prompt, 0
    examples = _fewest(len(prompt.examples), lambda n: count(_without(prompt, n, 0)) <= limit)
    if examples is not None:
        return _without(prompt, examples, 0), examples
    everything = len(prompt.examples)
    last = max(0, len(prompt.steps) - 1)
    blocks = -(-last // BLOCK)
    cut = _fewest(
        blocks, lambda n: count(_without(prompt, everything, min(n * BLOCK, last))) <= limit
    )
    if cut is not None:
        steps = min(cut * BLOCK, last)
        return _without(prompt, everything, steps), everything + steps
    bare = count(_without(prompt, everything, last))
    raise ModelError(
        f'the goal and its first observation need {bare} tokens, the context holds {limit}: raise '
        'model.context_tokens, or take a model with a longer context'
    )


def _without(prompt: Prompt, examples: int, steps: int) -> Prompt:
    kept = prompt.steps[steps:]
    if steps:
        kept = (Step(NOTE.format(count=steps), decided=False), *kept)
    return replace(prompt, examples=prompt.examples[examples:], steps=kept)


def _fewest(most: int, fits: Callable[[int], bool]) -> int | None:
    """Return the smallest number up to ``most`` with which it fits, by halving."""
    if not fits(most):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low
