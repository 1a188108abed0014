# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree bench-memory``: what a store of many experiences costs, beside other ways."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from reactree_ros.commands.machine import machine, say
from reactree_ros.evaluation.memory_contenders import CONTENDERS
from reactree_ros.evaluation.memory_costs import Case, Speed
from reactree_ros.evaluation.memory_report import MemoryResults, to_markdown, too_slow
from reactree_ros.evaluation.memory_speed import measure
from reactree_ros.evaluation.progress import duration
from reactree_ros.evaluation.store import Store
from reactree_ros.exceptions import ConfigurationError, StoreError

_REQUIREMENTS = 'requirements/bench-memory.txt'


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-memory',
        help='measure searches and imports of the store of experiences',
        description='Fills a store with made-up experiences and measures imports, searches, '
        'memory and files, beside other ways to keep them; prints Markdown. Results are kept: a '
        'second start goes on where the first one stopped. A million experiences take about 5 GB '
        'of disk while they are measured.',
        epilog='Exit code: 0 if all went well and the store is exact and as fast as wanted; 1 if '
        'not.',
    )
    parser.add_argument(
        '--sizes',
        type=_sizes,
        default=[1_000, 100_000, 1_000_000],
        metavar='N,N,…',
        help='how many experiences (default: 1000,100000,1000000)',
    )
    parser.add_argument(
        '--contenders',
        type=_contenders,
        default=list(CONTENDERS),
        metavar='NAME,NAME,…',
        help=f'which ways: {", ".join(CONTENDERS)} (default: all that are installed)',
    )
    parser.add_argument(
        '--searches', type=int, default=100, help='how many are timed (default: %(default)s)'
    )
    parser.add_argument('--seed', type=int, default=0, help='of the experiences (%(default)s)')
    parser.add_argument(
        '--no-encoder', action='store_true', help='leave searches from words on out'
    )
    parser.add_argument(
        '--out',
        type=Path,
        default=Path('results/memory'),
        metavar='DIR',
        help='where results are kept, and stores while they are measured (%(default)s)',
    )
    parser.set_defaults(run=run)


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(word) for word in text.split(',')]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'{text!r} is no list of numbers') from error
    if min(sizes) < 100:
        raise argparse.ArgumentTypeError(f'{min(sizes)} is less than 100 experiences')
    return sorted(set(sizes))


def _contenders(text: str) -> list[str]:
    names = text.split(',')
    for name in names:
        if name not in CONTENDERS:
            raise argparse.ArgumentTypeError(f'{name!r} is none of {", ".join(CONTENDERS)}')
    return [name for name in CONTENDERS if name in names]


def run(options: argparse.Namespace) -> int:
    """Measure, print the tables, and return the exit code.

    Raises:
        ConfigurationError: if too few searches are asked for, or the folder cannot be used.
    """
    if options.searches < 20:
        raise ConfigurationError(f'--searches: {options.searches} is less than 20')
    store = Store(options.out)
    store.lock()
    try:
        speeds, failed = _measure_all(_cases(options), options.out)
    finally:
        store.unlock()
    if speeds:
        print(f'{machine()}; {options.searches} searches each\n\n{to_markdown(speeds)}')
    return 1 if failed or any(map(too_slow, speeds)) else 0


def _cases(options: argparse.Namespace) -> list[Case]:
    names = []
    for name in options.contenders:
        missing = CONTENDERS[name].missing()
        if missing:
            say(
                f'{name} is left out; not installed: {", ".join(missing)} '
                f'(pip install --no-deps -r {_REQUIREMENTS})'
            )
        else:
            names.append(name)
    return [
        Case(
            name,
            size,
            options.searches,
            options.seed,
            encode=name == 'ours' and not options.no_encoder,
        )
        for size in options.sizes
        for name in names
        if size <= CONTENDERS[name].most
    ]


def _measure_all(cases: list[Case], folder: Path) -> tuple[list[Speed], int]:
    """Return what was measured, now or before, and how many cases failed."""
    results = MemoryResults(folder, machine())
    speeds, failed = [], 0
    for number, case in enumerate(cases, start=1):
        name = f'[{number}/{len(cases)}] {case.contender}, {case.size:,}'
        speed = results.get(case)
        if speed is not None:
            say(f'{name}: measured before')
        else:
            say(name)
            begin = time.monotonic()
            try:
                speed = measure(case, folder / 'stores', say)
            except StoreError as error:
                say(str(error))
                failed += 1
                continue
            results.put(speed)
            say(f'{name}: done in {duration(time.monotonic() - begin)}')
        speeds.append(speed)
    return speeds, failed
