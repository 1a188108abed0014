# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several servers of one model, of which the first that answers is asked."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Backend, Interrupted, Watch
from reactree_ros.models.openai.http import (
    BACKOFF_S,
    LONGEST_BACKOFF_S,
    POLL_S,
    Address,
    Unavailable,
)
from reactree_ros.models.openai.model import OpenAIModel
from reactree_ros.models.options import ModelOptions

T = TypeVar('T')

LOOK_S = 2.0
"""How long after a fault a server is looked for; doubled by every further fault in a row."""
LONGEST_LOOK_S = 60.0
PREFER_S = 3.0
"""How long at the start the other servers are waited for, if one answers."""


class FailoverModel(Backend):
    """Asks the first of several servers, and the next where that one does not answer.

    A server that fails is left alone until it answers a small request in the background; then it
    is asked again in its place. A server that still has another one behind it gets half of the
    time that a request has left, so that one that hangs does not use up all of it.

    Args:
        options: ``name`` has the addresses, with spaces between them; all else goes for each.
        say: called with what hinders; with an empty text when nothing does any more.

    Raises:
        ModelError: if none of the servers can be used.
    """

    def __init__(
        self, options: ModelOptions, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.workers = options.max_requests
        self._retries = options.max_retries
        self._say = say
        self.notice = ''
        """What hinders now; empty if nothing does."""
        self._changed = threading.Condition()
        self._servers: list[_Server] = []  # whose threads look at the others
        for address in options.name.split():
            one = replace(options, name=address, max_retries=0)
            self._servers.append(_Server(one, self._notify))
        try:
            self._connect()
        except ModelError:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections; calling it again does nothing."""
        for one in self._servers:
            one.close()

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Make one decision, as ``OpenAIModel`` does.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if no server answers, or one not as it should.
        """
        return self._ask(lambda model, part: model.decide(prompt, choices, part), watch)

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, as ``OpenAIModel`` does.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if no server answers, or one not as it should.
        """
        return self._ask(lambda model, part: model.write(request, part), watch)

    def count(self, text: str) -> int:
        """Return the number of tokens of a text, an estimate where the server does not count."""
        return self._order()[0][1].count(text)

    def _connect(self) -> None:
        begin = time.monotonic()
        with self._changed:
            while True:
                first = next((one for one in self._servers if one.usable), None)
                if all(one.model or one.fault for one in self._servers):
                    break
                if first is not None and time.monotonic() > begin + PREFER_S:
                    break
                self._changed.wait(LOOK_S)
        if first is None:
            faults = '; '.join(one.fault for one in self._servers)
            may_return = any(one.may_return for one in self._servers)
            raise Unavailable(faults) if may_return else ModelError(faults)

    def _order(self) -> list[tuple[_Server, OpenAIModel]]:
        """Return the servers to be asked: those without a fault, or else all."""
        known = [(one, one.model) for one in self._servers if one.model is not None]
        return [(one, model) for one, model in known if not one.fault] or known

    def _ask(self, ask: Callable[[OpenAIModel, Watch], T], watch: Watch) -> T:
        faults: dict[str, str] = {}
        for attempt in itertools.count():
            order = self._order()
            for number, (server, model) in enumerate(order, 1):
                part, limit = watch, watch.seconds_left
                if number < len(order):
                    limit /= 2.0
                    part = Watch(limit, lambda: watch.seconds_left <= 0.0)
                try:
                    answer = ask(model, part)
                except Interrupted:
                    watch.check()
                    fault = f'no answer from {server.address} within {limit:.1f} s'
                except Unavailable as error:
                    fault = str(error)
                else:
                    server.answered()
                    return answer
                faults[server.address] = fault
                server.failed(fault)
            if attempt >= self._retries:
                raise Unavailable('; '.join(faults.values()))
            end = time.monotonic() + min(LONGEST_BACKOFF_S, BACKOFF_S * 2**attempt)
            while time.monotonic() < end:
                watch.check()
                time.sleep(POLL_S)
        raise AssertionError('unreachable')

    def _notify(self) -> None:
        """Say what hinders now."""
        with self._changed:
            self._changed.notify_all()
            found = [one.waits for one in self._servers if one.waits]
            first = next((one for one in self._servers if one.usable), None)
            if first is not None:
                faults = [one.fault for one in self._servers[: self._servers.index(first)]]
                found += [f'{first.address} answers: {fault}' for fault in faults if fault]
            before, self.notice = self.notice, '; '.join(found)
            if self.notice != before:
                self._say(self.notice)


class _Server:
    """One of the servers, and a thread that looks whether it answers while it is not used.

    Args:
        options: of the server.
        notify: called when something here has changed.
    """

    def __init__(self, options: ModelOptions, notify: Callable[[], None]) -> None:
        self.address = Address.read(options.name).api
        self.model: OpenAIModel | None = None
        self.fault = ''
        """Why it is not asked; empty if it is, or if that is not known yet."""
        self.may_return = True
        """Whether the fault may pass by itself."""
        self.waits = ''
        """What requests to it wait for."""
        self._options = options
        self._notify = notify
        self._pause = LOOK_S
        self._failed = threading.Event()
        self._closed = threading.Event()
        self._failed.set()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def usable(self) -> bool:
        """Whether it answered when it was last asked."""
        return self.model is not None and not self.fault

    def failed(self, why: str) -> None:
        """Take note that it did not answer a request."""
        if not self.fault:
            self._set(why)
            self._failed.set()

    def answered(self) -> None:
        """Take note that it answered a request."""
        self._pause = LOOK_S
        if self.fault:
            self._set('')

    def close(self) -> None:
        """Close its connections; calling it again does nothing."""
        self._closed.set()
        self._failed.set()
        if self.model is not None:
            self.model.close()

    def _set(self, fault: str) -> None:
        self.fault = fault
        self._notify()

    def _wait_for(self, text: str) -> None:
        self.waits = text
        self._notify()

    def _look(self) -> None:
        """Find out again and again whether it answers, as long as it has a fault."""
        while True:
            self._failed.wait()
            if self.fault:
                self._closed.wait(self._pause)
                self._pause = min(2.0 * self._pause, LONGEST_LOOK_S)
            if self._closed.is_set():
                return
            try:
                if self.model is None:
                    self.model = OpenAIModel(self._options, self._wait_for)
                    if self._closed.is_set():
                        self.model.close()
                else:
                    self.model.greet()
            except ModelError as error:
                self.may_return = isinstance(error, Unavailable)
                self._set(str(error))
            else:
                self._failed.clear()
                self._set('')
