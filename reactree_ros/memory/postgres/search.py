# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Search: the server filters and finds the keys that are near, numpy scores these exactly."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import psycopg

from reactree_ros.memory.kept import flow_names
from reactree_ros.memory.postgres.rows import ask_for_keys, keys_of, literal
from reactree_ros.memory.ranking import SLACK, best_of, lowest
from reactree_ros.memory.store import HNSW, Query

_MORE = 32
# So many more than asked for are fetched: they may be as good, once they are scored exactly.
_WIDEST = 1000
# The most candidates that pgvector keeps while it walks through its index.


def search(connection: psycopg.Connection, query: Query, index: str) -> list[tuple[int, float]]:
    """Return numbers of experiences and their scores, as ``ExperienceStore.search`` does.

    Args:
        connection: in a transaction.
        query: what is looked for.
        index: ``exact``, or ``hnsw`` if the keys have that index.
    """
    if index == HNSW and query.limit:
        found = _near(connection, query)
    else:
        found = _all_scored(connection, query)
    if not found:
        return []
    rows = np.array(found, [('number', 'i8'), ('key', 'i8'), ('rough', 'f8'), ('added', 'f8')])
    rows = rows[rows['rough'] >= lowest(rows['rough'], query) - SLACK]
    wanted = np.unique(rows['key'])
    keys = keys_of(ask_for_keys(connection, 'id = ANY(%s)', (wanted.tolist(),)))
    vectors = np.stack([vector for *_, vector in keys])
    slots = np.searchsorted(wanted, rows['key'])
    return best_of(rows['number'], rows['added'], slots, vectors, query)


def _all_scored(connection: psycopg.Connection, query: Query) -> list[Any]:
    """Return what may be among the best of all; compared with every key."""
    where, values = _allowed(query)
    limit = query.limit + _MORE if query.limit else None
    while True:
        found: list[Any] = connection.execute(
            'SELECT e.id, e.key, -(k.vector <#> %s::vector) + %s * (e.root = %s)::int AS rough, '
            '%s * (e.root = %s)::int FROM experiences e JOIN keys k ON k.id = e.key '
            f'WHERE {where} ORDER BY rough DESC LIMIT %s'.encode(),
            (literal(query.vector), *2 * (query.level_bonus, query.root), *values, limit),
            prepare=False,  # a plan for any values would be a worse one
        ).fetchall()
        # One cut off could be as good as the last that is wanted only while these are nearly equal.
        if (
            limit is None
            or len(found) < limit
            or found[-1][2] < found[query.limit - 1][2] - 2 * SLACK
        ):
            return found
        limit *= 4


def _near(connection: psycopg.Connection, query: Query) -> list[Any]:
    """Return what the index finds: the most similar of each level, for the weight adds to one.

    Where so few experiences may be found that comparing all of them is less work, the server does
    that.
    """
    where, values = _allowed(query)
    limit = query.limit + _MORE
    connection.execute(
        "SELECT set_config('hnsw.ef_search', %s, true), "
        # Without it, a filter would leave too few of those that the index found first. The order is
        # not kept for whom scores again.
        "set_config('hnsw.iterative_scan', 'relaxed_order', true)",
        (str(min(2 * limit, _WIDEST)),),
    )
    size = query.vector.size
    found: list[Any] = []
    for root in (True, False):
        added = query.level_bonus * (root == query.root)
        found += connection.execute(
            'SELECT e.id, e.key, -(k.vector <#> %s::vector) + %s, %s::float8 '
            'FROM keys k JOIN experiences e ON e.key = k.id '
            f'WHERE e.root = %s AND {where} '
            f'ORDER BY k.vector::vector({size}) <#> %s::vector({size}) LIMIT %s'.encode(),
            (
                literal(query.vector),
                added,
                added,
                root,
                *values,
                literal(query.vector),
                limit,
            ),
            prepare=False,
        ).fetchall()
    return found


def _allowed(query: Query) -> tuple[str, list[Any]]:
    """Return the condition of the experiences ``e`` that may be found."""
    flows = sorted(query.control_flows, key=lambda flow: flow.value)
    sets = chain.from_iterable(combinations(flows, size) for size in range(len(flows) + 1))
    terms = ['e.control_flows = ANY(%s)']
    values: list[Any] = [[flow_names(frozenset(some)) for some in sets]]
    for column, sign, value in (
        ('strategy', '=', query.strategy),
        ('skills', '=', query.skills),
        ('task', '!=', query.not_task),
    ):
        if value:
            terms.append(f'e.{column} {sign} %s')
            values.append(value)
    return ' AND '.join(terms), values
