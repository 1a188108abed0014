# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Opens the store of experiences that an address names: a file, or a PostgreSQL server."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.postgres.address import is_server, shown
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import ExperienceStore


def open_store(
    address: str, encoder: str = '', dimension: int = 0, *, limit: int = 0, create: bool = True
) -> ExperienceStore:
    """Open a store, to be closed by the caller.

    Args:
        address: a file, or ``postgresql://USER@HOST:PORT/DATABASE``.
        encoder: name of the encoder of the embeddings; empty to take the store as it is, which
            is enough for all but adding and searching in a new one.
        dimension: floats of an embedding; 0 takes that of the store, or of the first run.
        limit: most experiences of a file, see ``SqliteStore``; what a server holds is not for one
            planner to limit.
        create: whether to make a store that is not there.

    Raises:
        ConfigurationError: if there is no such store, it is of another version, or it holds
            embeddings of another encoder.
        StoreError: if it cannot be opened at present.
    """
    if not is_server(address):
        return SqliteStore(Path(address), encoder, dimension, limit=limit, create=create)
    try:
        # Only fleets have a server, and need its driver.
        from reactree_ros.memory.postgres.store import PostgresStore
    except ImportError as error:
        raise ConfigurationError(
            f'the experience store {shown(address)} is a PostgreSQL server, and its driver is not '
            f'installed ({error}): pip install "psycopg[binary]"'
        ) from error
    return PostgresStore(address, encoder, dimension, create=create)
