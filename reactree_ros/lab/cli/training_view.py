# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a training on its way: a line in place on a terminal, a line a step elsewhere."""

from __future__ import annotations

from reactree_ros.cli.console import duration
from reactree_ros.cli.status_line import StatusLine
from reactree_ros.lab.training.progress import StepReport


class TrainingProgress(StatusLine):
    """Watches a training; a context manager."""

    def stepped(self, report: StepReport) -> None:
        """Show how far it is; on a terminal, what was measured stays on a line of its own."""
        line = line_of(report)
        if self._console.is_terminal and report.line.held_out is not None:
            self._keep(line)
        self.note(line)


def line_of(report: StepReport) -> str:
    """Return how far a training is as a line."""
    line = report.line
    parts = [
        f'step {line.step} of {report.steps}',
        f'epoch {line.epoch:.2f}',
        f'loss {line.loss:.3f}' if line.loss is not None else '',
        f'held-out loss {report.held_out:.3f}' if report.held_out is not None else '',
        f'{report.tokens_per_second:.0f} tokens/s',
        f'{duration(report.seconds_left)} left',
    ]
    return ', '.join(part for part in parts if part)
