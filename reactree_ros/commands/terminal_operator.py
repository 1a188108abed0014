# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the person at the terminal answer the planner's questions while the goal is on its way."""

from __future__ import annotations

import os
import select
import termios

from reactree_ros.commands.goal_view import GoalView
from reactree_ros.core.events import Event
from reactree_ros.ros.operator_server import OperatorServer


class TypedLines:
    """Lines that are typed or piped in, read without waiting.

    Args:
        descriptor: file descriptor of the input.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b''
        self._over = False

    def forget(self) -> None:
        """Drop what was typed before now; what is piped in stays."""
        if os.isatty(self._descriptor):
            self._read = b''
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def next(self) -> str | None:
        """Return the next line; empty after the end of the input, None if none is there yet."""
        while b'\n' not in self._read and not self._over:
            if not select.select([self._descriptor], [], [], 0.0)[0]:
                return None
            more = os.read(self._descriptor, 4096)
            self._over = not more
            self._read += more
        line, _, self._read = self._read.partition(b'\n')
        return line.decode(errors='replace').strip()


class TerminalOperator:
    """Shows questions and takes the answers from the terminal.

    Args:
        server: where the questions come from.
        view: where they are shown.
        lines: where the answers come from.
    """

    def __init__(self, server: OperatorServer, view: GoalView, lines: TypedLines) -> None:
        self._server = server
        self._view = view
        self._lines = lines
        self._shown = False
        self._told = False

    def event(self, event: Event) -> None:
        """Take the question back when the planner has gone on without the answer."""
        if event.kind == 'ask':
            self._told = True
        elif self._told:
            self._told = False
            self.withdraw()

    def look(self) -> None:
        """Show a new question; pass on an answer; never waits."""
        if not self._server.question:
            return
        if not self._shown:
            self._shown = True
            self._lines.forget()
            self._view.ask(self._server.question)
        line = self._lines.next()
        if line is not None:
            self._shown = False
            self._server.answer(line)
            self._view.answered(line)

    def withdraw(self) -> None:
        """Take back the open question, if there is one."""
        self._server.answer('')
        if self._shown:
            self._shown = False
            self._view.answered('')
