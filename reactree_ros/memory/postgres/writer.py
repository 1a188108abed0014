# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What changes in the tables when runs are added, or experiences are forgotten.

A run takes a fixed number of questions to the server, however many experiences it has.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from reactree_ros.core.model import Vectors
from reactree_ros.memory import kept
from reactree_ros.memory.experience import Origin
from reactree_ros.memory.postgres.rows import ask_for_keys, keys_of, literal
from reactree_ros.memory.store import NewExperience, Run, Saved

_LOCKS = 256
# Advisory locks of writers; more would not fit into the server's table of locks.
_SPACE = 0x5254
# Keeps them apart from the locks of others.

_Near = tuple[psycopg.Cursor[Any], psycopg.Cursor[Any]]


@dataclass
class _Entry:
    """An experience in the tables, or one that will be.

    Args:
        number: of its row.
        time: of its run.
        verified: who verified it.
        identity: of what is known of it.
        comes: what replaces what is known of it, or makes it; None if that stays.
        is_new: whether it has no row yet.
        merged: what is added to its count.
        retrieved: what is added to its count.
        duplicates: identities of what was merged into it.
    """

    number: int
    time: float
    verified: str
    identity: bytes
    comes: tuple[Origin, NewExperience] | None = None
    is_new: bool = False
    merged: int = 0
    retrieved: int = 0
    duplicates: list[bytes] = field(default_factory=list)


