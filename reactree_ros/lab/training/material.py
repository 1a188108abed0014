# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a training goes through: rows of trajectories, step by step, and what is held out of it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.training.encode import Encoded, encode_all
from reactree_ros.lab.training.packing import Row, pack
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.sim.made.tasks import MADE_SETS


@dataclass(frozen=True)
class TrainingStep:
    """Rows whose gradients are summed before the weights change.

    Args:
        epoch: how often the data has been gone through after it.
        rows: computed one after another.
    """

    epoch: float
    rows: tuple[Row, ...]

    @property
    def tokens(self) -> int:
        """Number of tokens that are read."""
        return sum(row.length for row in self.rows)

    @property
    def targets(self) -> int:
        """Number of tokens that the model is to write."""
        return sum(row.targets for row in self.rows)


@dataclass(frozen=True)
class Material:
    """All that a training goes through.

    Args:
        steps: in order.
        held_out: rows that are only measured.
        counts: how many examples were held out, cut or left out.
    """

    steps: tuple[TrainingStep, ...]
    held_out: tuple[Row, ...]
    counts: dict[str, int]


def make_material(examples: Sequence[TrainingExample], tokenizer: Any, recipe: Recipe) -> Material:
    """Return what a training goes through; the same recipe and data give the same.

    Raises:
        ConfigurationError: if nothing is left to be trained on.
    """
    tasks = held_out_tasks(examples, recipe.held_out, recipe.seed)
    kept = [example for example in examples if _task(example) not in tasks]
    apart = [example for example in examples if _task(example) in tasks]
    learned, without_room = encode_all(kept, tokenizer, recipe.row_tokens)
    measured, more_without = encode_all(apart, tokenizer, recipe.row_tokens)
    steps = tuple(itertools.islice(_steps(learned, recipe), recipe.max_steps or None))
    if not steps:
        raise ConfigurationError(
            f'nothing is left to be trained on: of {len(examples)} examples, {len(apart)} are held '
            f'out and {without_room} have no room in a row of {recipe.row_tokens} tokens'
        )
    return Material(
        steps,
        tuple(pack(measured, recipe.row_tokens, f'{recipe.seed} held out')),
        {
            'held_out': len(measured),
            'held_out_tasks': len(tasks),
            'cut': sum(one.cut for one in [*learned, *measured]),
            'left_out': without_room + more_without,
        },
    )


def held_out_tasks(examples: Iterable[TrainingExample], share: float, seed: int) -> set[str]:
    """Return the tasks all of whose examples are held out, chosen by chance.

    All tasks of a generated robot are held out together: the robot is to be a new one.

    Args:
        examples: of the data set.
        share: of the tasks; with any share at least one is held out, if there are two.
        seed: the same gives the same tasks.
    """
    tasks = {_task(example) for example in examples}
    if share == 0 or len(tasks) < 2:
        return set()
    # By digest, so that a task stays held out where others are added.
    drawn = {task: hashlib.sha256(f'{seed} {task}'.encode()).digest() for task in tasks}
    below = int(share * 2**64).to_bytes(8, 'big')
    return {task for task, digest in drawn.items() if digest[:8] < below} or {
        min(tasks, key=drawn.__getitem__)
    }


def _task(example: TrainingExample) -> str:
    origin = example.origin
    is_made = origin.task.partition(' ')[0] in MADE_SETS
    return origin.scene if is_made else origin.task or origin.instruction


def _steps(learned: Sequence[Encoded], recipe: Recipe) -> Iterator[TrainingStep]:
    for epoch in range(recipe.epochs if learned else 0):
        rows = pack(learned, recipe.row_tokens, f'{recipe.seed} {epoch}')
        for begin in range(0, len(rows), recipe.step_rows):
            part = tuple(rows[begin : begin + recipe.step_rows])
            yield TrainingStep(epoch + (begin + len(part)) / len(rows), part)
