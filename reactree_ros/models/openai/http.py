# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""JSON over HTTP to a model server: cancellable, within a time limit, repeated after faults.

httpx2 comes with huggingface_hub, so it costs no new dependency, and a request of its
asynchronous client can be cut off at any moment: while it connects, waits, or is sent an answer
byte by byte. That closes the connection, which is how a server learns that nobody waits. The
``openai`` package would add four dependencies and, called from a thread, cannot be cut off.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import random
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2

from reactree_ros.errors import UNAVAILABLE, ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.options import API_KEY

Values = dict[str, Any]

POLL_S = 0.02
"""How long a cancel may go unnoticed."""
CONNECT_S = 10.0
BACKOFF_S = 0.5
"""Longest wait before the second attempt; it doubles with each."""
LONGEST_BACKOFF_S = 8.0
LARGEST_ANSWER = 8 << 20
SHOWN = 80
"""Characters of an answer that an error shows."""
PASSING = frozenset({408, 425, 429, *range(500, 600)})
"""HTTP statuses after which the same request may succeed."""
BUSY = frozenset({429, 503})
"""Those with which a server that says when to ask again is not out of order, but has to be waited
for."""
LONGEST_JITTER = 1.1
"""Of such a wait, so that not all robots ask again at once."""

_log = logging.getLogger(__name__)


class Unavailable(ModelError):
    """A server did not answer, after all attempts; another one, or this one later, may."""

    kind = UNAVAILABLE


class Refused(ModelError):
    """A server understood a request and refused it.

    Args:
        text: for a person.
        status: of HTTP.
        reason: all that the server said.
    """

    kind = 'refused'

    def __init__(self, text: str, status: int, reason: str) -> None:
        super().__init__(text)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Reply:
    """A server's answer.

    Args:
        values: its JSON object.
        software: the header ``Server``; empty if there is none.
        seconds: from the attempt that was answered until its last byte.
    """

    values: Values
    software: str
    seconds: float


@dataclass(frozen=True)
class Address:
    """Where a server is.

    Args:
        api: what ``/chat/completions`` is appended to, e.g. ``http://host:8000/v1``.
        root: what a server's own paths are appended to, e.g. ``http://host:8000``.
    """

    api: str
    root: str

    @classmethod
    def read(cls, text: str) -> Address:
        """Read an address; without a path, ``/v1`` is meant.

        Raises:
            ModelError: if it is none, or holds what does not belong there.
        """
        try:
            parts = urlsplit(text)
            host = parts.hostname
            _ = parts.port
        except ValueError as error:
            raise ModelError(f'the address of the model server cannot be read: {error}') from None
        if parts.username or parts.password:
            raise ModelError(
                'the address of the model server holds a user or password: give it as '
                f'{API_KEY} in the environment instead'
            )
        if parts.scheme not in ('http', 'https') or not host or parts.query or parts.fragment:
            raise ModelError(
                f'{text!r} is not an address of a model server: give one such as http://host:8000/v1'
            )
        path = parts.path.rstrip('/') or '/v1'
        start = f'{parts.scheme}://{parts.netloc}'
        return cls(start + path, start + re.sub(r'/v1$', '', path))


