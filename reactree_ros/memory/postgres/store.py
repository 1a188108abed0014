# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A store of experiences in a PostgreSQL server with pgvector, which many planners use at once.

What a method returned is confirmed: the server has it on its disk. A server that died and was
started again is connected to again at the next call.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg

from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory import kept
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.postgres import rows
from reactree_ros.memory.postgres.schema import INDEX, SCHEMA
from reactree_ros.memory.postgres.search import search
from reactree_ros.memory.postgres.server import READ, WAIT_S, WRITE, Server
from reactree_ros.memory.postgres.writer import PostgresWriter
from reactree_ros.memory.store import (
    EVERYTHING,
    EXACT,
    HNSW,
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
_WIDEST = 2000
# Floats of a vector that pgvector can have an index of.
_LOCK = 0x52545246
# Any number but that of ``schema``.
_HAS_INDEX = (
    'EXISTS (SELECT FROM pg_index WHERE indisvalid '
    f"AND indexrelid = to_regclass('{SCHEMA}.{INDEX}'))"
)
_log = logging.getLogger(__name__)


class PostgresStore(ExperienceStore):
    """Experiences in a database; see ``ExperienceStore``.

    Args:
        address: of the database, ``postgresql://USER@HOST:PORT/DATABASE``.
        encoder: name of the encoder of the embeddings; empty to take the store as it is, which
            is enough for all but adding and searching in a new one.
        dimension: floats of an embedding; 0 takes that of the store, or of the first run.
        create: whether to make the tables if they are not there.

    Raises:
        ConfigurationError: if the server refuses the user, has no such database or no pgvector, or
            the store there is of a newer version or another encoder.
        StoreError: if the server does not answer.
    """

    def __init__(
        self, address: str, encoder: str = '', dimension: int = 0, *, create: bool = True
    ) -> None:
        super().__init__(encoder, dimension)
        self._server = Server(address, create)
        try:
            self._server.run(READ, self._check_encoder)
            # a goal that searches must not wait for the thread that learns
            self._searching = Server(address, create=False)
        except BaseException:
            self._server.close()
            raise

    @property
    def address(self) -> str:
        """The server's address, without its password."""
        return self._server.shown

    def search(self, query: Query) -> tuple[Match, ...]:
        """Return what scores best, the best first; exact unless there is an index."""

        def work(connection: psycopg.Connection) -> tuple[Match, ...]:
            *_, index = self._check_encoder(connection)
            if not self._dimension:
                return ()
            if query.vector.shape != (self._dimension,):
                raise ValueError(f'a vector of shape {query.vector.shape} cannot be looked for')
            found = search(connection, query, index)
            numbers = tuple(number for number, _ in found)
            records = self._read(connection, Choice(numbers=numbers)) if numbers else []
            by_number = {one.number: one for one in records}
            return tuple(Match(by_number[number], score) for number, score in found)

        return self._searching.run(READ, work)

    def iterate(self, choice: Choice = EVERYTHING) -> Iterator[Record]:
        """Yield records in the order of their numbers, without all of them in memory at once."""
        last = 0

        def read(connection: psycopg.Connection) -> list[Record]:
            return self._read(connection, choice, last, _BATCH)

        while found := self._server.run(READ, read):
            yield from found
            last = found[-1].number

    def known(self, identities: Sequence[bytes]) -> set[bytes]:
        """Return which identities are those of experiences that are there, or were merged."""
        return self._server.run(
            READ, lambda connection: PostgresWriter(connection).known(identities)
        )

    def forget(self, choice: Choice, *, merged: bool = True) -> int:
        """Delete records permanently; return their number."""
        where, values = self._condition(choice)
        self._write_shown()
        return self._server.run(
            WRITE,
            lambda connection: PostgresWriter(connection).forget(
                where, values, merged=merged and not choice.run
            ),
        )

    def verify(self, run: str, verified: Verification) -> int:
        """Note who verified a run; return how many records that concerns."""
        self._write_shown()
        query = 'UPDATE experiences SET verified = %s WHERE run = %s'
        return self._server.run(
            WRITE,
            lambda connection: int(connection.execute(query, (verified.value, run)).rowcount),
        )

    def stats(self) -> StoreStats:
        """Return what the store holds."""
        grouped = ', '.join(kept.COUNTED)

        def work(connection: psycopg.Connection) -> StoreStats:
            counts: dict[str, Counter[str]] = {name: Counter() for name in kept.COUNTED}
            records = 0
            for *values, count in connection.execute(
                f'SELECT {grouped}, count(*) FROM experiences GROUP BY {grouped}'.encode()
            ):
                records += count
                for name, value in zip(kept.COUNTED, values, strict=True):
                    counts[name][value] += count
            (runs,) = _row(connection, 'SELECT count(DISTINCT run) FROM experiences')
            (size,) = _row(
                connection,
                'SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c '
                f"WHERE c.relkind = 'r' AND c.relnamespace = '{SCHEMA}'::regnamespace",
            )
            encoder, dimension = _row(connection, 'SELECT encoder, dimension FROM store')
            ordered = {name: dict(counter.most_common()) for name, counter in counts.items()}
            return StoreStats(records, runs, encoder, dimension, size, ordered, _index(connection))

        return self._server.run(READ, work)

    def re_embed(
        self, encoder: str, dimension: int, embed: Callable[[Sequence[str]], Vectors]
    ) -> int:
        """Replace all embeddings by those of another encoder, all of them or none."""
        made: dict[int, Vectors] = {}

        def replace(connection: psycopg.Connection) -> bool:
            _lock_encoder(connection, shared=False)
            keys = connection.execute('SELECT id FROM keys').fetchall()
            if not all(number in made for (number,) in keys):
                return False
            # It is one for vectors of a dimension, and made again later: now it would have to hold
            # the ones before as well.
            connection.execute(f'DROP INDEX IF EXISTS {INDEX}'.encode())
            connection.cursor().executemany(
                'UPDATE keys SET vector = %s WHERE id = %s',
                [(rows.literal(made[number]), number) for (number,) in keys],
            )
            connection.execute(
                'UPDATE store SET encoder = %s, dimension = %s', (encoder, dimension)
            )
            return True

        had = self._server.run(READ, _index)
        while True:
            # What others add meanwhile is embedded in the next round.
            keys = self._all('SELECT id, text FROM keys ORDER BY id')
            missing = [key for key in keys if key[0] not in made]
            if not missing and self._server.run(WRITE, replace):
                self._encoder, self._dimension = encoder, dimension
                if had == HNSW and dimension <= _WIDEST:
                    self.set_index(HNSW)
                return len(made)
            made |= dict(embedded(missing, dimension, embed))

    def set_index(self, index: str) -> None:
        """Search with pgvector's index HNSW from now on, or without; others go on meanwhile."""
        _, dimension = self._server.run(
            READ, lambda connection: _row(connection, 'SELECT encoder, dimension FROM store')
        )
        if index == HNSW and not 0 < dimension <= _WIDEST:
            raise ConfigurationError(
                f'the experience store {self.address} cannot have an index: its embeddings have '
                f'{dimension} floats, and pgvector takes 1 to {_WIDEST}'
            )

        def work(connection: psycopg.Connection) -> None:
            # One that was interrupted is there, but not used.
            connection.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{INDEX}'.encode())
            if index == HNSW:
                connection.execute(
                    f'CREATE INDEX CONCURRENTLY {INDEX} ON {SCHEMA}.keys USING hnsw '
                    f'((vector::vector({int(dimension)})) vector_ip_ops)'.encode()
                )
                # So that the server knows when the index is less work.
                connection.execute(f'ANALYZE {SCHEMA}.keys, {SCHEMA}.experiences'.encode())

        self._server.outside(work)

    def close(self) -> None:
        """Write what is not written yet; calling it again does nothing."""
        try:
            self._write_shown()
        except (StoreError, ConfigurationError) as error:
            _log.warning('how often experiences were retrieved is lost: %s', error)
        with self._lock:
            self._shown.clear()
        self._searching.close()
        self._server.close()

    def _add(
        self,
        experiences: Sequence[tuple[Origin, NewExperience]],
        write: Callable[[TableWriter], Saved],
    ) -> Saved:
        def work(connection: psycopg.Connection) -> tuple[Saved, int]:
            with connection.pipeline():
                _lock_encoder(connection, shared=True)
                stored = self._check_encoder(connection)
            dimension = self._dimension_with(experiences)
            if dimension and stored[:2] != (self._encoder, dimension):
                # Of two first writers one is made to start again here.
                _lock_encoder(connection, shared=False)
                self._check_encoder(connection)
                connection.execute(
                    'UPDATE store SET encoder = %s, dimension = %s', (self._encoder, dimension)
                )
            return write(PostgresWriter(connection)), dimension

        self._write_shown()
        saved, self._dimension = self._server.run(WRITE, work)
        return saved

    def _check_encoder(self, connection: psycopg.Connection) -> tuple[str, int, str]:
        """Check that the store is one of this encoder.

        Returns:
            The encoder that it is of, the floats of its embeddings, and how they are searched.
        """
        encoder, dimension, has_index, _ = _row(
            connection,
            f'SELECT encoder, dimension, {_HAS_INDEX}, '
            f"set_config('statement_timeout', '{WAIT_S}s', true) FROM store",
        )
        if not encoder:
            return '', 0, EXACT
        self._take_encoder(
            encoder,
            dimension,
            lambda: connection.execute('SELECT FROM keys LIMIT 1').fetchone() is not None,
        )
        return encoder, dimension, HNSW if has_index else EXACT

    @staticmethod
    def _condition(choice: Choice) -> tuple[str, list[Any]]:
        return rows.condition(choice)

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._server.run(
            READ, lambda connection: connection.execute(query.encode(), values).fetchall()
        )

    def _read(
        self,
        connection: psycopg.Connection,
        choice: Choice,
        after: int = 0,
        limit: int | None = None,
    ) -> list[Record]:
        where, values = self._condition(choice)
        found = connection.execute(
            f'{kept.RECORDS} WHERE {where} AND e.id > %s ORDER BY e.id LIMIT %s'.encode(),
            (*values, after, limit),
        )
        with self._lock:
            return [kept.record(row, self._shown) for row in found]

    def _write_shown(self) -> None:
        """Write how often experiences were shown: in a transaction of its own.

        Many planners count the same experiences; none of them waits for another's run.
        """
        with self._lock:
            shown, self._shown = self._shown, Counter()
        if not shown:
            return

        def work(connection: psycopg.Connection) -> None:
            # Losing this costs nothing.
            connection.execute('SET LOCAL synchronous_commit = off')
            numbers = sorted(shown)
            connection.execute(
                'SELECT FROM experiences WHERE id = ANY(%s) ORDER BY id DESC FOR UPDATE', (numbers,)
            )
            connection.execute(
                'UPDATE experiences SET retrieved = retrieved + counts.shown '
                'FROM unnest(%s::bigint[], %s::bigint[]) AS counts (number, shown) '
                'WHERE id = counts.number',
                (numbers, [shown[number] for number in numbers]),
            )

        try:
            self._server.run(WRITE, work)
        except BaseException:
            self.note_retrieved(list(shown.elements()))
            raise


def _lock_encoder(connection: psycopg.Connection, *, shared: bool) -> None:
    """Wait until no writer adds embeddings, or, shared, until none changes their encoder."""
    kind = '_shared' if shared else ''
    connection.execute(f'SELECT pg_advisory_xact_lock{kind}(%s)'.encode(), (_LOCK,))


def _index(connection: psycopg.Connection) -> str:
    """Return how keys are searched."""
    return HNSW if _row(connection, f'SELECT {_HAS_INDEX}')[0] else EXACT


def _row(connection: psycopg.Connection, query: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row
