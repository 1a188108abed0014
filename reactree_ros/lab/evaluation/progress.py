# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far an evaluation is, how it goes, and how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from reactree_ros.lab.console import duration
from reactree_ros.lab.evaluation.trace import RunSpec, Trace


class Progress:
    """Counts the runs of an evaluation.

    Args:
        specs: all runs, those that have ended among them.
        ended: traces of those that have ended.
        workers: how many runs are on their way at the same time.
    """

    def __init__(self, specs: Sequence[RunSpec], ended: Iterable[Trace], workers: int) -> None:
        self._left = dict.fromkeys(specs)
        self._total = len(self._left)
        self._workers = workers
        self._running: dict[RunSpec, None] = {}
        self._held: dict[str, list[bool]] = {}
        self._seconds: list[tuple[RunSpec, float]] = []
        for trace in ended:
            self.ended(trace)

    @property
    def left(self) -> tuple[RunSpec, ...]:
        """The runs that have not ended, in their order."""
        return tuple(self._left)

    def begun(self, spec: RunSpec) -> None:
        """Count a run as begun."""
        self._running[spec] = None

    def ended(self, trace: Trace) -> None:
        """Count a run as ended."""
        self._running.pop(trace.spec, None)
        self._left.pop(trace.spec, None)
        self._held.setdefault(trace.spec.planner, []).append(trace.ending.holds)
        self._seconds.append((trace.spec, trace.ending.costs.total_seconds))

    def line(self) -> str:
        """Say it in a line: runs done, running, success so far by planner, time left."""
        parts = [f'{self._total - len(self._left)} of {self._total} runs']
        if self._running:
            parts.append(f'{len(self._running)} running')
        parts += [f'{name} {sum(held)}/{len(held)}' for name, held in self._held.items()]
        left = self.seconds_left()
        if self._left:
            parts.append('time left unknown' if left is None else f'{duration(left)} left')
        return ', '.join(parts)

    def seconds_left(self) -> float | None:
        """Return about how long the rest will take in seconds; None if nothing is known.

        A run is taken to last as long as the median of those of the same planner and model, or
        of the same model, or of all, whichever comes first.
        """
        alike: tuple[Callable[[RunSpec], object], ...] = (
            lambda spec: (spec.planner, spec.model),
            lambda spec: spec.model,
            lambda spec: None,
        )
        medians = [_medians(self._seconds, key) for key in alike]
        total = 0.0
        for spec in self._left:
            known = [
                by[key(spec)] for by, key in zip(medians, alike, strict=True) if key(spec) in by
            ]
            if not known:
                return None
            total += known[0]
        return total / self._workers


def _medians(
    seconds: list[tuple[RunSpec, float]], key: Callable[[RunSpec], object]
) -> dict[object, float]:
    groups: dict[object, list[float]] = {}
    for spec, value in seconds:
        groups.setdefault(key(spec), []).append(value)
    return {name: median(values) for name, values in groups.items()}
