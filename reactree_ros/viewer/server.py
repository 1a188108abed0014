# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's web server: the page, and a websocket over which runs come and orders go.

Whoever can open the page can send goals to a robot. It listens on localhost unless configured
otherwise, and then asks for a token; it answers no page of another site, and no other host name.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from socket import AF_INET, AF_INET6, SOCK_DGRAM, gethostname
from socket import socket as make_socket
from typing import Any
from urllib.parse import quote, urlsplit

from aiohttp import WSMsgType, web

from reactree_ros.errors import ConfigurationError
from reactree_ros.viewer.controls import ViewerControls
from reactree_ros.viewer.document import page_files, page_with, served_page
from reactree_ros.viewer.run_index import RunIndex

LOOPBACK = ('127.0.0.1', 'localhost', '::1')
GOAL_CHARS = 2000
"""Longest goal or answer that the page can send, in characters; the planner has its own limit."""
_ELSEWHERE = {'0.0.0.0': '192.0.2.1', '::': '2001:db8::1'}
"""For the hosts that mean all addresses, one elsewhere; these are reserved for documentation."""
_LOOK_SEC = 0.05
_FOLLOW_SEC = 1.0
_CONNECT_SEC = 2.0
_RELOAD_SEC = 5.0
"""How long a page that is loaded again may be away, before nobody looks."""
_GIVEN = ('run', 'goal', 'strategy', 'question', 'text', 'name', 'relation', 'place')
_MESSAGE_BYTES = 64 * 1024
_START_SEC = 10.0
_NOTHING_SENT = -1
_HEADERS = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
}


