# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of an evaluation: of a run, of a planner on a task set, of two planners in pairs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from reactree_ros.core.outcome import Costs
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.baselines import BASELINES
from reactree_ros.lab.evaluation.trace import (
    Ending,
    RunSpec,
    Trace,
    conditions_read,
    means_the_same,
)
from reactree_ros.lab.report.engagement import COUNTS, DEPTH, engagement_of, idle_text
from reactree_ros.lab.report.failures import failure_of
from reactree_ros.lab.report.statistics import Share, Spread, holm, mcnemar
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.tasks import task_of

ORDER = ('zsp', 'tree-planner', 'react', 'react+wm', 'reactree', 'reactree+wm')
"""The order of planners in tables (paper Table 1); one with settings follows the one without."""
GROUPS: dict[str, Callable[[Task], str]] = {
    'type': lambda task: task.type,
    'apartment': lambda task: 'unseen' if task.unseen else 'seen',
    'wording': lambda task: 'ambiguous' if task.ambiguous else 'clear',
}
"""Ways to divide the runs of a row by the kind of their tasks."""


@dataclass(frozen=True)
class Run:
    """What the metrics need of one run.

    Args:
        spec: which run.
        task: its task.
        ending: how it ended.
        failure: how it failed, see ``failures.KINDS``; empty if the goal is satisfied.
        tokens_in: prompt tokens of each decision, in order.
        tokens_out: answer tokens of each decision, in order.
        learning: how the model learned the task: ``few-shot`` (experiences in its prompt),
            ``trained`` (an adapter), both, or ``zero-shot``; ``none`` for a baseline.
        trained: base and adapter of a trained model; empty if it was not trained.
        made_with: fingerprint of code and data; empty if unknown.
        conditions: the goal as the model put it into conditions; empty if it did not.
        engagement: how often the mechanisms of strategies ran, by ``engagement.COUNTS``.
    """

    spec: RunSpec
    task: Task
    ending: Ending
    failure: str
    tokens_in: tuple[int, ...]
    tokens_out: tuple[int, ...]
    learning: str
    trained: str
    made_with: str
    conditions: str = ''
    engagement: Mapping[str, int] = field(default_factory=dict)

    @property
    def progress(self) -> float:
        """Share of the goal's conditions that are met at the end, from 0 to 1."""
        ending = self.ending
        return ending.met / ending.wanted if ending.wanted else float(ending.holds)

    @property
    def overhead_seconds(self) -> float:
        """Seconds in which no decision, skill or answer of the operator was awaited.

        They include the search for experiences and for the skills that written lines mean.
        """
        costs = self.ending.costs
        waited = costs.model_seconds + costs.skill_seconds + costs.operator_seconds
        return max(0.0, costs.total_seconds - waited)


