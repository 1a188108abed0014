# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of a report, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from reactree_ros.lab.report.engagement import COUNTS, DEPTH, mechanisms_of
from reactree_ros.lab.report.failures import KINDS
from reactree_ros.lab.report.statistics import Share
from reactree_ros.lab.report.summary import GROUPS, Pair, Row, Run, Summary

NO_RUN = 'No run has ended yet.\n'
_SUCCESS_NOTE = (
    'GSR: runs whose goal is satisfied in the world. SSR: single goal conditions that are met. '
    'Progress: the mean of their share in each run. '
    "Intervals are Wilson's and count tasks. False: the planner's report differs from the world."
)
_SEEDS_NOTE = (
    ' Intervals and p-values take the seeds of one task for one observation: they stand and fall '
    'together.'
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
    'few-shot: the prompt has room for experiences, if there are any; nothing was trained. '
)
_ENGAGEMENT_NOTE = (
    'Means of a run; in brackets the runs in which it ran at all. Expansions: goals that were '
    'split. Verdicts: whether a finished subgoal was reached, said by the model. Retrievals: steps '
    'behind a summary that were asked for. Checks: of a subgoal before it is worked on. Replans: '
    'goals that were planned again. Retries: goals that were tried again after a failure. Depth: '
    'of the deepest agent node; in brackets the runs with more than a root.'
)
_WHOLE_PLANS = ('zsp', 'tree-planner')
_MOST_ERRORS = 5
_GROUP_NOTE = 'Runs whose goal is satisfied, of all; SSR % in brackets.'
_GROUP_TITLES = {
    'type': ('Success by type of task', _GROUP_NOTE),
    'apartment': ('Success by apartment', f'{_GROUP_NOTE} Unseen: not in any training task.'),
    'wording': ('Success by wording', f'{_GROUP_NOTE} Ambiguous: on purpose.'),
}

Columns = Mapping[str, Callable[[Row], str]]
"""Heads of columns, with the text of each."""


def _formats(columns: Mapping[str, str]) -> Columns:
    """Return columns from format strings of the figures of a row."""
    return {
        head: lambda row, text=text: text.format(**row.figures)  # type: ignore[misc]
        for head, text in columns.items()
    }


_SUCCESS: Columns = {
    'model is': lambda row: row.learning,
    'runs': lambda row: str(row.gsr.of),
    'GSR % (95 %)': lambda row: share_text(row.gsr),
    'SSR % (95 %)': lambda row: share_text(row.ssr),
    'progress %': lambda row: f'{100 * row.figures["progress"]:.0f}',
    **_formats({'false done': '{false_done}', 'false failure': '{false_failure}'}),
}
_COSTS = _formats(
    {
        'decisions': '{decisions:.1f}',
        'skills': '{skills:.1f}',
        'seconds': '{seconds:.1f}',
        'median': '{median_seconds:.1f}',
        'in model': '{model_seconds:.1f}',
        'in skills': '{skill_seconds:.2f}',
        'overhead': '{overhead_seconds:.2f}',
    }
)
_TOKENS = _formats(
    {
        'decisions': '{tokens_in_n}',
        'in: mean ± sd': '{tokens_in_mean:.0f} ± {tokens_in_sd:.0f}',
        'in: max': '{tokens_in_max}',
        'reused': '{reused:.0%}',
        'out: mean ± sd': '{tokens_out_mean:.0f} ± {tokens_out_sd:.0f}',
        'out: max': '{tokens_out_max}',
    }
)
_PAIRS: Mapping[str, Callable[[Pair], object]] = {
    'runs': lambda pair: pair.runs,
    'both': lambda pair: pair.both,
    'only first': lambda pair: pair.first_only,
    'only second': lambda pair: pair.second_only,
    'p': lambda pair: _p_text(pair.p),
    'p, Holm': lambda pair: _p_text(pair.p_holm),
}
_PRICE: Mapping[str, Callable[[Row], float]] = {
    'GSR %': lambda row: 100 * row.gsr.value,
    'progress %': lambda row: 100 * row.figures['progress'],
    'decisions': lambda row: row.figures['decisions'],
    'tokens in': lambda row: sum(sum(run.tokens_in) for run in row.runs) / len(row.runs),
    'longest prompt': lambda row: row.figures['tokens_in_max'],
    'tokens out': lambda row: sum(sum(run.tokens_out) for run in row.runs) / len(row.runs),
    'seconds': lambda row: row.figures['seconds'],
}


