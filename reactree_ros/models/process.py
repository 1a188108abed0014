# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's side of the model server: starts the process, asks, never waits."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from reactree_ros.exceptions import ModelError
from reactree_ros.models.embedded import DEFAULT_MODEL, MODELS
from reactree_ros.models.interface import Answer, DecisionRequest, Pending, Vectors
from reactree_ros.models.wire import choices_to_json, prompt_to_json

T = TypeVar('T')
_HUB_ID = re.compile(r'[\w-][\w.-]*/[\w.-]+')


class ModelProcess:
    """A model server in a process of its own; decides, embeds and counts tokens.

    The process is started at once and loads in the background; requests that are made before it
    is ready wait in its queue. It ends with ``close``, and also when the planner dies.

    Args:
        model: name of a packaged model, a local folder or a hub id; empty takes the default.
        log: file for what the process prints; None passes it through to standard error.

    Raises:
        ModelError: if there is no such model.
    """

    def __init__(self, model: str = '', log: Path | None = None) -> None:
        self.model = model or DEFAULT_MODEL
        folder = (Path(self.model) / 'config.json').is_file()
        if self.model not in MODELS and not folder and not _HUB_ID.fullmatch(self.model):
            raise ModelError(
                f'there is no model {self.model!r}: give one of {", ".join(MODELS)}, '
                'a folder with a transformers model, or the id of one on a hub'
            )
        self.progress = f'{self.model}: starting'
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._open: set[int] = set()
        self._ready = False
        self._failure = ''
        self._lock = threading.Lock()
        environment = {**os.environ, 'HF_HUB_DISABLE_PROGRESS_BARS': '1'}
        if self.model in MODELS:
            environment['HF_HUB_OFFLINE'] = '1'
        errors = log.open('ab') if log else None
        try:
            self._process = subprocess.Popen(
                [sys.executable, '-m', 'reactree_ros.models.server', '--model', self.model],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                text=True,
                encoding='utf-8',
            )
        finally:
            if errors:
                errors.close()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    def poll_ready(self) -> bool:
        """Return whether the model is loaded.

        Raises:
            ModelError: if it could not be loaded, or the process has ended.
        """
        if self._failure:
            raise ModelError(self._failure)
        return self._ready

    def decide(self, request: DecisionRequest) -> Pending[Answer]:
        """Ask for a decision and return at once."""
        message = {
            'op': 'decide',
            'prompt': prompt_to_json(request.prompt),
            'choices': choices_to_json(request.choices),
            'time_limit_s': request.time_limit_s,
        }
        return self._ask(message, lambda result: Answer(**result))

    def embed(self, texts: tuple[str, ...]) -> Pending[Vectors]:
        """Ask for embeddings, (n, dimension), each of length 1."""
        return self._ask(
            {'op': 'embed', 'texts': list(texts)},
            lambda result: np.array(result['vectors'], dtype=np.float32),
        )

    def count(self, texts: tuple[str, ...]) -> Pending[tuple[int, ...]]:
        """Ask for the number of tokens of each text."""
        return self._ask(
            {'op': 'count', 'texts': list(texts)}, lambda result: tuple(result['counts'])
        )

    def close(self) -> None:
        """End the process; calling it again does nothing."""
        if self._process.poll() is None:
            self._process.kill()  # it holds nothing that could be lost
        self._process.wait()

    def _ask(
        self, message: dict[str, Any], read: Callable[[dict[str, Any]], T]
    ) -> _PendingAnswer[T]:
        number = next(self._numbers)
        self._open.add(number)
        self._write({**message, 'id': number})
        return _PendingAnswer(self, number, read)

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(json.dumps(message) + '\n')
                self._process.stdin.flush()
        except OSError:
            pass  # it has died: whoever polls is told so

    def _take(self, number: int) -> dict[str, Any] | None:
        answer = self._answers.pop(number, None)
        if answer is None and self._failure:
            raise ModelError(self._failure)
        return answer

    def _cancel(self, number: int) -> None:
        self._open.discard(number)
        self._answers.pop(number, None)
        self._write({'op': 'cancel', 'id': number})

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self._failure = f'the model server wrote what is no answer: {line[:80]!r}'
                break
            event = message.get('event')
            if event == 'ready':
                self._ready = True
            elif event == 'progress':
                self.progress = message['text']
            elif event == 'failed':
                self._failure = message['text']
            elif message['id'] in self._open:
                self._open.discard(message['id'])
                self._answers[message['id']] = message
        code = self._process.wait()
        self._failure = self._failure or f'the model server ended with exit code {code}'


class _PendingAnswer(Generic[T]):
    """An answer of the model server that is under way."""

    def __init__(
        self, process: ModelProcess, number: int, read: Callable[[dict[str, Any]], T]
    ) -> None:
        self._process = process
        self._number = number
        self._read = read
        self._value: T | None = None
        self._over = False
        self._error = ''

    def poll(self) -> T | None:
        if self._error:
            raise ModelError(self._error)
        if self._over:
            return self._value
        message = self._process._take(self._number)
        if message is None:
            return None
        self._over = True
        if 'error' in message:
            self._error = message['error']
            raise ModelError(self._error)
        self._value = self._read(message['result'])
        return self._value

    def cancel(self) -> None:
        if not self._over:
            self._over = True
            self._process._cancel(self._number)
