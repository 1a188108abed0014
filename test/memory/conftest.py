# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Places for stores of experiences: a file, and a database of a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

try:
    import psycopg
except ImportError:
    psycopg = None  # type: ignore[assignment]  # then there is no server either

from reactree_ros.memory.opening import open_store
from reactree_ros.memory.store import ExperienceStore

from ..postgres import server_or_skip

FILE, SERVER = STORES = ('sqlite', 'postgresql')
Opening = Callable[..., ExperienceStore]


@pytest.fixture(scope='session')
def postgres() -> Iterator[Any]:
    """Run a PostgreSQL server with pgvector; without one the test is skipped."""
    with closing(server_or_skip()) as server:
        yield server


@pytest.fixture(params=STORES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Name a place where there is no store yet."""
    if request.param == FILE:
        return str(tmp_path / 'memory.sqlite')
    return request.getfixturevalue('database')


@pytest.fixture
def database(postgres: Any) -> str:
    """Empty the database that tests use one after the other, and return its address."""
    address: str = postgres.address()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute('DROP SCHEMA IF EXISTS reactree CASCADE')
    return address


@pytest.fixture
def open_here(address: str) -> Iterator[Opening]:
    """Open the store of a test, as often as it likes; all are closed at its end."""
    with ExitStack() as opened:

        def open_one(*arguments: Any, **named: Any) -> ExperienceStore:
            return opened.enter_context(closing(open_store(address, *arguments, **named)))

        yield open_one
