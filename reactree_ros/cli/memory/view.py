# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How ``reactree memory`` shows experiences: tables on a terminal, or JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reactree_ros.cli.memory.table import lines_of
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.record_json import values_of
from reactree_ros.memory.store import Match, Record, StoreStats

_LONG = ('outline', 'text')
_WIDE = 10_000
_STYLES = {'success': 'green', 'failure': 'red', 'expand': 'cyan'}
_VERIFIED_STYLES = {'world': 'green', 'person': 'green', 'reported': 'dim'}
_RECORD = ('no.', 'ended', 'verified', 'when', 'strategy', 'merged', 'shown', 'from', 'goal')
_RUN = ('run', 'experiences', 'verified', 'when', 'strategy', 'model', 'task', 'goal')
_NUMBERS = ('no.', 'score', 'merged', 'shown', 'experiences')


@dataclass
class RunSummary:
    """A run of which a store has experiences.

    Args:
        origin: the run.
        goal: of its root; empty if that is not among them.
        terminations: how many of its nodes ended in which way.
    """

    origin: Origin
    goal: str = ''
    terminations: Counter[str] = field(default_factory=Counter)


def print_json(values: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(values, ensure_ascii=False, indent=2))


def brief(record: Record) -> dict[str, Any]:
    """Return all of a record but its text, as JSON has it."""
    return {name: value for name, value in values_of(record).items() if name not in _LONG}


def print_records(records: Iterable[Record], console: Console | None = None) -> None:
    """Print one line a record; subgoals are set in from the goals of whole runs."""
    rows = [_cells(record) for record in records]
    _print_table(_RECORD, rows, ('merged', 'strategy', 'shown', 'from', 'when'), console)


def print_matches(matches: Iterable[Match]) -> None:
    """Print one line a match, the best first."""
    rows = [[Text(f'{match.score:.3f}'), *_cells(match.record)] for match in matches]
    _print_table(('score', *_RECORD), rows, ('merged', 'shown', 'from', 'when', 'strategy'))


def print_record(record: Record) -> None:
    """Print all that is known of an experience, and its text."""
    console, origin, one = _console(), record.origin, record.experience
    facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    facts.add_column(style='dim')
    hands = '' if one.held is None else f'{one.held} held'
    for name, value in (
        ('no.', record.number),
        ('goal', one.goal),
        ('compared as', record.key),
        ('ended', one.termination.value),
        ('began with', ', '.join(part for part in (hands, one.room) if part) or 'not known'),
        ('verified', origin.verified.value),
        ('run', origin.run),
        ('task', origin.task),
        ('when', moment(origin.time)),
        ('strategy', origin.strategy),
        ('skills', origin.skills),
        ('model', origin.model),
        ('merged', record.merged),
        ('shown', f'{record.retrieved} times'),
    ):
        facts.add_row(name, Text(str(value)))
    console.print(facts)
    console.print()
    console.print(one.text.rstrip(), markup=False, highlight=False, soft_wrap=True)


def summarise_runs(records: Iterable[Record]) -> list[RunSummary]:
    """Return the runs that records come from, in the order of their first records."""
    runs: dict[str, RunSummary] = {}
    for record in records:
        run = runs.setdefault(record.origin.run, RunSummary(record.origin))
        run.terminations[record.experience.termination.value] += 1
        if record.experience.root:
            run.goal = record.experience.goal
        # A merged experience may be better verified than the rest of its run.
        if _rank(record.origin.verified) < _rank(run.origin.verified):
            run.origin = record.origin
    return list(runs.values())


def run_values(run: RunSummary) -> dict[str, Any]:
    """Return a run as JSON has it."""
    origin = run.origin
    return {
        'run': origin.run,
        'goal': run.goal,
        'verified': origin.verified.value,
        'time': origin.time,
        'task': origin.task,
        'strategy': origin.strategy,
        'skills': origin.skills,
        'model': origin.model,
        'experiences': run.terminations.total(),
        'terminations': dict(run.terminations),
    }


def print_runs(runs: Iterable[RunSummary]) -> None:
    """Print one line a run, or two where the terminal is narrow."""
    rows = [
        [
            _flat(run.origin.run),
            Text(f'{run.terminations.total()}'),
            _verified(run.origin.verified),
            Text(moment(run.origin.time)),
            _flat(run.origin.strategy),
            _flat(run.origin.model),
            _flat(run.origin.task),
            _flat(run.goal or '(the goal of this run is not among them)'),
        ]
        for run in runs
    ]
    _print_table(_RUN, rows, ('model', 'strategy', 'task', 'when', 'experiences'))


def print_stats(path: str, stats: StoreStats) -> None:
    """Print what a store holds."""
    console = _console()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row('file', Text(f'{path} ({stats.bytes / 1e6:,.1f} MB)'))
    table.add_row('experiences', f'{stats.records:,} of {counted(stats.runs, "run")}')
    table.add_row(
        'encoder',
        f'{stats.encoder}, {stats.dimension} floats' if stats.encoder else 'none yet',
    )
    for name, counts in stats.counts.items():
        shown = ', '.join(f'{value or "not known"} {count:,}' for value, count in counts.items())
        table.add_row(name, Text(shown))
    console.print(table)


def moment(seconds: float) -> str:
    """Return a time in seconds since 1970 as a date and local time of day; empty for none."""
    return time.strftime('%Y-%m-%d %H:%M', time.localtime(seconds)) if seconds else ''


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, 'run'), counted(1200, 'run')
    ('1 run', '1,200 runs')
    """
    return f'{number:,} {what}{"" if number == 1 else "s"}'


def error_console() -> Console:
    """Return where questions and notes are printed."""
    return _console(sys.stderr)


def _cells(record: Record) -> list[Text]:
    origin, one = record.origin, record.experience
    return [
        Text(f'{record.number}'),
        Text(one.termination.value, style=_STYLES[one.termination.value]),
        _verified(origin.verified),
        Text(moment(origin.time)),
        _flat(origin.strategy),
        Text(f'{record.merged}' if record.merged > 1 else ''),
        Text(f'{record.retrieved}'),
        _flat(origin.task or origin.run),
        _flat(one.goal, 'bold') if one.root else Text('  ').append_text(_flat(one.goal)),
    ]


def _verified(verified: Verification) -> Text:
    return Text(verified.value, style=_VERIFIED_STYLES[verified.value])


def _rank(verified: Verification) -> int:
    return list(Verification).index(verified)


def _flat(text: str, style: str = '') -> Text:
    """Return a text on one line."""
    return Text(' '.join(text.split()), style=style)


def _print_table(
    names: Sequence[str],
    rows: Sequence[Sequence[Text]],
    spare: Sequence[str],
    console: Console | None = None,
) -> None:
    console = console or _console()
    for line in lines_of(names, rows, console.width, spare=spare, right=_NUMBERS):
        console.print(line, soft_wrap=True)


def _console(file: TextIO | None = None) -> Console:
    file = file or sys.stdout
    # A file or a pipe has no edge that lines should be cut at, unless somebody says so.
    edge = file.isatty() or 'COLUMNS' in os.environ
    return Console(file=file) if edge else Console(file=file, width=_WIDE)
