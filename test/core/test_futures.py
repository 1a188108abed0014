# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Futures: what is chained runs in poll, the first end stands, a cancel arrives exactly once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from reactree_ros.core.futures import (
    Future,
    Polled,
    Promise,
    failed,
    first_of,
    gather,
    mapped,
    otherwise,
    ready,
    submit,
    then,
)
from reactree_ros.errors import ModelError, WorldError


class Source(Promise[int]):
    """A promise that counts how often it was canceled."""

    def __init__(self) -> None:
        super().__init__(self._count)
        self.canceled = 0

    def _count(self) -> None:
        self.canceled += 1


def test_a_promise_keeps_its_first_end() -> None:
    source = Source()
    assert source.poll() is None
    source.complete(1)
    source.complete(2)
    source.fail(ModelError('late'))
    source.cancel()
    assert (source.poll(), source.canceled, source.error) == (1, 0, None)


def test_a_canceled_promise_has_no_value_and_says_so_once() -> None:
    source = Source()
    source.cancel()
    source.cancel()
    source.complete(1)
    assert (source.poll(), source.canceled, source.ended) == (None, 1, True)


def test_an_error_reaches_who_asks_each_time() -> None:
    source = Source()
    chained = mapped(mapped(source, str), len)
    source.fail(ModelError('the server is gone'))
    for _ in range(2):
        with pytest.raises(ModelError, match='the server is gone'):
            chained.poll()
    with pytest.raises(WorldError):
        failed(WorldError('no')).poll()


def test_what_is_chained_runs_once_and_in_poll() -> None:
    source, threads = Source(), list[int]()

    def note(value: int) -> str:
        threads.append(threading.get_ident())
        return str(value)

    chained = mapped(source, note)
    deliver = threading.Thread(target=source.complete, args=(7,))
    deliver.start()
    deliver.join()
    assert threads == []
    assert (chained.poll(), chained.poll()) == ('7', '7')
    assert threads == [threading.get_ident()]


def test_an_error_of_what_is_chained_stands() -> None:
    calls = list[int]()

    def refuse(value: int) -> int:
        calls.append(value)
        raise ModelError('no time left')

    chained = mapped(ready(1), refuse)
    for _ in range(2):
        with pytest.raises(ModelError, match='no time left'):
            chained.poll()
    assert calls == [1]


def test_a_cancel_reaches_what_is_at_work() -> None:
    first, second = Source(), Source()
    chained = then(first, lambda _: second)
    chained.cancel()
    assert (first.canceled, second.canceled) == (1, 0)

    first, second = Source(), Source()
    chained = then(first, lambda _: second)
    first.complete(1)
    assert chained.poll() is None
    chained.cancel()
    chained.cancel()
    assert (first.canceled, second.canceled) == (0, 1)


def test_a_cancel_in_the_middle_of_a_chain_cancels_what_it_began() -> None:
    second = Source()

    def follow(_: int) -> Future[int]:
        chained.cancel()
        return second

    chained = then(ready(1), follow)
    assert chained.poll() is None
    assert second.canceled == 1


def test_another_answer_in_place_of_an_error() -> None:
    source, second = Source(), Source()
    chained = otherwise(source, ModelError, lambda error: mapped(second, lambda value: value + 1))
    source.fail(ModelError('busy'))
    assert chained.poll() is None
    second.complete(1)
    assert chained.poll() == 2
    assert otherwise(ready(3), ModelError, lambda error: second).poll() == 3
    with pytest.raises(WorldError):
        otherwise(failed(WorldError('no')), ModelError, lambda error: second).poll()


def test_all_values_in_their_order() -> None:
    one, other = Source(), Source()
    both = gather(one, other)
    other.complete(2)
    assert both.poll() is None
    one.complete(1)
    assert both.poll() == (1, 2)
    one, other = Source(), Source()
    gather(one, other).cancel()
    assert (one.canceled, other.canceled) == (1, 1)


def test_the_first_value_that_counts_cancels_the_others() -> None:
    one, other = Source(), Source()
    first = first_of((one, other), bool, none=0)
    assert first.poll() is None
    other.complete(5)
    assert (first.poll(), one.canceled) == (5, 1)
    assert first_of((ready(0), ready(0)), bool, none=-1).poll() == -1
    assert first_of((), bool, none=0).poll() == 0


def test_a_future_that_is_only_polled_continues_for_the_others() -> None:
    source = Source()
    mine = Polled(source.poll)
    mine.cancel()
    source.complete(1)
    assert (source.canceled, mine.poll(), Polled(source.poll).poll()) == (0, None, 1)


def test_work_on_another_thread() -> None:
    begin = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        at_work = submit(threads, begin.wait, 60.0)
        waiting = submit(threads, lambda: 1 / 0)
        dropped = submit(threads, lambda: 1 / 0)
        dropped.cancel()
        assert at_work.poll() is None
        begin.set()
    assert at_work.poll() is True
    with pytest.raises(ZeroDivisionError):
        waiting.poll()
    assert dropped.poll() is None


def test_two_threads_that_poll_do_not_wait_for_each_other() -> None:
    inside, leave = threading.Event(), threading.Event()

    def look() -> int:
        inside.set()
        assert leave.wait(60.0)
        return 1

    future = Polled(look)
    other = threading.Thread(target=future.poll)
    other.start()
    assert inside.wait(60.0)
    assert future.poll() is None
    leave.set()
    other.join()
    assert future.poll() == 1
