# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of an experience store's file: how a record is written, and read again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import Choice, NewExperience, Record

RECORDS = """
SELECT e.id, e.goal, t.text, e.termination, e.root,
    e.run, e.task, e.skills, e.strategy, e.model, e.time, e.verified,
    k.text, t.outline, e.control_flows, e.merged, e.retrieved
FROM experiences e JOIN keys k ON k.id = e.key JOIN texts t ON t.id = e.id
"""
COUNTED = ('verified', 'termination', 'strategy', 'skills', 'model')
_VECTOR = np.dtype('<f4')
# Embeddings of one text differ by this much between batches of different length.
_NOISE = 1e-5


def record(row: Sequence[Any], shown: Mapping[int, int]) -> Record:
    """Make a record of a row of ``RECORDS``.

    Args:
        row: the row.
        shown: how often experiences were retrieved beyond what the file says.
    """
    number, goal, text, termination, root, *rest = row
    run, task, skills, strategy, model, time, verified, *rest = rest
    key, outline, flows, merged, retrieved = rest
    return Record(
        number,
        Experience(goal, text, Termination(termination), bool(root)),
        Origin(run, task, skills, strategy, model, time, Verification(verified)),
        key,
        outline,
        frozenset(ControlFlow(name) for name in flows.split()),
        merged,
        retrieved + shown.get(number, 0),
    )


def columns(origin: Origin, new: NewExperience) -> dict[str, Any]:
    """Return what the better verified, or the later, of two merged experiences decides."""
    one = new.experience
    return {
        'goal': one.goal,
        'termination': one.termination.value,
        'root': int(one.root),
        'room': '',
        'run': origin.run,
        'task': origin.task,
        'skills': origin.skills,
        'strategy': origin.strategy,
        'model': origin.model,
        'time': origin.time,
        'verified': origin.verified.value,
        'control_flows': flow_names(new.control_flows),
    }


def flow_names(flows: frozenset[ControlFlow]) -> str:
    """Return control flows as the file holds them."""
    return ' '.join(sorted(flow.value for flow in flows))


def key_number(connection: sqlite3.Connection, text: str, vector: Vectors) -> int:
    """Find the row of a key with its embedding, or make it."""
    rows = connection.execute('SELECT id, vector FROM keys WHERE text = ?', (text,))
    for number, known in rows.fetchall():
        if np.allclose(unpack(known), vector, rtol=0.0, atol=_NOISE):
            return int(number)
    cursor = connection.execute(
        'INSERT INTO keys (text, vector) VALUES (?, ?)', (text, pack(vector))
    )
    return int(cursor.lastrowid or 0)


def pack(vector: Vectors) -> bytes:
    """Return a vector as the file holds it."""
    return np.ascontiguousarray(vector, _VECTOR).tobytes()


def unpack(data: bytes) -> Vectors:
    """Return the floats of vectors that the file holds, one after the other."""
    return np.frombuffer(data, _VECTOR).astype(np.float32, copy=False)


def likeness(origin: Origin, new: NewExperience) -> bytes:
    """Return what is equal in near-duplicates: they show a model the same, for the same goal."""
    one = new.experience
    return _digest(
        new.key,
        one.goal.casefold(),
        new.outline,
        one.termination.value,
        one.root,
        origin.strategy,
        origin.skills,
    )


def identity(run: str, goal: str, termination: str, text: str) -> bytes:
    """Return the key that identifies an imported experience in the store."""
    return _digest(run, goal, termination, text.rstrip())


def identity_of(origin: Origin, new: NewExperience) -> bytes:
    """Return the ``identity`` of an experience that is added."""
    one = new.experience
    return identity(origin.run, one.goal, one.termination.value, one.text)


def condition(choice: Choice) -> tuple[str, list[Any]]:
    """Return a choice as the condition of a query over experiences ``e``."""
    terms = ['true']
    values: list[Any] = []
    if choice.numbers:
        terms.append('e.id IN (SELECT value FROM json_each(?))')
        values.append(json.dumps(choice.numbers))
    if choice.goal:
        # SQLite's own lower() knows ASCII only.
        terms.append('instr(casefold(e.goal), ?)')
        values.append(choice.goal.casefold())
    for column in ('run', 'task', 'skills', 'strategy'):
        if value := getattr(choice, column):
            terms.append(f'e.{column} = ?')
            values.append(value)
    if choice.verified:
        terms.append(f'e.verified IN ({", ".join("?" * len(choice.verified))})')
        values += [one.value for one in choice.verified]
    return ' AND '.join(terms), values


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()
