# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far an evaluation is, its results so far, and how long it will take."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from statistics import median

from reactree_ros.lab.console import duration
from reactree_ros.lab.evaluation.trace import RunSpec, Trace


class Progress:
    """Counts the runs of an evaluation.

    Args:
        specs: all runs, including those that have ended.
        ended: traces of those that have ended.
        workers: how many runs are active at the same time.
    """

    def __init__(self, specs: Sequence[RunSpec], ended: Iterable[Trace], workers: int) -> None:
        self._left = dict.fromkeys(specs)
        self._total = len(self._left)
        self._workers = workers
        self._running: dict[RunSpec, None] = {}
        self._satisfied: dict[str, list[bool]] = {}
        self._seconds: dict[tuple[str, str], list[float]] = {}
        for trace in ended:
            self.ended(trace)

    @property
    def left(self) -> tuple[RunSpec, ...]:
        """The runs that have not ended, in their order."""
        return tuple(self._left)

    def started(self, spec: RunSpec) -> None:
        """Count a run as started."""
        self._running[spec] = None

    def ended(self, trace: Trace) -> None:
        """Count a run as ended."""
        self._running.pop(trace.spec, None)
        self._left.pop(trace.spec, None)
        self._satisfied.setdefault(trace.spec.planner, []).append(trace.ending.holds)
        seconds = trace.ending.costs.total_seconds
        self._seconds.setdefault((trace.spec.planner, trace.spec.model), []).append(seconds)

    def line(self) -> str:
        """Return one line: runs done, running, time left, success so far by planner."""
        parts = [f'{self._total - len(self._left)} of {self._total} runs']
        if self._running:
            parts.append(f'{len(self._running)} running')
        left = self.seconds_left()
        if self._left:
            parts.append('time left unknown' if left is None else f'{duration(left)} left')
        parts += [f'{name} {sum(runs)}/{len(runs)}' for name, runs in self._satisfied.items()]
        return ', '.join(parts)

    def seconds_left(self) -> float | None:
        """Return about how long the rest will take in seconds; None if nothing is known.

        A run is estimated by the median of those of the same planner and model, or else of all.
        """
        if not self._seconds:
            return None
        every = list(itertools.chain(*self._seconds.values()))
        left = ((spec.planner, spec.model) for spec in self._left)
        return sum(median(self._seconds.get(key, every)) for key in left) / self._workers
