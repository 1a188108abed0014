# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Servers that are busy, die and come back, and the second server that answers meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from reactree_ros.core.decision import parse_decision
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.openai import failover
from reactree_ros.models.openai.failover import FailoverModel
from reactree_ros.models.openai.http import Unavailable
from reactree_ros.models.openai.model import OpenAIModel
from reactree_ros.models.options import ModelOptions

from .test_model import CHOICES, GOOD, LIMIT, PROMPT, Server, as_json, chat, hang, reply

SECOND = reply(chat(as_json(Act='go to table 1')))
Connect = Callable[..., FailoverModel]


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Server]]:
    """Two servers, of which the first says something else than the second."""
    monkeypatch.setattr(failover, 'LOOK_S', 0.05)
    monkeypatch.setattr(failover, 'BACKOFF_S', 0.0)
    monkeypatch.setattr(failover, 'PREFER_S', 60.0)
    with ExitStack() as stack:
        both = [stack.enter_context(serving(Server())) for _ in range(2)]
        both[1].script = [SECOND]
        yield both


class serving:  # noqa: N801, as closing
    """A server that answers until the end of a block."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.01,))

    def __enter__(self) -> Server:
        self._thread.start()
        return self._server

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def connect(servers: list[Server], said: list[str]) -> Iterator[Connect]:
    with ExitStack() as stack:

        def make(**options: int) -> FailoverModel:
            name = ' '.join(one.address for one in servers)
            model = FailoverModel(ModelOptions(name, **options), said.append)
            return stack.enter_context(closing(model))

        yield make


def decide(model: FailoverModel | OpenAIModel, seconds: float = LIMIT) -> str:
    return model.decide(PROMPT, CHOICES, Watch(seconds)).text


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


FIRST, OTHER = 'Act: go to fridge 1', 'Act: go to table 1'


@pytest.mark.parametrize(
    'fault',
    [b'', reply(b'broken', 500), reply({'error': 'no model first'}, 404)],
    ids=['dead', '500', 'without the model'],
)
def test_the_second_answers_until_the_first_does_again(
    servers: list[Server], connect: Connect, said: list[str], fault: bytes
) -> None:
    first, second = servers
    model = connect()
    assert decide(model) == FIRST
    listed = first.pages['/v1/models']
    first.script, first.pages['/v1/models'] = [fault], fault
    assert decide(model) == OTHER
    asked = len(first.asked)
    assert decide(model) == OTHER
    assert len(first.asked) == asked, 'the first is left alone'
    assert said[-1].startswith(f'{second.address} answers: {first.address}')
    first.script, first.pages['/v1/models'] = [GOOD], listed
    until(lambda: said[-1] == '')
    assert decide(model) == FIRST


def test_a_server_that_hangs_leaves_time_for_the_second(
    servers: list[Server], connect: Connect
) -> None:
    servers[0].script = [hang]
    begin = time.monotonic()
    assert decide(connect(), 4.0) == OTHER
    assert time.monotonic() - begin < 4.0


def test_it_starts_with_the_server_that_is_there(servers: list[Server], said: list[str]) -> None:
    with Server() as gone:
        absent = gone.address
    options = ModelOptions(f'{absent} {servers[1].address}')
    with closing(FailoverModel(options, said.append)) as model:
        assert decide(model) == OTHER
    with pytest.raises(Unavailable, match=f'{absent}/models.*; {absent}/models'):
        FailoverModel(ModelOptions(f'{absent} {absent}'))


def test_what_no_server_answers_is_told(servers: list[Server], connect: Connect) -> None:
    model = connect(max_retries=1)
    for one in servers:
        one.script = [reply(b'broken', 500)]
    with pytest.raises(ModelError, match=f'{servers[0].address}.*; {servers[1].address}') as error:
        decide(model)
    assert error.value.kind == 'unavailable'
    assert sum(len(one.asked) for one in servers) > 2, 'it tried again'


def test_a_cancel_is_no_fault_of_the_server(servers: list[Server], connect: Connect) -> None:
    model = connect()
    servers[0].script = [hang, GOOD]
    with pytest.raises(Interrupted):
        model.decide(PROMPT, CHOICES, Watch(LIMIT, servers[0].arrived.is_set))
    assert decide(model) == FIRST


def test_a_busy_server_is_waited_for_and_told(servers: list[Server], said: list[str]) -> None:
    """As often as it asks, however few retries there are."""
    first = servers[0]
    busy = reply({'error': 'queue full'}, 429, Retry_After='0.01')
    also = reply({'error': 'loading'}, 503, Retry_After='0.01')
    first.script = [busy, also, busy, GOOD]
    with closing(OpenAIModel(ModelOptions(first.address, max_retries=0), said.append)) as model:
        assert decide(model) == FIRST
        assert len(first.asked) == 4
        assert 'HTTP 429: queue full; asking again in 0.0 s' in said[0]
        assert said[-1] == ''
        first.script = [reply({'error': 'queue full'}, 429, Retry_After='30')]
        with pytest.raises(Unavailable, match='no time is left to wait 30.0 s'):
            decide(model, 5.0)


def test_only_so_many_requests_are_open_at_once(servers: list[Server]) -> None:
    """The model server has a thread for each of these."""
    with closing(OpenAIModel(ModelOptions(servers[0].address, max_requests=2))) as model:
        assert model.workers == 2


@pytest.mark.model
def test_a_llama_cpp_server_takes_over(
    servers: list[Server], llama_server: str, said: list[str]
) -> None:
    first = servers[0]
    with closing(FailoverModel(ModelOptions(f'{first.address} {llama_server}'))) as model:
        assert decide(model) == FIRST
        first.script = [b'']
        parse_decision(decide(model), CHOICES)
