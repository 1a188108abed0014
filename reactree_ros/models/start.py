# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the planner's language model, which loads in a process of its own."""

from __future__ import annotations

from reactree_ros.core.model import PlannerModel
from reactree_ros.core.operator import Operator
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.kind import check_options, kind_of
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.standby import StandbyModel


def start_model(
    model: ModelOptions, standby: ModelOptions | None = None, operator: Operator | None = None
) -> PlannerModel:
    """Start what decides.

    Args:
        model: decides.
        standby: answers while the other does not; it is started when it is needed.
        operator: decides, if the model is a person.

    Raises:
        ConfigurationError: if a script cannot be read, or the model is a person and there is none.
        ModelError: if there is no such model, as ``model`` or as ``standby``.
    """
    if standby is None:
        return _start(model, operator)
    check_options(standby)
    return StandbyModel(lambda: _start(model, operator), lambda: _start(standby, operator))


def _start(options: ModelOptions, operator: Operator | None) -> PlannerModel:
    kind = kind_of(options.name)
    if kind.ask is not None and operator is None:
        raise ConfigurationError(
            f'parameter model.name is {options.name!r}, but there is no operator who could decide'
        )
    made = kind.start(options) if kind.start is not None else ModelProcess(options)
    return made if kind.ask is None or operator is None else kind.ask(made, operator)