class Connection:
    """Sends requests to one server, from any number of threads.

    Args:
        address: of the server.
        retries: how often a request is repeated after a passing fault.
        say: called with what requests wait for; with an empty text when none waits any more.

    Raises:
        ModelError: if the key in the environment cannot be one.
    """

    def __init__(
        self, address: Address, retries: int, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.address = address
        self._retries = retries
        self._say = say
        self._waits: dict[object, str] = {}
        self._key = os.environ.get(API_KEY, '').strip()
        if not re.fullmatch('[!-~]*', self._key):
            raise ModelError(f'{API_KEY} holds characters that no key has')
        self._client = httpx2.AsyncClient(
            headers={'Authorization': f'Bearer {self._key}'} if self._key else {},
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=None),  # the planner limits its requests
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def ask(
        self, url: str, watch: Watch, values: Values | None = None, *, retries: int | None = None
    ) -> Reply:
        """Send a request and return the answer.

        Args:
            url: what is asked.
            watch: when to give up.
            values: posted as JSON; None for a GET.
            retries: how often it is repeated after a passing fault; None for as often as any.

        Raises:
            Interrupted: if ``watch`` said so; the connection is closed soon after.
            Refused: if the server understood the request and refused it.
            Unavailable: if there is no answer.
            ModelError: if there is none that can be read.
        """
        retries = self._retries if retries is None else retries
        asking = self._repeat(url, values, watch.seconds_left, retries)
        future = asyncio.run_coroutine_threadsafe(asking, self._loop)
        try:
            while not wait([future], min(POLL_S, watch.seconds_left)).done:
                watch.check()
            return future.result()
        finally:
            future.cancel()

    def excerpt(self, text: str) -> str:
        """Return the beginning of what a server said, without the key, fit for one line."""
        shown = text.replace(self._key, '***') if self._key else text
        shown = ''.join(char if char.isprintable() else ' ' for char in ' '.join(shown.split()))
        return shown if len(shown) <= SHOWN else f'{shown[:SHOWN]}…'

    def close(self) -> None:
        """Close all connections; calling it again does nothing."""
        if not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _repeat(self, url: str, values: Values | None, limit_s: float, retries: int) -> Reply:
        request = object()
        try:
            return await self._attempt(url, values, limit_s, retries, request)
        finally:
            self._wait_for(request, '')

    def _wait_for(self, request: object, what: str) -> None:
        """Note what a request waits for, in the loop's thread."""
        before = bool(self._waits)
        self._waits.pop(request, None)
        if what:
            self._waits[request] = what
        if before or what:
            self._say(next(reversed(self._waits.values()), ''))

    async def _attempt(
        self, url: str, values: Values | None, limit_s: float, retries: int, request: object
    ) -> Reply:
        end = time.monotonic() + limit_s
        faults = 0
        for attempt in itertools.count():
            begin, busy = time.monotonic(), False
            pause = min(LONGEST_BACKOFF_S, BACKOFF_S * 2**faults) * random.uniform(0.5, 1.0)
            try:
                response, data = await self._send(url, values)
            except httpx2.TransportError as error:
                fault = self.excerpt(str(error)) or type(error).__name__
            except httpx2.RequestError as error:
                raise ModelError(f'{url}: {self.excerpt(str(error))}') from error
            else:
                if response.status_code not in PASSING:
                    return self._read(url, response, data, time.monotonic() - begin)
                fault = f'HTTP {response.status_code}: {self.excerpt(_reason(data))}'
                asked = _retry_after(response.headers)
                if busy := asked > 0.0 and response.status_code in BUSY:
                    faults -= 1  # it is waited for as long as the time limit allows
                    pause = asked
                else:
                    pause = max(pause, asked)
            faults += 1
            if faults > retries:
                raise Unavailable(f'{url}: {fault} (asked {attempt + 1} times)')
            if time.monotonic() + pause >= end:
                raise Unavailable(f'{url}: {fault} (no time is left to wait {pause:.1f} s)')
            self._wait_for(request, f'{url}: {fault}; asking again in {pause:.1f} s')
            level = logging.INFO if busy else logging.WARNING
            _log.log(level, '%s: %s; asking again in %.1f s', url, fault, pause)
            await asyncio.sleep(pause * random.uniform(1.0, LONGEST_JITTER))
        raise AssertionError('unreachable')

    async def _send(self, url: str, values: Values | None) -> tuple[httpx2.Response, bytes]:
        method = 'GET' if values is None else 'POST'
        data = bytearray()
        async with self._client.stream(method, url, json=values) as response:
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > LARGEST_ANSWER:
                    raise ModelError(
                        f'{url}: the answer has no end; it begins {self.excerpt(_decoded(data))!r}'
                    )
        return response, bytes(data)

    def _read(self, url: str, response: httpx2.Response, data: bytes, seconds: float) -> Reply:
        status = response.status_code
        reason = _reason(data)
        if status in (401, 403):
            # What comes with a 401 may repeat parts of the key.
            said = f' ({self.excerpt(reason)})' if reason and status == 403 else ''
            done = 'rejected the key in' if self._key else 'asks for a key: set'
            raise ModelError(f'the server at {self.address.api} {done} {API_KEY}{said}')
        if 300 <= status < 400:
            target = self.excerpt(response.headers.get('location', 'nowhere'))
            raise ModelError(f'{url} redirects to {target}: give that address')
        if status >= 400:
            text = f'{url}: HTTP {status}: {self.excerpt(reason)}'
            raise Refused(text, status, reason)
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise ModelError(
                f'{url}: the answer is not a JSON object: {self.excerpt(_decoded(data))!r}'
            )
        return Reply(values, response.headers.get('server', ''), seconds)


def _decoded(data: bytes | bytearray) -> str:
    return data[:4096].decode('utf-8', 'replace')


def _reason(data: bytes) -> str:
    """Return what a server says about a fault, of the several forms that are in use."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return _decoded(data)
    error = values.get('error', values) if isinstance(values, dict) else values
    if isinstance(error, dict) and isinstance(error.get('message'), str):
        others = [str(error[key]) for key in ('type', 'code', 'param') if error.get(key)]
        return f'{error["message"]} ({", ".join(others)})' if others else error['message']
    return error if isinstance(error, str) else _decoded(data)


def _retry_after(headers: httpx2.Headers) -> float:
    """Return the seconds that a server asks to wait, as a number or as a date; 0 if none."""
    asked = headers.get('retry-after', '')
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
