# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a report says, table by table; how it is shown is another matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reactree_ros.lab.failures.failures import KINDS
from reactree_ros.lab.report.metrics import Pair, Row, Run, Summary
from reactree_ros.lab.report.statistics import Share, Spread

_SUCCESS_NOTE = (
    'GSR: runs whose goal holds in the world. SSR: wanted objects that are as wanted. Intervals '
    "are Wilson's and count runs. False: the planner says so, and the world does not."
)
_SEEDS_NOTE = (
    ' Runs of one task with several seeds are counted as if they did not depend on each other: '
    'intervals and p-values are too small.'
)
_PLANS_NOTE = (
    ' A decision is one answer of the model: for ZSP a line of its plan, for '
    'Tree-Planner all plans that it samples together.'
)
_VERSIONS_NOTE = (
    ' The runs were made with several versions of this package ({}): they are mixed here.'
)
_TRAINED_NOTE = (
    ' Trained: an adapter has learned from runs on training tasks of the same kinds as these; '
    'few-shot: the model reads experiences in its prompt, nothing was trained. '
)
_WHOLE_PLANS = ('zsp', 'tree-planner')
_MOST_ERRORS = 5
_GROUP_NOTE = 'Runs whose goal holds, of all; in brackets SSR %.'
_GROUPS = (
    ('type', 'Success by type of task', _GROUP_NOTE),
    ('apartment', 'Success by apartment', f'{_GROUP_NOTE} Unseen: it is in no training task.'),
    ('wording', 'Success by wording', f'{_GROUP_NOTE} Ambiguous: on purpose.'),
)


