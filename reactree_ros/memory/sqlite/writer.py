# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What changes in a store's file when runs are added, or experiences are forgotten."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from reactree_ros.memory import kept
from reactree_ros.memory.experience import Origin
from reactree_ros.memory.sqlite import rows
from reactree_ros.memory.store import NewExperience, Run, Saved

_AMONG = 'IN (SELECT value FROM json_each(?))'


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
            'UPDATE store SET encoder = ?, dimension = ?, embedded = embedded + 1 '
            'WHERE encoder != ? OR dimension != ?',
            (encoder, dimension, encoder, dimension),
        )

    def add(self, runs: Iterable[Run]) -> Saved:
        """Add runs; see ``ExperienceStore.add_runs``."""
        merged: list[int] = []
        added: list[int] = []
        for origin, experiences in runs:
            self.delete(self._of_run(origin.run))
            for new in experiences:
                if (number := self._merge(origin, new, foreign=False)) is not None:
                    merged.append(number)
                else:
                    added.append(self._insert(origin, new))
        return Saved(len(added), len(merged), self._forget(added + merged))

    def add_missing(
        self, experiences: Sequence[tuple[Origin, NewExperience]], restore: bool
    ) -> Saved:
        """Add what is not there; see ``ExperienceStore.import_experiences``."""
        merged: list[int] = []
        added: list[int] = []
        # Of all of them first: two nodes of a run may have gone through the same.
        identities = [kept.identity_of(*one) for one in experiences]
        there = self.known(identities)
        gone = set() if restore else self._among('forgotten', identities)
        counts = [one in there for one in identities], [one in gone - there for one in identities]
        for (origin, new), identity in zip(experiences, identities, strict=True):
            if identity in there or identity in gone:
                continue
            if (number := self._merge(origin, new, foreign=True)) is not None:
                merged.append(number)
            else:
                added.append(self._insert(origin, new))
        known, left_out = map(sum, counts)
        return Saved(len(added), len(merged), self._forget(added + merged), known, left_out)

    def forget(self, numbers: Sequence[int], merged: bool) -> None:
        """Delete experiences, and note which they were.

        Args:
            numbers: of the experiences.
            merged: whether what was merged into them counts as forgotten, too.
        """
        these = json.dumps(numbers)
        notes = [f'SELECT identity FROM experiences WHERE id {_AMONG}']
        notes += [f'SELECT identity FROM duplicates WHERE experience {_AMONG}'] * merged
        for note in notes:
            self._connection.execute(f'INSERT OR IGNORE INTO forgotten {note}', (these,))
        self.delete(numbers)

    def known(self, identities: Iterable[bytes]) -> set[bytes]:
        """Return which experiences are there, as such or merged into another."""
        return self._among('experiences', identities) | self._among('duplicates', identities)

    def delete(self, numbers: Sequence[int]) -> None:
        """Delete experiences, and keys that no other one has."""
        if not numbers:
            return
        these = json.dumps(numbers)
        keys = self._connection.execute(
            f'SELECT DISTINCT key FROM experiences WHERE id {_AMONG}', (these,)
        ).fetchall()
        for table, column in (('experiences', 'id'), ('texts', 'id'), ('duplicates', 'experience')):
            self._connection.execute(f'DELETE FROM {table} WHERE {column} {_AMONG}', (these,))
        self._connection.execute(
            f'DELETE FROM keys WHERE id {_AMONG} '
            'AND NOT EXISTS (SELECT 1 FROM experiences WHERE key = keys.id)',
            (json.dumps([key for (key,) in keys]),),
        )

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
            'UPDATE store SET encoder = ?, dimension = ?, embedded = embedded + 1',
            (encoder, dimension),
        )
        return True

    def _of_run(self, run: str) -> list[int]:
        found = self._connection.execute('SELECT id FROM experiences WHERE run = ?', (run,))
        return [number for (number,) in found.fetchall()]

    def _among(self, table: str, identities: Iterable[bytes]) -> set[bytes]:
        """Return those identities that a table has."""
        query = f'SELECT 1 FROM {table} WHERE identity = ?'
        return {one for one in identities if self._connection.execute(query, (one,)).fetchone()}

    def _merge(self, origin: Origin, new: NewExperience, foreign: bool) -> int | None:
        """Merge an experience with a near-duplicate; return its number, None if there is none.

        Args:
            origin: the run that it comes from.
            new: the experience.
            foreign: whether it comes from a file; then what is there stays unless the other is
                better verified.
        """
        row = self._connection.execute(
            'SELECT id, time, verified, identity FROM experiences WHERE likeness = ? ORDER BY id',
            (kept.likeness(origin, new),),
        ).fetchone()
        if row is None:
            return None
        number, time, verified, was = row
        replaces = kept.takes_over(origin, time, verified, foreign)
        comes = kept.identity_of(origin, new)
        if was != comes:
            self._connection.execute(
                'INSERT OR REPLACE INTO duplicates VALUES (?, ?)',
                (was if replaces else comes, number),
            )
        self._restore(comes)
        self._connection.execute(
            'UPDATE experiences SET merged = merged + 1 WHERE id = ?', (number,)
        )
        if replaces:
            values = kept.columns(origin, new)
            self._connection.execute(
                f'UPDATE experiences SET {", ".join(f"{name} = ?" for name in values)} '
                'WHERE id = ?',
                (*values.values(), number),
            )
            self._connection.execute(
                'UPDATE texts SET text = ? WHERE id = ?', (new.experience.text, number)
            )
        return int(number)

    def _restore(self, identity: bytes) -> None:
        self._connection.execute('DELETE FROM forgotten WHERE identity = ?', (identity,))

    def _insert(self, origin: Origin, new: NewExperience) -> int:
        self._restore(kept.identity_of(origin, new))
        values = {
            **kept.columns(origin, new),
            'room': '',
            'key': rows.key_number(self._connection, new.key, new.vector),
            'likeness': kept.likeness(origin, new),
            'merged': new.merged,
            'retrieved': new.retrieved,
        }
        cursor = self._connection.execute(
            f'INSERT INTO experiences ({", ".join(values)}) '
            f'VALUES ({", ".join("?" * len(values))})',
            (*values.values(),),
        )
        self._connection.execute(
            'INSERT INTO texts (id, text, outline) VALUES (?, ?, ?)',
            (cursor.lastrowid, new.experience.text, new.outline),
        )
        return int(cursor.lastrowid or 0)

    def _forget(self, changed: Sequence[int]) -> int:
        """Delete the least useful beyond the limit, if there is one; return how many.

        What this write changed goes last: else a full store, all of whose experiences were
        retrieved at least once, would never learn anything new.
        """
        (count,) = self._connection.execute('SELECT count(*) FROM experiences').fetchone()
        if not self._limit or count <= self._limit:
            return 0
        found = self._connection.execute(
            f'SELECT id FROM experiences ORDER BY id {_AMONG}, retrieved, time, id LIMIT ?',
            (json.dumps(changed), count - self._limit),
        )
        numbers = [number for (number,) in found.fetchall()]
        self.delete(numbers)
        return len(numbers)
