# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of language models: which back end serves which value of the parameter ``model.name``.

A kind is an entry point of the group ``reactree_ros.models``. It serves the values
``NAME:ANYTHING``, where ``NAME`` is the entry point's name, and ``NAME`` alone; so the kind
``http`` serves addresses. Every other value belongs to the kind ``transformers``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reactree_ros import plugins
from reactree_ros.core.model import PlannerModel
from reactree_ros.core.operator import Operator
from reactree_ros.core.option import Value, faults_of, parameters_of, values_of
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.backend import Backend
from reactree_ros.models.local.conversion import Progress
from reactree_ros.models.local.encoder import check_encoder
from reactree_ros.models.options import ModelOptions

DEFAULT_KIND = 'transformers'
WITHOUT_WORDS: Mapping[str, Value] = {
    'agent.explain_endings': False,
    'agent.read_conditions': False,
}
"""Suits what decides but neither reads nor writes."""
_DEVICE = re.compile(r'[a-z]+(:\d+)?')


def _accept(options: ModelOptions) -> None:
    """Accept all options."""


def _may_need_hub(model: str) -> bool:
    """Return False: the model may have to be downloaded."""
    return False


@dataclass(frozen=True)
class ModelKind:
    """One kind of language model; an entry point of the group ``reactree_ros.models``.

    Give either ``backend`` or ``start``. The module of the entry point is imported by the planner,
    too: import large libraries inside the functions.

    Args:
        backend: makes the back end, in a process of its own, where it may take minutes and every
            call may wait. The process is watched, restarted after a crash, and ended with the
            planner.
        start: starts a model inside the planner's process; nothing that it does may wait.
        check: raises ``ModelError`` or ``ConfigurationError`` for options that cannot work,
            before anything is loaded.
        ask: wraps what was started, so that a person takes the decisions.
        encoder: whether the sentence encoder is loaded beside the back end (or is part of what
            ``start`` returns); without one there is no episodic memory.
        warm_up: whether one decision is made while loading, so that the first goal need not wait
            for what a first call compiles.
        offline: whether a model needs no hub; hub libraries are then kept from asking one.
        one_at_a_time: whether a process works on one decision at a time, so that runs which go on
            side by side need one each.
        options: values of the planner's parameters that suit it, where they are not set.
    """

    backend: Callable[[ModelOptions, Progress], Backend] | None = None
    start: Callable[[ModelOptions], PlannerModel] | None = None
    check: Callable[[ModelOptions], None] = _accept
    ask: Callable[[PlannerModel, Operator], PlannerModel] | None = None
    encoder: bool = True
    warm_up: bool = True
    offline: Callable[[str], bool] = _may_need_hub
    one_at_a_time: bool = False
    options: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a kind that could not be started."""
        if (self.backend is None) == (self.start is None):
            raise ConfigurationError('a ModelKind needs either backend or start')


def kind_of(model: str) -> ModelKind:
    """Return the kind that serves a model.

    Args:
        model: value of the parameter ``model.name``.

    Raises:
        ConfigurationError: if the package that provides the kind is broken.
    """
    name = model.partition(':')[0]
    if name not in plugins.names(plugins.MODELS):
        name = DEFAULT_KIND
    return plugins.load_as(plugins.MODELS, name, ModelKind)


def check_options(options: ModelOptions) -> None:
    """Refuse at once what can be seen to be wrong without loading anything.

    Raises:
        ModelError: if there is no such model.
        ConfigurationError: if an option has a value that is not allowed.
    """
    faults = faults_of(parameters_of(ModelOptions, 'model.'), values_of(options, 'model.'))
    if faults:
        raise ConfigurationError('; '.join(faults))
    if options.device and not _DEVICE.fullmatch(options.device):
        raise ConfigurationError(
            f'parameter model.device is {options.device!r}, not a torch device such as cpu or '
            'cuda:0; leave it empty to take a GPU if there is one'
        )
    kind_of(options.name).check(options)
    check_encoder(options.encoder)
