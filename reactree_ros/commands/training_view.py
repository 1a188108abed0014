# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a training on its way: a line in place on a terminal, a line a step elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.text import Text

from reactree_ros.commands.interrupts import Interrupts
from reactree_ros.commands.machine import say
from reactree_ros.evaluation.progress import duration
from reactree_ros.training.progress import StepReport


class TrainingProgress:
    """Watches a training; a context manager.

    Args:
        console: where it is shown, if that is a terminal.
        interrupts: stops the training when one comes.
    """

    def __init__(self, console: Console, interrupts: Interrupts) -> None:
        self._console = console
        self._interrupts = interrupts
        self._status = Status('', console=console)

    def __enter__(self) -> TrainingProgress:
        """Begin to show."""
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self._status.stop()

    def note(self, text: str) -> None:
        """Show what is being waited for."""
        self._show(text)

    def stepped(self, report: StepReport) -> None:
        """Show how far it is; on a terminal, what was measured stays on a line of its own."""
        line = line_of(report)
        if self._console.is_terminal and report.line.held_out is not None:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        self._show(line)

    def stop(self) -> bool:
        """Say whether Ctrl-C was pressed."""
        return bool(self._interrupts)

    def _show(self, text: str) -> None:
        if self._console.is_terminal:
            self._status.update(Text(text, no_wrap=True, overflow='ellipsis'))
        else:
            say(text)


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