class PostgresWriter:
    """Writes to the tables of a store.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def add(self, runs: Sequence[Run]) -> Saved:
        """Add runs; see ``ExperienceStore.add_runs``."""
        pairs = [(origin, new) for origin, experiences in runs for new in experiences]
        names = [origin.run for origin, _ in runs]
        # What a later run of the same name replaces is not added in the first place.
        last = {name: place for place, name in enumerate(names)}
        kept_runs = [run for place, run in enumerate(runs) if last[run[0].run] == place]
        experiences = [(origin, new) for origin, its in kept_runs for new in its]
        # Many questions at once: the server may be far away.
        with self._connection.pipeline():
            self._lock(names, pairs)
            gone = self._connection.execute(
                'DELETE FROM experiences WHERE run = ANY(%s) RETURNING key', (names,)
            )
            near = self._look_up(experiences)
        saved = self._write(experiences, near, foreign=False)
        self._delete_keys(gone.fetchall())
        return saved

    def add_missing(
        self, experiences: Sequence[tuple[Origin, NewExperience]], restore: bool
    ) -> Saved:
        """Add what is not there; see ``ExperienceStore.import_experiences``."""
        # Of all of them first: two nodes of a run may have gone through the same.
        identities = [kept.identity_of(*one) for one in experiences]
        self._lock({origin.run for origin, _ in experiences}, experiences)
        there = self.known(identities)
        gone = set() if restore else self._among('forgotten', identities) - there
        missing = [
            one
            for one, identity in zip(experiences, identities, strict=True)
            if identity not in there and identity not in gone
        ]
        with self._connection.pipeline():
            near = self._look_up(missing)
        saved = self._write(missing, near, foreign=True)
        return saved + Saved(
            0,
            known=sum(one in there for one in identities),
            left_out=sum(one in gone for one in identities),
        )

    def forget(self, where: str, values: Sequence[Any], merged: bool) -> int:
        """Delete experiences of a condition, and note which they were; return their number.

        Args:
            where: the condition.
            values: of its parameters.
            merged: whether what was merged into them counts as forgotten, too.
        """
        rows = self._connection.execute(
            f'SELECT e.id FROM experiences e WHERE {where} ORDER BY e.id DESC FOR UPDATE'.encode(),
            values,
        ).fetchall()
        numbers = [number for (number,) in rows]
        notes = ['SELECT identity FROM experiences WHERE id = ANY(%s)']
        notes += ['SELECT identity FROM duplicates WHERE experience = ANY(%s)'] * merged
        for note in notes:
            self._connection.execute(
                f'INSERT INTO forgotten {note} ON CONFLICT DO NOTHING'.encode(), (numbers,)
            )
        return self.delete('id = ANY(%s)', (numbers,))

    def delete(self, where: str, values: Sequence[Any]) -> int:
        """Delete experiences, and keys that no other one has; return their number."""
        rows = self._connection.execute(
            f'DELETE FROM experiences WHERE {where} RETURNING key'.encode(), values
        ).fetchall()
        self._delete_keys(rows)
        return len(rows)

    def known(self, identities: Iterable[bytes]) -> set[bytes]:
        """Return which experiences are there, as such or merged into another."""
        identities = list(identities)
        return self._among('experiences', identities) | self._among('duplicates', identities)

    def _delete_keys(self, rows: Sequence[tuple[int]]) -> None:
        """Delete keys of experiences that are gone, if no other one has them."""
        if rows:
            self._connection.execute(
                'DELETE FROM keys WHERE id = ANY(%s) '
                'AND NOT EXISTS (SELECT FROM experiences WHERE key = keys.id)',
                (sorted({key for (key,) in rows}),),
            )

    def _among(self, table: str, identities: list[bytes]) -> set[bytes]:
        """Return those identities that a table has."""
        found = self._connection.execute(
            f'SELECT identity FROM {table} WHERE identity = ANY(%s)'.encode(), (identities,)
        )
        return {one for (one,) in found}

    def _lock(
        self, names: Iterable[str], experiences: Sequence[tuple[Origin, NewExperience]]
    ) -> None:
        """Let no other writer add the same runs, or equal experiences or keys, meanwhile."""
        parts = [name.encode() for name in names]
        parts += [kept.likeness(*one) for one in experiences]
        parts += [new.key.encode() for _, new in experiences]
        numbers = sorted({zlib.crc32(part) % _LOCKS for part in parts})
        # In one order for all, so that no two wait for each other.
        self._connection.execute(
            'SELECT pg_advisory_xact_lock(%s, one) FROM unnest(%s::integer[]) one',
            (_SPACE, numbers),
        )

    def _look_up(self, experiences: Sequence[tuple[Origin, NewExperience]]) -> _Near:
        """Ask for near-duplicates, which nobody changes from now on, and for the rows of keys."""
        alike = self._connection.execute(
            'SELECT likeness, id, time, verified, identity FROM experiences '
            'WHERE likeness = ANY(%s) ORDER BY id DESC FOR UPDATE',
            ([kept.likeness(*one) for one in experiences],),
        )
        texts = list({new.key for _, new in experiences})
        return alike, ask_for_keys(self._connection, 'text = ANY(%s)', (texts,))

    def _write(
        self, experiences: Sequence[tuple[Origin, NewExperience]], near: _Near, foreign: bool
    ) -> Saved:
        """Add experiences, or merge them with near-duplicates.

        Args:
            experiences: what is added.
            near: what ``_look_up`` found for them.
            foreign: whether they come from another store; see ``kept.takes_over``.
        """
        if not experiences:
            return Saved(0)
        entries = {likeness: _Entry(*values) for likeness, *values in near[0]}
        merged = 0
        fresh: list[_Entry] = []
        for origin, new in experiences:
            likeness = kept.likeness(origin, new)
            entry = entries.get(likeness)
            identity = kept.identity_of(origin, new)
            if entry is None:
                entry = _Entry(0, origin.time, '', identity, is_new=True)
                entries[likeness] = entry
                fresh.append(entry)
                replaces = True
            else:
                merged += 1
                replaces = kept.takes_over(origin, entry.time, entry.verified, foreign)
                if entry.identity != identity:
                    entry.duplicates.append(entry.identity if replaces else identity)
            if replaces:
                entry.comes = (origin, new)
                entry.time, entry.verified = origin.time, origin.verified.value
                entry.identity = identity
            first = entry.is_new and not entry.merged
            # another store may have sent what it counts before, under another identity
            entry.merged += new.merged if first else 1
            entry.retrieved += new.retrieved if first else 0
        keys, missing = _placed(
            keys_of(near[1]), [one.comes[1] for one in fresh if one.comes is not None]
        )
        numbers, key_numbers = self._numbers(len(fresh), len(missing))
        made = dict(zip(missing, key_numbers, strict=True))
        with self._connection.pipeline():
            self._many(
                'INSERT INTO keys VALUES (%s, %s, %s)',
                [(number, *missing[place]) for place, number in made.items()],
            )
            self._insert(fresh, numbers, [made.get(key, key) for key in keys])
            self._update([one for one in entries.values() if not one.is_new])
            self._many(
                'INSERT INTO duplicates VALUES (%s, %s) ON CONFLICT (identity) '
                'DO UPDATE SET experience = excluded.experience',
                [(one, entry.number) for entry in entries.values() for one in entry.duplicates],
            )
            self._connection.execute(
                'DELETE FROM forgotten WHERE identity = ANY(%s)',
                ([kept.identity_of(*one) for one in experiences],),
            )
        return Saved(len(fresh), merged)

    def _insert(
        self, entries: Sequence[_Entry], numbers: Sequence[int], keys: Sequence[int]
    ) -> None:
        pairs = [entry.comes for entry in entries if entry.comes is not None]
        rows = []
        for (origin, new), entry, number, key in zip(pairs, entries, numbers, keys, strict=True):
            entry.number = number
            rows.append(
                {
                    **_columns(origin, new),
                    'id': number,
                    'key': key,
                    'likeness': kept.likeness(origin, new),
                    'merged': entry.merged,
                    'retrieved': entry.retrieved,
                }
            )
        if rows:
            names = list(rows[0])
            self._many(
                f'INSERT INTO experiences ({", ".join(names)}) '
                f'VALUES ({", ".join(["%s"] * len(names))})',
                [tuple(row.values()) for row in rows],
            )
        self._many(
            'INSERT INTO texts (id, text, outline) VALUES (%s, %s, %s)',
            [
                (entry.number, new.experience.text, new.outline)
                for entry, (_, new) in zip(entries, pairs, strict=True)
            ],
        )

    def _update(self, entries: Sequence[_Entry]) -> None:
        self._many(
            'UPDATE experiences SET merged = merged + %s, retrieved = retrieved + %s WHERE id = %s',
            [(one.merged, one.retrieved, one.number) for one in entries],
        )
        changed = [(one.number, *one.comes) for one in entries if one.comes is not None]
        if not changed:
            return
        rows = [(number, _columns(origin, new)) for number, origin, new in changed]
        names = list(rows[0][1])
        self._many(
            f'UPDATE experiences SET {", ".join(f"{name} = %s" for name in names)} WHERE id = %s',
            [(*row.values(), number) for number, row in rows],
        )
        self._many(
            'UPDATE texts SET text = %s WHERE id = %s',
            [(new.experience.text, number) for number, _, new in changed],
        )

    def _numbers(self, experiences: int, keys: int) -> tuple[list[int], list[int]]:
        """Return the next numbers of rows of both tables."""
        with self._connection.pipeline():
            answers = [
                self._connection.execute(
                    'SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)',
                    (table, 'id', count),
                )
                for table, count in (('experiences', experiences), ('keys', keys))
            ]
        first, second = ([number for (number,) in answer] for answer in answers)
        return first, second

    def _many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._connection.cursor().executemany(statement.encode(), rows)


def _placed(
    known: Sequence[tuple[int, str, Vectors]], experiences: Sequence[NewExperience]
) -> tuple[list[int], dict[int, tuple[str, str]]]:
    """Find the rows of the keys of experiences.

    Other writers do not make the same keys now, but may delete one that only their experiences
    had: then the row that refers to it is refused, and this writer starts again.

    Returns:
        The number of each one's row, negative if there is none yet; and what these rows are to
        hold, by these negative numbers.
    """
    there: dict[str, list[tuple[int, Vectors]]] = {}
    for number, text, vector in known:
        there.setdefault(text, []).append((number, vector))
    missing: dict[int, tuple[str, str]] = {}
    numbers = []
    for new in experiences:
        rows = there.setdefault(new.key, [])
        number = next((one for one, vector in rows if kept.is_alike(vector, new.vector)), 0)
        if not number:
            number = -1 - len(missing)
            rows.append((number, new.vector))
            missing[number] = (new.key, literal(new.vector))
        numbers.append(number)
    return numbers, missing


def _columns(origin: Origin, new: NewExperience) -> dict[str, Any]:
    return {**kept.columns(origin, new), 'folded': new.experience.goal.casefold()}
