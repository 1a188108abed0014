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

from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.sqlite import rows
from reactree_ros.memory.store import Arrival, NewExperience, Saved

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
                if self._merge(Arrival(origin, new), revision, foreign=False):
                    merged += 1
                else:
                    self._insert(Arrival(origin, new), revision)
                    added += 1
        return Saved(added, merged, self._forget(revision))

    def add_missing(self, runs: Iterable[Sequence[Arrival]]) -> Saved:
        """Add what is not there; see ``SqliteStore.import_runs``."""
        revision = self._next_revision()
        added = merged = known = 0
        for arrivals in runs:
            # Of the whole run first: two of its nodes may have gone through the same.
            there = self._known(arrivals)
            known += sum(there)
            for arrival, is_known in zip(arrivals, there, strict=True):
                if is_known:
                    continue
                if self._merge(arrival, revision, foreign=True):
                    merged += 1
                else:
                    self._insert(arrival, revision)
                    added += 1
        return Saved(added, merged, self._forget(revision), known)

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

    def _known(self, arrivals: Sequence[Arrival]) -> list[bool]:
        """Return which experiences are there, as such or as one that another took up."""
        there: set[bytes] = set()
        for run in {arrival.origin.run for arrival in arrivals}:
            found = self._connection.execute(
                'SELECT e.run, e.goal, f.termination, t.text FROM experiences e '
                'JOIN facets f ON f.id = e.facet JOIN texts t ON t.id = e.id WHERE e.run = ?',
                (run,),
            )
            there.update(rows.identity(*row) for row in found)
        wanted = [_identity(arrival) for arrival in arrivals]
        return [one in there or self._is_taken_up(one) for one in wanted]

    def _is_taken_up(self, identity: bytes) -> bool:
        # The join: a process that does not know the table may have deleted the other one.
        found = self._connection.execute(
            'SELECT 1 FROM taken_up t JOIN experiences e ON e.id = t.experience '
            'WHERE t.identity = ?',
            (identity,),
        )
        return found.fetchone() is not None

    def _merge(self, arrival: Arrival, revision: int, foreign: bool) -> bool:
        """Let a near-duplicate take an experience up; return whether there is one.

        Args:
            arrival: the experience.
            revision: of this write.
            foreign: whether it comes from a file; then what is there stays unless the other is
                better verified.
        """
        origin, new = arrival.origin, arrival.new
        row = self._connection.execute(
            'SELECT e.id, e.time, f.verified, e.run, e.goal, f.termination, t.text '
            'FROM experiences e JOIN facets f ON f.id = e.facet JOIN texts t ON t.id = e.id '
            'WHERE e.likeness = ? ORDER BY e.id',
            (rows.likeness(origin, new),),
        ).fetchone()
        if row is None:
            return False
        number, time, verified, *before = row
        strengths = [_STRENGTH.index(one) for one in (origin.verified, Verification(verified))]
        better = strengths[0] > strengths[1]
        later = not foreign and strengths[0] == strengths[1] and origin.time >= time
        was, comes = rows.identity(*before), _identity(arrival)
        if was != comes:
            self._connection.execute(
                'INSERT OR REPLACE INTO taken_up VALUES (?, ?)',
                (was if better or later else comes, number),
            )
        self._connection.execute(
            'UPDATE experiences SET merged = merged + ?, retrieved = retrieved + ?, revision = ? '
            'WHERE id = ?',
            (arrival.merged, arrival.retrieved, revision, number),
        )
        if better or later:
            self._connection.execute(
                'UPDATE experiences SET facet = ?, goal = ?, run = ?, task = ?, model = ?, '
                'time = ? WHERE id = ?',
                (
                    rows.facet_number(self._connection, origin, new),
                    new.experience.goal,
                    *(origin.run, origin.task, origin.model, origin.time),
                    number,
                ),
            )
            self._connection.execute(
                'UPDATE texts SET text = ? WHERE id = ?', (new.experience.text, number)
            )
        return True

    def _insert(self, arrival: Arrival, revision: int) -> None:
        origin, new = arrival.origin, arrival.new
        cursor = self._connection.execute(
            'INSERT INTO experiences (key, facet, goal, run, task, model, time, likeness, merged, '
            'retrieved, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
            (
                rows.key_number(self._connection, new.key, new.vector),
                rows.facet_number(self._connection, origin, new),
                new.experience.goal,
                *(origin.run, origin.task, origin.model, origin.time),
                rows.likeness(origin, new),
                *(arrival.merged, arrival.retrieved, revision),
            ),
        )
        self._connection.execute(
            'INSERT INTO texts (id, text, outline) VALUES (?, ?, ?)',
            (cursor.lastrowid, new.experience.text, new.outline),
        )

    def _forget(self, revision: int) -> int:
        """Delete the least useful beyond the limit, if there is one; return how many."""
        if not self._limit:
            return 0
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
        self._connection.execute(f'DELETE FROM taken_up WHERE experience {among}', (these,))
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


def _identity(arrival: Arrival) -> bytes:
    one = arrival.new.experience
    return rows.identity(arrival.origin.run, one.goal, one.termination.value, one.text)
