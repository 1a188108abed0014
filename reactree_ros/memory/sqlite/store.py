# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A store of experiences in one SQLite file, searched in memory.

SQLite keeps what a run taught or nothing of it, whatever happens to the process, and several
planners may use one file. The vectors are searched by numpy: see ``KeyVectors``.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory import kept
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.sqlite import rows, schema
from reactree_ros.memory.sqlite.search import KeyVectors
from reactree_ros.memory.sqlite.writer import SqliteWriter
from reactree_ros.memory.store import (
    EVERYTHING,
    EXACT,
    Choice,
    ExperienceStore,
    Match,
    NewExperience,
    Query,
    Record,
    Saved,
    StoreStats,
    TableWriter,
    embedded,
)

_BATCH = 1000
_WRITE_WAIT_MS, _PAUSE_S = 20, 0.03
"""How long other threads are kept out while another process writes, and let in between."""
_log = logging.getLogger(__name__)


class SqliteStore(ExperienceStore):
    """Experiences in an SQLite file; see ``ExperienceStore``.

    Args:
        path: the file, made if it is not there; ``:memory:`` for a store that is not kept.
        encoder: name of the encoder of the embeddings; empty to take the store as it is, which
            is enough for all but adding and searching in a new one.
        dimension: floats of an embedding; 0 takes that of the file, or of the first run.
        limit: most experiences; the least retrieved, and of them the oldest, are forgotten for
            those of a new run. 0 for no limit.
        create: whether to make a file that is not there.

    Raises:
        ConfigurationError: if the file cannot be opened, is not a store of experiences, has
            another version of the format, or holds embeddings of another encoder.
        StoreError: if another process keeps it locked.
    """

    def __init__(
        self,
        path: Path | str,
        encoder: str = '',
        dimension: int = 0,
        *,
        limit: int = 0,
        create: bool = True,
    ) -> None:
        super().__init__(encoder, dimension)
        self._path = path
        self._closed = False
        self._connection = schema.connect(path, create)
        self._connection.execute(f'PRAGMA busy_timeout = {_WRITE_WAIT_MS}')
        self._connection.create_function('casefold', 1, str.casefold, deterministic=True)
        self._writer = SqliteWriter(self._connection, limit)
        self._vectors = KeyVectors(self._connection)
        try:
            with self._transaction('DEFERRED'):
                self._check_encoder()
        except BaseException:
            self._connection.close()
            raise

    @property
    def address(self) -> str:
        """The file."""
        return str(self._path)

    def search(self, query: Query) -> tuple[Match, ...]:
        """Return what scores best, the best first; exact."""
        with self._transaction('DEFERRED'):
            self._check_encoder()
            if not self._dimension:
                return ()
            if query.vector.shape != (self._dimension,):
                raise ValueError(f'a vector of shape {query.vector.shape} cannot be looked for')
            found = self._vectors.search(query)
            numbers = tuple(number for number, _ in found)
            records = self._read(Choice(numbers=numbers)) if numbers else []
        by_number = {one.number: one for one in records}
        return tuple(Match(by_number[number], score) for number, score in found)

    def iterate(self, choice: Choice = EVERYTHING) -> Iterator[Record]:
        """Yield records in the order of their numbers, without all of them in memory at once."""
        last = 0
        while True:
            with self._transaction('DEFERRED'):
                found = self._read(choice, last, _BATCH)
            yield from found
            if len(found) < _BATCH:
                return
            last = found[-1].number

    def known(self, identities: Sequence[bytes]) -> set[bytes]:
        """Return which identities are those of experiences that are there, or were merged."""
        with self._transaction('DEFERRED'):
            return self._writer.known(identities)

    def forget(self, choice: Choice, *, merged: bool = True) -> int:
        """Delete records permanently; return their number."""
        where, values = self._condition(choice)
        with self._writing():
            found = self._connection.execute(
                f'SELECT e.id FROM experiences e WHERE {where}', values
            )
            numbers = [number for (number,) in found.fetchall()]
            self._writer.forget(numbers, merged=merged and not choice.run)
        self._shrink()
        self._empty_log()
        return len(numbers)

    def verify(self, run: str, verified: Verification) -> int:
        """Note who verified a run; return how many records that concerns."""
        with self._writing():
            cursor = self._connection.execute(
                'UPDATE experiences SET verified = ? WHERE run = ?', (verified.value, run)
            )
        return cursor.rowcount

    def stats(self) -> StoreStats:
        """Return what the store holds."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in kept.COUNTED}
        with self._transaction('DEFERRED'):
            records, runs = self._connection.execute(
                'SELECT count(*), count(DISTINCT run) FROM experiences'
            ).fetchone()
            grouped = ', '.join(kept.COUNTED)
            for *values, count in self._connection.execute(
                f'SELECT {grouped}, count(*) FROM experiences GROUP BY {grouped}'
            ):
                for name, value in zip(kept.COUNTED, values, strict=True):
                    counts[name][value] += count
            encoder, dimension = self._stored_encoder()
        size = 0
        if str(self._path) != schema.IN_MEMORY:
            files = (Path(f'{self._path}{ending}') for ending in ('', '-wal'))
            size = sum(file.stat().st_size for file in files if file.exists())
        ordered = {name: dict(counter.most_common()) for name, counter in counts.items()}
        return StoreStats(records, runs, encoder, dimension, size, ordered)

    def re_embed(
        self, encoder: str, dimension: int, embed: Callable[[Sequence[str]], Vectors]
    ) -> int:
        """Replace all embeddings by those of another encoder, all of them or none."""
        made: dict[int, bytes] = {}
        while True:
            # What others add meanwhile is embedded in the next round.
            with self._transaction('DEFERRED'):
                missing = [key for key in self._writer.keys() if key[0] not in made]
            if not missing:
                with self._transaction('IMMEDIATE'):
                    if self._writer.replace_vectors(encoder, dimension, made):
                        self._encoder, self._dimension = encoder, dimension
                        return len(made)
            made |= {
                number: rows.pack(vector) for number, vector in embedded(missing, dimension, embed)
            }

    def set_index(self, index: str) -> None:
        """Refuse an index: a file is searched exactly."""
        if index != EXACT:
            raise ConfigurationError(
                f'the experience store {self._path} is a file, which is searched without an '
                'index; only a server (postgresql://…) has one'
            )

    def close(self) -> None:
        """Write what is not written yet; calling it again does nothing."""
        with self._lock:
            if self._closed:
                return
            try:
                if self._shown:
                    with self._writing():
                        pass
            except StoreError as error:
                _log.warning('how often experiences were retrieved is lost: %s', error)
            self._closed = True
            self._connection.close()

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        with ExitStack() as held:
            try:
                self._begin(kind, held)
                try:
                    yield
                    self._connection.execute('COMMIT')
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute('ROLLBACK')
                    raise
            except sqlite3.Error as error:
                raise StoreError(
                    f'experience store {self._path}: {schema.reason(error)}'
                ) from error

    def _begin(self, kind: str, held: ExitStack) -> None:
        """Begin a transaction, with the lock that keeps other threads of this process out.

        While another process writes, this lock is given back again and again: a goal that
        searches must not wait for the thread that learns.
        """
        end = time.monotonic() + schema.BUSY_TIMEOUT_S
        while True:
            with ExitStack() as lock:
                lock.enter_context(self._lock)
                try:
                    self._connection.execute(f'BEGIN {kind}')
                except sqlite3.OperationalError as error:
                    busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
                    if not busy or time.monotonic() > end:
                        raise
                else:
                    held.push(lock.pop_all())
                    return
            time.sleep(_PAUSE_S)

    def _empty_log(self) -> None:
        """Have what was forgotten overwritten in the log as well, unless another process reads."""
        with self._lock, self._logged('what was forgotten is still in its log'):
            self._connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')

    @contextmanager
    def _logged(self, what: str) -> Iterator[None]:
        """Log what could not be done: another process is reading, or the disk is full."""
        try:
            yield
        except sqlite3.Error as error:
            _log.warning('experience store %s: %s: %s', self._path, what, schema.reason(error))

    def _add(
        self,
        experiences: Sequence[tuple[Origin, NewExperience]],
        write: Callable[[TableWriter], Saved],
    ) -> Saved:
        with self._writing():
            self._check_encoder()
            dimension = self._dimension_with(experiences)
            if dimension:
                self._writer.set_encoder(self._encoder, dimension)
            saved = write(self._writer)
        self._dimension = dimension
        return saved

    def _stored_encoder(self) -> tuple[str, int]:
        encoder, dimension = self._connection.execute(
            'SELECT encoder, dimension FROM store'
        ).fetchone()
        return encoder, dimension

    def _check_encoder(self) -> None:
        encoder, dimension = self._stored_encoder()
        if not encoder:
            return
        self._take_encoder(
            encoder,
            dimension,
            lambda: self._connection.execute('SELECT 1 FROM keys').fetchone() is not None,
        )

    @staticmethod
    def _condition(choice: Choice) -> tuple[str, list[Any]]:
        return rows.condition(choice)

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._transaction('DEFERRED'):
            return self._connection.execute(query, values).fetchall()

    def _read(self, choice: Choice, after: int = 0, limit: int = -1) -> list[Record]:
        where, values = self._condition(choice)
        found = self._connection.execute(
            f'{kept.RECORDS} WHERE {where} AND e.id > ? ORDER BY e.id LIMIT ?',
            (*values, after, limit),
        )
        return [kept.record(row, self._shown) for row in found.fetchall()]

    def _shrink(self) -> None:
        """Give the disk back what most of the file does not need any more."""
        with self._lock, self._logged('it was not made smaller'):
            (free,) = self._connection.execute('PRAGMA freelist_count').fetchone()
            (pages,) = self._connection.execute('PRAGMA page_count').fetchone()
            if 2 * free >= pages:
                self._connection.execute('VACUUM')

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write, and first how often experiences were shown: what is forgotten depends on it."""
        shown: Counter[int] = Counter()
        try:
            with self._transaction('IMMEDIATE'):
                shown, self._shown = self._shown, shown
                self._connection.executemany(
                    'UPDATE experiences SET retrieved = retrieved + ? WHERE id = ?',
                    [(count, number) for number, count in shown.items()],
                )
                yield
        except BaseException:
            self._shown.update(shown)
            raise
