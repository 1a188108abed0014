# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be learned from: training tasks, a planner, and how often it goes through them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reactree_ros.core.budget import Limits
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan import Experiment, Plan
from reactree_ros.lab.evaluation.planners import PLANNERS, read_planner
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.sim.household.task_sets import TEST_SETS, TRAINING_SETS
from reactree_ros.sim.tasks import select_tasks
from reactree_ros.strategies.registry import strategy

_BY_LEARNING = {
    'memory.store': 'with --memory',
    'memory.learning_policy': 'by the command: what the world confirms is learned',
    'memory.keep_working': 'by the command: every run begins with nothing seen',
}


@dataclass(frozen=True)
class RoundTraining:
    """That a model is trained after each round on what was learned by then.

    Args:
        recipe: how, as the JSON values of a ``training.recipe.Recipe``.
        data: path of a data set that is trained on, too; empty for none.
        held_out: task sets, each whole or in part, from which nothing is learned: the change of
            success is measured on them.
        folder: path of the folder in which data sets and adapters lie.
    """

    recipe: dict[str, Any]
    data: str
    held_out: tuple[str, ...]
    folder: str

    def data_set(self, number: int) -> Path:
        """Return where the data set lies that is made after a round."""
        return Path(self.folder) / f'data_{number}.jsonl.gz'

    def adapter(self, number: int) -> Path:
        """Return where the adapter lies that is trained after a round."""
        return Path(self.folder) / f'adapter_{number}'

    def measured(self, number: int) -> Path:
        """Return where the held-out runs lie that follow a round; 0 is before the first."""
        return Path(self.folder) / f'held_out_{number}'

    def held_out_tasks(self) -> frozenset[str]:
        """Return the names of the tasks that nothing is learned from, such as ``wah_train 7``."""
        return _names(self.held_out)


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
        training: how the model is trained after each round; None leaves it as it is.
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
    training: RoundTraining | None = None

    def model_after(self, number: int) -> str:
        """Return the model that decides after a round; 0 is before the first."""
        if self.training is None or number == 0:
            return self.model
        return str(self.training.adapter(number))

    def round(self, number: int) -> Plan:
        """Return the runs of a round as an evaluation has them; the first round is 1."""
        seed, model = self.seed + number - 1, self.model_after(number - 1)
        return Plan(
            (Experiment((self.planner,), (model,), self.tasks, self.types, (seed,)),), self.limits
        )

    def measuring(self, number: int) -> Plan:
        """Return the held-out runs that show what is reached after a round; 0 is before the first.

        They differ in the model alone.
        """
        held_out = self.training.held_out if self.training else ()
        model = self.model_after(number)
        return Plan(
            (Experiment((self.planner,), (model,), held_out, (), (self.seed,)),), self.limits
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
                raise ConfigurationError(f'planner {self.planner!r}: {name} is said {how}')
        if self.training is not None:
            self._check_training(self.training)

    def _check_training(self, training: RoundTraining) -> None:
        if self.model == SOLVER:
            raise ConfigurationError(
                f'the {SOLVER} cannot be trained, nor measured: make a data set of its runs with '
                '"reactree-lab dataset", and give that as --data'
            )
        if not training.held_out:
            raise ConfigurationError(
                '--held-out is missing: name training tasks that show the change, and that '
                'nothing is learned from, such as --held-out wah_train:201-220'
            )
        for text in training.held_out:
            if text.partition(':')[0] in TEST_SETS:
                raise ConfigurationError(
                    f'--held-out {text!r} has test tasks: they are for the end, not for choosing '
                    'between rounds. Hold back some of the training tasks'
                )
        both = sorted(_names(self.tasks, self.types) & training.held_out_tasks())
        if both:
            raise ConfigurationError(
                f'--tasks and --held-out have {len(both)} tasks in common, such as {both[0]!r}: '
                'what was learned from a task does not show there'
            )

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
        if self.training is not None:
            raw['training']['held_out'] = list(self.training.held_out)
        return {**raw, 'tasks': list(self.tasks), 'types': list(self.types)}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> LearningPlan:
        """Read what ``to_json`` gave.

        Raises:
            KeyError: if something is missing.
            TypeError: if there is something else.
        """
        lists = {key: tuple(raw[key]) for key in ('tasks', 'types')}
        training = raw.get('training')
        if training is not None:
            training = RoundTraining(**{**training, 'held_out': tuple(training['held_out'])})
        return cls(**{**raw, **lists, 'limits': Limits(**raw['limits']), 'training': training})


def _names(tasks: Sequence[str], types: Sequence[str] = ()) -> frozenset[str]:
    return frozenset(
        f'{name} {task.id}' for text in tasks for name, task in select_tasks(text, types)
    )
