# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be learned from: training tasks, a planner, and how often it goes through them."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, replace
from typing import Any

from reactree_ros.behaviours.strategies import STRATEGIES, strategy
from reactree_ros.core.budget import Limits
from reactree_ros.evaluation.plan import Experiment, Plan
from reactree_ros.evaluation.planners import PLANNERS, read_planner
from reactree_ros.evaluation.trace import RunSpec
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.world.task_sets import TASK_SETS, TEST_SETS

_BY_LEARNING = {
    'memory': 'with --memory',
    'learn': 'by the command: what the world confirms is learned',
    'keep_working_memory': 'by the command: every run begins with nothing seen',
}


@dataclass(frozen=True)
class LearningPlan:
    """Rounds through training tasks.

    Args:
        planner: as ``read_planner`` takes it.
        model: as the planner's parameter ``model`` takes it.
        tasks: task sets, each whole (``wah_train``) or from its start (``wah_train:50``).
        memory: path of the store that is learned into.
        limits: of every run.
        types: task types; empty for all.
        rounds: how often the planner goes through all tasks.
        seed: of the first round; each next one has the next seed, which is another wording of
            the tasks and another draw among experiences.
        name: begins the names of its runs in the store; no two plans have the same.
    """

    planner: str
    model: str
    tasks: tuple[str, ...]
    memory: str
    limits: Limits
    types: tuple[str, ...] = ()
    rounds: int = 1
    seed: int = 0
    name: str = ''

    def round(self, number: int) -> Plan:
        """Return the runs of a round as an evaluation has them; the first round is 1."""
        seed = self.seed + number - 1
        return Plan(
            (Experiment((self.planner,), (self.model,), self.tasks, self.types, (seed,)),),
            self.limits,
        )

    def runs(self) -> tuple[RunSpec, ...]:
        """Return the runs of all rounds.

        Raises:
            ConfigurationError: if there is no such planner, task set or task type.
        """
        return tuple(
            spec for number in range(1, self.rounds + 1) for spec in self.round(number).runs()
        )

    def run_name(self, spec: RunSpec) -> str:
        """Return the name of a run in the store; a run that is done again has the same."""
        # Without spaces, so that a shell takes it as one word.
        return f'{self.name}-{spec.task_set}-{spec.task}-seed-{spec.seed}'.replace(' ', '-')

    def check(self) -> None:
        """Refuse what cannot or must not be learned from.

        Raises:
            ConfigurationError: if a task set is for tests, the planner has nothing to learn or is
                told where, or there is no such planner.
        """
        for text in self.tasks:
            if text.partition(':')[0] in TEST_SETS:
                training = ', '.join(name for name in TASK_SETS if name not in TEST_SETS)
                raise ConfigurationError(
                    f'{text!r} has test tasks: who learned from them cannot be judged by them. '
                    f'Give training tasks: {training}'
                )
        chosen = read_planner(self.planner)
        if not strategy(str(chosen.parameters['strategy'])).learns:
            able = [
                name for name, one in PLANNERS.items() if STRATEGIES[str(one['strategy'])].learns
            ]
            raise ConfigurationError(
                f'the planner {self.planner!r} learns nothing: it has no agent nodes. Give one of '
                f'{", ".join(able)}'
            )
        for name, how in _BY_LEARNING.items():
            if name in chosen.parameters:
                raise ConfigurationError(f'planner {self.planner!r}: {name} is said {how}')

    def named(self) -> LearningPlan:
        """Return it with a name of its own."""
        return replace(self, name=f'learn-{uuid.uuid4().hex[:8]}')

    def differs(self, other: LearningPlan) -> str:
        """Say what another plan asks for that this one does not; empty if only more rounds."""
        mine, its = (one.to_json() for one in (self, other))
        return ', '.join(
            f'{key} was {mine[key]} and is {its[key]}'
            for key in mine
            if key not in ('rounds', 'name') and mine[key] != its[key]
        )

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        raw = asdict(self)
        return {**raw, 'tasks': list(self.tasks), 'types': list(self.types)}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> LearningPlan:
        """Read what ``to_json`` gave.

        Raises:
            KeyError: if something is missing.
            TypeError: if there is something else.
        """
        lists = {key: tuple(raw[key]) for key in ('tasks', 'types')}
        return cls(**{**raw, **lists, 'limits': Limits(**raw['limits'])})
