# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What changes in a store's file when runs are added, verified or forgotten.

Each changed experience carries the number of the write, its revision, and each deleted one is
noted with it, so that other processes read only what is new.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from reactree_ros.memory import sqlite_rows as rows
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.store import NewExperience, Saved

_STRENGTH = (Verification.REPORTED, Verification.WORLD, Verification.PERSON)
_MOST_DELETED = 10_000


class SqliteWriter:
    """Writes to the tables of a store.

    Args:
        connection: to the file; all methods are called inside a transaction.
        limit: most experiences; 0 for no limit.
    """

    def __init__(self, connection: sqlite3.Connection, limit: int) -> None:
        self._connection = connection
        self._limit = limit

    def set_encoder(self, encoder: str, dimension: int) -> None:
        """Note the encoder of the embeddings."""
        self._connection.execute(
            'UPDATE store SET encoder = ?, dimension = ?, floor = revision + 1, '
            'revision = revision + 1 WHERE encoder != ? OR dimension != ?',
            (encoder, dimension, encoder, dimension),
        )

    def add(self, runs: Iterable[tuple[Origin, Sequence[NewExperience]]]) -> Saved:
        """Add runs; see ``SqliteStore.add_runs``."""
        revision = self._next_revision()
        added = merged = 0
        for origin, experiences in runs:
            self._delete(self._of_run(origin.run), revision)
            for new in experiences:
                if self._merge(origin, new, revision):
                    merged += 1
                else:
                    self._insert(origin, new, revision)
                    added += 1
        return Saved(added, merged, self._forget(revision) if self._limit else 0)

    def delete(self, numbers: Sequence[int]) -> None:
        """Delete experiences, and keys that no other one has."""
        self._delete(numbers, self._next_revision())

    def verify(self, run: str, verified: Verification) -> int:
        """Note who verified a run; return how many experiences that concerns."""
        revision = self._next_revision()
        numbers = self._of_run(run)
        for number in numbers:
            (facet,) = self._connection.execute(
                'SELECT facet FROM experiences WHERE id = ?', (number,)
            ).fetchone()
            self._connection.execute(
                'UPDATE experiences SET facet = ?, revision = ? WHERE id = ?',
                (rows.verified_facet(self._connection, facet, verified), revision, number),
            )
        return len(numbers)

    def keys(self) -> list[tuple[int, str]]:
        """Return numbers and texts of all keys."""
        return self._connection.execute('SELECT id, text FROM keys ORDER BY id').fetchall()

    def replace_vectors(self, encoder: str, dimension: int, vectors: Mapping[int, bytes]) -> bool:
        """Write new embeddings, if there is one for each key; return whether there was.

        Args:
            encoder: name of the new encoder.
            dimension: floats of an embedding.
            vectors: embeddings by number of the key.
        """
        numbers = [number for number, _ in self.keys()]
        if not all(number in vectors for number in numbers):
            return False
        self._connection.executemany(
            'UPDATE keys SET vector = ? WHERE id = ?',
            ((vectors[number], number) for number in numbers),
        )
        self._connection.execute(
            'UPDATE store SET encoder = ?, dimension = ?, floor = revision + 1, '
            'revision = revision + 1',
            (encoder, dimension),
        )
        return True

    def _next_revision(self) -> int:
        self._connection.execute('UPDATE store SET revision = revision + 1')
        (revision,) = self._connection.execute('SELECT revision FROM store').fetchone()
        return int(revision)

    def _of_run(self, run: str) -> list[int]:
        found = self._connection.execute('SELECT id FROM experiences WHERE run = ?', (run,))
        return [number for (number,) in found.fetchall()]

    def _merge(self, origin: Origin, new: NewExperience, revision: int) -> bool:
        """Let a near-duplicate take an experience up; return whether there is one."""
        row = self._connection.execute(
            'SELECT e.id, e.time, e.facet, f.verified FROM experiences e '
            'JOIN facets f ON f.id = e.facet WHERE e.likeness = ? ORDER BY e.id',
            (rows.likeness(origin, new),),
        ).fetchone()
        if row is None:
            return False
        number, time, facet, before = row
        verified = max(Verification(before), origin.verified, key=_STRENGTH.index)
        if origin.time < time:
            # An import of something older: the text that is there is the later one.
            self._connection.execute(
                'UPDATE experiences SET facet = ?, merged = merged + 1, revision = ? WHERE id = ?',
                (rows.verified_facet(self._connection, facet, verified), revision, number),
            )
            return True
        self._connection.execute(
            'UPDATE experiences SET facet = ?, goal = ?, run = ?, task = ?, model = ?, time = ?, '
            'merged = merged + 1, revision = ? WHERE id = ?',
            (
                rows.facet_number(self._connection, origin, new, verified),
                new.experience.goal,
                *(origin.run, origin.task, origin.model, origin.time),
                *(revision, number),
            ),
        )
        self._connection.execute(
            'UPDATE texts SET text = ? WHERE id = ?', (new.experience.text, number)
        )
        return True

    def _insert(self, origin: Origin, new: NewExperience, revision: int) -> None:
        cursor = self._connection.execute(
            'INSERT INTO experiences (key, facet, goal, run, task, model, time, likeness, merged, '
            'retrieved, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?)',
            (
                rows.key_number(self._connection, new.key, new.vector),
                rows.facet_number(self._connection, origin, new, origin.verified),
                new.experience.goal,
                *(origin.run, origin.task, origin.model, origin.time),
                rows.likeness(origin, new),
                revision,
            ),
        )
        self._connection.execute(
            'INSERT INTO texts (id, text, outline) VALUES (?, ?, ?)',
            (cursor.lastrowid, new.experience.text, new.outline),
        )

    def _forget(self, revision: int) -> int:
        """Delete the least useful beyond the limit; return how many."""
        (count,) = self._connection.execute('SELECT count(*) FROM experiences').fetchone()
        if count <= self._limit:
            return 0
        numbers: list[int] = []
        # What this write brought goes last: else a full store, all of whose experiences were
        # retrieved at least once, would never learn anything new.
        for these in ('revision != ?', 'revision = ?'):
            found = self._connection.execute(
                f'SELECT id FROM experiences WHERE {these} ORDER BY retrieved, time, id LIMIT ?',
                (revision, count - self._limit - len(numbers)),
            )
            numbers += [number for (number,) in found.fetchall()]
        self._delete(numbers, revision)
        return len(numbers)

    def _delete(self, numbers: Sequence[int], revision: int) -> None:
        if not numbers:
            return
        these = json.dumps(numbers)
        among = 'IN (SELECT value FROM json_each(?))'
        keys = self._connection.execute(
            f'SELECT DISTINCT key FROM experiences WHERE id {among}', (these,)
        ).fetchall()
        self._connection.execute(f'DELETE FROM experiences WHERE id {among}', (these,))
        self._connection.execute(f'DELETE FROM texts WHERE id {among}', (these,))
        self._connection.execute(
            f'DELETE FROM keys WHERE id {among} '
            'AND NOT EXISTS (SELECT 1 FROM experiences WHERE key = keys.id)',
            (json.dumps([key for (key,) in keys]),),
        )
        self._connection.execute(
            'INSERT OR REPLACE INTO deleted SELECT value, ? FROM json_each(?)', (revision, these)
        )
        (noted,) = self._connection.execute('SELECT count(*) FROM deleted').fetchone()
        if noted > _MOST_DELETED:
            self._connection.execute('DELETE FROM deleted')
            self._connection.execute('UPDATE store SET floor = ?', (revision,))
