# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goes through the steps of a training: gradients, weights, measurements, checkpoints.

A loop of its own, with torch's optimiser: ``transformers.Trainer`` would have to be led around its
own batches (rows share a system prompt) and its checkpoints, which count steps and not minutes.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, replace
from typing import Any

import torch

from reactree_ros.errors import ModelError
from reactree_ros.lab.training.lora import LoraNetwork
from reactree_ros.lab.training.material import Material, TrainingStep
from reactree_ros.lab.training.progress import LogLine, StepReport, TrainingView
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.lab.training.rows import RowJob, Rows
from reactree_ros.lab.training.run_folder import RunFolder

_RECENT = 20
"""Steps by which the speed is judged."""
_APART, _ROW_APART, _SEEDS = 1_000_003, 1_000_000_007, 1 << 63


class Stopped(Exception):
    """The view has stopped the training; a checkpoint was written."""


class Trainer:
    """Trains a network, from its beginning or from a checkpoint; ``made_of`` is kept with it.

    Args:
        network: learns.
        rows: computes its losses and gradients.
        material: what it goes through.
        recipe: how.
        folder: keeps log and checkpoint.
        made_of: kept with the checkpoint.
        view: watches.
    """

    def __init__(
        self,
        network: LoraNetwork,
        rows: Rows,
        material: Material,
        recipe: Recipe,
        folder: RunFolder,
        made_of: dict[str, Any],
        view: TrainingView,
    ) -> None:
        self._network = network
        self._rows = rows
        self._material = material
        self._recipe = recipe
        self._folder = folder
        self._made_of = made_of
        self._view = view
        self._optimizer = torch.optim.AdamW(
            network.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        # The same in every step: a token counts as much in a row of few as in a row of many.
        self._targets = sum(one.targets for one in material.steps) / len(material.steps)
        self.lines: list[LogLine] = []

    def train(self, checkpoint: dict[str, Any] | None) -> None:
        """Do all steps that a checkpoint does not have.

        Raises:
            Stopped: if the view says so.
            ModelError: if the losses are not numbers any more.
        """
        self.lines = [LogLine(0, 0.0, None, None, 0.0, 0, 0.0)]
        if checkpoint is not None:
            self._network.load(checkpoint['adapter'])
            self._optimizer.load_state_dict(checkpoint['optimizer'])
            self.lines = [LogLine(**line) for line in checkpoint['log']]
        try:
            self._do_steps(self.lines[-1].step)
        except Stopped:
            self._keep()
            raise

    def average_with_start(self) -> float | None:
        """Average the trained weights with the start's, as the recipe says.

        Returns:
            The held-out loss of the average; None if nothing is held out.

        Raises:
            Stopped: if the view says so.
        """
        self._network.average_with_start(self._recipe.keep_start)
        return self._measured('the average with the start')

    def _do_steps(self, done: int) -> None:
        kept_at = time.monotonic()
        steps = self._material.steps
        self._measure_if_due()
        for number, step in enumerate(steps[done:], start=done + 1):
            begin = time.monotonic()
            loss, rate = self._step(number, step)
            seconds = time.monotonic() - begin
            self.lines.append(LogLine(number, step.epoch, loss, None, rate, step.tokens, seconds))
            self._measure_if_due()
            self._folder.keep_log(self.lines)
            self._view.stepped(self._report())
            if time.monotonic() - kept_at >= 60 * self._recipe.checkpoint_minutes:
                self._keep()
                kept_at = time.monotonic()
        self._keep()

    def _step(self, number: int, step: TrainingStep) -> tuple[float, float]:
        """Return the mean loss of a target token before the step, and the learning rate."""
        recipe = self._recipe
        # All chance comes from the number of the step, so that it is the same after a checkpoint.
        seed = (recipe.seed * _APART + number) % _SEEDS
        self._optimizer.zero_grad()
        jobs = [
            RowJob(row, (seed + place * _ROW_APART) % _SEEDS, self._targets)
            for place, row in enumerate(step.rows)
        ]
        total = 0.0
        self._check_stop()
        for loss in self._rows.learn(jobs):
            total += loss
            self._check_stop()
        if not math.isfinite(total):
            raise ModelError(
                f'the loss is {total} in step {number}: begin again in another folder, with a '
                f'learning_rate below {recipe.learning_rate:g}'
            )
        rate = recipe.learning_rate * schedule(
            number - 1, len(self._material.steps), recipe.warm_up
        )
        for group in self._optimizer.param_groups:
            group['lr'] = rate
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), recipe.clip)
        self._optimizer.step()
        return total * self._targets / step.targets, rate

    def _measure_if_due(self) -> None:
        """Measure the held-out loss after the last step, if it is time and was not done yet."""
        last = self.lines[-1]
        end = last.step == len(self._material.steps)
        due = last.step % self._recipe.held_out_steps == 0 or end
        if due and last.held_out is None:
            measured = self._measured(f'step {last.step}')
            self.lines[-1] = replace(last, held_out=measured)

    def _measured(self, what: str) -> float | None:
        rows = self._material.held_out
        if not rows:
            return None
        self._view.note(f'{what}: measuring on held-out tasks')
        total = 0.0
        self._check_stop()
        for loss in self._rows.measure(rows):
            total += loss
            self._check_stop()
        return total / sum(row.targets for row in rows)

    def _report(self) -> StepReport:
        recent = self.lines[-_RECENT:]
        speed = sum(one.tokens for one in recent) / max(1e-9, sum(one.seconds for one in recent))
        line = self.lines[-1]
        left = sum(step.tokens for step in self._material.steps[line.step :])
        measured = [one.held_out for one in self.lines if one.held_out is not None]
        last = measured[-1] if measured else None
        return StepReport(line, len(self._material.steps), last, speed, left / speed)

    def _check_stop(self) -> None:
        if self._view.stop():
            raise Stopped

    def _keep(self) -> None:
        """Write log and checkpoint; a step that was not finished is done again."""
        self._folder.keep_log(self.lines)
        self._folder.keep_checkpoint(
            {
                'log': [asdict(line) for line in self.lines],
                'made_of': self._made_of,
                'adapter': self._network.state(),
                'optimizer': self._optimizer.state_dict(),
            }
        )


def schedule(step: int, steps: int, warm_up: float) -> float:
    """Return the share of the highest learning rate that a step has.

    It rises in a line during the share ``warm_up`` of the steps, and then falls as half a cosine
    (Loshchilov and Hutter 2017). The first step is 0.

    >>> [round(schedule(step, 5, 0.4), 2) for step in range(5)]
    [0.5, 1.0, 1.0, 0.75, 0.25]
    """
    rising = round(warm_up * steps)
    if step < rising:
        return (step + 1) / rising
    return 0.5 + 0.5 * math.cos(math.pi * (step - rising) / (steps - rising))
