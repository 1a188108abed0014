# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's web socket: the first byte says what the rest is.

``T`` text frames, one a line as JSON strings: exactly those orders are carried out whose fields
are right. ``B`` bytes sent as they are behind a handshake, ``H`` bytes sent instead of one. After
each input another page, which was open all the while, is still served, and nothing was logged.
"""

from __future__ import annotations

import atexit
import base64
import json
import logging
import os
import socket
import struct
import time
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any
from urllib.parse import urlsplit

from aiohttp.http_exceptions import HttpProcessingError

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.viewer.desk import DeskState
from reactree_ros.viewer.gallery import Gallery
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.server import GOAL_CHARS, ViewerServer

from .contract import Target, demand
from .mutations import ODD_TEXTS, mutate_bytes, mutate_values

HOST, TOKEN_HOST = '127.0.0.1', '127.0.0.2'
_ANSWER_S = 5.0
_LONGEST = 60_000
_DEEP = '[' * 20_000
_HOLDS = ('pause', 'resume', 'step')
_FIELDS = ('run', 'goal', 'strategy', 'text')
_ORDERS: tuple[dict[str, Any], ...] = (
    {'do': 'send', 'goal': 'tidy up', 'strategy': 'reactree'},
    {'do': 'send', 'goal': 'x' * GOAL_CHARS, 'strategy': ''},
    {'do': 'cancel', 'run': 'ab'},
    {'do': 'answer', 'text': 'yes'},
    {'do': 'pause'},
    {'do': 'open', 'run': 'abc'},
    {'do': 'open', 'run': 'broken'},
    {'do': 'no such thing'},
)
_WORDS = (
    *(b'\x81', b'\x82', b'\x88', b'\x89', b'\x8a', b'\x01', b'\x00', b'\xf1', b'\xc1', b'\x80'),
    *(b'\xfe\xff\xff', b'\xff' + b'\xff' * 8, b'\xff\x7f' + b'\xff' * 7, b'\x80' * 4, b'\r\n'),
    *(b'GET /socket HTTP/1.1\r\n', b'Transfer-Encoding: chunked\r\n', b'Content-Length: -1\r\n'),
    *(b'Host: [\r\n', b'Origin: http://[\r\n', b'Cookie: reactree_token=\xff\r\n', b'?token=%ff'),
    *(b'Upgrade: websocket\r\n', b'Sec-WebSocket-Extensions: permessage-deflate\r\n'),
)


class Desk:
    """Keeps what it was asked to do, as the planner's would carry it out."""

    def __init__(self) -> None:
        self.done: list[tuple[str, ...]] = []

    def state(self) -> DeskState:
        return DeskState('ready', ('reactree',))

    def watched(self, pages: int) -> None:
        pass

    def send(self, goal: str, strategy: str) -> None:
        self.done.append(('send', goal, strategy))

    def cancel(self, run: str) -> None:
        self.done.append(('cancel', run))

    def answer(self, text: str) -> None:
        self.done.append(('answer', text))

    def hold(self, word: str) -> None:
        self.done.append(('hold', word))