@dataclass(frozen=True)
class Row:
    """The runs of one planner with one model on one task set (paper section 5.1, Tables 5, 6)."""

    runs: tuple[Run, ...]

    @property
    def spec(self) -> RunSpec:
        """The first run, for planner, model and task set."""
        return self.runs[0].spec

    @property
    def learning(self) -> str:
        """How the model learned the tasks, see ``Run``."""
        return ' / '.join(sorted({run.learning for run in self.runs}))

    @property
    def trained(self) -> str:
        """Base and adapter of a trained model; all of them if they changed between runs."""
        return ' / '.join(sorted({run.trained for run in self.runs if run.trained}))

    @property
    def model_shown(self) -> str:
        """Name of the model, marked if it was trained."""
        return f'{self.spec.model} (trained)' if self.trained else self.spec.model

    @property
    def gsr(self) -> Share:
        """Goal success rate: runs whose goal is satisfied in the world; its interval counts tasks.

        Seeds of one task stand and fall together, the more so where a model decides greedily.
        """
        hits = sum(run.ending.holds for run in self.runs)
        return Share.count(hits, len(self.runs), self._tasks)

    @property
    def ssr(self) -> Share:
        """Subgoal success rate over all runs; its interval counts tasks, see ``Share.count``."""
        met = sum(run.ending.met for run in self.runs)
        return Share.count(met, sum(run.ending.wanted for run in self.runs), self._tasks)

    @property
    def _tasks(self) -> int:
        return len({run.spec.task for run in self.runs})

    @property
    def errors(self) -> tuple[Run, ...]:
        """Runs in which the planner's own code failed; all metrics include them."""
        return tuple(run for run in self.runs if run.ending.status == 'error')

    @property
    def failures(self) -> dict[str, int]:
        """How many runs failed in which way."""
        return dict(Counter(run.failure for run in self.runs if run.failure).most_common())

    @cached_property
    def engagement(self) -> dict[str, Share]:
        """In how many runs each mechanism ran, by ``engagement.COUNTS``; of depth, below a root."""
        least = {name: 1 + (name == DEPTH) for name in COUNTS}
        return {
            name: Share.count(
                sum(run.engagement.get(name, 0) >= least[name] for run in self.runs), len(self.runs)
            )
            for name in COUNTS
        }

    @property
    def idle(self) -> str:
        """Which mechanisms of the planner's method ran in none of the runs; empty if all did."""
        ran = {name: share.hits for name, share in self.engagement.items()}
        return idle_text(self.spec.planner, ran)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """All metrics by name: means of a run, and its tokens of a decision; times in seconds.

        False: the planner's report differs from the world.
        """
        count = len(self.runs)
        costs = sum((run.ending.costs for run in self.runs), Costs())
        # To give up what is impossible is right.
        ends = Counter(
            (run.ending.status, run.ending.holds)
            for run in self.runs
            if not (run.task.impossible and run.ending.holds)
        )
        read = [run for run in self.runs if run.conditions and not run.task.impossible]
        right = sum(means_the_same(run.conditions, run.task.condition_line) for run in read)
        found: dict[str, Any] = {'runs': count}
        for name, share in (('gsr', self.gsr), ('ssr', self.ssr)):
            found |= {name: share.value, f'{name}_low': share.low, f'{name}_high': share.high}
            found |= {f'{name}_hits': share.hits, f'{name}_of': share.of}
        found |= {'progress': statistics.fmean(run.progress for run in self.runs)}
        found |= {'false_done': ends['succeeded', False], 'false_failure': ends['failed', True]}
        found |= {'conditions_read': len(read), 'conditions_right': right}
        found |= {'errors': len(self.errors)}
        found |= {'decisions': costs.decisions / count, 'skills': costs.skills / count}
        for name in ('tokens_in', 'tokens_out'):
            counts = [tokens for run in self.runs for tokens in getattr(run, name)]
            spread = Spread.of(counts)
            found |= {f'{name}_n': spread.n, f'{name}_mean': spread.mean}
            found |= {f'{name}_sd': spread.sd, f'{name}_max': spread.max}
        seconds = [run.ending.costs.total_seconds for run in self.runs]
        return found | {
            'reused': costs.reused,
            'seconds': statistics.fmean(seconds),
            'median_seconds': statistics.median(seconds),
            'model_seconds': costs.model_seconds / count,
            'skill_seconds': costs.skill_seconds / count,
            'overhead_seconds': statistics.fmean(run.overhead_seconds for run in self.runs),
            **{
                name: statistics.fmean(run.engagement.get(name, 0) for run in self.runs)
                for name in COUNTS
            },
        }

    def groups(self, by: str) -> dict[str, Row]:
        """Return the row divided by a key of ``GROUPS``, sorted by name."""
        names = sorted({GROUPS[by](run.task) for run in self.runs})
        return {
            name: Row(tuple(run for run in self.runs if GROUPS[by](run.task) == name))
            for name in names
        }


@dataclass(frozen=True)
class Pair:
    """Two planners on the runs that both made: same model, task and seed.

    Args:
        first: one planner.
        second: the other.
        both: runs in which both reached the goal.
        first_only: runs in which only the first did.
        second_only: runs in which only the second did.
        neither: runs in which neither did.
        p: exact McNemar test, two-sided, of tasks: one is the better planner's that reaches it with
            more seeds.
        p_holm: corrected for the pairs of planners without settings, or of one planner with its
            settings, with this model on this task set.
    """

    first: Row
    second: Row
    both: int
    first_only: int
    second_only: int
    neither: int
    p: float
    p_holm: float

    @property
    def runs(self) -> int:
        """Runs that both made."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def is_of_settings(self) -> bool:
        """Whether the second is the first with other settings."""
        return _base(self.second.spec.planner) == self.first.spec.planner

    @property
    def costs(self) -> tuple[Row, Row]:
        """Both on the runs that both made."""
        return _on_runs_of(self.first, self.second), _on_runs_of(self.second, self.first)


@dataclass(frozen=True)
class Summary:
    """All runs of an evaluation.

    Args:
        rows: by task set, model and planner.
        pairs: by task set and model.
    """

    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """Every run, in the order of the rows."""
        return tuple(run for row in self.rows for run in row.runs)


def summarise(
    traces: Iterable[Trace],
    *,
    task_of: Callable[[str, int], Task] = task_of,
) -> Summary:
    """Return the metrics of runs.

    Args:
        traces: of the runs; each is read once, and its events are not kept.
        task_of: returns a task by its set and its number there.

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
        runs[trace.spec] = _run(trace, task_of(trace.spec.task_set, trace.spec.task))
    settings: dict[tuple[str, str], dict[str, list[Run]]] = {}
    for run in sorted(runs.values(), key=_order(runs)):
        planners = settings.setdefault((run.spec.task_set, run.spec.model), {})
        planners.setdefault(run.spec.planner, []).append(run)
    rows = [[Row(tuple(own)) for own in planners.values()] for planners in settings.values()]
    return Summary(
        tuple(row for of_setting in rows for row in of_setting),
        tuple(pair for of_setting in rows for pair in _pairs(of_setting)),
    )


