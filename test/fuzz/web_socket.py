# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's web socket: the first byte says what the rest is.

``T`` text frames, one a line as JSON strings: exactly those orders are carried out whose fields
are right. ``B`` bytes sent as they are behind a handshake, ``H`` bytes sent instead of one. After
each input another page, which was open all the while, is still served, and nothing was logged.
"""

from __future__ import annotations

import atexit
import json
import time
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from reactree_ros.viewer.server import GOAL_CHARS

from .contract import Target, demand
from .mutations import ODD_TEXTS, mutate_bytes, mutate_values
from .viewer_house import HOST, TOKEN_HOST, House, Page, frame

_LISTEN_S = 5.0
_LONGEST = 60_000
_DEEP = '[' * 20_000
_PAUSES = ('pause', 'resume', 'step')
_FIELDS = ('run', 'goal', 'strategy', 'question', 'text')
_ORDERS: tuple[dict[str, Any], ...] = (
    {'do': 'send', 'goal': 'tidy up', 'strategy': 'reactree'},
    {'do': 'send', 'goal': 'x' * GOAL_CHARS, 'strategy': ''},
    {'do': 'cancel', 'run': 'ab'},
    {'do': 'answer', 'question': 'a1', 'text': 'yes'},
    {'do': 'pause'},
    {'do': 'open', 'run': 'abc'},
    {'do': 'open', 'run': 'broken'},
    {'do': 'beside', 'run': 'abc'},
    {'do': 'reasons', 'run': 'broken'},
    {'do': 'correct', 'run': 'ab', 'text': 'apple inside fridge\n'},
    {'do': 'confirm', 'run': 'ab', 'text': 'yes'},
    {'do': 'no such thing'},
)
_WORDS = (
    *(b'\x81', b'\x82', b'\x88', b'\x89', b'\x8a', b'\x01', b'\x00', b'\xf1', b'\xc1', b'\x80'),
    *(b'\xfe\xff\xff', b'\xff' + b'\xff' * 8, b'\xff\x7f' + b'\xff' * 7, b'\x80' * 4, b'\r\n'),
    *(b'GET /socket HTTP/1.1\r\n', b'Transfer-Encoding: chunked\r\n', b'Content-Length: -1\r\n'),
    *(b'Host: [\r\n', b'Origin: http://[\r\n', b'Cookie: reactree_token=\xff\r\n', b'?token=%ff'),
    *(b'Upgrade: websocket\r\n', b'Sec-WebSocket-Extensions: permessage-deflate\r\n'),
)


@cache
def seeds() -> list[bytes]:
    """Return orders of every kind as texts, as frames, and requests of pages."""
    texts = [json.dumps(order) for order in _ORDERS]
    frames = b''.join(frame(text.encode()) for text in texts[2:])
    others = frame(b'x', 0x82) + frame(b'', 0x89) + frame(b'\x03\xe8', 0x88)
    paths = (b'/ ', b'/page/run.js ', b'/export?run=abc ')
    get = b'GET / HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n'
    return [
        *(b'T' + json.dumps([text]).encode() for text in texts),
        b'T' + json.dumps(texts).encode(),
        *(b'B' + frames, b'B' + frames + others, b'B' + others),
        *(b'H' + get.replace(b'/ ', path, 1) for path in paths),
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
    house.waken()
    house.controls.done.clear()
    if mark == b'T':
        accepted = _orders(house, json.loads(data[1:]))
    else:
        accepted = _raw(house, data[1:], upgraded=mark == b'B')
        if mark == b'H':
            _raw(house, data[1:], upgraded=False, host=TOKEN_HOST)
    house.still_serves()
    for word, *values in house.controls.done:
        demand(
            all(isinstance(one, str) and len(one) <= GOAL_CHARS for one in values)
            and (word != 'pause' or values[0] in _PAUSES),
            f'carried out: {word} {values!r}',
        )
    return accepted


def expected(text: str) -> tuple[str, ...] | None:
    """Return what the controls are asked to do for a frame; None for nothing."""
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
        return 'answer', given['question'], given['text']
    if order['do'] == 'correct':
        lines = (line.strip() for line in given['text'].splitlines())
        return 'correct', given['run'], *filter(None, lines)
    if order['do'] == 'confirm':
        return 'confirm', given['run'], str(given['text'] == 'yes')
    return ('pause', order['do']) if order['do'] in _PAUSES else None


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
    demand(house.controls.done == wanted, f'done: {house.controls.done!r}, asked: {wanted!r}')
    return bool(wanted)


def _raw(house: House, data: bytes, *, upgraded: bool, host: str = HOST) -> bool:
    """Send bytes and listen until the server has answered or closed."""
    page = house.page() if upgraded else Page(house.ports[host], host)
    try:
        page.send(data)
        if upgraded:
            page.send(frame(b'\x03\xe8', 0x88))
        page._socket.settimeout(0.05)
        end = time.monotonic() + _LISTEN_S
        while time.monotonic() < end and page._socket.recv(1 << 16):
            pass
    except (ConnectionError, TimeoutError):
        pass
    finally:
        page.close()
    return upgraded


@cache
def _house() -> House:
    house = House()
    atexit.register(house.close)
    return house


TARGET = Target('socket', seeds, mutate, check, guided=False)
