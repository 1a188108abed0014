# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the planner's language model, which loads in a process of its own."""

from __future__ import annotations

from reactree_ros.core.model import PlannerModel
from reactree_ros.models.kind import kind_of
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.standby import StandbyModel


def start_model(model: ModelOptions, standby: ModelOptions | None = None) -> PlannerModel:
    """Start what decides.

    Args:
        model: decides.
        standby: answers while the other does not; it is started when it is needed.

    Raises:
        ConfigurationError: if a script cannot be read.
        ModelError: if there is no such model.
    """
    made = _start(model)
    return made if standby is None else StandbyModel(made, lambda: _start(standby))


def _start(options: ModelOptions) -> PlannerModel:
    kind = kind_of(options.name)
    return kind.start(options) if kind.start is not None else ModelProcess(options)
