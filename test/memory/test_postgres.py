# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What only a server has: its errors, its index, many writers, and its own death."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('psycopg', reason='needs requirements/postgres.txt')

import psycopg

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory import opening
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.experience import Experience, Origin, Termination
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.postgres import schema
from reactree_ros.memory.postgres.address import shown
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import EXACT, HNSW, Choice, NewExperience, Query

from ..postgres import server_or_skip

DIMENSION = 16


def vector(seed: int) -> Vectors:
    values = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return values / np.linalg.norm(values)


def new(number: int, text: str = '', root: bool = False) -> NewExperience:
    experience = Experience(f'find {number}', text or f'{number}\n', Termination.SUCCESS, root)
    return NewExperience(experience, f'find {number}', vector(number), f'outline {number}')


def opened(address: str, **named: Any) -> Any:
    return closing(open_store(address, 'words', DIMENSION, **named))


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Do something in threads, and raise what one of them raised."""
    wrong: list[BaseException] = []

    def one(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


SECRET = 'se%3Acret'
"""A password as an address has it, of which nothing may be shown."""


@pytest.mark.parametrize(
    ('change', 'kind', 'words'),
    [
        (lambda one: re.sub(r':\d+/', ':1/', one), StoreError, 'cannot reach .*refused'),
        (
            lambda one: re.sub(r':\w+@', f':{SECRET}@', one),
            ConfigurationError,
            'refuses .*password authentication failed .*PGPASSWORD',
        ),
        (lambda one: one + 'x', ConfigurationError, 'database "postgresx" does not exist'),
        (lambda one: one.replace('@', 'p@ss@'), ConfigurationError, 'not of the form .*%40'),
        (lambda one: one.replace('@', '%zz@'), ConfigurationError, 'write %25'),
        (lambda one: one + '?ssl=secret', ConfigurationError, 'address .* is wrong'),
    ],
)
def test_an_error_says_what_is_wrong_and_no_password(
    database: str, postgres: Any, change: Callable[[str], str], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        open_store(change(database))
    error: BaseException | None = caught.value
    while error is not None:
        for secret in (postgres.password, SECRET, 'se:cret', 'ss@'):
            assert secret not in str(error)
        error = None if error.__suppress_context__ else error.__cause__ or error.__context__


def test_where_there_is_no_store_none_is_made(database: str) -> None:
    with pytest.raises(ConfigurationError, match='there is no experience store in the database'):
        open_store(database, create=False)
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT to_regnamespace('reactree')").fetchone()
    assert row == (None,)


def test_a_server_without_pgvector(postgres: Any) -> None:
    address = postgres.make_database('bare')
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER DATABASE bare SET extension_control_path = '/nowhere'")
    with pytest.raises(ConfigurationError, match='has no pgvector: install it'):
        open_store(address)


def test_without_the_driver_it_says_what_to_install(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__('sys').modules, 'reactree_ros.memory.postgres.store', None)
    with pytest.raises(ConfigurationError, match=r'pip install "psycopg\[binary\]"') as caught:
        opening.open_store(database)
    assert shown(database) in str(caught.value)


def test_tables_become_those_of_a_newer_version_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(number: int) -> None:
        with opened(database) as store:
            store.add_run(Origin(f'run {number}'), [new(number)])

    in_threads(4, make)
    known = schema._MIGRATIONS
    with monkeypatch.context() as newer:
        newer.setattr(
            schema, '_MIGRATIONS', (*known, 'ALTER TABLE experiences ADD COLUMN house text')
        )
        in_threads(4, lambda number: open_store(database).close())
        with opened(database) as store:
            assert store.count() == 4
    with pytest.raises(ConfigurationError, match='version 2 of the tables.*none after 1: update'):
        open_store(database)


def test_a_user_who_may_only_read_and_write(database: str, postgres: Any) -> None:
    open_store(database, 'words', DIMENSION).close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute('DROP ROLE IF EXISTS robot')
        connection.execute("CREATE ROLE robot LOGIN PASSWORD 'r2'")
        connection.execute('GRANT USAGE ON SCHEMA reactree TO robot')
        connection.execute(
            'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reactree TO robot'
        )
        connection.execute('GRANT USAGE ON ALL SEQUENCES IN SCHEMA reactree TO robot')
    address = database.replace(f'postgres:{postgres.password}', 'robot:r2')
    try:
        with opened(address) as store:
            assert store.add_run(Origin('run'), [new(1)]).added == 1
            assert store.search(Query(vector(1)))[0].score == 1.0
    finally:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute('DROP OWNED BY robot')
            connection.execute('DROP ROLE robot')


def test_writers_of_the_same_lose_nothing_to_each_other(database: str) -> None:
    """Each of them learns the same ten things, in an order of its own, and deletes a run of it."""

    def work(writer: int) -> None:
        generator = np.random.default_rng(writer)
        with opened(database) as store:
            for number in range(10):
                its = [new(int(one), f'{writer} {number}\n') for one in generator.permutation(10)]
                store.add_run(Origin(f'run {writer} {number}', time=float(writer)), its[:5])
                store.note_retrieved(
                    [match.record.number for match in store.search(Query(vector(number), limit=3))]
                )
            store.add_run(Origin(f'own {writer}'), [new(100 + writer)])
            assert store.forget(Choice(run=f'own {writer}')) == 1

    in_threads(4, work)
    with opened(database) as store:
        records = store.records()
        assert sum(one.merged for one in records) == 4 * 10 * 5
        assert len(records) == store.key_count() == 10
        assert sum(one.retrieved for one in records) >= 4 * 10


def test_a_search_does_not_wait_for_the_thread_that_learns(database: str) -> None:
    found: list[Any] = []
    with opened(database) as store:
        store.add_run(Origin('run 1'), [new(1)])
        searching = threading.Thread(target=lambda: found.extend(store.search(Query(vector(1), 1))))
        with store._server._lock:  # as while it waits for another writer
            searching.start()
            searching.join(20.0)
            assert len(found) == 1
        searching.join()


def test_the_index_finds_nearly_all_that_the_exact_search_finds(database: str) -> None:
    with opened(database) as store:
        store.add_runs(
            (
                Origin(f'run {run}', strategy='react' if run % 4 else 'reactree'),
                [new(20 * run + number, root=number == 0) for number in range(20)],
            )
            for run in range(100)
        )
        queries = [
            Query(vector(9000 + number), limit=10, level_bonus=weight, root=True, strategy=only)
            for number in range(10)
            for weight in (0.0, 0.3)
            for only in ('', 'reactree')
        ]
        exact = [store.search(query) for query in queries]
        assert store.stats().index == EXACT
        store.set_index(HNSW)
        assert store.stats().index == HNSW
        kept = []
        for query, expected in zip(queries, exact, strict=True):
            found = store.search(query)
            assert {one.record.origin.strategy for one in found} <= {
                query.strategy or one.record.origin.strategy for one in found
            }
            right = {one.record.number: one.score for one in expected}
            hits = [one for one in found if one.record.number in right]
            assert all(right[one.record.number] == one.score for one in hits)
            kept.append(len(hits) / len(expected))
        assert np.mean(kept) > 0.97
    with opened(database) as store:
        with psycopg.connect(database) as connection:
            row = connection.execute(
                "SELECT idx_scan FROM pg_stat_all_indexes WHERE indexrelname = 'keys_by_vector'"
            ).fetchone()
        assert row is not None and row[0] > 0
        # It is one of the vectors' dimension.
        store.re_embed(
            'other', 8, lambda texts: np.resize(np.eye(8, dtype=np.float32), (len(texts), 8))
        )
        assert store.stats().index == HNSW
        store.set_index(EXACT)
        assert store.stats().index == EXACT


def test_a_file_has_no_index() -> None:
    with closing(SqliteStore(':memory:')) as store:
        store.set_index(EXACT)
        with pytest.raises(ConfigurationError, match='only a server'):
            store.set_index(HNSW)


class Words:
    """An encoder whose texts are numbers of vectors."""

    encoder_name = 'words'

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        return ready(np.stack([vector(int(text.split()[-1])) for text in texts]))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready((1,) * len(texts))


def wait_for(future: Future[Any]) -> Any:
    while (answer := future.poll()) is None:
        threading.Event().wait(0.01)
    return answer


@pytest.fixture
def mortal() -> Iterator[Any]:
    """Run a server of its own, which keeps what it confirmed as every server does."""
    with closing(server_or_skip(())) as server:
        yield server


def test_a_killed_server_loses_nothing_that_it_confirmed(
    mortal: Any, caplog: pytest.LogCaptureFixture
) -> None:
    address = mortal.address()
    confirmed: list[str] = []
    failed: list[str] = []
    ends = threading.Event()

    def write(writer: int) -> None:
        with opened(address) as store:
            for number in range(100_000):
                if ends.is_set():
                    return
                run = f'{writer} {number}'
                first = 100_000 * writer + 5 * number
                its = [new(first + place, f'{run}\n') for place in range(5)]
                try:
                    store.add_run(Origin(run), its)
                except StoreError as error:
                    assert mortal.password not in str(error)
                    failed.append(run)
                    ends.wait(0.01)
                else:
                    confirmed.append(run)

    def more(runs: list[str], count: int) -> None:
        wanted = len(runs) + count
        while len(runs) < wanted:
            assert any(writer.is_alive() for writer in writers)
            ends.wait(0.01)

    encoder = CachedEncoder(Words())
    seeds = [(Origin('shipped'), [Experience('find 1', 'shipped\n', Termination.SUCCESS, True)])]
    learned = Experience('find 2', 'learned\n', Termination.SUCCESS, True)
    writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    with opened(address) as store, closing(EpisodicMemory(seeds, encoder, store=store)) as memory:
        learner = Learner(store, encoder)
        assert wait_for(learner.learn(Origin('mine'), [learned])).added == 1
        for writer in writers:
            writer.start()
        try:
            for _ in range(2):
                more(confirmed, 20)
                assert 'learned\n' in wait_for(memory.retrieve('find 2', True, 9))
                mortal.kill()
                # A goal goes on with what is shipped, and what it teaches is not kept.
                with caplog.at_level(logging.WARNING):
                    assert wait_for(memory.retrieve('find 2', True, 9)) == ('shipped\n',)
                with pytest.raises(StoreError, match='experience store postgresql://'):
                    wait_for(learner.learn(Origin('lost'), [replace(learned, goal='find 3')]))
                more(failed, 3)
                mortal.start()
        finally:
            more(confirmed, 20)
            ends.set()
            for writer in writers:
                writer.join()
            learner.close()
        assert sum('does without' in one.message for one in caplog.records) == 1
        runs: dict[str, list[str]] = {}
        for record in store.records():
            runs.setdefault(record.origin.run, []).append(record.experience.text)
        assert runs.pop('mine') == ['learned\n']
        assert set(confirmed) <= set(runs)
        assert all(texts == [f'{run}\n'] * 5 for run, texts in runs.items())
        # Only those that were under way when it died may be there without having been confirmed.
        assert len(set(runs) - set(confirmed)) <= 2 * len(writers)