@dataclass(frozen=True)
class Table:
    """One table.

    Args:
        title: what it shows.
        names: heads of the columns with planners.
        heads: heads of the other columns, with units.
        lines: of each line model and task set, planners, and figures.
        note: how to read it; may be empty.
    """

    title: str
    names: tuple[str, ...]
    heads: tuple[str, ...]
    lines: tuple[tuple[tuple[str, str], tuple[str, ...], tuple[str, ...]], ...]
    note: str = ''


def to_markdown(summary: Summary) -> str:
    """Return the tables of a summary as Markdown."""
    return '\n'.join(map(_markdown, tables(summary))) or NO_RUN


def tables(summary: Summary) -> Iterator[Table]:
    """Yield the tables that a summary has something for."""
    rows = summary.rows
    if not rows:
        return
    more: dict[str, str] = {}
    if any(row.figures['conditions_read'] for row in rows):
        more['conditions'] = '{conditions_right} of {conditions_read}'
    if any(row.errors for row in rows):
        more['errors'] = '{errors}'
    note = _SUCCESS_NOTE + ''.join(_warnings(summary))
    yield _of_rows(rows, 'Success', {**_SUCCESS, **_formats(more)}, note)
    yield _engagement(rows)
    plans_note = _PLANS_NOTE if any(r.spec.planner.startswith(_WHOLE_PLANS) for r in rows) else ''
    yield _of_rows(
        rows,
        'Costs of a run, means',
        _COSTS,
        'Wall-clock seconds, their median, and the part spent waiting for decisions and skills. '
        'Overhead: the rest, including the search for experiences and for the skills that written '
        f'lines mean.{plans_note}',
    )
    yield _of_rows(
        rows,
        'Tokens of a decision',
        _TOKENS,
        'In: the whole prompt including reused tokens; its max is what memory must hold.',
    )
    if any(row.failures for row in rows):
        yield _failures(rows)
    for by, (title, note) in _GROUP_TITLES.items():
        names = sorted({GROUPS[by](run.task) for run in summary.runs})
        if len(names) > 1:
            heads = {_words(name): partial(_group_text, by, name) for name in names}
            yield _of_rows(rows, title, heads, note)
    priced = [pair for pair in summary.pairs if pair.is_of_settings and pair.runs]
    if priced:
        yield Table(
            'Price of settings, on the runs that both made',
            ('planner', 'with'),
            tuple(_PRICE),
            tuple(
                (
                    (pair.first.model_shown, pair.first.spec.task_set),
                    (pair.first.spec.planner, pair.second.spec.planner),
                    tuple(_price_text(pair, figure) for figure in _PRICE.values()),
                )
                for pair in priced
            ),
            'Means of a run, without the settings and with them. Tokens: of all prompts of a run, '
            'reused ones included, and of all answers.',
        )
    if summary.pairs:
        yield Table(
            'Planners in pairs, on the runs that both made',
            ('first', 'second'),
            tuple(_PAIRS),
            tuple(
                (
                    (pair.first.model_shown, pair.first.spec.task_set),
                    (pair.first.spec.planner, pair.second.spec.planner),
                    tuple(str(figure(pair)) for figure in _PAIRS.values()),
                )
                for pair in summary.pairs
            ),
            'Both, only first, only second: whose goal is satisfied in the world. p: exact McNemar '
            'test, two-sided. Holm: corrected for the pairs of planners without settings, or of '
            'one planner with its settings, with the same model and tasks.',
        )


def share_text(share: Share) -> str:
    """Return a share with its interval in percent, e.g. ``25 (9–53)``."""
    if not share.of:
        return '–'
    return f'{100 * share.value:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})'


def _warnings(summary: Summary) -> Iterator[str]:
    """Yield what a reader of the success rates must not overlook."""
    if len({run.spec.seed for run in summary.runs}) > 1:
        yield _SEEDS_NOTE
    trained = {f'{row.spec.model} is {row.trained}' for row in summary.rows if row.trained}
    if trained:
        yield f'{_TRAINED_NOTE}{"; ".join(sorted(trained))}.'
    versions = sorted({run.made_with or 'unknown' for run in summary.runs})
    if len(versions) > 1:
        yield _VERSIONS_NOTE.format(', '.join(versions))
    yield _idle(summary.rows)
    broken = [run for row in summary.rows for run in row.errors]
    if broken:
        more = len(broken) - _MOST_ERRORS
        named = [
            *map(_error_text, broken[:_MOST_ERRORS]),
            *([f'and {more} more'] if more > 0 else []),
        ]
        yield f" Errors, in which the planner's own code failed: {'; '.join(named)}."


