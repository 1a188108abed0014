# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes what the planner works with out of its parameters."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.assembly import assemble, library_of
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.behaviours.strategies import STRATEGIES
from reactree_ros.models.interface import PlannerModel
from reactree_ros.models.start import start_model
from reactree_ros.ros.planner_config import PlannerConfig


def make_services(
    config: PlannerConfig,
    make_robot: Callable[[tuple[str, ...]], SkillExecutor],
    operator: Operator,
) -> tuple[dict[str, RunServices], PlannerModel]:
    """Return what all runs share, by strategy, and the model, which may still be loading.

    Args:
        config: the planner's parameters.
        make_robot: makes the robot for the action servers of the skill library.
        operator: who may be asked.

    Raises:
        ConfigurationError: if a file is missing or wrong.
        ModelError: if there is no such model.
    """
    library = library_of(config)
    robot = make_robot(tuple(skill.server for skill in library.skills))
    model = start_model(config.model_options, config.acting_options, config.record)
    try:
        services = {
            name: assemble(config, model, robot, operator, name=name, library=library)
            for name in STRATEGIES
        }
    except BaseException:
        model.close()  # it has a process of its own
        raise
    return services, model
