# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of an experience store's tables: vectors as the server sends them, and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg

from reactree_ros.core.model import Vectors
from reactree_ros.memory.store import Choice

_HEADER = 4
# Bytes before the floats of a vector in binary form: its dimension and what is not used.
_FLOATS = np.dtype('>f4')


def literal(vector: Vectors) -> str:
    """Return a vector as the server reads it, without loss."""
    return f'[{",".join(map(str, vector.astype(np.float32).tolist()))}]'


def ask_for_keys(
    connection: psycopg.Connection, where: str, values: Sequence[Any]
) -> psycopg.Cursor[Any]:
    """Ask for numbers, texts and vectors of the keys of a condition, by their numbers."""
    cursor = connection.cursor(binary=True)
    cursor.execute(f'SELECT id, text, vector FROM keys WHERE {where} ORDER BY id'.encode(), values)
    return cursor


def keys_of(answer: psycopg.Cursor[Any]) -> list[tuple[int, str, Vectors]]:
    """Return what ``ask_for_keys`` asked for."""
    return [
        (number, text, np.frombuffer(data, _FLOATS, offset=_HEADER).astype(np.float32))
        for number, text, data in answer
    ]


def condition(choice: Choice) -> tuple[str, list[Any]]:
    """Return a choice as the condition of a query over experiences ``e``."""
    terms = ['true']
    values: list[Any] = []
    if choice.numbers:
        terms.append('e.id = ANY(%s)')
        values.append(list(choice.numbers))
    if choice.goal:
        terms.append('strpos(e.folded, %s) > 0')
        values.append(choice.goal.casefold())
    for column in ('run', 'task', 'skills', 'strategy', 'robot'):
        if value := getattr(choice, column):
            terms.append(f'e.{column} = %s')
            values.append(value)
    if choice.verified:
        terms.append('e.verified = ANY(%s)')
        values.append([one.value for one in choice.verified])
    return ' AND '.join(terms), values
