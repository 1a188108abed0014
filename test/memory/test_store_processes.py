# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A store of experiences that is killed while it is written, and one that two processes use.

Run as a script, this file is the process that writes: it prints a line for each run that the
store has reported as saved.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.experience import Experience, Origin, Termination
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.postgres.address import is_server
from reactree_ros.memory.sqlite import schema as sqlite_schema
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Choice, NewExperience, Query

DIMENSION = 384
RUNS = 80
BUSY_S = 120


def vector(seed: int) -> Vectors:
    values = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return values / np.linalg.norm(values)


def run(name: str, seed: int) -> tuple[Origin, list[NewExperience]]:
    """Make a run that can be told to be whole: each text says how many there are."""
    generator = np.random.default_rng(seed)
    size = int(generator.integers(1, 12))
    return Origin(name, time=float(seed)), [
        NewExperience(
            Experience(
                f'goal {name} {position}',
                f'{size} {position} ' + 'x' * int(generator.integers(1, 9000)),
                tuple(Termination)[position % 3],
                position == 0,
            ),
            f'key {name} {position}',
            vector(100 * seed + position),
        )
        for position in range(size)
    ]


def write(path: str, writer: str, seed: int) -> None:
    with closing(open_store(path, 'words', DIMENSION)) as store:
        for number in range(RUNS):
            origin, experiences = run(f'{writer}-{number}', seed + number)
            if number % 2:
                saved = store.import_experiences((origin, one) for one in experiences)
            else:
                saved = store.add_run(origin, experiences)
            print(f'{writer}-{number} {saved.added}', flush=True)


def start(address: str, writer: str, seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, address, writer, str(seed)],
        stdout=subprocess.PIPE,
        text=True,
    )


def check_whole(address: str, reported: dict[str, int]) -> set[str]:
    """Check that each run of a store is whole and each reported one is there; return all."""
    if not is_server(address):
        with closing(sqlite3.connect(address)) as connection:
            assert connection.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
    with closing(open_store(address, 'words', DIMENSION)) as store:
        runs: dict[str, list[str]] = {}
        for record in store.records():
            runs.setdefault(record.origin.run, []).append(record.experience.text)
        for name, have in runs.items():
            sizes = [text.split()[:2] for text in have]
            assert sizes == [[str(len(have)), str(position)] for position in range(len(have))], name
        assert reported.items() <= {name: len(have) for name, have in runs.items()}.items()
        texts = sum(len(have) for have in runs.values())
        assert texts == store.key_count()
        matches = store.search(Query(vector(0), limit=0))
        assert len(matches) == texts
    return set(runs)


def test_a_killed_writer_loses_at_most_the_run_being_written(address: str) -> None:
    generator = np.random.default_rng(5)
    reported: dict[str, int] = {}
    for attempt in range(5):
        writer = start(address, f'w{attempt}', 1000 * attempt)
        assert writer.stdout is not None
        # Killed a random stretch of work after a random number of lines: somewhere in a write.
        stop = int(generator.integers(1, RUNS // 3))
        spin = int(generator.integers(0, 200_000))
        lines = []
        for line in writer.stdout:
            lines.append(line)
            if len(lines) == stop:
                for _ in range(spin):
                    pass
                os.kill(writer.pid, signal.SIGKILL)
        assert writer.wait(BUSY_S) == -signal.SIGKILL
        assert stop <= len(lines) < RUNS
        complete = [line.split() for line in lines if line.endswith('\n')]
        reported |= {name: int(size) for name, size in complete}
        before = check_whole(address, reported)
        unreported = {name for name in before if name.startswith(f'w{attempt}-')} - set(reported)
        # The last one may have been saved before its line was written.
        assert len(unreported) <= 1
    with closing(open_store(address, 'words', DIMENSION)) as store:
        assert store.add_run(*run('afterwards', 77)).added > 0


def test_two_processes_write_and_read_one_store(address: str) -> None:
    # Both may make it.
    writers = [start(address, name, seed) for name, seed in (('a', 0), ('b', 5000))]
    with closing(open_store(address, 'words', DIMENSION)) as store:
        for number, writer in enumerate(writers):
            assert writer.stdout is not None
            name = 'ab'[number]
            for line in writer.stdout:
                # What another process has saved is found at once.
                reported = line.split()[0]
                position = int(reported.split('-')[1])
                wanted = run(reported, 5000 * number + position)[1][0]
                (match, *_) = store.search(Query(wanted.vector, limit=1))
                assert match.record.key == wanted.key
                if position == 50:
                    assert store.forget(Choice(run=f'{name}-0')) > 0
            assert writer.wait(BUSY_S) == 0
    names = {f'{name}-{number}' for name in 'ab' for number in range(1, RUNS)}
    assert check_whole(address, {}) == names


def test_a_locked_store_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_schema, 'BUSY_TIMEOUT_S', 0.01)
    path = tmp_path / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_run(*run('first', 1))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute('BEGIN IMMEDIATE')
            with pytest.raises(StoreError, match=f'{path}.*locked.*try again'):
                store.add_run(*run('second', 2))
            # Those who only read are not kept waiting.
            assert {match.record.origin.run for match in store.search(Query(vector(1)))} == {
                'first'
            }
            other.execute('ROLLBACK')
        assert store.add_run(*run('second', 2)).added > 0


def test_a_search_does_not_wait_for_a_thread_that_waits_to_write(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_run(*run('first', 1))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute('BEGIN IMMEDIATE')
            writer = threading.Thread(target=store.add_run, args=run('second', 2))
            writer.start()
            for _ in range(20):
                assert store.search(Query(vector(1)))
            assert writer.is_alive()
            other.execute('ROLLBACK')
            writer.join(sqlite_schema.BUSY_TIMEOUT_S)
        assert {one.origin.run for one in store.records()} == {'first', 'second'}


def test_what_is_forgotten_is_not_in_the_files_any_more(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with closing(SqliteStore(path, 'words', DIMENSION)) as store:
        store.add_run(*run('first', 1))
        store.add_run(*run('secret', 2))
        store.forget(Choice(run='secret'))
        written = b''.join(file.read_bytes() for file in tmp_path.iterdir())
    assert b'goal first' in written and b'secret' not in written


if __name__ == '__main__':
    write(sys.argv[1], sys.argv[2], int(sys.argv[3]))


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give up its rights and take them back')
def test_a_read_only_store_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    SqliteStore(path, 'none').close()
    for one in (path, tmp_path):
        one.chmod(0o555)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    os.seteuid(65534)
    try:
        with pytest.raises((StoreError, ConfigurationError), match='memory.sqlite'):
            SqliteStore(path, 'none')
    finally:
        os.seteuid(0)
