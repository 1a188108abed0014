# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the system's processes, watches them and stops them all."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reactree_ros.cli.processes import STARTER, NodeProcess, chosen

STOP_SEC = 12.0
"""Seconds that a process has to leave before it is killed."""
_KEPT_LINES = 30
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == 'linux' else None

Sink = Callable[[str, str], None]


@dataclass
class _Running:
    spec: NodeProcess
    process: subprocess.Popen[str]
    reader: threading.Thread
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))


class ProcessGroup:
    """The processes of one start; a context manager that leaves none of them behind.

    Each has a session of its own, so that a Ctrl-C in the terminal reaches only the caller, who
    then stops them in order: the planner first, while the robot is still there to be stopped.

    Args:
        given: values of ``processes.ARGUMENTS`` by name.
        sink: called with a process's name and each line that it prints, on a thread of its own.
        processes: what there is to be started; None for all with the world that is given.
    """

    def __init__(
        self,
        given: Mapping[str, str],
        sink: Sink,
        processes: tuple[NodeProcess, ...] | None = None,
    ) -> None:
        self._given = given
        self._sink = sink
        self._processes = processes
        self._running: list[_Running] = []

    def __enter__(self) -> ProcessGroup:
        """Start all."""
        environment = {
            'RCUTILS_CONSOLE_OUTPUT_FORMAT': '[{severity}] {message}',
            'RCUTILS_COLORIZED_OUTPUT': '0',
            'PYTHONUNBUFFERED': '1',
            **os.environ,
        }
        for spec in chosen(self._given, self._processes):
            process = subprocess.Popen(
                [sys.executable, '-P', '-m', STARTER, spec.module, *spec.arguments(self._given)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors='replace',
                env=environment,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
            self._running.append(self._watch(spec, process))
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all."""
        self.stop()

    def died(self) -> str:
        """Return which vital process ended and how, in one line; empty while all of them run."""
        for one in self._running:
            code = one.process.poll()
            if code is not None and one.spec.vital:
                one.reader.join(timeout=1.0)
                last = one.lines[-1] if one.lines else 'no output'
                said = next((line for line in one.lines if 'does not start' in line), last)
                how = f'by signal {-code}' if code < 0 else f'with exit code {code}'
                return f'{one.spec.name} ended {how}: {said}'
        return ''

    @property
    def pids(self) -> list[int]:
        """Ids of the processes, in the order in which they were started."""
        return [one.process.pid for one in self._running]

    def last_lines(self) -> list[str]:
        """Return the last lines that the processes printed."""
        return [f'[{one.spec.name}] {line}' for one in self._running for line in one.lines]

    def stop(self) -> None:
        """Stop all processes, the last started first."""
        for one in reversed(self._running):
            if one.process.poll() is None:
                one.process.send_signal(signal.SIGINT)
            try:
                one.process.wait(timeout=STOP_SEC)
            except subprocess.TimeoutExpired:
                one.process.kill()
                one.process.wait()
            one.reader.join(timeout=1.0)
        self._running.clear()

    def _watch(self, spec: NodeProcess, process: subprocess.Popen[str]) -> _Running:
        lines: deque[str] = deque(maxlen=_KEPT_LINES)

        def read() -> None:
            assert process.stdout is not None
            shown = True
            for line in process.stdout:
                lines.append(line.rstrip())
                try:
                    if shown:
                        self._sink(spec.name, line.rstrip())
                except (OSError, ValueError):  # nobody reads it; the process must not wait for that
                    shown = False

        reader = threading.Thread(target=read, name=f'{spec.name} output', daemon=True)
        reader.start()
        return _Running(spec, process, reader, lines)


def _die_with_parent() -> None:
    """Have the kernel end the process when its parent is killed."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
