# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Progress reports of a training, and their receivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from reactree_ros.lab.training.log_line import LogLine


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


class TrainingView(Protocol):
    """Watches a training."""

    def note(self, text: str) -> None:
        """Show what is being waited for."""

    def stepped(self, report: StepReport) -> None:
        """Show how far it is."""

    def stop(self) -> bool:
        """Return whether to stop; the training can be resumed later."""
