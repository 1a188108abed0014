# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The results of an agreement test as Markdown tables."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from reactree_ros.evaluation.agreement_run import Result
from reactree_ros.evaluation.statistics import wilson

HEAD = """\
| model | chat template | experiences | n | same kind, % (95 %) | same decision, % (95 %) \
| tokens in | reused, % | s per decision |
|---|---|---|---|---|---|---|---|---|"""
KIND_HEAD = """\
| model | chat template | experiences | Think: kind | Act: kind | Act: decision | Expand: kind \
| Expand: control flow | Expand: decision |
|---|---|---|---|---|---|---|---|---|"""

Name = tuple[str, str, str]
"""Model, chat template and experiences of a row."""


def describe(results: Sequence[Result]) -> str:
    """Return a paragraph on the decisions themselves."""
    kinds = Counter(result.kind for result in results)
    options = sorted(result.options for result in results)
    tasks = len({result.task_id for result in results})
    listed = ', '.join(f'{count} {kind}' for kind, count in kinds.most_common())
    return (
        f'{len(results)} decisions of {tasks} test tasks: {listed}. On offer were {options[0]} to '
        f'{options[-1]} skills and classes to recall, {statistics.median(options):.0f} in the '
        f'median; {sum(result.added for result in results)} decisions had to be added to them.'
    )


def baseline_rows(results: Sequence[Result]) -> list[str]:
    """Return rows for two rules that read nothing."""
    act = [result.kind == 'Act' for result in results]
    rule = [result.kind == ('Act' if result.after_thought else 'Think') for result in results]
    return [
        f'| {name} | | | {len(results)} | {_share(hits)} | | | | |'
        for name, hits in (
            ('always Act', act),
            ('Act after a thought, else Think', rule),
        )
    ]


def row(name: Name, results: Sequence[Result]) -> str:
    """Return the row of a model."""
    tokens = sum(result.tokens_in for result in results)
    reused = sum(result.tokens_reused for result in results)
    return (
        f'| {" | ".join(name)} | {len(results)} | {_share(r.same_kind for r in results)} '
        f'| {_share(r.same_decision for r in results)} | {tokens / len(results):.0f} '
        f'| {100 * reused / max(1, tokens):.0f} '
        f'| {statistics.fmean(r.seconds for r in results):.2f} |'
    )


def kind_row(name: Name, results: Sequence[Result]) -> str:
    """Return the row of a model in the table by kind of the run's decision, hits of all."""
    think, act, expand = (
        [result for result in results if result.kind == kind] for kind in ('Think', 'Act', 'Expand')
    )
    cells = [
        _hits(r.same_kind for r in think),
        _hits(r.same_kind for r in act),
        _hits(r.same_decision for r in act),
        _hits(r.same_kind for r in expand),
        _hits(r.same_flow for r in expand),
        _hits(r.same_decision for r in expand),
    ]
    return f'| {" | ".join((*name, *cells))} |'


def _share(values: Iterable[bool]) -> str:
    hits = list(values)
    low, high = wilson(sum(hits), len(hits))
    return f'{100 * sum(hits) / len(hits):.0f} ({100 * low:.0f}–{100 * high:.0f})'


def _hits(values: Iterable[bool]) -> str:
    hits = list(values)
    return f'{sum(hits)} of {len(hits)}'