class ViewerServer:
    """Serves the viewer on a thread of its own.

    Args:
        controls: carries out what a person does on the page.
        host: address to listen at; any but this machine's own makes a token.
        port: 0 takes a free one.
        picture: returns the latest picture of the robot's camera, or nothing; None without one.
    """

    def __init__(
        self,
        runs: RunIndex,
        controls: ViewerControls,
        host: str,
        port: int,
        picture: Callable[[], bytes] | None = None,
    ) -> None:
        self._picture = picture
        self._runs = runs
        self._controls = controls
        self._host = host
        self._port = port
        self._token = '' if host in LOOPBACK else secrets.token_urlsafe(16)
        self._loop: asyncio.AbstractEventLoop
        self._closing: asyncio.Event
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name='viewer', daemon=True
        )
        self._begun = threading.Event()
        self._fault = ''
        self._sockets: set[web.WebSocketResponse] = set()
        self._reports: set[asyncio.Task[None]] = set()
        self._one_reports = asyncio.Lock()
        self._files = page_files()
        self._page, policy = served_page()
        self._headers = {**_HEADERS, 'Content-Security-Policy': policy}

    @property
    def address(self) -> str:
        """Where the page is, with the token if there is one."""
        host = 'localhost' if self._host in LOOPBACK else self._host
        host = _own_address(host) if host in _ELSEWHERE else host
        host = f'[{host}]' if ':' in host else host
        return f'http://{host}:{self._port}/' + (f'?token={self._token}' if self._token else '')

    def start(self) -> None:
        """Begin to serve.

        Raises:
            ConfigurationError: if the address cannot be used.
        """
        self._thread.start()
        self._begun.wait(_START_SEC)
        if self._fault:
            raise ConfigurationError(
                f'the viewer cannot listen at {self._host}, port {self._port}: {self._fault}; '
                'take another host, or another port (0: any free one)'
            )

    def close(self) -> None:
        """Close all pages and end."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join(_START_SEC)

    async def _serve(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(middlewares=[self._guard])
        app.router.add_get('/', self._index)
        app.router.add_get('/{folder}/{name}', self._file)
        app.router.add_get('/socket', self._socket)
        app.router.add_get('/export', self._export)
        app.router.add_get('/camera', self._camera)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
            self._port = runner.addresses[0][1]
            self._begun.set()
            await self._closing.wait()
        except OSError as error:
            self._fault = error.strerror or str(error)
            self._begun.set()
        for socket in tuple(self._sockets):
            await socket.close()
        await runner.cleanup()

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        why = self._refusal(request)
        if why:
            return web.Response(status=403, text=why, headers=self._headers)
        response = await handler(request)
        if not response.prepared:
            response.headers.update(self._headers)
        return response

    @property
    def _cookie(self) -> str:
        """Name of the token's cookie; browsers do not keep the cookies of ports apart."""
        return f'reactree_token_{self._port}'

    def _refusal(self, request: web.Request) -> str:
        """Return why a request is not answered; empty if it is."""
        origin = request.headers.get('Origin')
        try:
            host = urlsplit(f'//{request.host}').hostname
            page = request.host if origin is None else urlsplit(origin).netloc
        except ValueError as error:
            return f'the address cannot be read: {error}'
        if not self._token and host not in LOOPBACK:
            return 'this viewer answers at localhost only'
        fetched = [request.headers.get(f'Sec-Fetch-{one}') for one in ('Site', 'Mode')]
        if page != request.host or (fetched[0] == 'cross-site' and fetched[1] != 'navigate'):
            return 'this viewer answers its own page only'
        if self._token:
            given = request.query.get('token') or request.cookies.get(self._cookie, '')
            if not hmac.compare_digest(given.encode('utf-8', 'replace'), self._token.encode()):
                return 'the token is missing or wrong; open the address that the viewer printed'
        return ''

    async def _index(self, request: web.Request) -> web.StreamResponse:
        if 'token' in request.query:  # into a cookie, and out of the address
            answer = web.Response(status=303, headers={'Location': '/'})
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite='Strict')
            return answer
        return web.Response(text=self._page, content_type='text/html')

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.path[1:]
        if name not in self._files:
            raise web.HTTPNotFound
        content, kind = self._files[name]
        return web.Response(body=content, content_type=kind)

    async def _export(self, request: web.Request) -> web.StreamResponse:
        """Hand out a run as a page of its own."""
        name = request.query.get('run', '')
        try:
            text = await asyncio.to_thread(lambda: page_with([self._runs.whole(name)]))
        except ConfigurationError as error:
            raise web.HTTPNotFound(text=str(error)) from error
        file = ''.join(sign if sign.isalnum() else '-' for sign in name)
        named = {'Content-Disposition': f'attachment; filename="{quote(file)}.html"'}
        return web.Response(text=text, content_type='text/html', headers=named)

    async def _camera(self, request: web.Request) -> web.StreamResponse:
        """Hand out the latest picture of the camera: 204 without a camera, 202 if none is there."""
        if self._picture is None:
            return web.Response(status=204)
        picture = self._picture()
        kind = 'image/png' if picture.startswith(b'\x89PNG') else 'image/jpeg'
        return web.Response(status=200 if picture else 202, body=picture, content_type=kind)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(heartbeat=20.0, max_msg_size=_MESSAGE_BYTES)
        await socket.prepare(request)
        self._sockets.add(socket)
        # a page's first question needs the controls; the page does not need them to be there
        await asyncio.wait((self._pages_changed(),), timeout=_CONNECT_SEC)
        page = _Page(socket)
        tasks = [asyncio.create_task(self._send(page)), asyncio.create_task(self._follow(page))]
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._on_order(page, message.data)
        finally:
            for task in tasks:
                task.cancel()
            self._sockets.discard(socket)
            self._pages_changed()
        return socket

    def _pages_changed(self) -> asyncio.Task[None]:
        """Report to the controls how many pages are open."""
        task = asyncio.create_task(self._report_pages())
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)
        return task

    async def _report_pages(self) -> None:
        if not self._sockets:
            await asyncio.sleep(_RELOAD_SEC)
        # it may take the controls a second to connect to the planner, or to leave
        async with self._one_reports:
            await asyncio.to_thread(self._controls.watched, len(self._sockets))

    async def _send(self, page: _Page) -> None:
        """Send a page what is new, again and again."""
        while not page.socket.closed:
            try:
                await self._send_changes(page)
            except ConnectionError:
                return  # it was closed at this moment
            await asyncio.sleep(_LOOK_SEC)

    async def _follow(self, page: _Page) -> None:
        """Read on in the files of the runs that a page shows, before it asks for reasons."""
        while not page.socket.closed:
            for name in tuple(page.runs):
                await asyncio.to_thread(self._runs.follow, name)
            await asyncio.sleep(_FOLLOW_SEC)

    async def _send_changes(self, page: _Page) -> None:
        for name, value in (
            ('state', asdict(self._controls.state())),
            ('runs', self._runs.about()),
        ):
            if page.sent.get(name) != value:
                page.sent[name] = value
                await page.send(name, **{name: value})
        for name, sent in tuple(page.runs.items()):
            try:
                run = self._runs.find(name)
            except ConfigurationError:
                del page.runs[name]  # so many came after it that it is not kept any more
                continue
            fresh = run.frames[max(0, sent) :]
            if fresh or sent < 0:
                first, page.runs[name] = max(0, sent), max(0, sent) + len(fresh)
                await page.send('frames', run=name, first=first, frames=fresh)

    async def _on_order(self, page: _Page, text: str) -> None:
        """Do what a page asks for."""
        try:
            order = json.loads(text)
            what = order['do']
            given = {key: order.get(key, '') for key in _GIVEN}
            number = order.get('number', 0)
            if not all(isinstance(one, str) and len(one) <= GOAL_CHARS for one in given.values()):
                raise ValueError(f'more than {GOAL_CHARS} characters, or no text')
            if type(number) is not int or not 0 <= number < 2**31:
                raise ValueError('number is none')
            for one in given.values():
                one.encode('utf-8')  # no half of a character: no message can carry one
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            await page.send('notice', text=f'that could not be read: {error}')
            return
        if what in ('open', 'beside'):
            try:
                # a recorded run is read from its file, so not on this thread
                await asyncio.to_thread(self._runs.find, given['run'])
            except ConfigurationError as error:
                await page.send('notice', text=str(error))
                return
            others = list(page.runs.items())[:1] if what == 'beside' else []
            page.runs = {**dict(others), given['run']: _NOTHING_SENT}
        elif what == 'reasons':
            try:
                decisions = await asyncio.to_thread(self._runs.reasons, given['run'], number)
            except ConfigurationError as error:
                await page.send('notice', text=str(error))
                return
            await page.send('reasons', run=given['run'], decisions=decisions)
        elif what == 'send':
            self._controls.send(given['goal'], given['strategy'])
        elif what == 'cancel':
            self._controls.cancel(given['run'])
        elif what == 'answer':
            self._controls.answer(given['question'], given['text'])
        elif what == 'correct':
            lines = tuple(line.strip() for line in given['text'].splitlines() if line.strip())
            self._controls.correct(given['run'], lines)
        elif what == 'believe':
            self._controls.believe(given['run'], given['name'], given['relation'], given['place'])
        elif what == 'decide':
            all_others, again = bool(order.get('others')), bool(order.get('again'))
            self._controls.decide(given['run'], number, all_others, again)
        elif what == 'confirm':
            self._controls.confirm(given['run'], given['text'] == 'yes')
        elif what in ('pause', 'resume', 'step'):
            self._controls.pause(what)
        else:
            await page.send('notice', text=f'the viewer does not know {what!r}')


def _own_address(host: str) -> str:
    """Return an address at which other machines reach this one, as far as it knows."""
    with make_socket(AF_INET6 if ':' in host else AF_INET, SOCK_DGRAM) as probe:
        try:
            probe.connect((_ELSEWHERE[host], 9))  # sends nothing: only a route is looked up
        except OSError:
            return gethostname()
        return str(probe.getsockname()[0])


@dataclass
class _Page:
    """One open page, and what was sent to it: of the runs that it shows, so many frames."""

    socket: web.WebSocketResponse
    runs: dict[str, int] = field(default_factory=dict)
    sent: dict[str, Any] = field(default_factory=dict)

    async def send(self, kind: str, **about: Any) -> None:
        await self.socket.send_json({'type': kind, **about})