class Faults(logging.Handler):
    """Keeps what the server logs as an error: what it has not thought of."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        # what is no HTTP is answered so (400), and aiohttp logs that
        if not isinstance(error, HttpProcessingError):
            self.told.append(self.format(record))

    def taken(self) -> list[str]:
        told, self.told = self.told, []
        return told


class Page:
    """A page that speaks to the server by its own bytes."""

    def __init__(self, port: int, host: str = HOST) -> None:
        self._socket = socket.create_connection((host, port), timeout=_ANSWER_S)
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
        self.desk, self.faults = Desk(), Faults()
        gallery = Gallery()
        gallery.begin('abc', 'tidy up').tree(1.0, ())
        gallery.offer('broken', _broken)
        self._servers = [ViewerServer(gallery, self.desk, one, 0) for one in (HOST, TOKEN_HOST)]
        self.ports: dict[str, int] = {}
        for host, server in zip((HOST, TOKEN_HOST), self._servers, strict=True):
            server.start()
            self.ports[host] = urlsplit(server.address).port or 0
        for name in ('aiohttp', 'asyncio'):
            logging.getLogger(name).addHandler(self.faults)
        self._page = self.page()
        self._count = 0

    def page(self) -> Page:
        page = Page(self.ports[HOST])
        page.handshake(self.ports[HOST])
        return page

    def still_serves(self) -> None:
        self._count += 1
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


@cache
def seeds() -> list[bytes]:
    """Return orders of every kind as texts, as frames, and requests of pages."""
    texts = [json.dumps(order) for order in _ORDERS]
    frames = b''.join(frame(text.encode()) for text in texts[2:])
    others = frame(b'x', 0x82) + frame(b'', 0x89) + frame(b'\x03\xe8', 0x88)
    get = b'GET / HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n'
    return [
        *(b'T' + json.dumps([text]).encode() for text in texts),
        b'T' + json.dumps(texts).encode(),
        *(b'B' + frames, b'B' + frames + others, b'B' + others),
        *(b'H' + get, b'H' + get.replace(b'/ ', b'/page/viewer.js ')),
    ]


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change orders, their texts, or the bytes of frames and requests."""
    mark, rest = data[:1], data[1:]
    if mark != b'T':
        return mark + mutate_bytes(random, rest, among, _WORDS)
    texts = json.loads(rest)
    for _ in range(random.choice((1, 1, 2))):
        at = random.randrange(len(texts))
        kind = random.randrange(4)
        if kind == 0:
            begin = random.randrange(len(texts[at]) + 1)
            texts[at] = texts[at][:begin] + random.choice((*ODD_TEXTS, _DEEP)) + texts[at][begin:]
        elif kind == 1:
            changed = mutate_bytes(random, texts[at].encode('utf-8', 'replace'), ())
            texts[at] = changed.decode('utf-8', 'replace')
        else:
            order = random.choice(_ORDERS)
            texts[at] = json.dumps(mutate_values(random, {**order}))
    return mark + json.dumps(texts).encode()


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    house, mark = _house(), data[:1]
    house.desk.done.clear()
    if mark == b'T':
        accepted = _orders(house, json.loads(data[1:]))
    else:
        accepted = _raw(house, data[1:], upgraded=mark == b'B')
        if mark == b'H':
            _raw(house, data[1:], upgraded=False, host=TOKEN_HOST)
    house.still_serves()
    for word, *values in house.desk.done:
        demand(
            all(isinstance(one, str) and len(one) <= GOAL_CHARS for one in values)
            and (word != 'hold' or values[0] in _HOLDS),
            f'carried out: {word} {values!r}',
        )
    return accepted


def expected(text: str) -> tuple[str, ...] | None:
    """Return what the desk is asked to do for a frame; None for nothing."""
    try:
        order = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(order, dict) or 'do' not in order:
        return None
    given = {key: order.get(key, '') for key in _FIELDS}
    for one in given.values():
        if not isinstance(one, str) or len(one) > GOAL_CHARS:
            return None
        if any('\ud800' <= letter <= '\udfff' for letter in one):
            return None
    if order['do'] == 'send':
        return 'send', given['goal'], given['strategy']
    if order['do'] == 'cancel':
        return 'cancel', given['run']
    if order['do'] == 'answer':
        return 'answer', given['text']
    return ('hold', order['do']) if order['do'] in _HOLDS else None


def _orders(house: House, texts: list[str]) -> bool:
    """Send orders and look whether the right ones are carried out, each once and in order."""
    sent = [text.encode('utf-8', 'replace')[:_LONGEST] for text in texts]
    wanted = [done for text in sent if (done := expected(text.decode('utf-8', 'replace')))]
    page = house.page()
    try:
        page.send(b''.join(frame(text) for text in sent))
        demand(page.ask('all heard'), 'the page that sent them was closed')
    finally:
        page.close()
    demand(house.desk.done == wanted, f'done: {house.desk.done!r}, asked: {wanted!r}')
    return bool(wanted)


def _raw(house: House, data: bytes, *, upgraded: bool, host: str = HOST) -> bool:
    """Send bytes and listen until the server has answered or closed."""
    page = house.page() if upgraded else Page(house.ports[host], host)
    try:
        page.send(data)
        if upgraded:
            page.send(frame(b'\x03\xe8', 0x88))
        page._socket.settimeout(0.05)
        end = time.monotonic() + _ANSWER_S
        while time.monotonic() < end and page._socket.recv(1 << 16):
            pass
    except (ConnectionError, TimeoutError):
        pass
    finally:
        page.close()
    return upgraded


def _broken() -> RunHistory:
    raise ConfigurationError('it is no recorded run')


@cache
def _house() -> House:
    house = House()
    atexit.register(house.close)
    return house


TARGET = Target('socket', seeds, mutate, check, guided=False)
