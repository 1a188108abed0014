# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of an experience store: its tables, how it is made, and whether a file is one."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.kept import identity
from reactree_ros.paths import make_private

APPLICATION_ID = 0x52545245
"""Written into the file, to distinguish it from other SQLite files."""
VERSION = 4
_CONVERTED = 3
# The version that is converted when a file of it is opened.
IN_MEMORY = ':memory:'
BUSY_TIMEOUT_S = 10.0
"""How long a writer waits for another process."""
_LARGEST_LOG = 1 << 26
# Bytes that the log keeps after a large import.

# Texts and vectors stand in tables of their own: what a search or the deletion of the least useful
# scans is then a hundred bytes a row, not thousands.
_TABLES = """
CREATE TABLE store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    encoder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    embedded INTEGER NOT NULL   -- how often all vectors were replaced
);
INSERT INTO store VALUES (1, '', 0, 0);
CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    vector BLOB NOT NULL        -- little-endian float32
);
CREATE INDEX keys_by_text ON keys (text);
CREATE TABLE experiences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key INTEGER NOT NULL,
    goal TEXT NOT NULL,
    termination TEXT NOT NULL,
    root INTEGER NOT NULL,
    held INTEGER,               -- this and the next were of use once
    room TEXT NOT NULL,
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    skills TEXT NOT NULL,
    strategy TEXT NOT NULL,
    model TEXT NOT NULL,
    time REAL NOT NULL,
    verified TEXT NOT NULL,
    control_flows TEXT NOT NULL,
    likeness BLOB NOT NULL,     -- equal in near-duplicates
    merged INTEGER NOT NULL,
    retrieved INTEGER NOT NULL,
    robot TEXT NOT NULL,
    identity BLOB NOT NULL
);
CREATE INDEX experiences_by_key ON experiences (key);
CREATE INDEX experiences_by_run ON experiences (run);
CREATE INDEX experiences_by_likeness ON experiences (likeness);
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,     -- of the experience
    text TEXT NOT NULL,
    outline TEXT NOT NULL
);
CREATE TABLE duplicates (
    identity BLOB PRIMARY KEY,  -- of an experience that was merged into another
    experience INTEGER NOT NULL -- the other one
) WITHOUT ROWID;
CREATE INDEX duplicates_by_experience ON duplicates (experience);
"""
_NEW = """
CREATE INDEX experiences_by_identity ON experiences (identity);
CREATE TABLE forgotten (
    identity BLOB PRIMARY KEY   -- of an experience that was deleted on request
) WITHOUT ROWID;
"""
# Since version 4; these columns are new, too.
_NEW_COLUMNS = """
ALTER TABLE experiences ADD COLUMN robot TEXT NOT NULL DEFAULT '';
ALTER TABLE experiences ADD COLUMN identity BLOB NOT NULL DEFAULT '';
UPDATE experiences SET identity =
    identity(run, goal, termination, (SELECT text FROM texts WHERE texts.id = experiences.id));
"""


def connect(path: Path | str, create: bool = True) -> sqlite3.Connection:
    """Open the file of a store; it is made if it is not there, or empty.

    Args:
        path: the file, or ``:memory:``.
        create: whether to make a store of a file that is not there, or empty.

    Raises:
        ConfigurationError: if there is no such file, it cannot be opened, is not a store of
            experiences, or has another version of the format.
        StoreError: if another process keeps it locked.
    """
    if str(path) != IN_MEMORY:
        path = Path(path)
        if not path.exists() and not create:
            raise ConfigurationError(f'there is no experience store {path}')
        if path.is_dir():
            raise ConfigurationError(f'the experience store {path} is a folder, not a file')
        try:
            make_private(path.parent)
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
    """Return SQLite's message, and what to do about it where that is known."""
    if 'locked' in str(error):
        return f'{error}: another process is writing to it; try again when it is done'
    return str(error)


def _set_up(connection: sqlite3.Connection, path: Path | str, create: bool) -> None:
    # Looked at first: nothing is changed in a file that is not ours.
    connection.execute('BEGIN')
    version = _version(connection, path)
    connection.execute('COMMIT')
    if not version:
        if not create:
            raise ConfigurationError(f'{path} is empty, not an experience store; name another file')
        # Five vectors of 384 floats fill such a page; of the usual 4096 bytes two waste a fifth.
        connection.execute('PRAGMA page_size = 8192')
    _use_wal(connection)
    connection.execute('PRAGMA synchronous = FULL')
    connection.execute(f'PRAGMA journal_size_limit = {_LARGEST_LOG}')
    # What is forgotten is overwritten, not only unlinked.
    connection.execute('PRAGMA secure_delete = ON')
    if version != VERSION:
        connection.create_function('identity', 4, identity, deterministic=True)
        connection.execute('BEGIN IMMEDIATE')
        try:
            version = _version(connection, path)  # another process may have been faster
            if version != VERSION:
                # Not executescript, which would end the transaction first.
                script = (_NEW_COLUMNS if version else _TABLES) + _NEW
                for statement in script.split(';\n'):
                    connection.execute(statement)
                connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')
                connection.execute(f'PRAGMA user_version = {VERSION}')
            connection.execute('COMMIT')
        except BaseException:
            connection.execute('ROLLBACK')
            raise


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


def _version(connection: sqlite3.Connection, path: Path | str) -> int:
    """Return the version of the tables that are there; 0 for an empty file."""
    (application,) = connection.execute('PRAGMA application_id').fetchone()
    (version,) = connection.execute('PRAGMA user_version').fetchone()
    (tables,) = connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
    if not application and not version and not tables:
        return 0
    if application != APPLICATION_ID:
        raise ConfigurationError(
            f'{path} is a database, but not an experience store; name another file'
        )
    if version not in (VERSION, _CONVERTED):
        raise ConfigurationError(
            f'the experience store {path} has version {version} of the format, but this '
            f'reactree_ros reads version {VERSION}: name another file'
        )
    return int(version)