def _run(trace: Trace, task: Task) -> Run:
    decided = [event.decision for event in trace.events if event.decision.decisions]
    ways = ['trained'] * bool(trace.trained) + ['few-shot'] * trace.has_examples
    if trace.spec.model in BASELINES:
        ways = ['none']
    return Run(
        trace.spec,
        task,
        trace.ending,
        failure_of(trace, task),
        tuple(costs.tokens_in for costs in decided),
        tuple(costs.tokens_out for costs in decided),
        ', '.join(ways) or 'zero-shot',
        trace.trained,
        trace.made_with,
        conditions_read(trace.events),
        engagement_of(trace.spec.planner, trace.events),
    )


def _order(specs: Iterable[RunSpec]) -> Callable[[Run], tuple[object, ...]]:
    """Return the key of an order: task sets and models as they came, planners as in ORDER."""
    listed = list(specs)
    task_sets = list(dict.fromkeys(spec.task_set for spec in listed))
    models = list(dict.fromkeys(spec.model for spec in listed))

    def key(run: Run) -> tuple[object, ...]:
        spec = run.spec
        base = _base(spec.planner)
        place = ORDER.index(base) if base in ORDER else len(ORDER)
        set_and_model = task_sets.index(spec.task_set), models.index(spec.model)
        return *set_and_model, place, base, spec.planner, spec.task, spec.seed

    return key


def _base(planner: str) -> str:
    """Return the name of a planner without its settings in brackets."""
    return planner.partition('[')[0]


def _pairs(rows: Sequence[Row]) -> Iterable[Pair]:
    """Compare planners without settings with each other, and one with settings with its own.

    Most other pairs differ in two things at once; testing them would only cost power. For the same
    reason each planner with its settings is a family of its own. Planners without a common run are
    not compared.
    """
    families: dict[str, list[Pair]] = {}
    for one, other in combinations(rows, 2):
        first, second = one.spec.planner, other.spec.planner
        plain = [planner for planner in (first, second) if planner == _base(planner)]
        is_setting = len(plain) == 1 and _base(first) == _base(second)
        if len(plain) < 2 and not is_setting:
            continue
        pair = _pair(one, other)
        if pair.runs:
            families.setdefault(plain[0] if is_setting else '', []).append(pair)
    for family in families.values():
        for pair, p_holm in zip(family, holm([pair.p for pair in family]), strict=True):
            yield replace(pair, p_holm=p_holm)


def _on_runs_of(row: Row, other: Row) -> Row:
    made = {(run.spec.task, run.spec.seed) for run in other.runs}
    return Row(tuple(run for run in row.runs if (run.spec.task, run.spec.seed) in made))


def _pair(one: Row, other: Row) -> Pair:
    held = {(run.spec.task, run.spec.seed): run.ending.holds for run in other.runs}
    seen = Counter(
        (run.ending.holds, held[run.spec.task, run.spec.seed])
        for run in one.runs
        if (run.spec.task, run.spec.seed) in held
    )
    ahead = Counter[int]()
    for run in one.runs:
        if (run.spec.task, run.spec.seed) in held:
            ahead[run.spec.task] += run.ending.holds - held[run.spec.task, run.spec.seed]
    p = mcnemar(sum(by > 0 for by in ahead.values()), sum(by < 0 for by in ahead.values()))
    counts = (seen[True, True], seen[True, False], seen[False, True], seen[False, False])
    return Pair(one, other, *counts, p, p)
