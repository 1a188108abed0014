# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of an experience store's file: what becomes of a record there, and what is read again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import Choice, NewExperience, Record
from reactree_ros.memory.vector_index import Facet

RECORDS = """
SELECT e.id, e.goal, t.text, f.termination, f.root, f.held, f.room,
    e.run, e.task, f.skills, f.strategy, e.model, e.time, f.verified,
    k.text, f.things, t.outline, f.control_flows, e.merged, e.retrieved
FROM experiences e JOIN facets f ON f.id = e.facet JOIN keys k ON k.id = e.key
    JOIN texts t ON t.id = e.id
"""
FACETS = """
SELECT id, root, things, held, room, strategy, skills, verified, control_flows FROM facets
WHERE id > ? ORDER BY id
"""
COUNTED = ('verified', 'termination', 'strategy', 'skills', 'model')
COUNTS = """
SELECT f.verified, f.termination, f.strategy, f.skills, e.model, e.count
FROM (SELECT facet, model, count(*) AS count FROM experiences GROUP BY facet, model) e
    JOIN facets f ON f.id = e.facet
"""
_UNKNOWN = -1
_VECTOR = np.dtype('<f4')
# Embeddings of one text differ by this much between batches of different length.
_NOISE = 1e-5


def record(row: Sequence[Any], shown: Mapping[int, int]) -> Record:
    """Make a record of a row of ``RECORDS``.

    Args:
        row: the row.
        shown: how often experiences were retrieved beyond what the file says.
    """
    number, goal, text, termination, root, held, room, *rest = row
    run, task, skills, strategy, model, time, verified, *rest = rest
    key, things, outline, flows, merged, retrieved = rest
    known = None if held < 0 else held
    return Record(
        number,
        Experience(goal, text, Termination(termination), bool(root), known, room),
        Origin(run, task, skills, strategy, model, time, Verification(verified)),
        key,
        things,
        outline,
        _flows(flows),
        merged,
        retrieved + shown.get(number, 0),
    )


def facet(row: Sequence[Any]) -> tuple[int, Facet]:
    """Make a facet, and its number, of a row of ``FACETS``."""
    number, root, things, held, room, strategy, skills, verified, flows = row
    known = None if held < 0 else held
    return number, Facet(
        bool(root), things, known, room, strategy, skills, Verification(verified), _flows(flows)
    )


def facet_number(connection: sqlite3.Connection, origin: Origin, new: NewExperience) -> int:
    """Find the facet of a new experience, or make it."""
    one = new.experience
    return _facet_number(
        connection,
        {
            'root': int(one.root),
            'things': new.things,
            'held': _UNKNOWN if one.held is None else one.held,
            'room': one.room,
            'strategy': origin.strategy,
            'skills': origin.skills,
            'verified': origin.verified.value,
            'control_flows': ' '.join(sorted(flow.value for flow in new.control_flows)),
            'termination': one.termination.value,
        },
    )


def verified_facet(connection: sqlite3.Connection, number: int, verified: Verification) -> int:
    """Find the facet that differs from one only in who verified it, or make it."""
    cursor = connection.execute('SELECT * FROM facets WHERE id = ?', (number,))
    names = [column[0] for column in cursor.description]
    values = dict(zip(names, cursor.fetchone(), strict=True))
    del values['id']
    return _facet_number(connection, {**values, 'verified': verified.value})


def _facet_number(connection: sqlite3.Connection, values: dict[str, Any]) -> int:
    same = ' AND '.join(f'{name} = ?' for name in values)
    row = connection.execute(f'SELECT id FROM facets WHERE {same}', (*values.values(),)).fetchone()
    if row is None:
        places = ', '.join('?' * len(values))
        cursor = connection.execute(
            f'INSERT INTO facets ({", ".join(values)}) VALUES ({places})', (*values.values(),)
        )
        return int(cursor.lastrowid or 0)
    return int(row[0])


def key_number(connection: sqlite3.Connection, text: str, vector: Vectors) -> int:
    """Find the row of a key with its embedding, or make it."""
    packed = pack(vector)
    rows = connection.execute('SELECT id, vector FROM keys WHERE text = ?', (text,))
    for number, known in rows.fetchall():
        if known == packed or np.allclose(_unpack(known), vector, rtol=0.0, atol=_NOISE):
            return int(number)
    cursor = connection.execute('INSERT INTO keys (text, vector) VALUES (?, ?)', (text, packed))
    return int(cursor.lastrowid or 0)


def pack(vector: Vectors) -> bytes:
    """Return a vector as the file holds it."""
    return np.ascontiguousarray(vector, _VECTOR).tobytes()


def unpack(vectors: Iterable[bytes], dimension: int) -> Vectors:
    """Return vectors that the file holds, (n, dimension)."""
    return _unpack(b''.join(vectors)).reshape(-1, dimension)


def _unpack(data: bytes) -> Vectors:
    return np.frombuffer(data, _VECTOR).astype(np.float32, copy=False)


def likeness(origin: Origin, new: NewExperience) -> bytes:
    """Return what is equal in near-duplicates: they show a model the same, for the same goal."""
    one = new.experience
    parts = (
        new.key,
        one.goal.casefold(),
        new.outline,
        one.termination.value,
        one.root,
        origin.strategy,
        origin.skills,
    )
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()


def identity(run: str, goal: str, termination: str, text: str) -> bytes:
    """Return the key that identifies an imported experience in the store."""
    parts = (run, goal, termination, text.rstrip())
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()


def condition(choice: Choice) -> tuple[str, list[Any]]:
    """Return a choice as the condition of a query over experiences ``e`` and facets ``f``."""
    terms = ['e.id > ?']
    values: list[Any] = [0]
    if choice.numbers:
        terms.append('e.id IN (SELECT value FROM json_each(?))')
        values.append(json.dumps(choice.numbers))
    if choice.goal:
        # SQLite's own lower() knows ASCII only.
        terms.append('instr(casefold(e.goal), ?)')
        values.append(choice.goal.casefold())
    for column, value in (
        ('e.run', choice.run),
        ('e.task', choice.task),
        ('f.skills', choice.skills),
        ('f.strategy', choice.strategy),
    ):
        if value:
            terms.append(f'{column} = ?')
            values.append(value)
    if choice.verified:
        terms.append(f'f.verified IN ({", ".join("?" * len(choice.verified))})')
        values += [one.value for one in choice.verified]
    return ' AND '.join(terms), values


def _flows(text: str) -> frozenset[ControlFlow]:
    return frozenset(ControlFlow(name) for name in text.split())
