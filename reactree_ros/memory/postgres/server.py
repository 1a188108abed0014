# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The connection to a server: made again after it broke, and with errors that say what to do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.postgres import schema
from reactree_ros.memory.postgres.address import check_address, secrets_of, shown

T = TypeVar('T')
READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE'
WAIT_S = 10.0
"""How long anything waits for other writers, and a search for its result."""
_CONNECT_S = 5
_ATTEMPTS = 8
_PAUSE = 4.0
# A server that does not answer is left alone for so many times as long as its answer was awaited.
_AGAIN = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.ForeignKeyViolation,
    psycopg.errors.UniqueViolation,
)
# Two writers met, of whom this one starts again: one deleted what the other was about to use.
_NOW_ONLY = ('starting up', 'shutting down', 'recovery', 'too many', 'remaining connection')
# What the server says when it will answer later.
_log = logging.getLogger(__name__)


class Server:
    """A connection to the server; its methods may be called from any thread.

    Args:
        address: of the database, in the form of libpq.
        create: whether to make the tables if they are not there.

    Raises:
        ConfigurationError: see ``schema.set_up``; or the address is wrong, the user or the
            database is not known, or the password is wrong.
        StoreError: if the server does not answer.
    """

    def __init__(self, address: str, create: bool) -> None:
        check_address(address)
        self.shown = shown(address)
        self._address = address
        self._create = create
        self._lock = threading.RLock()
        self._closed = False
        self._silent_until = 0.0
        self._reason = ''
        self._connection = self._connect()
        self._create = False  # tables that vanish later are not made again

    def run(self, kind: str, work: Callable[[psycopg.Connection], T]) -> T:
        """Do something in one transaction; what it returns is confirmed by the server.

        Args:
            kind: ``READ`` or ``WRITE``.
            work: what to do; it is done again if another writer got in its way.

        Raises:
            StoreError: if it failed; nothing of it was kept, unless the connection broke at the
                very end.
        """
        with self._lock:
            for attempt in range(1, _ATTEMPTS + 1):
                connection = self._begin(kind)
                try:
                    with self.errors():
                        try:
                            done = work(connection)
                            connection.execute('COMMIT')
                            return done
                        except BaseException:
                            self._roll_back()
                            raise
                except StoreError as error:
                    if not isinstance(error.__cause__, _AGAIN) or attempt == _ATTEMPTS:
                        raise
                    time.sleep(0.01 * attempt)
        raise AssertionError('unreachable')

    def outside(self, work: Callable[[psycopg.Connection], T]) -> T:
        """Do something that a server does outside of transactions only."""
        with self._lock:
            self.run(READ, lambda connection: None)  # the connection works, or does again
            with self.errors():
                return work(self._connection)

    def close(self) -> None:
        """Close the connection; calling it again does nothing."""
        with self._lock:
            self._closed = True
            self._connection.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise the driver's errors as errors of this package."""
        try:
            yield
        except psycopg.Error as error:
            words = self.reason(error)
            if isinstance(error, psycopg.errors.LockNotAvailable):
                words += ': another process is writing to it; try again when it is done'
            raise StoreError(f'experience store {self.shown}: {words}') from error

    def reason(self, error: BaseException) -> str:
        """Return a message of the server or the driver, on one line, without the password."""
        words = ' '.join(str(error).split())
        for secret in secrets_of(self._address):
            words = words.replace(secret, '***')
        return words

    def _begin(self, kind: str) -> psycopg.Connection:
        if self._closed:
            raise StoreError(f'experience store {self.shown}: it is closed')
        if not self._connection.closed:
            try:
                self._connection.execute(kind.encode())
                return self._connection
            except psycopg.OperationalError as error:
                # Nothing was done yet: a server that was started again knows nothing of it.
                _log.info('experience store %s: %s', self.shown, self.reason(error))
                self._connection.close()
        self._connection = self._connect()
        with self.errors():
            self._connection.execute(kind.encode())
        return self._connection

    def _roll_back(self) -> None:
        try:
            if not self._connection.closed:
                self._connection.execute('ROLLBACK')
        except psycopg.Error:
            self._connection.close()

    def _connect(self) -> psycopg.Connection:
        begin = time.monotonic()
        if begin < self._silent_until:
            raise StoreError(self._reason)
        try:
            connection = self._reach()
        except StoreError as error:
            now = time.monotonic()
            self._silent_until = now + _PAUSE * (now - begin)
            self._reason = str(error)
            raise
        try:
            with self.errors():
                schema.set_up(connection, self.shown, self._create)
        except BaseException:
            connection.close()
            raise
        return connection

    def _reach(self) -> psycopg.Connection:
        usual: dict[str, Any] = {
            'application_name': 'reactree',
            'connect_timeout': _CONNECT_S,
            # A server that vanished from the network is missed as soon as this.
            'keepalives_idle': 5,
            'keepalives_interval': 2,
            'keepalives_count': 3,
            'tcp_user_timeout': int(1000 * WAIT_S),
        }
        try:
            given = conninfo_to_dict(self._address)
        except psycopg.ProgrammingError as error:
            raise ConfigurationError(
                f'the address of the experience store {self.shown} is wrong: {self.reason(error)}'
            ) from None
        try:
            connection = psycopg.connect(**(usual | given), autocommit=True)
        except psycopg.OperationalError as error:
            words = self.reason(error)
            # Not "from error": a traceback would have the driver's words.
            if 'FATAL' in words and not any(one in words for one in _NOW_ONLY):
                raise ConfigurationError(
                    f'the PostgreSQL server refuses {self.shown}: {words}{_advice(words)}'
                ) from None
            raise StoreError(f'cannot reach the experience store {self.shown}: {words}') from None
        with self.errors():
            connection.execute(f"SET lock_timeout = '{WAIT_S}s'".encode())
        return connection


def _advice(words: str) -> str:
    if 'password' in words:
        return ' (the password is in the address, PGPASSWORD or ~/.pgpass)'
    return ''