@dataclass(frozen=True)
class Line:
    """One line of a table.

    Args:
        setting: model and task set.
        names: of the planners that it is about.
        cells: what it says about them.
    """

    setting: tuple[str, str]
    names: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One table.

    Args:
        title: what it shows.
        names: heads of the columns with planners.
        head: heads of the other columns, with units.
        lines: those of one setting one after another.
        note: how to read it; may be empty.
    """

    title: str
    names: tuple[str, ...]
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ''


def sections(summary: Summary) -> Iterator[Section]:
    """Yield the tables that a summary has something for."""
    rows = summary.rows
    if not rows:
        return
    seeds = {run.spec.seed for run in summary.runs}
    versions = sorted({run.made_with or 'unknown' for run in summary.runs})
    mixed = _VERSIONS_NOTE.format(', '.join(versions)) if len(versions) > 1 else ''
    broken = [run for run in summary.runs if run.status == 'error']
    plans_note = _PLANS_NOTE if any(r.planner.startswith(_WHOLE_PLANS) for r in rows) else ''
    yield _of_rows(
        rows,
        'Success',
        (
            'model is',
            'runs',
            'GSR % (95 %)',
            'SSR % (95 %)',
            'false done',
            'false failure',
            *(['errors'] if broken else []),
        ),
        lambda row: (
            row.learning,
            str(row.gsr.of),
            share_text(row.gsr),
            share_text(row.ssr),
            str(row.false_done),
            str(row.false_failure),
            *([str(row.errors)] if broken else []),
        ),
        _SUCCESS_NOTE
        + (_SEEDS_NOTE if len(seeds) > 1 else '')
        + _trained_text(rows)
        + mixed
        + _broken_text(broken),
    )
    yield _of_rows(
        rows,
        'Costs of a run, means',
        ('decisions', 'skills', 'seconds', 'median', 'in model', 'in skills', 'overhead'),
        lambda row: (
            f'{row.decisions:.1f}',
            f'{row.skills:.1f}',
            f'{row.seconds:.1f}',
            f'{row.median_seconds:.1f}',
            f'{row.model_seconds:.1f}',
            f'{row.skill_seconds:.2f}',
            f'{row.overhead_seconds:.2f}',
        ),
        'Seconds of the wall clock, their median, and how many of them decisions and skills were '
        'awaited. '
        'Overhead: the rest, the search for experiences and for skills that written lines mean '
        f'included.{plans_note}',
    )
    yield _of_rows(
        rows,
        'Tokens of a decision',
        ('decisions', 'in: mean ± sd', 'in: max', 'reused %', 'out: mean ± sd', 'out: max'),
        lambda row: (
            str(row.tokens_in.n),
            _spread_text(row.tokens_in),
            str(row.tokens_in.max),
            f'{100 * row.reused:.0f}',
            _spread_text(row.tokens_out),
            str(row.tokens_out.max),
        ),
        'In: the whole prompt, reused tokens included; its max is what memory must hold.',
    )
    if any(row.failures for row in rows):
        yield _failures(rows)
    for by, title, note in _GROUPS:
        names = sorted({group.name for row in rows for group in row.groups if group.by == by})
        if len(names) > 1:
            yield _groups(rows, by, names, title, note)
    if summary.pairs:
        yield _pairs(summary.pairs, {row.model: row.model_shown for row in rows})


def share_text(share: Share) -> str:
    """Return a share with its interval in percent, e.g. ``25 (9–53)``."""
    if not share.of:
        return '–'
    return f'{100 * share.value:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})'


def _trained_text(rows: Sequence[Row]) -> str:
    """Say what the trained models consist of; empty if there are none."""
    trained = {f'{row.model} is {row.trained}' for row in rows if row.trained}
    return f'{_TRAINED_NOTE}{"; ".join(sorted(trained))}.' if trained else ''


def _broken_text(broken: Sequence[Run]) -> str:
    """Say which runs broke, the first few with their reasons; empty if none did."""
    if not broken:
        return ''
    named = [
        f'{run.spec.planner}, {run.spec.model}, {run.spec.task_set} {run.spec.task}, seed '
        f'{run.spec.seed}: {run.message}'
        for run in broken[:_MOST_ERRORS]
    ]
    more = len(broken) - len(named)
    return f' Errors, in which the planner itself broke: {"; ".join(named)}' + (
        f'; and {more} more.' if more else '.'
    )


def _spread_text(spread: Spread) -> str:
    return f'{spread.mean:.0f} ± {spread.sd:.0f}' if spread.n else '–'


def _p_text(p: float) -> str:
    return '< 0.001' if p < 0.001 else f'{p:.3f}'


def _of_rows(
    rows: Sequence[Row],
    title: str,
    head: Sequence[str],
    cells: Callable[[Row], Sequence[str]],
    note: str = '',
) -> Section:
    lines = (
        Line((row.model_shown, row.task_set), (row.planner,), tuple(cells(row))) for row in rows
    )
    return Section(title, ('planner',), tuple(head), tuple(lines), note)


def _failures(rows: Sequence[Row]) -> Section:
    seen = {kind for row in rows for kind in row.failures}
    known = list(KINDS.values())
    kinds = [kind for kind in known if kind in seen] + sorted(seen.difference(known))
    return _of_rows(
        rows,
        'Failed runs by class',
        ('failed', *(_words(kind) for kind in kinds)),
        lambda row: (
            str(row.gsr.of - row.gsr.hits),
            *(str(row.failures.get(kind) or '·') for kind in kinds),
        ),
    )


def _groups(rows: Sequence[Row], by: str, names: Sequence[str], title: str, note: str) -> Section:
    def cells(row: Row) -> list[str]:
        found = {group.name: group for group in row.groups if group.by == by}
        return [
            f'{found[name].gsr.hits}/{found[name].gsr.of} ({100 * found[name].ssr.value:.0f})'
            if name in found
            else '–'
            for name in names
        ]

    return _of_rows(rows, title, [_words(name) for name in names], cells, note)


def _pairs(pairs: Sequence[Pair], models: Mapping[str, str]) -> Section:
    lines = (
        Line(
            (models[pair.model], pair.task_set),
            (pair.first, pair.second),
            (
                str(pair.runs),
                str(pair.both),
                str(pair.first_only),
                str(pair.second_only),
                _p_text(pair.p),
                _p_text(pair.p_holm),
            ),
        )
        for pair in pairs
    )
    return Section(
        'Planners in pairs, on the runs that both made',
        ('first', 'second'),
        ('runs', 'both', 'only first', 'only second', 'p', 'p, Holm'),
        tuple(lines),
        'Both, only first, only second: whose goal holds in the world. p: exact McNemar test, '
        'two-sided. Holm: corrected for the pairs of planners without settings, or of one planner '
        'with its settings, with the same model and tasks.',
    )


def _words(name: str) -> str:
    return name.replace('_', ' ')
