# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The index of a store's file in memory, kept up with what this and other processes write."""

from __future__ import annotations

import sqlite3

from reactree_ros.memory.sqlite import rows
from reactree_ros.memory.store import Query
from reactree_ros.memory.vector_index import Floats, Ints, VectorIndex

_BATCH = 1 << 13
_MOST_WASTED = 0.25


class SqliteIndex:
    """A ``VectorIndex`` of the experiences in a file.

    Args:
        connection: to the file; all methods are called inside a transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._index = VectorIndex(0)
        self._seen = -1

    def load(self) -> int:
        """Read what is new in the file.

        Returns:
            How many experiences there are, some of which may have been removed.
        """
        dimension, revision, floor = self._connection.execute(
            'SELECT dimension, revision, floor FROM store'
        ).fetchone()
        if self._seen < floor or self._index.wasted > _MOST_WASTED:
            self._index = VectorIndex(dimension)
            self._seen = -1
        if self._seen != revision and dimension:
            if self._seen < 0:
                self._index = VectorIndex(dimension)
            self._read(dimension)
            self._seen = revision
        return len(self._index)

    def search(self, query: Query) -> tuple[Ints, Floats]:
        """Return numbers of experiences and their scores, as ``ExperienceStore.search`` does."""
        return self._index.search(query)

    def _read(self, dimension: int) -> None:
        index = self._index
        for row in self._connection.execute(rows.FACETS, (index.last_facet,)):
            index.add_facet(*rows.facet(row))
        keys = self._connection.execute(
            'SELECT id, vector FROM keys WHERE id > ? ORDER BY id', (index.last_key,)
        )
        while batch := keys.fetchmany(_BATCH):
            index.add_keys(
                [number for number, _ in batch],
                rows.unpack((vector for _, vector in batch), dimension),
            )
        if self._seen >= 0:
            deleted = self._connection.execute(
                'SELECT id FROM deleted WHERE revision > ?', (self._seen,)
            )
            index.remove([number for (number,) in deleted])
        # All of them in the order of the table; a few by the index, which SQLite would not choose.
        new = 'WHERE id > ?'
        if self._seen >= 0:
            new = 'INDEXED BY experiences_by_revision WHERE revision > ?'
        found = self._connection.execute(
            f'SELECT id, key, facet, task FROM experiences {new} ORDER BY id', (self._seen,)
        )
        while some := found.fetchmany(_BATCH):
            index.put(some)
