# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A training example as tokens, laid out as the planner lays out the same prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.models.local.prompt_tokens import marks_of, prompt_tokens, text_tokens
from reactree_ros.models.prompt_text import without_marks


@dataclass(frozen=True)
class Encoded:
    """The tokens of one agent node's trajectory.

    Args:
        shared: tokens of the system prompt; other trajectories may have the same.
        tokens: all tokens behind them, int32.
        target: for each of ``tokens``, whether the model is to write it: those of decision lines,
            the newline that ends each among them. The first token never is.
        cut: whether later decisions were left out because the trajectory is too long.
    """

    shared: tuple[int, ...]
    tokens: npt.NDArray[np.int32]
    target: npt.NDArray[np.bool_]
    cut: bool = False

    @property
    def length(self) -> int:
        """Number of tokens behind the system prompt."""
        return len(self.tokens)

    @property
    def targets(self) -> int:
        """Number of tokens that the model is to write."""
        return int(self.target.sum())


def encode(example: TrainingExample, tokenizer: Any, max_tokens: int) -> Encoded | None:
    """Return the tokens of a training example.

    Every line behind the prompt becomes tokens by itself, so that no token reaches over the border
    of a decision: where the planner reads the prompt, there is nothing behind that border yet.

    Args:
        example: what is to be learned.
        tokenizer: of transformers.
        max_tokens: most tokens, the system prompt among them; a longer trajectory ends with the
            last decision before that.

    Returns:
        The tokens, or None if not even the first decision has room.
    """
    shown = without_marks(example.prompt.with_steps(example.steps), marks_of(tokenizer))
    head, _ = prompt_tokens(example.prompt, tokenizer, chat=False)
    alone = text_tokens(f'{example.system.strip()}\n\n', tokenizer, begins=True)
    # Tokens with which both the system prompt alone and this prompt begin.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(alone, head[:-1], strict=False))
    shared = tuple(token for token, _ in same)
    lines = [f'{step.text}\n' for step in shown.steps]
    tokens = head[len(shared) :]
    target = [False] * len(tokens)
    end, room = 0, max_tokens - len(shared)
    read = tokenizer(lines, add_special_tokens=False)['input_ids']
    for step, line in zip(example.steps, read, strict=True):
        tokens += line
        target += [step.decided] * len(line)
        if len(tokens) > room:
            break
        if step.decided:
            end = len(tokens)
    if end == 0:
        return None
    return Encoded(
        shared,
        np.array(tokens[:end], np.int32),
        np.array(target[:end], np.bool_),
        cut=end < len(tokens),
    )


def encode_all(
    examples: Sequence[TrainingExample], tokenizer: Any, max_tokens: int
) -> tuple[list[Encoded], int]:
    """Return the tokens of training examples, see ``encode``, and how many have no room."""
    encoded = (encode(example, tokenizer, max_tokens) for example in examples)
    system: dict[tuple[int, ...], tuple[int, ...]] = {}
    found = [
        # One copy of each system prompt is enough.
        replace(one, shared=system.setdefault(one.shared, one.shared))
        for one in encoded
        if one is not None
    ]
    return found, len(examples) - len(found)
