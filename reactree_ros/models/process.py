# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's side of the model process: keeps the process running, asks, never waits."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from reactree_ros.core.futures import Future, Promise, mapped
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest, Vectors
from reactree_ros.core.wire import choices_to_json, prompt_to_json, text_request_to_json, wanted_by
from reactree_ros.errors import ModelError, ReactreeError
from reactree_ros.models.kind import check_options
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.models.local.encoder import encoder_name
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.server_link import EXIT_S, LinkBroken, ServerLink

T = TypeVar('T')
Message = dict[str, Any]

MOST_RESTARTS = 3
RESTARTS_WITHIN_S = 600.0
MOST_CRASHES = 2
"""A request during which the server died this often is not tried again."""
TICK_S = 0.25
GRACE_S = 2.0
"""How long after its time limit a request fails, if the server has not said so by then."""
SILENCE_S = 10.0
"""A loaded server that shows no sign of life for so long hangs; it shows one every half second."""
HANG_S = 60.0
"""So does one that still works on a request this long after it was canceled or its time was up:
on the slowest machines, reading 256 tokens takes half of that, and nothing can stop it there."""


class ModelProcess:
    """A model in a process of its own; decides, writes, embeds and counts tokens.

    The process is started at once and loads in the background; requests that are made before it
    is ready wait. When it dies or hangs it is started again, up to ``MOST_RESTARTS`` times within
    ``RESTARTS_WITHIN_S``, and what it had not answered is asked once more; a model that cannot be
    loaded is not tried again. It ends with ``close``, and also when the planner dies.

    Args:
        options: which model, and how it is run; an empty ``name`` takes the default.

    Raises:
        ModelError: if there is no such model.
        ConfigurationError: if an option has a value that is not allowed.
    """

    def __init__(self, options: ModelOptions) -> None:
        self._options = replace(options, name=options.name or DEFAULT_MODEL)
        check_options(self._options)
        self.progress = f'{self._options.name}: starting'
        self.notice = ''
        """What hinders the loaded model, such as a server that is busy; empty if nothing does."""
        self._numbers = itertools.count(1)
        self._open: dict[int, _Request] = {}
        self._canceled_at: dict[int, float] = {}
        self._outbox: list[Message] = []
        self._ready = False
        self._failure, self._failure_kind = '', ModelError.kind
        self._closing = False
        self._restarts: deque[float] = deque()
        self._lock = threading.Lock()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)
        self._link = ServerLink(self._options)
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

    @property
    def encoder_name(self) -> str:
        """Name of the sentence encoder."""
        return encoder_name(self._options.encoder)

    @property
    def pid(self) -> int:
        """Process id of the server, another one after it had to be started again."""
        return self._link.pid

    def poll_ready(self) -> bool:
        """Return whether the model is loaded.

        Raises:
            ModelError: if it cannot be loaded, or its process ended too often.
        """
        if self._failure:
            raise _error(self._failure, self._failure_kind)
        return self._ready

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision and return at once."""
        message = {
            'op': 'decide',
            'prompt': prompt_to_json(request.prompt),
            'choices': choices_to_json(request.choices),
            'time_limit_s': request.time_limit_s,
        }
        return self._ask(message, _answer)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text and return at once."""
        return self._ask(
            {'op': 'write', **text_request_to_json(request)},
            lambda result: tuple(map(_answer, result['answers'])),
        )

    def forget(self) -> None:
        """Drop the caches of prompts before the next request; a new process has none."""
        with self._lock:
            self._outbox.append({'op': 'forget'})
        self._wake()

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask for embeddings, (n, dimension), each of length 1."""
        return self._ask(
            {'op': 'embed', 'texts': list(texts)},
            lambda result: np.array(result['vectors'], dtype=np.float32),
        )

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask for the number of tokens of each text."""
        return self._ask(
            {'op': 'count', 'texts': list(texts)}, lambda result: tuple(result['counts'])
        )

    def close(self) -> None:
        """End the process; calling it again does nothing."""
        self._closing = True
        self._wake()
        self._thread.join()

    def _ask(self, message: Message, read: Callable[[Message], T]) -> Future[T]:
        with self._lock:
            request = _Request({**message, 'id': next(self._numbers)}, self._cancel)
            if self._failure:
                request.fail(self._failure, self._failure_kind)
            else:
                self._open[request.number] = request
                self._outbox.append(request.to_send())
        self._wake()
        return mapped(request.answer, read)

    def _cancel(self, request: _Request) -> None:
        with self._lock:
            if self._open.pop(request.number, None):
                self._give_up(request)
        self._wake()

    def _give_up(self, request: _Request) -> None:
        if request.started:
            self._canceled_at[request.number] = time.monotonic()
        self._outbox.append({'op': 'cancel', 'id': request.number})

    def _wake(self) -> None:
        try:
            self._waker.send(b'.')
        except OSError:
            pass  # it is awake already

    def _supervise(self) -> None:
        """Keep a server running; whatever ends this, nobody waits for an answer any more."""
        try:
            while self._serve_once():
                self._link = ServerLink(self._options)
        except (OSError, ReactreeError) as error:
            with self._lock:
                self._fail(f'the model process cannot be started again: {error}')
        finally:
            with self._lock:
                self._fail('the model was closed')

    def _serve_once(self) -> bool:
        """Talk to a server until its end; return whether to start another."""
        try:
            self._communicate()
            reason = ''
        except LinkBroken as error:
            reason = str(error)
        self._link.close(0.0 if reason and self._ready else EXIT_S)
        with self._lock:
            self._ready = False
            return self._prepare_restart(reason)

    def _communicate(self) -> None:
        """Talk to the server until it is to be closed.

        Raises:
            LinkBroken: if it must be started again.
        """
        silence = 0.0
        while not self._closing and not self._failure:
            begin = time.monotonic()
            with self._lock:
                outbox, self._outbox = self._outbox, []
            for message in outbox:
                self._link.send(message)
            messages = self._link.exchange(self._woken.fileno(), TICK_S)
            self._drain_wakes()
            with self._lock:
                for message in messages:
                    self._take(message)
                self._check_time_limits()
            # Waits are added up, so that a pause of this process is not taken for the server's.
            waited = min(time.monotonic() - begin, TICK_S)
            silence = 0.0 if messages or not self._ready else silence + waited
            if silence > SILENCE_S:
                raise LinkBroken(f'the model process sent no heartbeat for {SILENCE_S:g} s')

    def _drain_wakes(self) -> None:
        try:
            self._woken.recv(1 << 12)
        except BlockingIOError:
            pass

    def _take(self, message: Message) -> None:
        event = message.get('event')
        if event == 'ready':
            self._ready = True
            self.progress = f'{self._options.name}: ready'
            self._canceled_at = dict.fromkeys(self._canceled_at, time.monotonic())
        elif event == 'progress' and self._ready:
            self.notice = message['text']
        elif event == 'progress':
            self.progress = message['text'] or self.progress
        elif event == 'failed':
            self._fail(message['text'], message.get('kind', ModelError.kind))
        elif event == 'started':
            if started := self._open.get(message['id']):
                started.started = True
            else:
                self._canceled_at[message['id']] = time.monotonic()
        elif event is None:
            self._canceled_at.pop(message['id'], None)
            if request := self._open.pop(message['id'], None):
                request.end_with(message)

    def _check_time_limits(self) -> None:
        now = time.monotonic()
        grace = GRACE_S if self._ready else 0.0
        for request in [one for one in self._open.values() if now > one.end + grace]:
            del self._open[request.number]
            doing = '' if self._ready else f' ({self.progress})'
            request.fail(f'no {request.wanted} within {request.limit:g} s{doing}', 'timeout')
            self._give_up(request)
        if self._ready and any(now > since + HANG_S for since in self._canceled_at.values()):
            raise LinkBroken(f'the model process did not end a canceled request for {HANG_S:g} s')

    def _prepare_restart(self, reason: str) -> bool:
        """Return whether the server shall be started again, and get ready for it."""
        if self._closing or self._failure:
            return False
        now = time.monotonic()
        while self._restarts and self._restarts[0] < now - RESTARTS_WITHIN_S:
            self._restarts.popleft()
        if len(self._restarts) >= MOST_RESTARTS:
            self._fail(
                f'{reason}; it is not started again, after {MOST_RESTARTS} times within '
                f'{RESTARTS_WITHIN_S / 60:g} minutes'
            )
            return False
        self._restarts.append(now)
        for request in list(self._open.values()):
            request.crashes += request.started
            request.started = False
            if request.crashes >= MOST_CRASHES:
                del self._open[request.number]
                request.fail(f'{reason}, for the second time while it worked on this request')
        self.progress = f'{self._options.name}: starting again: {reason}'
        self.notice = ''
        self._canceled_at.clear()
        self._outbox = [request.to_send() for request in self._open.values()]
        return True

    def _fail(self, why: str, kind: str = ModelError.kind) -> None:
        """Tell all who wait, and whoever asks from now on; an earlier reason stands."""
        if not self._failure:
            self._failure, self._failure_kind = why, kind
        for request in self._open.values():
            request.fail(self._failure, self._failure_kind)
        self._open.clear()


