# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer's server with pages that speak to it by their own bytes."""

from __future__ import annotations

import base64
import json
import logging
import os
import socket
import struct
import time
from typing import Any
from urllib.parse import urlsplit

from aiohttp.http_exceptions import HttpProcessingError

from reactree_ros.errors import ConfigurationError
from reactree_ros.viewer.controls import ControlState, ViewerControls
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex
from reactree_ros.viewer.server import ViewerServer

from .contract import demand

HOST, TOKEN_HOST = '127.0.0.1', '127.0.0.2'
ANSWER_S = 30.0
"""So long a page waits for an answer; the machine may be busy with something else."""

_ASLEEP_S = 5.0


class Controls(ViewerControls):
    """Keeps what it was asked to do, as the planner's would carry it out."""

    def __init__(self) -> None:
        self.done: list[tuple[str, ...]] = []

    def state(self) -> ControlState:
        return ControlState('ready', ('reactree',))

    def watched(self, pages: int) -> None:
        pass

    def send(self, goal: str, strategy: str) -> None:
        self.done.append(('send', goal, strategy))

    def cancel(self, run: str) -> None:
        self.done.append(('cancel', run))

    def answer(self, question: str, text: str) -> None:
        self.done.append(('answer', question, text))

    def correct(self, run: str, conditions: tuple[str, ...]) -> None:
        self.done.append(('correct', run, *conditions))

    def believe(self, run: str, name: str, relation: str, place: str) -> None:
        self.done.append(('believe', run, name, relation, place))

    def decide(self, run: str, decision: int, others: bool, again: bool) -> None:
        self.done.append(('decide', run, str(decision), str(others), str(again)))

    def confirm(self, run: str, reached: bool) -> None:
        self.done.append(('confirm', run, str(reached)))

    def pause(self, word: str) -> None:
        self.done.append(('pause', word))


class Faults(logging.Handler):
    """Keeps what the server logs as an error: what it has not thought of."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        # what is not HTTP is answered so (400), and aiohttp logs that
        if not isinstance(error, HttpProcessingError):
            self.told.append(self.format(record))

    def taken(self) -> list[str]:
        told, self.told = self.told, []
        return told


class Page:
    """A page that speaks to the server by its own bytes."""

    def __init__(self, port: int, host: str = HOST) -> None:
        self._socket = socket.create_connection((host, port), timeout=ANSWER_S)
        self._read = b''

    def handshake(self, port: int) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(
            f'GET /socket HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\n'
            'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
            f'Sec-WebSocket-Key: {key}\r\n\r\n'.encode()
        )
        while b'\r\n\r\n' not in self._read:
            self._more()
        head, _, self._read = self._read.partition(b'\r\n\r\n')
        demand(b' 101 ' in head, f'no web socket: {head!r}')

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hear(self) -> dict[str, Any] | None:
        """Return the next message; None once the server has closed the socket."""
        try:
            return self._hear()
        except (ConnectionError, EOFError):
            return None

    def ask(self, word: str) -> bool:
        """Return whether the server answers an order that it does not know."""
        self.send(frame(json.dumps({'do': word}).encode()))
        while (told := self.hear()) is not None:
            if told['type'] == 'notice' and repr(word) in told['text']:
                return True
        return False

    def close(self) -> None:
        self._socket.close()

    def _hear(self) -> dict[str, Any]:
        while True:
            while len(self._read) < 10:
                if len(self._read) >= 2 and len(self._read) >= 2 + (self._read[1] & 127):
                    break
                self._more()
            op, size, start = self._read[0] & 15, self._read[1] & 127, 2
            if size > 125:
                kind, start = ('>H', 4) if size == 126 else ('>Q', 10)
                (size,) = struct.unpack_from(kind, self._read, 2)
            while len(self._read) < start + size:
                self._more()
            body, self._read = self._read[start : start + size], self._read[start + size :]
            if op == 8:
                raise EOFError
            if op == 1:
                told = json.loads(body)
                assert isinstance(told, dict)
                return told

    def _more(self) -> None:
        data = self._socket.recv(1 << 16)
        if not data:
            raise EOFError
        self._read += data


class House:
    """A server with a page that stays open, and another that asks for a token."""

    def __init__(self) -> None:
        self.controls, self.faults = Controls(), Faults()
        index = RunIndex()
        index.begin('abc', 'tidy up').tree(1.0, ())
        index.offer('broken', _broken)
        self._servers = [ViewerServer(index, self.controls, one, 0) for one in (HOST, TOKEN_HOST)]
        self.ports: dict[str, int] = {}
        for host, server in zip((HOST, TOKEN_HOST), self._servers, strict=True):
            server.start()
            self.ports[host] = urlsplit(server.address).port or 0
        for name in ('aiohttp', 'asyncio'):
            logging.getLogger(name).addHandler(self.faults)
        self._page = self.page()
        self._count = 0
        self._asked_at = time.monotonic()

    def waken(self) -> None:
        """Open the other page anew if nothing was asked for a while.

        It answers no ping while the tests of another room run, so the server has closed it.
        """
        if time.monotonic() - self._asked_at > _ASLEEP_S:
            self._page.close()
            self._page = self.page()
            self._asked_at = time.monotonic()

    def page(self) -> Page:
        page = Page(self.ports[HOST])
        page.handshake(self.ports[HOST])
        return page

    def still_serves(self) -> None:
        self._count += 1
        self._asked_at = time.monotonic()
        demand(self._page.ask(f'question {self._count}'), 'the other page is not served any more')
        faults = self.faults.taken()
        demand(not faults, f'the server did not expect it: {faults}')

    def close(self) -> None:
        self._page.close()
        for server in self._servers:
            server.close()


def frame(data: bytes, op: int = 0x81) -> bytes:
    """Return a frame as a browser sends it: whole, and masked by zeros."""
    size = len(data)
    if size < 126:
        head = struct.pack('>BB', op, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack('>BBH', op, 0x80 | 126, size)
    else:
        head = struct.pack('>BBQ', op, 0x80 | 127, size)
    return head + bytes(4) + data


def _broken() -> RunHistory:
    raise ConfigurationError('it is not a recorded run')
