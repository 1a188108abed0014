# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of an experience store's file: vectors, and conditions."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np

from reactree_ros.core.model import Vectors
from reactree_ros.memory.kept import is_alike
from reactree_ros.memory.store import Choice

_VECTOR = np.dtype('<f4')


def key_number(connection: sqlite3.Connection, text: str, vector: Vectors) -> int:
    """Find the row of a key with its embedding, or make it."""
    rows = connection.execute('SELECT id, vector FROM keys WHERE text = ?', (text,))
    for number, known in rows.fetchall():
        if is_alike(unpack(known), vector):
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
    for column in ('run', 'task', 'skills', 'strategy', 'robot'):
        if value := getattr(choice, column):
            terms.append(f'e.{column} = ?')
            values.append(value)
    if choice.verified:
        terms.append(f'e.verified IN ({", ".join("?" * len(choice.verified))})')
        values += [one.value for one in choice.verified]
    return ' AND '.join(terms), values
