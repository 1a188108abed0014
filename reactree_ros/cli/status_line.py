# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What long work shows of itself: a line in place on a terminal, a line after another elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.status import Status
from rich.text import Text

from reactree_ros.cli.console import say
from reactree_ros.cli.interrupts import Interrupts

T = TypeVar('T', bound='StatusLine')


class StatusLine:
    """Shows work on its way; a context manager.

    Args:
        console: where it is shown, if that is a terminal.
        interrupts: stops the work when one comes.
    """

    def __init__(self, console: Console, interrupts: Interrupts) -> None:
        self._console = console
        self._interrupts = interrupts
        self._status = Status('', console=console)

    def __enter__(self: T) -> T:
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
        if self._console.is_terminal:
            self._update(text)
        else:
            say(text)

    def stop(self) -> bool:
        """Say whether Ctrl-C was pressed."""
        return bool(self._interrupts)

    def _keep(self, line: str) -> None:
        """Show a line that stays."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _update(self, text: str) -> None:
        # no markup: planners have settings in brackets
        self._status.update(Text(text, no_wrap=True, overflow='ellipsis'))
