# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far long work is, for people and for logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reactree_ros.cli.goal_view import is_live, print_text

_TOLD_SEC = 60.0


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how much of something is done: on a terminal with the time left, else once a minute.

    Args:
        what: what is being done.
        total: how much there is to do.

    Yields:
        What counts: called with how much more is done.
    """
    console = Console(stderr=True)  # standard output is for results
    if not is_live(console):
        print_text(console, f'{what}: {total:,}')
        yield _Lines(console, what, total).advance
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        TextColumn('{task.description}'),
        *columns,
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda more: progress.advance(task, more)


class _Lines:
    """Tells in lines how much of something is done, for a log.

    Args:
        console: where.
        what: what is being done.
        total: how much there is to do.
    """

    def __init__(self, console: Console, what: str, total: int) -> None:
        self._console, self._what, self._total = console, what, total
        self._done, self._told = 0, time.monotonic()

    def advance(self, more: int) -> None:
        """Count what is done, and say it if a minute has passed."""
        self._done += more
        if time.monotonic() - self._told >= _TOLD_SEC:
            self._told = time.monotonic()
            print_text(self._console, f'{self._what}: {self._done:,} of {self._total:,}')
