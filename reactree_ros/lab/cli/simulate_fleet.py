# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab simulate-fleet``: how many robots some model servers carry."""

from __future__ import annotations

import argparse
import csv
from dataclasses import asdict
from pathlib import Path

from reactree_ros.cli.argument_types import number
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive, positives, seconds
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.fleet.simulation import (
    Fleet,
    Memory,
    Point,
    ServerRates,
    saturates_at,
    simulate,
)
from reactree_ros.lab.fleet.workload import read_workload, workload_of

_HEAD = (
    '| servers | robots | decisions/s | p50 (s) | p99 (s) | reads prompts % | slots % | memory % '
    '| goals/h of a robot |\n|' + ' ---: |' * 9
)
_FASTEST = 1_000_000_000


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'simulate-fleet',
        help='simulate many robots on model servers and one memory',
        description='Simulates robots that act and decide in turn, as recorded runs have it, on '
        'model servers of given speed and one memory. Prints Markdown (docs/fleet.md).',
    )
    parser.add_argument('--robots', type=positives, default=(10, 100, 1000), metavar='N,…',
                        help='how many (default: 10,100,1000)')  # fmt: skip
    parser.add_argument('--servers', type=positives, default=(1, 4, 16), metavar='N,…',
                        help='how many (default: 1,4,16)')  # fmt: skip
    parser.add_argument('--down', type=int, default=0, metavar='N',
                        help='of them do not answer (default: 0)')  # fmt: skip
    parser.add_argument('--same-order', action='store_true',
                        help='all robots have the servers in one order, begun at different ones; '
                        'otherwise each in an order of its own')  # fmt: skip
    rates = parser.add_argument_group('a server; measure yours with bench-server')
    rates.add_argument('--prefill', type=number(float, _FASTEST, 1), default=550.0, metavar='N',
                       help='tokens of prompts a second (default: 550)')  # fmt: skip
    rates.add_argument('--decode', type=number(float, _FASTEST, 1), default=67.0, metavar='N',
                       help='tokens of one answer a second (default: 67)')  # fmt: skip
    rates.add_argument('--decode-all', type=number(float, _FASTEST, 1), metavar='N',
                       help='tokens a second of all answers (default: as of one)')  # fmt: skip
    rates.add_argument('--slots', type=positive, default=8,
                       help='answers at the same time (default: 8)')  # fmt: skip
    rates.add_argument('--kept', type=int, metavar='N',
                       help='robots whose prompts stay in its cache (default: the slots)'
                       )  # fmt: skip
    memory = parser.add_argument_group('the memory')
    memory.add_argument('--memory-slots', type=positive, default=2,
                        help='searches at the same time (default: 2)')  # fmt: skip
    memory.add_argument('--memory-p50', type=seconds, default=0.043, metavar='S',
                        help='seconds of a search, median (default: 0.043)')  # fmt: skip
    memory.add_argument('--memory-p99', type=seconds, default=0.056, metavar='S',
                        help='… 99th percentile (default: 0.056)')  # fmt: skip
    what = parser.add_argument_group('what the robots do')
    what.add_argument('--workload', type=Path, metavar='FILE',
                      help='from --measure (default: the shipped one)')  # fmt: skip
    what.add_argument('--decisions', type=positive, default=4000,
                      help='simulated for each fleet, at least 4 a robot; the first half does '
                      'not count (default: 4000)')  # fmt: skip
    what.add_argument('--seed', type=int, default=0, help='(default: 0)')
    what.add_argument('--measure', type=Path, metavar='DIR',
                      help='write a workload from the runs of an evaluation, and end')  # fmt: skip
    what.add_argument('--planner', metavar='NAME',
                      help='with --measure, whose runs (default: all)')  # fmt: skip
    what.add_argument('--skill-sec', type=_seconds, default=(), metavar='S,…',
                      help='durations of skills in place of the recorded ones, for a simulated '
                      'robot takes no time for them')  # fmt: skip
    parser.add_argument('--out', type=Path, metavar='FILE',
                        help='of --measure (JSON), or the table as CSV')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Simulate, print a table, and return the exit code."""
    if options.measure:
        return _measure(options)
    workload = read_workload(options.workload)
    rates = ServerRates(
        options.slots,
        options.prefill,
        options.decode,
        options.decode_all or options.decode,
        options.slots if options.kept is None else options.kept,
    )
    memory = Memory(options.memory_slots, options.memory_p50, options.memory_p99)
    print(f'{workload.source}; {rates}; {memory}\n\n{_HEAD}', flush=True)
    points = []
    for servers in options.servers:
        for robots in options.robots:
            fleet = Fleet(robots, servers, options.down, not options.same_order)
            points.append(simulate(workload, rates, fleet, memory, options.decisions, options.seed))
            print(_row(points[-1]), flush=True)
    print()
    for servers in options.servers:
        up = servers - options.down
        kept, none = (saturates_at(workload, rates, up, cached=one) for one in (True, False))
        print(
            f'{servers} servers: waiting cannot be avoided above {kept:,.0f} robots with all '
            f'prompts cached, {none:,.0f} with none.'
        )
    if options.out:
        _write(points, options.out)
    return 0


def _row(point: Point) -> str:
    shares = (f'{100 * one:.0f}' for one in (point.reading, point.slots, point.memory))
    values = (
        f'{point.fleet.servers}',
        f'{point.fleet.robots}',
        f'{point.per_sec:.2f}',
        f'{point.p50:.2f}',
        f'{point.p99:.2f}',
        *shares,
        f'{point.goals_per_hour:.1f}',
    )
    return f'| {" | ".join(values)} |'


def _write(points: list[Point], path: Path) -> None:
    rows = [asdict(point) for point in points]
    rows = [{**row.pop('fleet'), **row} for row in rows]
    try:
        with path.open('w', encoding='utf-8', newline='') as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise ConfigurationError(f'cannot write {path}: {error.strerror}') from error


def _measure(options: argparse.Namespace) -> int:
    if options.out is None:
        raise ConfigurationError('--measure goes with --out: the file to write')
    store = Store(options.measure)
    plan = store.plan()
    if plan is None:
        raise ConfigurationError(f'{options.measure} holds no evaluation')
    traces = [
        one
        for one in store.traces(plan.runs())
        if one.ending.costs.tokens_in and one.spec.planner == (options.planner or one.spec.planner)
    ]
    what = dict.fromkeys(f'{one.spec.planner} with {one.spec.model}' for one in traces)
    source = f'{options.measure.name}: {", ".join(what)}'
    workload = workload_of(traces, source, options.skill_sec)
    workload.write(options.out)
    print(f'{options.out}: {len(workload.runs)} runs, {len(workload.skill_sec)} skills')
    return 0


def _seconds(text: str) -> tuple[float, ...]:
    return tuple(map(number(float, 86_400), text.split(',')))
