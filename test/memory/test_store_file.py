# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The store of experiences in a file: what becomes of the file, and which files are refused."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Choice, Saved

from .samples import DIMENSION, RUN, found, goals, new


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / 'memory.sqlite', 'words', DIMENSION)) as made:
        yield made


def test_the_least_retrieved_then_oldest_is_forgotten(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / 'few', 'words', DIMENSION, limit=4)) as store:
        store.add_run(replace(RUN, run='b', time=2.0), [new(1), new(2)])
        store.add_run(replace(RUN, run='a', time=1.0), [new(3), new(4)])
        store.note_retrieved([1, 3])
        assert store.add_run(replace(RUN, run='c', time=3.0), [new(5)]) == Saved(1, forgotten=1)
        assert goals(store) == ['1', '2', '3', '5']
        store.note_retrieved([1, 2, 4, 5, 5])
        # A store all of which is in use learns all the same.
        assert store.add_run(replace(RUN, run='d', time=0.0), [new(6)]) == Saved(1, forgotten=1)
        assert goals(store) == ['1', '2', '5', '6']
        assert found(store, 3) != [3]
        # A run that is larger than the limit leaves no more than that.
        assert store.add_run(replace(RUN, run='e'), [new(i) for i in range(7, 13)]).forgotten == 6
        assert store.stats().records == 4


def test_what_is_forgotten_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_run(RUN, [new(1, 'the secret trajectory\n'), new(2)])
        assert store.forget(Choice(goal='GRÖßE 1')) == 1
        assert found(store, 1) == [2]
        assert store.key_count() == 1
    assert b'secret' not in path.read_bytes()


def test_a_full_disk_costs_only_the_run_being_written(store: SqliteStore) -> None:
    store.add_run(RUN, [new(1)])
    store.note_retrieved([1, 1, 1])
    (pages,) = store._connection.execute('PRAGMA page_count').fetchone()
    store._connection.execute(f'PRAGMA max_page_count = {pages + 2}')
    with pytest.raises(StoreError, match='memory.sqlite: .*full'):
        store.add_run(replace(RUN, run='run 2'), [new(2), new(3, 'x' * 100_000)])
    assert goals(store) == ['1']
    assert found(store, 1) == [1]
    store._connection.execute('PRAGMA max_page_count = 1000')
    assert store.add_run(replace(RUN, run='run 2'), [new(2)]) == Saved(1)
    assert found(store, 2) == [2]
    assert store.records()[0].retrieved == 3


def test_what_is_forgotten_on_a_full_disk_is_forgotten(
    store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.add_runs((replace(RUN, run=f'{i}'), [new(i, 'x' * 50_000)]) for i in range(60))
    store._connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    store.add_runs((replace(RUN, run=f'{i}'), [new(i, 'x' * 50_000)]) for i in range(60, 70))
    size = (tmp_path / 'memory.sqlite').stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20_000, before[1]))
    try:
        assert store.forget(Choice(run='61')) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.count() == 69
    assert 'what was forgotten is still in its log' in caplog.text


def test_a_store_that_forgot_most_gives_the_disk_back(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_runs((replace(RUN, run=f'{i}'), [new(i, 'x' * 4000)]) for i in range(500))
    large = path.stat().st_size
    with closing(SqliteStore(path)) as tool, closing(SqliteStore(path)) as planner:
        assert found(planner, 7) == [8]
        assert tool.forget(Choice(numbers=tuple(range(1, 491)))) == 490
        assert found(planner, 495) == [496]
    assert path.stat().st_size < large / 5


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / 'notes.txt'
    text.write_text('not a database, but long enough to be looked at. ' * 20)
    other = tmp_path / 'other.sqlite'
    with closing(sqlite3.connect(other)) as connection:
        connection.execute('CREATE TABLE things (name)')
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(ConfigurationError, match='not an experience store'):
            SqliteStore(path)
        assert path.read_bytes() == before


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('PRAGMA user_version = 99')
    with pytest.raises(ConfigurationError, match='version 99'):
        SqliteStore(path)


def test_an_empty_file_becomes_a_store_only_where_one_may_be_made(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    path.touch()
    with pytest.raises(ConfigurationError, match='is empty, not an experience store'):
        SqliteStore(path, create=False)
    assert path.read_bytes() == b''
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        assert store.add_run(RUN, [new(1)]) == Saved(1)


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='there is no experience store'):
        SqliteStore(tmp_path / 'missing', create=False)
    assert not (tmp_path / 'missing').exists()
    with pytest.raises(ConfigurationError, match='is a folder'):
        SqliteStore(tmp_path)


def test_a_store_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(SqliteStore(':memory:', 'words', DIMENSION)) as store:
        store.add_run(RUN, [new(1), new(2)])
        assert found(store, 2) == [2]
        assert store.stats().bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_version_before_is_converted(tmp_path: Path) -> None:
    path = tmp_path / 'folder' / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_run(RUN, [new(1), new(2)])
        before = store.records(), store.identities()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            'DROP INDEX experiences_by_identity; DROP TABLE forgotten;'
            'ALTER TABLE experiences DROP COLUMN robot;'
            'ALTER TABLE experiences DROP COLUMN identity; PRAGMA user_version = 3'
        )
    with closing(SqliteStore(path)) as store, closing(SqliteStore(path)) as other:
        assert (store.records(), store.identities()) == before
        assert store.forget(Choice(goal='1')) == 1
        assert other.forgotten() == {before[1][0][1]}
