# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL server for tests, where the wheel that carries one is installed."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError

FAST = ('fsync=off', 'synchronous_commit=off', 'full_page_writes=off')
"""Settings of a server whose machine does not fail."""


def server_or_skip(settings: tuple[str, ...] = FAST) -> Any:
    """Start a server, to be closed by the caller; skip the test where there can be none."""
    pytest.importorskip('psycopg', reason='needs requirements/postgres.txt')
    from reactree_ros.lab.bench.postgres_server import PostgresServer

    try:
        server = PostgresServer(settings)
    except ConfigurationError as error:
        pytest.skip(str(error))
    try:
        server.start()
    except BaseException:
        server.close()
        raise
    return server
