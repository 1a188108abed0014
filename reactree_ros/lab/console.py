# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What long work shows of itself, and of the machine that it runs on."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.status import Status
from rich.text import Text

from reactree_ros.cli.goal_view import is_live, print_text
from reactree_ros.cli.interrupts import Interrupts

T = TypeVar('T', bound='StatusLine')


def machine() -> str:
    """Return processor, cores, system and Python of this machine."""
    name = platform.machine()
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith('model name'):
            name = line.partition(': ')[2]
            break
    cores = len(os.sched_getaffinity(0))
    return f'{name}, {cores} cores, {platform.system()}, Python {platform.python_version()}'


def say(line: str) -> None:
    """Print a line of progress with the time of day; standard output is for results."""
    print(f'[{time.strftime("%H:%M:%S")}] {line}', file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Return a duration as people say it.

    >>> duration(42), duration(5_000)
    ('42 s', '1 h 23 min')
    """
    if seconds < 100:
        return f'{seconds:.0f} s'
    minutes = round(seconds / 60)
    return f'{minutes // 60} h {minutes % 60} min' if minutes >= 60 else f'{minutes} min'


class StatusLine:
    """Shows what is being done: in place on a terminal, else line by line; a context manager.

    Args:
        console: where it is shown, if that is a terminal.
        interrupts: stops the work when one comes.
    """

    def __init__(self, console: Console, interrupts: Interrupts) -> None:
        self._console = console
        self._interrupts = interrupts
        self._live = is_live(console)
        self._status = Status('', console=console)

    def __enter__(self: T) -> T:
        """Begin to show."""
        if self._live:
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
        if self._live:
            self._update(text)
        else:
            say(text)

    def stop(self) -> bool:
        """Say whether Ctrl-C was pressed."""
        return bool(self._interrupts)

    def _keep(self, line: str) -> None:
        """Show a line that stays."""
        print_text(self._console, line)

    def _update(self, text: str) -> None:
        # no markup: planners have settings in brackets
        self._status.update(Text(text))
