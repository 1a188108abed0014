# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A summary as text: for the terminal, as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from reactree_ros.lab.report.metrics import Row, Run, Summary
from reactree_ros.lab.report.tables import Section, sections

_NAME_CHARS = 12
"""A column with names is not made narrower than this."""
_GAP = 3
"""Characters between two columns."""
_NO_RUN = 'No run has ended yet.'


def terminal_table(summary: Summary) -> RenderableType:
    """Return the tables of a summary for a terminal."""
    return Group(*map(_Fitted, sections(summary))) if summary.rows else Text(_NO_RUN)


def to_markdown(summary: Summary) -> str:
    """Return the tables of a summary as Markdown."""
    return '\n'.join(map(_markdown, sections(summary))) or _NO_RUN + '\n'


def to_csv(summary: Summary) -> str:
    """Return the rows of a summary as CSV, shares from 0 to 1, times in seconds."""
    return _csv([_flat(row) for row in summary.rows])


def runs_to_csv(summary: Summary) -> str:
    """Return every run of a summary as CSV, times in seconds."""
    return _csv([_run(run) for run in summary.runs])


def to_json(summary: Summary) -> str:
    """Return a summary as JSON: rows, pairs and runs; shares from 0 to 1, times in seconds."""
    whole = {
        'rows': [asdict(row) for row in summary.rows],
        'pairs': [asdict(pair) for pair in summary.pairs],
        'runs': [_run(run) for run in summary.runs],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + '\n'


class _Fitted:
    """A section for a terminal, in as many tables as its width needs."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._settings = list(dict.fromkeys(line.setting for line in section.lines))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        section = self._section
        common = f', {_setting(self._settings[0])}' if len(self._settings) == 1 else ''
        yield Text(f'\n{section.title}{common}', style='bold')
        names = min(max(_NAME_CHARS, options.max_width // 3), self._longest_name())
        # The last column has no gap behind it, but the table has a margin.
        room = options.max_width + _GAP - 2 - len(section.names) * (names + _GAP)
        for columns in self._chunks(room):
            yield self._table(columns, names)
        if section.note:
            yield Text(section.note, style='dim')

    def _longest_name(self) -> int:
        lines = self._section.lines
        names = [_in_lines(name) for line in lines for name in line.names]
        shown = [part for name in names for part in name.splitlines()]
        return max(map(len, [*self._section.names, *shown]))

    def _chunks(self, room: int) -> Iterator[dict[int, int]]:
        """Yield the widths of as many columns as have room, by their numbers, until all are."""
        head = self._section.head
        cells = [
            max(len(line.cells[index]) for line in self._section.lines)
            for index in range(len(head))
        ]
        widths = [max(wide, len(name)) for wide, name in zip(cells, head, strict=True)]
        if sum(widths) + _GAP * len(widths) > room:
            # A head may wrap at its spaces, a number must not.
            widths = [
                max(wide, *map(len, name.split())) for wide, name in zip(cells, head, strict=True)
            ]
        chunk: dict[int, int] = {}
        for index, width in enumerate(widths):
            if chunk and sum(chunk.values()) + width + _GAP * (len(chunk) + 1) > room:
                yield chunk
                chunk = {}
            chunk[index] = width
        yield chunk

    def _table(self, columns: Mapping[int, int], names: int) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in self._section.names:
            table.add_column(name, overflow='fold', width=names)
        for index, width in columns.items():
            table.add_column(self._section.head[index], justify='right', width=width)
        for setting in self._settings:
            if len(self._settings) > 1:
                table.add_section()
                table.add_row(Text(_setting(setting), style='italic'))
            for line in self._section.lines:
                if line.setting == setting:
                    shown = (Text(_in_lines(name)) for name in line.names)
                    table.add_row(*shown, *(line.cells[index] for index in columns))
        return table


def _setting(setting: tuple[str, str]) -> str:
    model, task_set = setting
    return f'{model}, {task_set}'


def _in_lines(planner: str) -> str:
    """Put every setting of a planner on a line of its own."""
    base, _, settings = planner.rstrip(']').partition('[')
    return '\n  '.join([base, *(settings.split(',') if settings else ())])


def _markdown(section: Section) -> str:
    varying = [
        place for place in (0, 1) if len({line.setting[place] for line in section.lines}) > 1
    ]
    common = [
        setting for place, setting in enumerate(section.lines[0].setting) if place not in varying
    ]
    labels = (*section.names, *(('model', 'tasks')[place] for place in varying))
    rows = [
        (*line.names, *(line.setting[place] for place in varying), *line.cells)
        for line in section.lines
    ]
    table = [' | '.join(row) for row in ((*labels, *section.head), *rows)]
    rule = '|'.join(['---'] * len(labels) + ['---:'] * len(section.head))
    note = [section.note, ''] if section.note else []
    lines = [f'| {line} |' for line in table]
    lines.insert(1, f'|{rule}|')
    return '\n'.join([f'### {", ".join([section.title, *common])}', '', *lines, '', *note])


def _flat(row: Row) -> dict[str, Any]:
    flat: dict[str, Any] = {
        'planner': row.planner,
        'model': row.model,
        'task_set': row.task_set,
        'learning': row.learning,
        'trained': row.trained,
        'runs': row.gsr.of,
    }
    for name, share in (('gsr', row.gsr), ('ssr', row.ssr)):
        flat |= {name: share.value, f'{name}_low': share.low, f'{name}_high': share.high}
        flat |= {f'{name}_hits': share.hits, f'{name}_of': share.of}
    for name in ('false_done', 'false_failure', 'errors', 'decisions', 'skills'):
        flat[name] = getattr(row, name)
    for name, spread in (('tokens_in', row.tokens_in), ('tokens_out', row.tokens_out)):
        flat |= {f'{name}_{key}': value for key, value in asdict(spread).items() if key != 'n'}
    for name in ('reused', 'seconds', 'median_seconds', 'model_seconds', 'skill_seconds',
                 'overhead_seconds'):  # fmt: skip
        flat[name] = getattr(row, name)
    flat |= {f'ended_{reason}': count for reason, count in sorted(row.endings.items())}
    flat |= {
        f'failed_{kind.replace(": ", "_").replace(" ", "_")}': count
        for kind, count in sorted(row.failures.items())
    }
    return flat


def _run(run: Run) -> dict[str, Any]:
    task = run.task
    return {
        **asdict(run.spec),
        'learning': run.learning,
        'trained': run.trained,
        'type': task.type,
        'unseen': task.unseen,
        'ambiguous': task.ambiguous,
        'shortest': task.shortest,
        'holds': run.holds,
        'met': run.met,
        'wanted': run.wanted,
        'status': run.status,
        'reason': run.reason,
        'message': run.message,
        'failure': run.failure,
        **asdict(run.costs),
        'overhead_seconds': run.overhead_seconds,
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; a column that a row lacks is 0 there, since it counts something."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, restval=0, lineterminator='\n')
    writer.writeheader()
    writer.writerows(
        {name: round(v, 6) if isinstance(v, float) else v for name, v in row.items()}
        for row in rows
    )
    return file.getvalue() if columns else ''
