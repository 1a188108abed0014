# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-memory``: the memory in a file beside the one in a PostgreSQL server."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from reactree_ros.cli.argument_types import whole_number
from reactree_ros.cli.counting import counting
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.bench import memory
from reactree_ros.lab.bench.memory import DIMENSION, ENCODER, RUN_SIZE, Times
from reactree_ros.lab.bench.postgres_server import PostgresServer
from reactree_ros.lab.console import machine
from reactree_ros.memory.episodic import CANDIDATES
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.postgres.address import is_server
from reactree_ros.memory.store import EXACT, HNSW, ExperienceStore

_SETTINGS = ('shared_buffers=1GB', 'maintenance_work_mem=3GB', 'max_wal_size=4GB')
"""Of the server; what it confirms is on the disk, as by default."""
_BEST = 20


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-memory',
        help='measure the memory in a file beside one in a PostgreSQL server',
        description='Fills both with made-up experiences and measures searches, the recall of '
        "pgvector's index HNSW against the exact search, and writers at the same time.",
    )
    parser.add_argument('--experiences', type=whole_number, default=5000, metavar='N',
                        help='how many (default: 5000; a million takes 35 minutes)')  # fmt: skip
    parser.add_argument('--searches', type=whole_number, default=200, metavar='N',
                        help='how many of each kind (default: 200)')  # fmt: skip
    parser.add_argument('--writers', type=whole_number, default=8, metavar='N',
                        help='processes that write at the same time (default: 8)')  # fmt: skip
    parser.add_argument('--runs', type=whole_number, default=50, metavar='N',
                        help='runs that each of them learns (default: 50)')  # fmt: skip
    parser.add_argument('--server', default='', metavar='ADDRESS',
                        help='postgresql://USER@HOST:PORT/DATABASE, of a database without '
                        'experiences (default: a server of its own on this machine)')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print a table, and return the exit code."""
    count = options.experiences // RUN_SIZE * RUN_SIZE
    if not all((count, options.searches, options.writers, options.runs)):
        raise ConfigurationError(f'all numbers must be at least 1, experiences {RUN_SIZE}')
    if options.server and not is_server(options.server):
        raise ConfigurationError(f'--server {options.server}: postgresql://… is expected')
    print(f'{machine()}; {count:,} experiences, {DIMENSION} floats each; {options.searches} '
          f'searches for the best {CANDIDATES}; {options.writers} writers\n')  # fmt: skip
    print('| store | search p50 | p99 | recall of the best 20 | of all | filled | a run written, '
          'p50 | p99 | all writers |')  # fmt: skip
    print('| --- | --- | --- | --- | --- | --- | --- | --- | --- |', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with _filled(f'{folder}/memory.sqlite', count) as (store, filled):
            times, exact = memory.search(store, count, options.searches)
        _print('file, exact', times, exact, exact, filled, _written(options, store.address, count))
        with _server(options.server) as address, _filled(address, count) as (store, filled):
            plain = memory.search(store, count, options.searches)
            began = time.perf_counter()
            store.set_index(HNSW)
            built = f'index {time.perf_counter() - began:.0f} s'
            # Before anything is written: all three searches are of the same.
            near = memory.search(store, count, options.searches)
            to_index = _written(options, address, count)
            store.set_index(EXACT)
            to_tables = _written(options, address, 2 * count)
        _print('server, exact', *plain, exact, filled, to_tables)
        _print('server, HNSW', *near, exact, built, to_index)
    return 0


@contextmanager
def _filled(address: str, count: int) -> Iterator[tuple[ExperienceStore, str]]:
    """Open a new store and fill it; it is said how fast that was, and how large it is."""
    with closing(open_store(address, ENCODER, DIMENSION)) as store:
        if store.count():
            raise ConfigurationError(f'{store.address} has experiences: name an empty database')
        with counting('filling', count) as advance:
            seconds = memory.fill(store, count, advance)
        if is_server(address):
            store.set_index(EXACT)
        yield store, f'{count / seconds:,.0f} a second, {store.stats().bytes / 1e6:,.0f} MB'


@contextmanager
def _server(address: str) -> Iterator[str]:
    if address:
        yield address
        return
    with ExitStack() as stack:
        server = stack.enter_context(closing(PostgresServer(_SETTINGS)))
        server.start()
        yield server.address()


def _written(options: argparse.Namespace, address: str, first: int) -> Times:
    return memory.write(address, options.writers, options.runs, first)


def _print(
    name: str,
    searches: Times,
    found: list[dict[str, float]],
    exact: list[dict[str, float]],
    filled: str,
    written: Times,
) -> None:
    best, every = (memory.recall(found, exact, count) for count in (_BEST, CANDIDATES))
    print(
        f'| {name} | {searches.percentile(50):.1f} ms | {searches.percentile(99):.1f} ms | '
        f'{best:.3f} | {every:.3f} | {filled} | {written.percentile(50):.1f} ms | '
        f'{written.percentile(99):.1f} ms | {written.seconds.size / written.total:.0f} runs/s |',
        flush=True,
    )
