# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How ``reactree memory`` shows experiences: tables and JSON of the same values."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from reactree_ros.memory.experience import Verification
from reactree_ros.memory.record_json import values_of
from reactree_ros.memory.store import Record

_WIDE = 10_000
_GAP = 2
_GOAL_WIDTH = 40
"""Columns are left out where a goal would have less room than this."""
_LABELS = {
    'number': 'no.',
    'termination': 'ended',
    'time': 'when',
    'retrieved': 'shown',
    'key': 'compared as',
}
"""What people read where JSON has another name."""
_STYLES = {
    'success': 'green',
    'failure': 'red',
    'expand': 'cyan',
    'world': 'green',
    'person': 'green',
    'reported': 'dim',
}
_NUMBERS = ('number', 'score', 'merged', 'retrieved', 'experiences')
_RECORD = (
    *(
        'score',
        'number',
        'termination',
        'verified',
        'model',
        'time',
        'strategy',
        'merged',
        'retrieved',
    ),
    *('task', 'robot', 'run', 'goal'),
)
_SPARE = (
    *('merged', 'strategy', 'model', 'task', 'retrieved', 'robot', 'run', 'time'),
    'experiences',
)
_RUN = ('run', 'experiences', 'verified', 'time', 'strategy', 'model', 'task', 'robot', 'goal')
_SPARE_OF_RUN = tuple(name for name in _SPARE if name != 'run')


def brief(record: Record) -> dict[str, Any]:
    """Return all of a record but its text, as JSON has it."""
    values = values_of(record)
    del values['outline'], values['text']
    return values


def runs_of(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the runs that records come from, as JSON has them, in the order of their records."""
    runs: dict[str, dict[str, Any]] = {}
    strength = [one.value for one in Verification]
    for record in records:
        values = values_of(record)
        run = runs.setdefault(
            record.origin.run,
            {
                'run': record.origin.run,
                'goal': '',  # of the root, which may not be among them
                **{name: values[name] for name in ('verified', 'time', 'task')},
                **{name: values[name] for name in ('strategy', 'skills', 'model', 'robot')},
                'experiences': 0,
                'terminations': {},
            },
        )
        run['experiences'] += 1
        ended = run['terminations']
        ended[values['termination']] = ended.get(values['termination'], 0) + 1
        if record.experience.root:
            run['goal'] = record.experience.goal
        # A merged experience may be better verified than the rest of its run.
        run['verified'] = min(run['verified'], values['verified'], key=strength.index)
    return list(runs.values())


def print_json(values: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(values, ensure_ascii=False, indent=2))


def print_records(records: Sequence[Mapping[str, Any]], console: Console | None = None) -> None:
    """Print one line a record; subgoals are set in from the goals of whole runs."""
    names = _RECORD if records and 'score' in records[0] else _RECORD[1:]
    _print_table(names, records, _SPARE, console)


def print_runs(runs: Sequence[Mapping[str, Any]]) -> None:
    """Print one line a run."""
    _print_table(_RUN, runs, _SPARE_OF_RUN)


def print_facts(values: Mapping[str, Any]) -> None:
    """Print one line a value, and below them the text of an experience, if there is one."""
    console = _console()
    facts = Table(show_header=False, box=None, padding=(0, _GAP, 0, 0))
    facts.add_column(style='dim')
    for name, value in values.items():
        if name not in ('text', 'outline'):
            facts.add_row(_LABELS.get(name, name), _cell(name, value))
    console.print(facts)
    if 'text' in values:
        console.print()
        console.print(values['text'].rstrip(), markup=False, highlight=False, soft_wrap=True)


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, 'run'), counted(1200, 'run')
    ('1 run', '1,200 runs')
    """
    return f'{number:,} {what}{"" if number == 1 else "s"}'


def _cell(name: str, value: Any) -> Text:
    """Return a value as people read it, on one line."""
    if name == 'time':
        text = time.strftime('%Y-%m-%d %H:%M', time.localtime(value)) if value else ''
    elif name == 'score':
        text = f'{value:.3f}'
    elif isinstance(value, dict):
        text = ', '.join(f'{one or "not known"} {count:,}' for one, count in value.items())
    elif isinstance(value, list):
        text = ', '.join(value)
    else:
        text = 'not known' if value is None else str(value)
    return Text(' '.join(text.split()), style=_STYLES.get(text, ''))


def _goal(values: Mapping[str, Any]) -> Text:
    goal = _cell('goal', values['goal'] or '(the goal of this run is not among them)')
    if values.get('root', True):
        return goal
    return Text('  ').append_text(goal)


def _print_table(
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    spare: Sequence[str],
    console: Console | None = None,
) -> None:
    """Print a table whose last column is the goal, which is cut at the edge of a terminal.

    Args:
        names: of the columns.
        rows: a value for each name, and whether it is a root.
        spare: names of columns that are left out, in this order, where the goal has no room.
        console: where to print; None for standard output.
    """
    console = console or _console()
    # Where there is one robot, it mostly has no name.
    names = [one for one in names if one != 'robot' or any(row.get(one) for row in rows)]
    cells = {
        name: [_goal(row) if name == 'goal' else _cell(name, row[name]) for row in rows]
        for name in names
    }
    widths = {
        name: max(cell_len(text.plain) for text in (Text(_LABELS.get(name, name)), *column)) + _GAP
        for name, column in cells.items()
    }
    widths['goal'] = min(widths['goal'] - _GAP, _GOAL_WIDTH)
    for name in spare:
        if sum(widths[one] for one in cells) <= console.width:
            break
        cells.pop(name, None)
    room = console.width - sum(widths[one] for one in cells if one != 'goal')
    for goal in cells['goal']:
        goal.truncate(max(room, 1), overflow='ellipsis')
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style='dim')
    for name in cells:
        justify: JustifyMethod = 'right' if name in _NUMBERS else 'left'
        table.add_column(_LABELS.get(name, name), justify=justify, no_wrap=True)
    for row in zip(*cells.values(), strict=True):
        table.add_row(*row)
    console.print(table)


def _console() -> Console:
    # A file or a pipe has no edge that lines should be cut at, unless COLUMNS is set.
    edge = sys.stdout.isatty() or 'COLUMNS' in os.environ
    return Console() if edge else Console(width=_WIDE)
