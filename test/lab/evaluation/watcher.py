# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What watches the evaluations of tests."""

from __future__ import annotations

from reactree_ros.lab.evaluation.trace import RunSpec, Trace


class Watcher:
    """Takes note of everything; stops after so many runs, if it is told to."""

    def __init__(self, most: int = 1000) -> None:
        self.begins: list[RunSpec] = []
        self.traces: list[Trace] = []
        self._most = most

    def note(self, text: str) -> None:
        pass

    def started(self, spec: RunSpec) -> None:
        self.begins.append(spec)

    def ended(self, trace: Trace) -> None:
        self.traces.append(trace)

    def stop(self) -> bool:
        return len(self.traces) >= self._most
