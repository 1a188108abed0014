# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command line as a user does: as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

PATIENCE_SEC = 60.0


class Command:
    """A process of a command line, whose output is read line by line.

    Args:
        module: what is run.
        arguments: of the command line.
        typed: its input; None for none.
        silent: somebody is there and types nothing.
    """

    def __init__(
        self, module: str, arguments: tuple[str, ...], typed: str | None, silent: bool
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-u', '-m', module, *arguments],
            stdin=subprocess.PIPE if silent or typed is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, 'COLUMNS': '300'},
        )
        self.lines: list[str] = []
        if self.process.stdin is not None and not silent:
            self.process.stdin.write(typed or '')
            self.process.stdin.close()

    def says(self, text: str) -> str:
        """Read on until a line has the text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if text in line:
                return line.rstrip()
        raise AssertionError(f'{text!r} was not said:\n' + '\n'.join(self.lines))

    def ends(self) -> int:
        """Read to the end and return the exit code."""
        assert self.process.stdout is not None
        self.lines += [line.rstrip() for line in self.process.stdout]
        return self.process.wait(timeout=PATIENCE_SEC)


def processes_of(module: str) -> Iterator[Callable[..., Command]]:
    """Yield what starts processes of a command line; those that still run are ended after it."""
    commands: list[Command] = []

    def start(*arguments: str, typed: str | None = None, silent: bool = False) -> Command:
        commands.append(Command(module, arguments, typed, silent))
        return commands[-1]

    yield start
    for command in commands:
        if command.process.poll() is None:
            command.process.terminate()
            command.process.wait(timeout=PATIENCE_SEC)
        for pipe in (command.process.stdin, command.process.stdout):
            if pipe is not None:
                pipe.close()
