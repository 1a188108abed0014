# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a running evaluation: a status line on a terminal, a line for each run elsewhere."""

from __future__ import annotations

from rich.console import Console

from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.lab.console import StatusLine, duration, say
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.trace import RunSpec, Trace


class EvaluationView(StatusLine):
    """Watches the runs; a context manager.

    Args:
        console: shows the status line if it is a terminal.
        progress: counts the runs.
        interrupts: stops the evaluation.
    """

    def __init__(self, console: Console, progress: Progress, interrupts: Interrupts) -> None:
        super().__init__(console, interrupts)
        self._progress = progress
        self._note = ''

    def note(self, text: str) -> None:
        """Show what is being waited for."""
        if text and text != self._note:
            self._note = text
            super().note(text)

    def started(self, spec: RunSpec) -> None:
        """Count a run, and show the line."""
        self._progress.started(spec)
        if self._live:
            self._update(self._progress.line())

    def ended(self, trace: Trace) -> None:
        """Show how a run ended, and the line."""
        self._progress.ended(trace)
        spec, ending = trace.spec, trace.ending
        holds = 'holds' if ending.holds else f'{ending.met} of {ending.wanted}'
        line = (
            f'{spec.planner}, {spec.model}, {spec.task_set} {spec.task}, seed {spec.seed}: '
            f'{holds}; planner: {ending.status}; {ending.costs.decisions} decisions, '
            f'{duration(ending.costs.total_seconds)}'
            + (f'; it broke: {ending.message}' if ending.status == 'error' else '')
        )
        if self._live:
            self._keep(line)
            self._update(self._progress.line())
        else:
            say(f'{line} | {self._progress.line()}')