class _Request:
    """A request, and the server's answer to it."""

    def __init__(self, message: Message, cancel: Callable[[_Request], None]) -> None:
        self.number: int = message['id']
        self.limit: float = message.get('time_limit_s', float('inf'))
        self.started = False
        self.crashes = 0
        self.answer = Promise[Message](lambda: cancel(self))
        self._message = message
        self._made = time.monotonic()

    @property
    def wanted(self) -> str:
        """What is asked for, in a word."""
        return wanted_by(self._message)

    @property
    def end(self) -> float:
        """Monotonic time at which its limit is reached, in seconds."""
        return self._made + self.limit

    def end_with(self, message: Message) -> None:
        """Take the server's last message on it."""
        if 'error' in message:
            self.fail(message['error'], message.get('kind', ModelError.kind))
        else:
            self.answer.complete(message['result'])

    def fail(self, why: str, kind: str = ModelError.kind) -> None:
        """Give it no answer."""
        self.answer.fail(_error(why, kind))

    def to_send(self) -> Message:
        """Return what to send to the server now."""
        return {**self._message, 'waited_s': time.monotonic() - self._made}


def _error(why: str, kind: str) -> ModelError:
    error = ModelError(why)
    error.kind = kind
    return error


def _answer(values: Message) -> Answer:
    """Return an answer as the server sent it, but without half surrogate pairs.

    A server that writes JSON may send them; no ROS message and no file can hold them.
    """
    return Answer(**{**values, 'text': values['text'].encode('utf-8', 'replace').decode()})
