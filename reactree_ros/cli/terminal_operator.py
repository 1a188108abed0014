# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the person at the terminal answer the planner's questions while the goal is on its way."""

from __future__ import annotations

import os
import select
import sys
import termios

from reactree_ros.cli.choosing import Choosing
from reactree_ros.cli.goal_view import GoalView
from reactree_ros.ros.goals.operator_server import OpenQuestion, OperatorServer


class TypedLines:
    """Lines that are typed or piped in, read without waiting.

    Args:
        descriptor: file descriptor of the input; None for an input that is closed.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = -1 if descriptor is None else descriptor
        self._read = b''
        self._ended = descriptor is None

    @classmethod
    def of_stdin(cls) -> TypedLines:
        """Return those of the standard input."""
        return cls(None if sys.stdin is None else sys.stdin.fileno())

    @property
    def over(self) -> bool:
        """Whether the input has ended and all of it was returned."""
        return self._ended and not self._read

    @property
    def typed(self) -> bool:
        """Whether a person types them; lines that are piped in wait for their question."""
        return self._descriptor >= 0 and os.isatty(self._descriptor)

    def discard(self) -> None:
        """Drop what was typed before now; what is piped in stays."""
        if self.typed:
            self._read = b''
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def next(self) -> str | None:
        """Return the next line; empty after the end of the input, None if none is there yet."""
        while b'\n' not in self._read and not self._ended:
            if not select.select([self._descriptor], [], [], 0.0)[0]:
                return None
            more = os.read(self._descriptor, 4096)
            self._ended = not more
            self._read += more
        line, _, self._read = self._read.partition(b'\n')
        return line.decode(errors='replace').strip()


class TerminalOperator:
    """Shows the newest question and takes the answer from the terminal.

    Args:
        server: where the questions come from.
        view: where they are shown.
        lines: where the answers come from.
    """

    def __init__(self, server: OperatorServer, view: GoalView, lines: TypedLines) -> None:
        self._server = server
        self._view = view
        self._lines = lines
        self._shown: OpenQuestion | None = None
        self._before: OpenQuestion | None = None
        self._choosing: Choosing | None = None
        self.left = False
        """Whether the input ended before a decision that nobody else may take."""

    def update(self) -> None:
        """Show a new question, withdraw one that has ended, pass on an answer; never waits."""
        question = self._server.question
        line = self._next_line()
        if line is not None and self._shown is not None and self._choosing is not None:
            if not line and self._lines.over:
                self.left, line = True, None
            elif not (line := self._choosing.take(line)):
                self._view.say(self._choosing.says)
                line = None
        if line is not None and self._shown is not None:
            self._done(self._server.answer(self._shown.id, line))
        elif line and self._before is not None:
            self._view.answered(self._server.answer(self._before.id, line))
        elif self._shown is not None and (reason := self._server.reason(self._shown.id)):
            self._done(f'no answer: {reason}')
        elif question is not None and self._shown is None:
            self._shown = question
            self._lines.discard()
            self._choosing = None
            if question.is_open:
                self._choosing = Choosing(question.text, question.options)
                self._view.say(self._choosing.says)
            else:
                self._view.ask(question.text, question.options)

    def close(self) -> None:
        """Withdraw the question that is shown."""
        if self._shown is not None:
            reason = self._server.reason(self._shown.id) or 'the goal has ended'
            self._server.answer(self._shown.id, '')
            self._done(f'no answer: {reason}')

    def _done(self, remark: str) -> None:
        self._before, self._shown = self._shown, None
        self._view.answered(remark)

    def _next_line(self) -> str | None:
        """Return what was typed, also after a question has ended; None for nothing."""
        return self._lines.next() if self._shown is not None or self._lines.typed else None
