# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who may open the viewer, and what a page may ask it for."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

pytest.importorskip('aiohttp')

import aiohttp

from reactree_ros.core.events import DecisionRecord
from reactree_ros.errors import ConfigurationError
from reactree_ros.viewer.controls import ControlState, ViewerControls
from reactree_ros.viewer.document import page_with
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex
from reactree_ros.viewer.server import GOAL_CHARS, ViewerServer

T = TypeVar('T')
PIXEL = (
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
)
"""A PNG."""


class Controls(ViewerControls):
    """Keeps what it was asked to do."""

    def __init__(self) -> None:
        self.done: list[tuple[str, ...]] = []
        self.pages: list[int] = []

    def state(self) -> ControlState:
        return ControlState('ready', ('reactree',))

    def watched(self, pages: int) -> None:
        self.pages.append(pages)

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


@pytest.fixture
def controls() -> Controls:
    return Controls()


@pytest.fixture
def index() -> RunIndex:
    return RunIndex()


@pytest.fixture
def serve(controls: Controls, index: RunIndex) -> Iterator[Callable[[str], ViewerServer]]:
    servers = []

    def start(host: str) -> ViewerServer:
        servers.append(ViewerServer(index, controls, host, 0))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def run(exchange: Coroutine[Any, Any, T]) -> T:
    """Run an exchange on a thread of its own: Playwright's loop may be running on this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, exchange).result()


def get(address: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    async def ask() -> tuple[int, str, dict[str, str]]:
        async with aiohttp.ClientSession() as session:
            async with session.get(address, headers=headers, allow_redirects=False) as answer:
                return answer.status, await answer.text(), dict(answer.headers)

    return run(ask())


def talk(
    address: str, *orders: Any, until: str, times: int = 1, **headers: str
) -> list[dict[str, Any]]:
    """Send orders over the websocket and return what is told, up to so many of that type."""

    async def exchange() -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f'{address}socket', headers=headers) as socket:
                for order in orders:
                    text = order if isinstance(order, str) else json.dumps(order)
                    await socket.send_str(text)
                while sum(one['type'] == until for one in told) < times:
                    told.append(await socket.receive_json(timeout=10))
        return told

    return run(exchange())


def test_the_page_loads_its_own_modules_and_nothing_else(serve: Any) -> None:
    server = serve('localhost')
    status, text, headers = get(server.address)
    assert status == 200
    policy = headers['Content-Security-Policy']
    assert 'frame-ancestors' in policy
    assert 'unsafe' not in policy
    places = json.loads(text.partition('<script type="importmap">')[2].partition('</script>')[0])
    for path in ('/page/start.js', '/page/viewer.css', *places['imports'].values()):
        status, _, headers = get(server.address.rstrip('/') + path)
        assert status == 200
        assert headers['Content-Type'].startswith('text/')


def test_the_reasons_of_a_run_come_when_they_are_asked_for(serve: Any, index: RunIndex) -> None:
    index.begin('abc', 'tidy up')
    order = {'do': 'reasons', 'run': 'abc'}
    address = serve('localhost').address
    assert talk(address, order, until='reasons')[-1]['decisions'] == []
    written = RunHistory('file')
    written.decision(1.0, DecisionRecord(1, 1, (), '', '', 'm', 'Act: done'))
    written.tree(2.0, ())
    index.file_of = lambda name: written
    assert talk(address, order, until='reasons')[-1]['decisions'] == written.frames[:1]
    written.frames[0]['number'] = 1
    order['number'] = 1
    assert talk(address, order, until='reasons')[-1]['decisions'] == []


def test_two_runs_come_side_by_side(serve: Any, index: RunIndex) -> None:
    for name in ('a', 'b', 'c'):
        index.begin(name).tree(1.0, ())
    orders = [
        {'do': 'open', 'run': 'a'},
        {'do': 'open', 'run': 'b'},
        {'do': 'beside', 'run': 'c'},
    ]
    told = talk(serve('localhost').address, *orders, until='frames', times=2)
    assert {one['run'] for one in told[-2:]} == {'b', 'c'}


def test_a_recorded_run_is_listed_by_its_goal_and_time(index: RunIndex) -> None:
    def read() -> RunHistory:
        return RunHistory('x')

    index.offer('20261125-203159-look-around-83a1373c', read)
    index.offer('20269925-203159-look-around-83a1373c', read)
    odd, listed = index.about()
    assert (listed['goal'], listed['began']) == ('look around', 1795638719.0)
    assert (odd['goal'], odd['name']) == ('', '20269925-203159-look-around-83a1373c')


@pytest.mark.parametrize(
    'path', ['page/../server.py', 'page/%2e%2e%2fserver.py', 'page/gallery.html']
)
def test_nothing_else_is_handed_out(serve: Any, path: str) -> None:
    assert get(serve('localhost').address + path)[0] == 404


def test_another_site_gets_nothing(serve: Any) -> None:
    server = serve('localhost')
    assert get(server.address, Origin='http://evil.example')[0] == 403
    assert get(server.address, Host='evil.example')[0] == 403
    of_another = {'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors'}
    assert get(server.address, **of_another)[0] == 403, 'its picture in another page'
    link = {**of_another, 'Sec-Fetch-Mode': 'navigate'}
    assert get(server.address, **link)[0] == 200
    with pytest.raises(aiohttp.WSServerHandshakeError):
        talk(server.address, until='state', Origin='http://evil.example')


def test_other_machines_need_the_token(serve: Any) -> None:
    server = serve('127.0.0.2')
    page, _, token = server.address.partition('?token=')
    assert len(token) >= 20
    assert get(page)[0] == 403
    assert get(f'{page}?token=wrong')[0] == 403
    with pytest.raises(aiohttp.WSServerHandshakeError):
        talk(page, until='state')
    status, _, headers = get(server.address)
    assert status == 303
    cookie = headers['Set-Cookie']
    assert 'HttpOnly' in cookie
    assert 'SameSite=Strict' in cookie
    kept = cookie.partition(';')[0]
    assert get(page, Cookie=kept)[0] == 200
    assert talk(page, until='state', Cookie=kept)


def test_the_address_is_one_that_others_can_open(serve: Any) -> None:
    server = serve('0.0.0.0')
    assert '0.0.0.0' not in server.address
    assert get(server.address)[0] == 303


def test_each_start_has_a_token_of_its_own(serve: Any) -> None:
    first, second = serve('127.0.0.2'), serve('127.0.0.2')
    assert first.address.partition('=')[2] != second.address.partition('=')[2]


def test_orders_reach_the_planner(serve: Any, controls: Controls) -> None:
    orders = [
        {'do': 'send', 'goal': 'tidy up', 'strategy': 'react'},
        {'do': 'cancel', 'run': 'ab'},
        {'do': 'answer', 'question': '7', 'text': 'yes'},
        {'do': 'pause'},
        {'do': 'correct', 'run': 'ab', 'text': 'on(apple, table)\n\n open(fridge) '},
        {'do': 'confirm', 'run': 'ab', 'text': 'no'},
        {'do': 'believe', 'run': 'ab', 'name': 'cup 1', 'relation': 'on', 'place': 'table 1'},
        {'do': 'decide', 'run': 'ab', 'number': 3, 'others': True},
        {'do': 'no such thing'},
    ]
    told = talk(serve('localhost').address, *orders, until='notice')
    assert "does not know 'no such thing'" in told[-1]['text']
    assert controls.done == [
        ('send', 'tidy up', 'react'),
        ('cancel', 'ab'),
        ('answer', '7', 'yes'),
        ('pause', 'pause'),
        ('correct', 'ab', 'on(apple, table)', 'open(fridge)'),
        ('confirm', 'ab', 'False'),
        ('believe', 'ab', 'cup 1', 'on', 'table 1'),
        ('decide', 'ab', '3', 'True', 'False'),
    ]


def test_a_run_is_handed_out_as_a_page_of_its_own(serve: Any, index: RunIndex) -> None:
    index.begin('a"b', 'tidy up').tree(1.0, ())
    address = serve('localhost').address
    status, text, headers = get(f'{address}export?run=a%22b')
    assert status == 200
    assert headers['Content-Disposition'] == 'attachment; filename="a-b.html"'
    assert text == page_with([index.find('a"b')])
    assert get(f'{address}export?run=c')[0] == 404


@pytest.mark.parametrize(
    'order',
    [
        '{',
        '[]',
        '"send"',
        '{}',
        {'do': 'send', 'goal': 3},
        {'do': 'send', 'goal': 'x' * 2001},
        {'do': 'decide', 'run': 'ab', 'number': '1'},
        {'do': 'decide', 'run': 'ab', 'number': -1},
    ],
)
def test_what_cannot_be_read_is_told_and_does_nothing(
    serve: Any, controls: Controls, order: Any
) -> None:
    assert GOAL_CHARS == 2000
    told = talk(serve('localhost').address, order, until='notice')
    assert told[-1]['text'].startswith('that could not be read')
    assert controls.done == []


def test_a_run_comes_with_all_its_frames(serve: Any, index: RunIndex) -> None:
    run = index.begin('abc', 'tidy up')
    run.tree(1.0, ())
    run.tree(2.0, ())
    told = talk(serve('localhost').address, {'do': 'open', 'run': 'abc'}, until='frames')
    assert [one['type'] for one in told] == ['state', 'runs', 'frames']
    assert told[1]['runs'][0]['goal'] == 'tidy up'
    assert told[2]['frames'] == run.frames


def test_a_file_that_cannot_be_read_is_told(serve: Any, index: RunIndex) -> None:
    def broken() -> RunHistory:
        raise ConfigurationError('it is not a recorded run')

    index.offer('old', broken)
    address = serve('localhost').address
    assert talk(address, {'do': 'open', 'run': 'old'}, until='notice')[-1]['text'] == (
        'it is not a recorded run'
    )
    text = talk(address, {'do': 'open', 'run': '../x'}, until='notice')[-1]['text']
    assert 'there is no run' in text


def test_the_controls_hear_who_watches(
    serve: Any, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = serve('localhost').address
    talk(address, until='runs')
    talk(address, until='runs')  # it is only loaded again
    assert controls.pages == [1, 1]
    monkeypatch.setattr('reactree_ros.viewer.server._RELOAD_SEC', 0.0)
    talk(address, until='runs')
    end = time.monotonic() + 10.0
    while controls.pages[-1]:
        assert time.monotonic() < end, controls.pages
        time.sleep(0.01)


def test_a_page_does_not_need_the_controls(
    serve: Any, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    hang = threading.Event()
    monkeypatch.setattr(controls, 'watched', lambda _: hang.wait())
    monkeypatch.setattr('reactree_ros.viewer.server._CONNECT_SEC', 0.1)
    address = serve('localhost').address
    for _ in range(20):  # more than there are threads
        assert talk(address, until='runs')[0]['type'] == 'state'
    hang.set()


def test_a_port_that_is_taken_is_told(serve: Any, index: RunIndex, controls: Controls) -> None:
    port = int(serve('localhost').address.rstrip('/').rpartition(':')[2])
    with pytest.raises(ConfigurationError, match=f'port {port}.*another port'):
        ViewerServer(index, controls, 'localhost', port).start()


def test_old_runs_go_first(index: RunIndex) -> None:
    small = RunIndex(kept=2)
    for name in ('a', 'b', 'c'):
        small.begin(name)
    assert [one['name'] for one in small.about()] == ['c', 'b']


@pytest.mark.browser
def test_a_camera_is_shown_while_the_page_is_live(
    controls: Controls, index: RunIndex, open_page: Any
) -> None:
    pictures: list[bytes] = [b'']
    server = ViewerServer(index, controls, 'localhost', 0, lambda: pictures[-1])
    without = ViewerServer(index, controls, 'localhost', 0)
    for one in (server, without):
        one.start()
    try:
        assert get(f'{without.address}camera')[0] == 204
        assert get(f'{server.address}camera')[0] == 202
        pictures.append(base64.b64decode(PIXEL))
        assert get(f'{server.address}camera', Origin='http://elsewhere')[0] == 403
        page = open_page(server.address)
        page.until("!document.getElementById('camera').hidden")
        page.page.evaluate('reactree.live = false; reactree.draw()')
        page.until("document.getElementById('camera').hidden")
        assert page.faults == []
    finally:
        server.close()
        without.close()
