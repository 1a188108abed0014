# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A running model process and the pipes to it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reactree_ros.models.kind import kind_of
from reactree_ros.models.options import ModelOptions

COMMAND = (sys.executable, '-P', '-m', 'reactree_ros.models.server')
"""``-P``: Python files in the working directory are not imported."""
EXIT_S = 2.0
"""How long a server may take to end by itself, so that it can remove what is half done."""
_PIPE = 1 << 16
_EVENTS: dict[str, set[str]] = {
    'alive': set(),
    'progress': {'text'},
    'ready': set(),
    'failed': {'text'},
    'started': {'id'},
}
"""Events of the server, and their fields."""


class LinkBroken(Exception):
    """The server has ended, or it wrote what is not an answer; the message says which."""


class ServerLink:
    """Starts a model process; talks to it without ever waiting for it.

    Not safe for threads: one thread does all.

    Args:
        options: which model, and how it is run.

    Raises:
        OSError: if the process cannot be started.
    """

    def __init__(self, options: ModelOptions) -> None:
        environment = {**os.environ, 'HF_HUB_DISABLE_PROGRESS_BARS': '1'}
        encoder_on_hub = bool(options.encoder) and not Path(options.encoder).is_dir()
        if kind_of(options.name).offline(options.name) and not encoder_on_hub:
            environment['HF_HUB_OFFLINE'] = '1'
        self._process = subprocess.Popen(
            [*COMMAND, '--options', json.dumps(asdict(options))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        for pipe in (self._in, self._out):
            os.set_blocking(pipe.fileno(), False)
        self._unsent = bytearray()
        self._unread = bytearray()

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    def send(self, message: dict[str, Any]) -> None:
        """Send a message with the next ``exchange``."""
        self._unsent += json.dumps(message).encode() + b'\n'

    def exchange(self, wake: int, timeout_s: float) -> list[dict[str, Any]]:
        """Send what can be sent, and return the messages that came.

        Args:
            wake: a file descriptor that ends the wait when it can be read.
            timeout_s: longest wait.

        Raises:
            LinkBroken: if the server has ended, or it wrote what is not an answer.
        """
        source, target = self._out.fileno(), self._in.fileno()
        writing = [target] if self._unsent else []
        readable, writable, _ = select.select([source, wake], writing, [], timeout_s)
        if writable:
            try:
                del self._unsent[: os.write(target, self._unsent[:_PIPE])]
            except BrokenPipeError:
                self._unsent.clear()  # the end of its output says why
        if source not in readable:
            return []
        data = os.read(source, _PIPE)
        if not data:
            raise LinkBroken(f'the model process ended with {self._end()}')
        self._unread += data
        if b'\n' not in data:  # a long answer is not read again with each of its parts
            return []
        *lines, self._unread = self._unread.split(b'\n')
        return [_message(bytes(line)) for line in lines]

    def close(self, patience_s: float = 0.0) -> None:
        """End the process; calling it again does nothing.

        Args:
            patience_s: how long it may take to end by itself.
        """
        self._in.close()  # on which it ends
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.close()

    def _end(self) -> str:
        """Return in words how the process ended."""
        try:
            code = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return 'its output closed'
        if code >= 0:
            return f'exit code {code}'
        try:
            return f'signal {signal.Signals(-code).name}'
        except ValueError:
            return f'signal {-code}'


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict) or not _is_whole(message):
        raise LinkBroken(f'the model process wrote an invalid answer: {line[:80]!r}')
    return message


def _is_whole(message: dict[str, Any]) -> bool:
    if 'event' in message:
        return _EVENTS.get(message['event'], {'unknown'}) <= message.keys()
    return 'id' in message and ('result' in message or 'error' in message)
