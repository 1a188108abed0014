# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes what the planner works with out of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.episodic import EpisodicMemory, read_experiences
from reactree_ros.models.interface import PlannerModel
from reactree_ros.paths import share
from reactree_ros.ros.planner_config import PlannerConfig
from reactree_ros.ros.planner_model import has_encoder, start_model
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library


def make_services(
    config: PlannerConfig,
    make_robot: Callable[[tuple[str, ...]], SkillExecutor],
    operator: Operator,
) -> tuple[RunServices, PlannerModel]:
    """Return what all runs of the planner share, and the model, which may still be loading.

    The model is started last, so that nothing is left behind when a file is wrong.

    Args:
        config: the planner's parameters.
        make_robot: makes the robot for the action servers of the skill library.
        operator: who may be asked.

    Raises:
        ConfigurationError: if a file is missing or wrong.
        ModelError: if there is no such model.
    """
    library = _library(config.skills)
    known = read_experiences(
        Path(config.experiences)
        if config.experiences
        else share('resource', 'experiences', 'household.txt')
    )
    robot = make_robot(tuple(skill.server for skill in library.skills))
    model = start_model(config)
    experiences = None
    if has_encoder(config):
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
        system_prompt=_system_prompt(config.ask_operator),
        settings=config.settings,
        operator=operator,
    )
    return services, model


def _system_prompt(ask: bool) -> str:
    """Return what every prompt begins with; it tells of questions only if they can be asked."""
    names = ('reactree', *(('ask_operator',) if ask else ()))
    files = [share('resource', 'prompts', f'{name}.txt') for name in names]
    return ''.join(file.read_text(encoding='utf-8') for file in files)


def _library(name: str) -> SkillLibrary:
    looks_like_a_path = '/' in name or name.endswith(('.yaml', '.yml'))
    try:
        path = Path(name) if looks_like_a_path else share('behaviors', f'{name}.yaml')
        return read_library(path)
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter skills is {name!r}: {error}') from error
