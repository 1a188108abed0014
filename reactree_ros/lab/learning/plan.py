# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be learned from: training tasks, a planner, and how often it goes through them."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.planners import PLANNERS, read_planner
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.sim.household.task_sets import TEST_SETS, TRAINING_SETS
from reactree_ros.strategies.registry import strategy

_BY_LEARNING = {
    'memory.store': 'with --memory',
    'memory.learning_policy': 'by the command: what the world confirms is learned',
    'memory.keep_working': 'by the command: every run begins with nothing seen',
}


@dataclass(frozen=True)
class LearningPlan:
    """Rounds through training tasks.

    Args:
        planner: as ``read_planner`` takes it.
        model: as the planner's parameter ``model.name`` takes it; it decides in the first round.
        tasks: training sets, each whole (``wah_train``) or in part (``wah_train:50``).
        memory: path of the store that is learned into.
        folder: path of the folder in which rounds, data sets and adapters lie.
        rounds: how often all tasks are done, each time with the next seed.
        seed: of the first round.
        name: of this plan in the store; given by ``named``.
        recipe: the JSON values of a ``training.recipe.Recipe`` by which the model is trained after
            each round; None trains nothing.
        data: path of a data set to train on as well; empty for none.
    """

    planner: str
    model: str
    tasks: tuple[str, ...]
    memory: str
    folder: str
    rounds: int = 1
    seed: int = 0
    name: str = ''
    recipe: dict[str, Any] | None = None
    data: str = ''

    def data_set(self, number: int) -> Path:
        """Return the path of the data set that is made after a round."""
        return Path(self.folder) / f'data_{number}.jsonl.gz'

    def adapter(self, number: int) -> Path:
        """Return the path of the adapter that is trained after a round."""
        return Path(self.folder) / f'adapter_{number}'

    def round(self, number: int) -> Plan:
        """Return the runs of a round as an evaluation has them; the first round is 1."""
        trained = self.recipe is not None and number > 1
        model = str(self.adapter(number - 1)) if trained else self.model
        seeds = (self.seed + number - 1,)
        return Plan((Experiment((self.planner,), (model,), self.tasks, (), seeds),), limits())

    def runs(self) -> tuple[RunSpec, ...]:
        """Return the runs of all rounds.

        Raises:
            ConfigurationError: if there is no such planner or task set.
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
            ConfigurationError: if a task set is for tests, or the planner does not exist, does not
                learn, or has a parameter that the command sets itself.
        """
        for text in self.tasks:
            if text.partition(':')[0] in TEST_SETS:
                raise ConfigurationError(
                    f'{text!r} has test tasks: who learned from them cannot be judged by them. '
                    f'Give training tasks: {", ".join(TRAINING_SETS)}'
                )
        chosen = read_planner(self.planner)
        if not strategy(str(chosen.parameters['strategy'])).learns:
            able = [name for name, one in PLANNERS.items() if strategy(str(one['strategy'])).learns]
            raise ConfigurationError(
                f'the planner {self.planner!r} learns nothing: it has no agent nodes. Give one of '
                f'{", ".join(able)}'
            )
        for name, how in _BY_LEARNING.items():
            if name in chosen.parameters:
                raise ConfigurationError(f'planner {self.planner!r}: {name} is set {how}')
        if self.recipe is not None and self.model == SOLVER:
            raise ConfigurationError(
                f'the {SOLVER} cannot be trained: make a data set of its runs with '
                '"reactree-lab dataset", and give that as --data'
            )

    def named(self) -> LearningPlan:
        """Return it with a name of its own."""
        return replace(self, name=f'learn-{uuid.uuid4().hex[:8]}')

    def differs(self, other: LearningPlan) -> str:
        """Say what another plan asks for that this one does not; empty if only more rounds."""
        mine, its = asdict(self), asdict(other)
        return ', '.join(
            f'{key} was {mine[key]} and is {its[key]}'
            for key in mine
            if key not in ('rounds', 'name') and mine[key] != its[key]
        )

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> LearningPlan:
        """Read what ``dataclasses.asdict`` gave.

        Raises:
            KeyError: if something is missing.
            TypeError: if there is something else.
        """
        return cls(**{**raw, 'tasks': tuple(raw['tasks'])})
