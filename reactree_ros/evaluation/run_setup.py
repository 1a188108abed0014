# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner of a run works with, made from the run's planner parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

from reactree_ros.behaviours.assembly import assemble
from reactree_ros.behaviours.options import PlannerOptions, planner_options
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.core.budget import Limits
from reactree_ros.core.parameter import Value
from reactree_ros.evaluation.planners import read_planner
from reactree_ros.evaluation.trace import RunSpec
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.factory import check_options
from reactree_ros.models.interface import PlannerModel
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.start import RECORDED, SCRIPTED, start_model

DECISION_SEC = 3600.0
"""A decision may take this long: results must not depend on the speed of the machine."""

ModelKey = tuple[ModelOptions, ModelOptions | None]


def parameters_of(spec: RunSpec, limits: Limits) -> dict[str, Value]:
    """Return the planner parameters that a run sets.

    Raises:
        ConfigurationError: if there is no such planner.
    """
    return {
        'model': spec.model,
        'seed': spec.seed,
        'decision_sec': DECISION_SEC,
        **asdict(limits),
        **read_planner(spec.planner).parameters,
    }


def options_of(spec: RunSpec, limits: Limits) -> PlannerOptions:
    """Return all options of the planner of a run.

    Raises:
        ConfigurationError: if there is no such planner.
    """
    return planner_options(parameters_of(spec, limits))


def model_of(spec: RunSpec, limits: Limits) -> ModelKey:
    """Return the model or the two models of a run, and how they are run."""
    options = options_of(spec, limits)
    return options.model_options, options.acting_options


def check_runs(specs: Iterable[RunSpec], limits: Limits) -> None:
    """Refuse runs that cannot be made, before any of them begins.

    Raises:
        ConfigurationError: if there is no such planner, or it has a wrong setting.
        ModelError: if there is no such model.
    """
    for spec in specs:
        for model in model_of(spec, limits):
            if model is not None and not model.model.startswith((SCRIPTED, RECORDED)):
                check_options(model)
        if spec.model.startswith(RECORDED):
            raise ConfigurationError(
                f'the model {spec.model!r} is a recording: it answers one run, not an evaluation'
            )


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

    def services(self, options: PlannerOptions, executor: SkillExecutor) -> RunServices:
        """Return what the planner of a run works with.

        Args:
            options: of the planner.
            executor: the robot of the run.

        Raises:
            ConfigurationError: if a file of the planner is missing or wrong.
        """
        if options.model.startswith(SCRIPTED):
            # Every run reads its script from the first line.
            script = start_model(options.model_options, options.acting_options)
            return assemble(options, script, executor)
        if options not in self._made:
            self._made[options] = assemble(options, self._model, executor)
        return replace(self._made[options], executor=executor)
