# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What many runs say together."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from reactree_ros.core.outcome import Costs
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import RunSpec, Trace
from reactree_ros.lab.report.metrics import Group, Pair, Row, Run, Summary
from reactree_ros.lab.report.statistics import Share, Spread, holm, mcnemar
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.tasks import task_of

ORDER = ('zsp', 'tree-planner', 'react', 'react+wm', 'reactree', 'reactree+wm')
"""The order of planners in tables (paper Table 1); one with settings follows the one without."""


def summarise(
    traces: Iterable[Trace],
    *,
    task_of: Callable[[str, int], Task] = task_of,
    failure_of: Callable[[Trace], str] | None = None,
) -> Summary:
    """Return what runs say together.

    Args:
        traces: of the runs; they are read once and not kept.
        task_of: gives a task by its set and its number there.
        failure_of: gives the class of a failed run as it is shown, such as ``failures.kind_of``;
            it is asked only if the goal does not hold. None leaves failures unanalysed.

    Raises:
        ConfigurationError: two traces are of the same run.
    """
    runs: dict[RunSpec, Run] = {}
    for trace in traces:
        if trace.spec in runs:
            raise ConfigurationError(
                f'there are two traces of {trace.spec}: keep one of them, or evaluate into '
                'different folders'
            )
        runs[trace.spec] = _run(trace, task_of(trace.spec.task_set, trace.spec.task), failure_of)
    by_row: dict[tuple[str, str, str], list[Run]] = {}
    for run in sorted(runs.values(), key=_order(runs)):
        by_row.setdefault(run.row, []).append(run)
    settings = dict.fromkeys((task_set, model) for task_set, model, _ in by_row)
    return Summary(
        tuple(_row(runs_of_row) for runs_of_row in by_row.values()),
        tuple(
            pair
            for setting in settings
            for pair in _pairs([row for key, row in by_row.items() if key[:2] == setting])
        ),
        tuple(run for runs_of_row in by_row.values() for run in runs_of_row),
    )


def _run(trace: Trace, task: Task, failure_of: Callable[[Trace], str] | None) -> Run:
    ending = trace.ending
    decided = [event.decision for event in trace.events if event.decision.decisions]
    return Run(
        trace.spec,
        task,
        ending.holds,
        ending.met,
        ending.wanted,
        ending.status,
        ending.reason.value,
        ending.message,
        failure_of(trace) if failure_of and not ending.holds else '',
        ending.costs,
        tuple(costs.tokens_in for costs in decided),
        tuple(costs.tokens_out for costs in decided),
        trace.made_with,
        trace.trained,
        trace.has_examples,
    )


def _order(specs: Iterable[RunSpec]) -> Callable[[Run], tuple[object, ...]]:
    """Return the key of an order: task sets and models as they came, planners as in ORDER."""
    listed = list(specs)
    task_sets = list(dict.fromkeys(spec.task_set for spec in listed))
    models = list(dict.fromkeys(spec.model for spec in listed))

    def key(run: Run) -> tuple[object, ...]:
        spec = run.spec
        base = base_of(spec.planner)
        place = ORDER.index(base) if base in ORDER else len(ORDER)
        set_and_model = task_sets.index(spec.task_set), models.index(spec.model)
        return *set_and_model, place, base, spec.planner, spec.task, spec.seed

    return key


def base_of(planner: str) -> str:
    """Return the name of a planner without its settings in brackets."""
    return planner.partition('[')[0]


def _row(runs: Sequence[Run]) -> Row:
    spec = runs[0].spec
    total = sum((run.costs for run in runs), Costs())
    return Row(
        spec.planner,
        spec.model,
        spec.task_set,
        ' / '.join(sorted({run.learning for run in runs})),
        ' / '.join(sorted({run.trained for run in runs if run.trained})),
        _gsr(runs),
        _ssr(runs),
        sum(run.status == 'succeeded' and not run.holds for run in runs),
        sum(run.status == 'failed' and run.holds for run in runs),
        sum(run.status == 'error' for run in runs),
        total.decisions / len(runs),
        total.skills / len(runs),
        Spread.of([tokens for run in runs for tokens in run.tokens_in]),
        Spread.of([tokens for run in runs for tokens in run.tokens_out]),
        total.reused,
        total.total_seconds / len(runs),
        statistics.median(run.costs.total_seconds for run in runs),
        total.model_seconds / len(runs),
        total.skill_seconds / len(runs),
        statistics.fmean(run.overhead_seconds for run in runs),
        dict(Counter(run.reason for run in runs).most_common()),
        dict(Counter(run.failure for run in runs if run.failure).most_common()),
        tuple(_groups(runs)),
    )


def _gsr(runs: Sequence[Run]) -> Share:
    return Share.count(sum(run.holds for run in runs), len(runs))


def _ssr(runs: Sequence[Run]) -> Share:
    return Share.count(sum(r.met for r in runs), sum(r.wanted for r in runs), len(runs))


def _groups(runs: Sequence[Run]) -> Iterable[Group]:
    names: tuple[tuple[str, Callable[[Run], str]], ...] = (
        ('type', lambda run: run.task.type),
        ('apartment', lambda run: 'unseen' if run.task.unseen else 'seen'),
        ('wording', lambda run: 'ambiguous' if run.task.ambiguous else 'clear'),
    )
    for by, name_of in names:
        for name in sorted({name_of(run) for run in runs}):
            members = [run for run in runs if name_of(run) == name]
            yield Group(by, name, _gsr(members), _ssr(members))


def _pairs(rows: Sequence[Sequence[Run]]) -> Iterable[Pair]:
    """Compare planners without settings with each other, and one with settings with its own.

    Every other pair differs in two things at once; testing it would only cost power. For the same
    reason each planner with its settings is a family of its own.
    """
    families: dict[str, list[Pair]] = {}
    for one, other in combinations(rows, 2):
        first, second = one[0].spec.planner, other[0].spec.planner
        plain = [planner for planner in (first, second) if planner == base_of(planner)]
        if len(plain) == 2:
            families.setdefault('', []).append(_pair(one, other))
        elif plain and base_of(first) == base_of(second):
            families.setdefault(plain[0], []).append(_pair(one, other))
    for family in families.values():
        for pair, p_holm in zip(family, holm([pair.p for pair in family]), strict=True):
            yield replace(pair, p_holm=p_holm)


def _pair(one: Sequence[Run], other: Sequence[Run]) -> Pair:
    spec = one[0].spec
    held = {(run.spec.task, run.spec.seed): run.holds for run in other}
    seen = Counter(
        (run.holds, held[run.spec.task, run.spec.seed])
        for run in one
        if (run.spec.task, run.spec.seed) in held
    )
    p = mcnemar(seen[True, False], seen[False, True])
    return Pair(
        spec.planner,
        other[0].spec.planner,
        spec.model,
        spec.task_set,
        seen[True, True],
        seen[True, False],
        seen[False, True],
        seen[False, False],
        p,
        p,
    )
