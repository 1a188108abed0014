# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Times decisions of a model's process while other processes compute beside it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import DecisionRequest
from reactree_ros.lab.bench.workload import Workload
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess

HEAD = (
    '| model | busy processes | first decision (s) | later decision (s) | all (s) | times quiet |\n'
    '|---|---|---|---|---|---|'
)
LIMIT_SEC = 3600.0
_LOOK_SEC = 0.001
_LOOP = 'while True: pass'


@dataclass(frozen=True)
class Beside:
    """What was measured beside so many busy processes.

    Args:
        busy: how many there were.
        seconds: of each decision.
    """

    busy: int
    seconds: tuple[float, ...]

    def row(self, name: str, quiet: Beside) -> str:
        """Return a row of the table.

        Args:
            name: of the model and how it was run.
            quiet: the same beside nothing.
        """
        first, *others = self.seconds
        whole = sum(self.seconds)
        return (
            f'| {name} | {self.busy} | {first:.2f} | {statistics.median(others):.3f} '
            f'| {whole:.1f} | {whole / sum(quiet.seconds):.1f} |'
        )


def time_beside(
    options: ModelOptions, workload: Workload, busy: Sequence[int]
) -> tuple[Beside, ...]:
    """Time the decisions of one model process, with its caches, beside busy processes.

    Args:
        options: of the model.
        workload: what is decided.
        busy: numbers of busy processes.

    Raises:
        ModelError: if the model fails.
    """
    choices = Choices(workload.skills, think=False, control_flows=())
    found = []
    with closing(ModelProcess(options)) as model:
        for number in (0, *busy):  # the first time warms up
            model.forget()
            with _busy(number):
                seconds = []
                for prompt in workload.prompts():
                    start = time.perf_counter()
                    pending = model.decide(DecisionRequest(prompt, choices, LIMIT_SEC))
                    while pending.poll() is None:
                        time.sleep(_LOOK_SEC)
                    seconds.append(time.perf_counter() - start)
            found.append(Beside(number, tuple(seconds)))
    return tuple(found[1:])


@contextmanager
def _busy(number: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, '-c', _LOOP]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
