# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the planner's language model, or two of them; each loads in a process of its own."""

from __future__ import annotations

from contextlib import ExitStack

from reactree_ros.core.model import PlannerModel
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.kind import kind_of
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.paired import PairedModel
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.standby import StandbyModel


def has_encoder(model: ModelOptions, acting: ModelOptions | None = None) -> bool:
    """Return whether the model of ``start_model`` can embed texts and count tokens."""
    return kind_of((acting or model).name).encoder


def start_model(
    model: ModelOptions,
    acting: ModelOptions | None = None,
    standby: ModelOptions | None = None,
) -> PlannerModel:
    """Start what decides.

    Args:
        model: decides, or only thinks, expands and asks.
        acting: decides what to do; None if one model does all.
        standby: answers while the others do not; it is started when it is needed.

    Raises:
        ConfigurationError: if a script cannot be read, or the models contradict each other.
        ModelError: if there is no such model.
    """
    if acting is not None:
        _check_pair(model, acting)
    with ExitStack() as started:
        made = _start(model)
        started.callback(made.close)
        if acting is not None:
            actor = _start(acting)
            started.callback(actor.close)
            made = PairedModel(made, actor)
        if standby is not None:
            made = StandbyModel(made, lambda: _start(standby))
        started.pop_all()
    return made


def _check_pair(model: ModelOptions, acting: ModelOptions) -> None:
    if model == acting:
        raise ConfigurationError(
            f'parameter acting_model.name is {acting.name!r}, as model.name is: leave it empty, '
            'one model then does all'
        )


def _start(options: ModelOptions) -> PlannerModel:
    kind = kind_of(options.name)
    return kind.start(options) if kind.start is not None else ModelProcess(options)
