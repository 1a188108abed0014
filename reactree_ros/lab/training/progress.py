# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far a training is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from reactree_ros.lab.console import duration


@dataclass(frozen=True)
class LogLine:
    """The result of one step, a line of ``log.csv``.

    Args:
        step: number of steps done; 0 stands for the model as it was before.
        epoch: how often it has gone through the data, e.g. 0.5.
        loss: mean negative log-probability of the step's target tokens before the step, in nats;
            None before the first step.
        held_out: that of the held-out trajectories after it; None where it was not measured.
        learning_rate: of the step.
        tokens: read in the step.
        seconds: that the step took, without measuring on held-out trajectories.
    """

    step: int
    epoch: float
    loss: float | None
    held_out: float | None
    learning_rate: float
    tokens: int
    seconds: float


@dataclass(frozen=True)
class StepReport:
    """How far a training is.

    Args:
        line: the step that was done.
        steps: how many there are.
        held_out: the last measurement on held-out tasks; None if there is none.
        tokens_per_second: read, lately.
        seconds_left: at this speed, without measurements.
    """

    line: LogLine
    steps: int
    held_out: float | None
    tokens_per_second: float
    seconds_left: float

    def __str__(self) -> str:
        """Return it as a line for a terminal."""
        parts = [
            f'step {self.line.step} of {self.steps}',
            f'epoch {self.line.epoch:.2f}',
            f'loss {self.line.loss:.3f}' if self.line.loss is not None else '',
            f'held-out loss {self.held_out:.3f}' if self.held_out is not None else '',
            f'{self.tokens_per_second:.0f} tokens/s',
            f'{duration(self.seconds_left)} left',
        ]
        return ', '.join(part for part in parts if part)


class TrainingView(Protocol):
    """Watches a training."""

    def note(self, text: str) -> None:
        """Show what is being waited for."""

    def stepped(self, report: StepReport) -> None:
        """Show how far it is."""

    def stop(self) -> bool:
        """Return whether to stop; the training can be resumed later."""
