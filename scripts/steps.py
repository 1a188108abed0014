# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Set-up steps, each skipped when what it depends on has not changed since it last ended well."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterable, Mapping, Sequence

TAIL_LINES = 15
TAIL_WIDTH = 160
COMMAND_MARK = '\n$ '


class SetupError(Exception):
    """A set-up step failed.

    Args:
        what: one line that says what failed.
        do: one line that says what to do next.
        log: file whose last lines are worth showing, if any.
    """

    def __init__(self, what: str, do: str, log: Path | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.do = do
        self.log = log

    def report(self) -> str:
        """Return the message for a person: the end of the log, what failed and what to do."""
        lines = []
        if self.log is not None and self.log.is_file():
            text = self.log.read_text(encoding='utf-8', errors='replace')
            last_command = text.rpartition(COMMAND_MARK)[2].splitlines()
            lines += [f'  | {line[:TAIL_WIDTH]}' for line in last_command[-TAIL_LINES:]]
        lines.append(f'set-up failed: {self.what}')
        lines.append(f'  what to do: {self.do}')
        return '\n'.join(lines)


def digest(paths: Iterable[Path], *words: str) -> str:
    """Return a hash over the contents of files, of all files in folders, and over words."""
    total = hashlib.sha256()
    for word in words:
        total.update(word.encode() + b'\0')
    for path in paths:
        files = sorted(path.rglob('*')) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and '__pycache__' not in file.parts:
                total.update(str(file).encode() + b'\0')
                total.update(file.read_bytes() + b'\0')
    return total.hexdigest()


class Steps:
    """Runs steps in order; a step whose inputs are those of its last good run is skipped.

    A stamp is removed before its step starts and written after it ended well, so an interrupted
    step is done again. The key of a step includes the keys of the steps before it.

    Args:
        stamps: folder of the stamp files.
        log: file that takes the output of every command.
        total: number of steps, for the progress lines.
    """

    def __init__(self, stamps: Path, log: Path, total: int) -> None:
        self._stamps = stamps
        self._log = log
        self._total = total
        self._done = 0
        self._chain = ''
        self.worked = False

    def step(
        self,
        name: str,
        text: str,
        action: Callable[[], None],
        *,
        inputs: Iterable[Path] = (),
        words: Sequence[str] = (),
        outputs: Iterable[Path] = (),
    ) -> None:
        """Do one step unless its stamp is current and its outputs exist.

        Args:
            name: name of the stamp file.
            text: what is being done, for the progress line.
            action: does it; raises SetupError.
            inputs: files and folders that the step depends on.
            words: further things that it depends on.
            outputs: files that it leaves behind.
        """
        self._done += 1
        self._chain = digest(inputs, self._chain, *words)
        stamp = self._stamps / name
        current = stamp.is_file() and stamp.read_text(encoding='utf-8') == self._chain
        if current and all(path.exists() for path in outputs):
            return
        self.worked = True
        print(f'set-up {self._done}/{self._total}: {text} ...', end=' ', flush=True)
        stamp.unlink(missing_ok=True)
        start = time.monotonic()
        try:
            action()
        except BaseException:
            print('failed', flush=True)
            raise
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(self._chain, encoding='utf-8')
        print(f'{time.monotonic() - start:.0f} s', flush=True)

    def run(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: Path,
        what: str,
        do: str,
    ) -> None:
        """Run a command with its output in the log file.

        Args:
            command: program and arguments.
            env: its whole environment.
            cwd: the folder it runs in.
            what: says what failed, if it fails.
            do: says what to do then.

        Raises:
            SetupError: it could not be started or its exit status is not 0.
        """
        with self._log.open('a', encoding='utf-8') as log:
            log.write(f'{COMMAND_MARK}{" ".join(map(str, command))}\n')
            log.flush()
            try:
                status = subprocess.run(
                    list(map(str, command)),
                    env=dict(env),
                    cwd=cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    check=False,
                ).returncode
            except OSError as error:
                raise SetupError(f'{what}: {error}', do, self._log) from error
        if status != 0:
            shown = os.path.relpath(self._log)
            raise SetupError(f'{what} (exit status {status})', f'{do}; see {shown}', self._log)
