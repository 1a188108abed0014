# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of an evaluation: of a run, of a planner on a task set, of two planners in pairs."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.outcome import Costs
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.report.statistics import Share, Spread
from reactree_ros.sim.household.task import Task


@dataclass(frozen=True)
class Run:
    """What the metrics need to know about one run.

    Args:
        spec: which run.
        task: its task.
        holds: the world confirms the goal.
        met: how many of the wanted objects are as wanted.
        wanted: how many are wanted.
        status: what the planner says: ``succeeded``, ``failed`` or ``canceled``; ``error`` if the
            planner broke.
        reason: why it ended.
        message: the same in a sentence.
        failure: why the goal does not hold, by the failure analysis; empty if it holds, or nothing
            was analysed.
        costs: of the whole run.
        tokens_in: prompt tokens of each decision, in order.
        tokens_out: answer tokens of each decision, in order.
        made_with: the code and data that it was made with; empty if that is not known.
        trained: what a trained model consists of; empty if it was not trained for this planner.
        has_examples: whether prompts had room for experiences.
    """

    spec: RunSpec
    task: Task
    holds: bool
    met: int
    wanted: int
    status: str
    reason: str
    message: str
    failure: str
    costs: Costs
    tokens_in: tuple[int, ...]
    tokens_out: tuple[int, ...]
    made_with: str = ''
    trained: str = ''
    has_examples: bool = True

    @property
    def learning(self) -> str:
        """How the model knows what to do: ``few-shot``, ``trained``, both, or ``zero-shot``."""
        ways = ['trained'] * bool(self.trained) + ['few-shot'] * self.has_examples
        return ', '.join(ways) or 'zero-shot'

    @property
    def row(self) -> tuple[str, str, str]:
        """Task set, model and planner: which row it belongs to."""
        return self.spec.task_set, self.spec.model, self.spec.planner

    @property
    def overhead_seconds(self) -> float:
        """Seconds in which no decision, skill or answer of the operator was awaited.

        Among them is the search for experiences and for the skills that written lines mean.
        """
        costs = self.costs
        waited = costs.model_seconds + costs.skill_seconds + costs.operator_seconds
        return max(0.0, costs.total_seconds - waited)


@dataclass(frozen=True)
class Group:
    """Success of the runs of one kind of task.

    Args:
        by: what the kinds differ in: ``type``, ``apartment`` or ``wording``.
        name: the kind, e.g. ``put_fridge``, ``unseen``, ``ambiguous``.
        gsr: runs whose goal holds in the world.
        ssr: wanted objects that are as wanted.
    """

    by: str
    name: str
    gsr: Share
    ssr: Share


@dataclass(frozen=True)
class Row:
    """The metrics of one planner with one model on one task set (paper section 5.1, Tables 5, 6).

    Args:
        planner: as on the command line.
        model: name of the model.
        task_set: name of the task set.
        learning: how the model knows what to do: ``few-shot`` (from experiences in its prompt),
            ``trained`` (from an adapter), both, or ``zero-shot``.
        trained: what a trained model consists of, all of them if they changed between the runs.
        gsr: goal success rate: runs whose goal holds in the world.
        ssr: subgoal success rate: wanted objects that are as wanted, over all runs together. Its
            interval counts runs, since the subgoals of a run depend on each other.
        false_done: runs of which the planner says that they succeeded, and the world does not.
        false_failure: runs of which the planner says that they failed, and the goal holds.
        errors: runs in which the planner itself broke; they are in all other metrics, too.
        decisions: mean decisions of a run.
        skills: mean skills of a run, refused ones included.
        tokens_in: prompt tokens of a decision, over the decisions of all runs.
        tokens_out: answer tokens of a decision, over the decisions of all runs.
        reused: share of the prompt tokens whose key/value cache was reused.
        seconds: mean wall-clock seconds of a run.
        median_seconds: their median.
        model_seconds: of these, awaiting decisions and plans.
        skill_seconds: of these, awaiting skills.
        overhead_seconds: of these, the rest.
        endings: how many runs ended for which reason.
        failures: how many runs failed in which way, by the failure analysis.
        groups: success by kind of task.
    """

    planner: str
    model: str
    task_set: str
    learning: str
    trained: str
    gsr: Share
    ssr: Share
    false_done: int
    false_failure: int
    errors: int
    decisions: float
    skills: float
    tokens_in: Spread
    tokens_out: Spread
    reused: float
    seconds: float
    median_seconds: float
    model_seconds: float
    skill_seconds: float
    overhead_seconds: float
    endings: dict[str, int]
    failures: dict[str, int]
    groups: tuple[Group, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Task set, model and planner."""
        return self.task_set, self.model, self.planner

    @property
    def model_shown(self) -> str:
        """Name of the model, with what a reader must not overlook."""
        return f'{self.model} (trained)' if self.trained else self.model


@dataclass(frozen=True)
class Pair:
    """Two planners on the runs that both made: same model, task and seed.

    Args:
        first: one planner.
        second: the other.
        model: the model of both.
        task_set: the task set of both.
        both: runs in which both reached the goal.
        first_only: runs in which only the first did.
        second_only: runs in which only the second did.
        neither: runs in which none did.
        p: exact McNemar test, two-sided.
        p_holm: corrected for the pairs of planners without settings, or of one planner with its
            settings, with this model on this task set.
    """

    first: str
    second: str
    model: str
    task_set: str
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


@dataclass(frozen=True)
class Summary:
    """What runs say together.

    Args:
        rows: by task set, model and planner.
        pairs: by task set and model.
        runs: every run, in the order of the rows.
    """

    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    runs: tuple[Run, ...]

    def runs_of(self, row: Row) -> tuple[Run, ...]:
        """Return the runs of a row."""
        return tuple(run for run in self.runs if run.row == row.key)
