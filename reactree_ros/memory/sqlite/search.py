# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Exact search: SQLite filters and weighs the experiences, numpy compares the vectors of keys."""

from __future__ import annotations

import sqlite3
from itertools import chain, combinations
from typing import Any

import numpy as np

from reactree_ros.memory.kept import flow_names
from reactree_ros.memory.ranking import SLACK, best_of, lowest
from reactree_ros.memory.sqlite.rows import unpack
from reactree_ros.memory.store import Query


class KeyVectors:
    """The vectors of all keys in memory, kept up with what this and other processes write.

    Args:
        connection: to the file; all methods are called inside a transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._embedded = -1
        self._numbers = np.empty(0, np.int64)
        self._vectors = np.empty((0, 0), np.float32)

    def search(self, query: Query) -> list[tuple[int, float]]:
        """Return numbers of experiences and their scores, as ``SqliteStore.search`` does."""
        self.load()
        found = self._connection.execute(*_weighed(query)).fetchall()
        if not found:
            return []
        rows = np.array(found, [('number', 'i8'), ('key', 'i8'), ('added', 'f8')])
        slots = np.searchsorted(self._numbers, rows['key'])
        rough = (self._vectors @ query.vector.astype(np.float32))[slots] + rows['added']
        near = rough >= lowest(rough, query) - SLACK
        rows = rows[near]
        # Once more in float64, for the few that may be among the best.
        return best_of(rows['number'], rows['added'], slots[near], self._vectors, query)

    def load(self) -> None:
        """Read the vectors that are new in the file."""
        dimension, embedded, count = self._connection.execute(
            'SELECT dimension, embedded, (SELECT count(*) FROM keys) FROM store'
        ).fetchone()
        # Those of deleted keys stay until they are more than half.
        if embedded != self._embedded or len(self._numbers) > 2 * count:
            self._numbers = np.empty(0, np.int64)
            self._vectors = np.empty((0, dimension), np.float32)
            self._embedded = embedded
        last = int(self._numbers[-1]) if len(self._numbers) else 0
        new = self._connection.execute(
            'SELECT id, vector FROM keys WHERE id > ? ORDER BY id', (last,)
        ).fetchall()
        if new:
            vectors = unpack(b''.join(vector for _, vector in new)).reshape(-1, dimension)
            self._numbers = np.append(self._numbers, [number for number, _ in new])
            self._vectors = np.concatenate([self._vectors, vectors])


def _weighed(query: Query) -> tuple[str, list[Any]]:
    """Return the query for the experiences that may be found, and what is added to each cosine."""
    values: list[Any] = [query.level_bonus, query.root]
    flows = sorted(query.control_flows, key=lambda flow: flow.value)
    sets = chain.from_iterable(combinations(flows, size) for size in range(len(flows) + 1))
    allowed = [flow_names(frozenset(some)) for some in sets]
    terms = [f'control_flows IN ({", ".join("?" * len(allowed))})']
    values += allowed
    for column, sign, value in (
        ('strategy', '=', query.strategy),
        ('skills', '=', query.skills),
        ('task', '!=', query.not_task),
    ):
        if value:
            terms.append(f'{column} {sign} ?')
            values.append(value)
    return (
        f'SELECT id, key, ? * (root = ?) FROM experiences WHERE {" AND ".join(terms)}',
        values,
    )
