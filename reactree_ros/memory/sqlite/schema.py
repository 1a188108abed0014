# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of an experience store: its tables, how it is made, and whether a file is one."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from reactree_ros.errors import ConfigurationError, StoreError

APPLICATION_ID = 0x52545245
"""Written into the file, to distinguish it from other SQLite files."""
VERSION = 1
IN_MEMORY = ':memory:'
BUSY_TIMEOUT_S = 10.0
"""How long a writer waits for another process."""
_LARGEST_LOG = 1 << 26
# Bytes that the log keeps after a large import.

# Texts and vectors stand in tables of their own: what is read at opening or scanned to forget the
# least useful is then a hundred bytes a row, not thousands.
_TABLES = """
CREATE TABLE store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    encoder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    revision INTEGER NOT NULL,  -- of the latest write that changed experiences
    floor INTEGER NOT NULL      -- who has read less than this must read all again
);
INSERT INTO store VALUES (1, '', 0, 0, 0);
CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    vector BLOB NOT NULL        -- little-endian float32
);
CREATE INDEX keys_by_text ON keys (text);
CREATE TABLE facets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root INTEGER NOT NULL,
    things INTEGER NOT NULL,
    held INTEGER NOT NULL,      -- -1: not known
    room TEXT NOT NULL,
    strategy TEXT NOT NULL,
    skills TEXT NOT NULL,
    verified TEXT NOT NULL,
    control_flows TEXT NOT NULL,
    termination TEXT NOT NULL,
    UNIQUE (
        root, things, held, room, strategy, skills, verified, control_flows, termination
    )
);
CREATE TABLE experiences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key INTEGER NOT NULL,
    facet INTEGER NOT NULL,
    goal TEXT NOT NULL,
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    time REAL NOT NULL,
    likeness BLOB NOT NULL,     -- equal in near-duplicates
    merged INTEGER NOT NULL,
    retrieved INTEGER NOT NULL,
    revision INTEGER NOT NULL
);
CREATE INDEX experiences_by_key ON experiences (key);
CREATE INDEX experiences_by_run ON experiences (run);
CREATE INDEX experiences_by_likeness ON experiences (likeness);
CREATE INDEX experiences_by_use ON experiences (retrieved, time);
CREATE INDEX experiences_by_revision ON experiences (revision);
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,     -- of the experience
    text TEXT NOT NULL,
    outline TEXT NOT NULL
);
CREATE TABLE deleted (
    id INTEGER PRIMARY KEY,     -- of the experience
    revision INTEGER NOT NULL
);
"""
# Stores of the same version may lack it; who does not know it may write to the store all the same.
_TAKEN_UP = """
CREATE TABLE IF NOT EXISTS taken_up (
    identity BLOB PRIMARY KEY,  -- of an experience that was merged into another
    experience INTEGER NOT NULL -- the other one
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS taken_up_by_experience ON taken_up (experience);
"""


def connect(path: Path | str, create: bool = True) -> sqlite3.Connection:
    """Open the file of a store; it is made if it is not there, or empty.

    Args:
        path: the file, or ``:memory:``.
        create: whether to make a store of a file that is not there, or empty.

    Raises:
        ConfigurationError: if there is no such file, it cannot be opened, is not a store of
            experiences, or was made by a newer version.
        StoreError: if another process keeps it locked.
    """
    if str(path) != IN_MEMORY:
        path = Path(path)
        if not path.exists() and not create:
            raise ConfigurationError(f'there is no experience store {path}')
        if path.is_dir():
            raise ConfigurationError(f'the experience store {path} is a folder, not a file')
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f'cannot make the folder of the experience store {path}: {error}'
            ) from error
    try:
        connection = sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise ConfigurationError(f'cannot open the experience store {path}: {error}') from error
    try:
        _set_up(connection, path, create)
    except sqlite3.OperationalError as error:
        connection.close()
        raise StoreError(f'cannot open the experience store {path}: {reason(error)}') from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise ConfigurationError(f'{path} is not an experience store: {error}') from error
    except BaseException:
        connection.close()
        raise
    return connection


def reason(error: sqlite3.Error) -> str:
    """Return what SQLite says of an error, and what to do about it where it is plain."""
    if 'locked' in str(error):
        return f'{error}: another process is writing to it; try again when it is done'
    return str(error)


def _set_up(connection: sqlite3.Connection, path: Path | str, create: bool) -> None:
    # Looked at first: nothing is changed in a file that is not ours.
    connection.execute('BEGIN')
    made = _is_made(connection, path)
    connection.execute('COMMIT')
    if not made:
        if not create:
            raise ConfigurationError(f'{path} is empty, not an experience store; name another file')
        # Five vectors of 384 floats fill such a page; of the usual 4096 bytes two waste a fifth.
        connection.execute('PRAGMA page_size = 8192')
    _use_wal(connection)
    connection.execute('PRAGMA synchronous = FULL')
    connection.execute(f'PRAGMA journal_size_limit = {_LARGEST_LOG}')
    # What is forgotten is overwritten, not only unlinked.
    connection.execute('PRAGMA secure_delete = ON')
    if not made or not _knows_taken_up(connection):
        connection.execute('BEGIN IMMEDIATE')
        try:
            if not _is_made(connection, path):  # another process may have been faster
                _execute(connection, _TABLES)
                connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')
                connection.execute(f'PRAGMA user_version = {VERSION}')
            _execute(connection, _TAKEN_UP)
            connection.execute('COMMIT')
        except BaseException:
            connection.execute('ROLLBACK')
            raise


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    # Not executescript, which would end the transaction first.
    for statement in statements.split(';\n'):
        connection.execute(statement)


def _knows_taken_up(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'taken_up'").fetchone()
    return row is not None


def _use_wal(connection: sqlite3.Connection) -> None:
    """Write ahead into a log: readers and a writer do not wait for each other."""
    # SQLite's own busy time-out does not hold for this statement.
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute('PRAGMA journal_mode = WAL')
            return
        except sqlite3.OperationalError as error:
            if 'locked' not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _is_made(connection: sqlite3.Connection, path: Path | str) -> bool:
    """Return whether the tables are there; False for an empty file."""
    (application,) = connection.execute('PRAGMA application_id').fetchone()
    (version,) = connection.execute('PRAGMA user_version').fetchone()
    (tables,) = connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
    if not application and not version and not tables:
        return False
    if application != APPLICATION_ID:
        raise ConfigurationError(
            f'{path} is a database, but not an experience store; name another file'
        )
    if version > VERSION:
        raise ConfigurationError(
            f'the experience store {path} has version {version} of the format, made by a newer '
            f'reactree_ros; this one reads up to {VERSION}: update it, or name another file'
        )
    return True