def _idle(rows: Iterable[Row]) -> str:
    """Return a sentence on the mechanisms that ran in none of a row's runs; empty if all ran."""
    idle = dict.fromkeys(row.idle for row in rows if row.idle)
    return f' Never ran, in any run of a row: {"; ".join(idle)}.' if idle else ''


def _error_text(run: Run) -> str:
    spec = run.spec
    return (
        f'{spec.planner}, {spec.model}, {spec.task_set} {spec.task}, seed {spec.seed}: '
        f'{run.ending.message}'
    )


def _of_rows(rows: Iterable[Row], title: str, columns: Columns, note: str = '') -> Table:
    lines = (
        (
            (row.model_shown, row.spec.task_set),
            (row.spec.planner,),
            tuple(text(row) for text in columns.values()),
        )
        for row in rows
    )
    return Table(title, ('planner',), tuple(columns), tuple(lines), note)


def _engagement(rows: Sequence[Row]) -> Table:
    """Return how often the mechanisms ran: those of the planners' methods, and what else did."""
    wanted = {one.value for row in rows for one in mechanisms_of(row.spec.planner)}
    wanted |= {name for name in COUNTS for row in rows if row.engagement[name].hits}
    columns: dict[str, Callable[[Row], str]] = {'GSR %': lambda row: f'{100 * row.gsr.value:.0f}'}
    columns |= {
        name: partial(_engagement_text, name) for name in COUNTS if name in wanted or name == DEPTH
    }
    return _of_rows(rows, 'Engagement beside success', columns, f'{_ENGAGEMENT_NOTE}{_idle(rows)}')


def _engagement_text(name: str, row: Row) -> str:
    return f'{row.figures[name]:.1f} ({row.engagement[name].hits})'


def _failures(rows: Sequence[Row]) -> Table:
    seen = {kind for row in rows for kind in row.failures}
    columns: dict[str, Callable[[Row], str]] = {
        'failed': lambda row: str(row.gsr.of - row.gsr.hits)
    }
    columns |= {kind: partial(_failure_text, kind) for kind in KINDS if kind in seen}
    return _of_rows(rows, 'Failed runs', columns)


def _failure_text(kind: str, row: Row) -> str:
    return str(row.failures.get(kind) or '·')


def _group_text(by: str, name: str, row: Row) -> str:
    group = row.groups(by).get(name)
    return f'{group.gsr.hits}/{group.gsr.of} ({100 * group.ssr.value:.0f})' if group else '–'


def _price_text(pair: Pair, figure: Callable[[Row], float]) -> str:
    return ' → '.join(f'{figure(row):.1f}'.removesuffix('.0') for row in pair.costs)


def _p_text(p: float) -> str:
    return '< 0.001' if p < 0.001 else f'{p:.3f}'


def _words(name: str) -> str:
    return name.replace('_', ' ')


def _markdown(table: Table) -> str:
    """Return a table as Markdown; model and task set have columns only where they vary."""
    settings = list(zip(*(setting for setting, _, _ in table.lines), strict=True))
    varying = [place for place in (0, 1) if len(set(settings[place])) > 1]
    common = [settings[place][0] for place in (0, 1) if place not in varying]
    labels = (*table.names, *(('model', 'tasks')[place] for place in varying))
    lines = [
        (*labels, *table.heads),
        *(
            (*names, *(setting[place] for place in varying), *cells)
            for setting, names, cells in table.lines
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = [
        '-' * width if index < len(labels) else f'{"-" * (width - 1)}:'
        for index, width in enumerate(widths)
    ]
    text = [
        f'| {" | ".join(map(_padded, line, widths, rule))} |'
        for line in (lines[0], rule, *lines[1:])
    ]
    note = [table.note, ''] if table.note else []
    return '\n'.join([f'### {", ".join([table.title, *common])}', '', *text, '', *note])


def _padded(cell: str, width: int, rule: str) -> str:
    return cell.rjust(width) if rule.endswith(':') else cell.ljust(width)
