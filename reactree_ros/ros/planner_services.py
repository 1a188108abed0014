# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes what the planner works with out of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.episodic import EpisodicMemory, read_experiences
from reactree_ros.models.interface import Encoder, LanguageModel
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.paths import share
from reactree_ros.ros.planner_config import PlannerConfig
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

SCRIPTED = 'scripted:'


class PlannerModel(LanguageModel, Encoder, Protocol):
    """A language model that takes time to load and is ended with the planner."""

    progress: str
    """What it is doing while it loads."""

    def poll_ready(self) -> bool:
        """Return whether it is loaded; never waits.

        Raises:
            ModelError: if it will not be.
        """

    def close(self) -> None:
        """End it."""


class LoadedScript(ScriptedModel):
    """A scripted model in the place of a loaded one."""

    progress = ''

    def poll_ready(self) -> bool:
        """Return True: there is nothing to load."""
        return True

    def close(self) -> None:
        """Do nothing: it has no process."""


def start_model(config: PlannerConfig) -> PlannerModel | LoadedScript:
    """Start the language model; it loads in a process of its own.

    Raises:
        ConfigurationError: if a script cannot be read.
        ModelError: if there is no such model.
    """
    if config.model.startswith(SCRIPTED):
        script = LoadedScript.read(Path(config.model[len(SCRIPTED) :]))
        assert isinstance(script, LoadedScript)
        return script
    return ModelProcess(config.model)


def make_services(
    config: PlannerConfig, make_robot: Callable[[tuple[str, ...]], SkillExecutor]
) -> tuple[RunServices, PlannerModel | LoadedScript]:
    """Return what all runs of the planner share, and the model, which may still be loading.

    The model is started last, so that nothing is left behind when a file is wrong.

    Args:
        config: the planner's parameters.
        make_robot: makes the robot for the action servers of the skill library.

    Raises:
        ConfigurationError: if a file is missing or wrong.
        ModelError: if there is no such model.
    """
    library = _library(config.skills)
    prompt = share('resource', 'prompts', 'reactree.txt').read_text(encoding='utf-8')
    known = read_experiences(
        Path(config.experiences)
        if config.experiences
        else share('resource', 'experiences', 'household.txt')
    )
    robot = make_robot(tuple(skill.server for skill in library.skills))
    model = start_model(config)
    experiences = None
    if not isinstance(model, LoadedScript):
        experiences = EpisodicMemory(
            known,
            model,
            objects=library.objects,
            places=library.places,
            shape_weight=config.shape_weight,
            margin=config.margin,
        )
    services = RunServices(
        model=model,
        executor=robot,
        library=library,
        experiences=experiences,
        system_prompt=prompt,
        settings=config.settings,
    )
    return services, model


def _library(name: str) -> SkillLibrary:
    looks_like_a_path = '/' in name or name.endswith(('.yaml', '.yml'))
    try:
        path = Path(name) if looks_like_a_path else share('behaviors', f'{name}.yaml')
        return read_library(path)
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter skills is {name!r}: {error}') from error
