# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The services of a run's planner, made from the run's planner parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.model import PlannerModel
from reactree_ros.core.option import Value, values_of
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.baselines import BASELINES, Baseline
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.lab.teacher.lesson import lesson_of
from reactree_ros.lab.teacher.teacher import Teacher
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.postgres.address import is_server
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.kind import check_options
from reactree_ros.models.shipped import SCRIPTED
from reactree_ros.models.start import start_model
from reactree_ros.planner.assembly import assemble, library_of
from reactree_ros.planner.memory_setup import open_memory
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.sim.household.task import Task
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary

DECISION_SEC = 3600.0
"""A decision may take this long: results must not depend on the speed of the machine."""


def parameters_of(spec: RunSpec, limits: Limits) -> dict[str, Value]:
    """Return the planner parameters that a run sets.

    The user's own memory is not used, unless the planner's settings name a store.

    Raises:
        ConfigurationError: if there is no such planner.
    """
    return {
        'model.name': spec.model,
        'memory.store': '',
        'seed': spec.seed,
        'agent.decision_timeout_sec': DECISION_SEC,
        **values_of(limits, 'limits.'),
        **read_planner(spec.planner).parameters,
    }


def options_of(spec: RunSpec, limits: Limits) -> PlannerOptions:
    """Return all options of the planner of a run, defaults included.

    Raises:
        ConfigurationError: if there is no such planner.
        ModelError: if its model cannot be read.
    """
    return planner_options(parameters_of(spec, limits)).resolved


def check_runs(specs: Iterable[RunSpec], limits: Limits, *, learned: bool = False) -> None:
    """Refuse runs that cannot be done, before any of them starts.

    Args:
        specs: the runs.
        limits: of every run.
        learned: they are runs to learn from, not an evaluation.

    Raises:
        ConfigurationError: if there is no such planner, it has a wrong setting, or its experience
            store does not exist.
        ModelError: if there is no such model.
    """
    for spec in specs:
        options = options_of(spec, limits)
        _check_memory(options)
        model = options.model
        if model.name.startswith(SCRIPTED):
            continue
        if model.name != SOLVER:
            check_options(model)
        elif not learned:
            raise ConfigurationError(
                f'the model {SOLVER!r} knows the goal conditions of its task: it is there to be '
                'learned from, with --learn, and cannot be evaluated'
            )


def _check_memory(options: PlannerOptions) -> None:
    path = options.memory_address
    if path and not is_server(path) and not Path(path).is_file():
        raise ConfigurationError(
            f'parameter memory.store is {options.memory.store!r}: there is no experience store '
            f'{path}; leave it empty, or name an existing one'
        )


def _with_checked_goal(options: PlannerOptions, library: SkillLibrary) -> PlannerOptions:
    """Return options that check "done" for a baseline in a closed world, as they do for planners.

    Planners do so because they would read conditions, which a baseline can not.
    """
    if not (library.closed_world and options.model.name in BASELINES):
        return options
    return replace(options, agent=replace(options.agent, check_done=True))


class ServiceFactory:
    """Makes the services of all runs with one model.

    Args:
        model: the model.
        limits: of every run.
    """

    def __init__(self, model: PlannerModel, limits: Limits) -> None:
        self._model = model
        self.limits = limits
        self._made: dict[PlannerOptions, RunServices] = {}
        self._memories: list[EpisodicMemory] = []
        self._stores: dict[str, ExperienceStore] = {}

    def services(
        self,
        options: PlannerOptions,
        executor: SkillExecutor,
        task: Task,
        name: str,
        library: SkillLibrary | None = None,
    ) -> RunServices:
        """Return the services of the planner of a run.

        Args:
            options: of the planner.
            executor: the robot of the run.
            task: of the run.
            name: of the task; nothing that was learned from it is retrieved.
            library: the skills of the run; None for those that the options name.

        Raises:
            ConfigurationError: if a file of the planner is missing or wrong.
            StoreError: if another process keeps the planner's experiences locked.
        """
        if options.model.name.startswith(SCRIPTED):
            # Every run reads its script from the first line.
            script = start_model(options.model)
            return assemble(options, script, executor, library=library)
        if options.model.name == SOLVER:
            return self._solved(options, executor, task)
        if library is not None:
            checked = _with_checked_goal(options, library)
            made = self._assembled(checked, executor, library)
        else:
            if options not in self._made:
                self._made[options] = self._assembled(options, executor)
            made = self._made[options]
        if isinstance(made.model, Baseline):
            made = replace(made, model=made.model.of_run(options.seed))
        experiences = made.experiences
        if isinstance(experiences, EpisodicMemory):
            experiences = experiences.excluding(name)
        return replace(made, executor=executor, experiences=experiences)

    def close(self) -> None:
        """Close the stores; calling it again does nothing."""
        for memory in self._memories:
            memory.close()
        for store in self._stores.values():
            store.close()
        self._made.clear()
        self._memories.clear()
        self._stores.clear()

    def _assembled(
        self, options: PlannerOptions, executor: SkillExecutor, library: SkillLibrary | None = None
    ) -> RunServices:
        store = self._store(options)
        made = assemble(options, self._model, executor, library=library, store=store)
        if isinstance(made.experiences, EpisodicMemory):
            self._memories.append(made.experiences)
        return made

    def _solved(self, options: PlannerOptions, executor: SkillExecutor, task: Task) -> RunServices:
        library = library_of(options)
        teacher = Teacher(lesson_of(task, task.wording(options.seed)), library)
        made = assemble(options, self._model, teacher.watching(executor), library=library)
        return replace(made, model=teacher)

    def _store(self, options: PlannerOptions) -> ExperienceStore | None:
        """Return the store of a planner; it must be there, for an evaluation learns nothing."""
        _check_memory(options)
        path = options.memory_address
        if not path:
            return None
        if path not in self._stores:
            store = open_memory(options, self._model)
            if store is None:
                return None
            self._stores[path] = store
        return self._stores[path]
