# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the planner's language model, or two of them, as the parameters say."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from reactree_ros.exceptions import ConfigurationError, ModelError
from reactree_ros.models.interface import Pending, PlannerModel, Vectors
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.paired import PairedModel
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.recorded import RecordedModel, RecordingModel
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.ros.planner_config import PlannerConfig

SCRIPTED = 'scripted:'
RECORDED = 'recorded:'


class LoadedScript(ScriptedModel):
    """A scripted model in the place of a loaded one; it has no sentence encoder."""

    progress = ''

    def poll_ready(self) -> bool:
        """Return True: there is nothing to load."""
        return True

    def close(self) -> None:
        """Do nothing: it has no process."""

    def embed(self, texts: tuple[str, ...]) -> Pending[Vectors]:
        """Raise ModelError."""
        raise ModelError('a script has no sentence encoder')

    def count(self, texts: tuple[str, ...]) -> Pending[tuple[int, ...]]:
        """Raise ModelError."""
        raise ModelError('a script has no tokens to count')


def has_encoder(config: PlannerConfig) -> bool:
    """Return whether the model of ``start_model`` can embed texts and count tokens."""
    return not (config.acting_model or config.model).startswith(SCRIPTED)


def start_model(config: PlannerConfig) -> PlannerModel:
    """Start what decides; every model loads in a process of its own.

    Raises:
        ConfigurationError: if a script or a recording cannot be read, a recording cannot be
            written, or the models contradict each other.
        ModelError: if there is no such model.
    """
    if config.acting_model:
        _check_pair(config)
    with ExitStack() as started:
        model = _start(config.model_options)
        started.callback(model.close)
        if config.acting_model:
            actor = _start(config.acting_options)
            started.callback(actor.close)
            model = PairedModel(model, actor)
        if config.record:
            model = RecordingModel(model, Path(config.record))
        started.pop_all()
    return model


def _check_pair(config: PlannerConfig) -> None:
    both = (config.model_options, config.acting_options)
    if both[0] == both[1]:
        raise ConfigurationError(
            f'parameter acting_model is {config.acting_model!r}, as model is: leave it empty, one '
            'model then does all'
        )
    for name, options in zip(('model', 'acting_model'), both, strict=True):
        if options.model.startswith(RECORDED):
            raise ConfigurationError(
                f'parameter {name} is {options.model!r}: a recording has the answers of all '
                'models, so give it as model and leave acting_model empty'
            )


def _start(options: ModelOptions) -> PlannerModel:
    if options.model.startswith(SCRIPTED):
        script = LoadedScript.read(Path(options.model[len(SCRIPTED) :]))
        assert isinstance(script, LoadedScript)
        return script
    if options.model.startswith(RECORDED):
        return RecordedModel.read(Path(options.model[len(RECORDED) :]))
    return ModelProcess(options)
