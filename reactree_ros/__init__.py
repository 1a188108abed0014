# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Language-model agent trees on py_trees for ROS 2.

The names below are the public interface. They are imported when they are first used, so that
importing the package needs nothing but Python; only ``PlannerClient`` needs ROS 2.

====================  ==================================================================
to                    use
====================  ==================================================================
run goals             ``Planner``, ``Limits``, ``Event``, ``RunReport``, ``Costs``
connect a robot       ``SkillExecutor``, ``SkillRun``, ``EndedSkill``, ``GroundedSkill``,
                      ``SkillResult``, ``SkillStatus``, ``Situation``, ``Future``, ``Promise``
check its skills      ``SkillPipeline``, ``Stage``, ``Gate``
simulate a world      ``SimulatedWorld``, ``Observation``, ``ObservedObject``
add a strategy        ``Strategy``, ``AgentNode``, ``Choices``, ``Prompt``
add a model           ``ModelKind``, ``ModelOptions``, ``Backend``, ``Watch``, ``Answer``,
                      ``TextRequest``
send goals over ROS   ``PlannerClient``
handle errors         ``ReactreeError``, whose subclasses are in the module errors
====================  ==================================================================
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reactree_ros.behaviours.agent_node import AgentNode
    from reactree_ros.core.budget import Limits
    from reactree_ros.core.decision import Choices
    from reactree_ros.core.events import Event
    from reactree_ros.core.futures import Future, Promise
    from reactree_ros.core.model import Answer, TextRequest
    from reactree_ros.core.observation import (
        Observation,
        ObservedObject,
        SkillResult,
        SkillStatus,
    )
    from reactree_ros.core.outcome import Costs, RunReport
    from reactree_ros.core.prompt import Prompt
    from reactree_ros.core.situation import Situation
    from reactree_ros.errors import ReactreeError
    from reactree_ros.execution.pipeline import Gate, SkillPipeline, Stage
    from reactree_ros.models.backend import Backend, Watch
    from reactree_ros.models.kind import ModelKind
    from reactree_ros.models.options import ModelOptions
    from reactree_ros.planner.facade import Planner
    from reactree_ros.ros.goals.client import PlannerClient
    from reactree_ros.skills.executor import EndedSkill, SkillExecutor, SkillRun
    from reactree_ros.skills.library import GroundedSkill
    from reactree_ros.skills.simulated import SimulatedWorld
    from reactree_ros.strategies.strategy import Strategy

_MODULES = {
    'behaviours.agent_node': ('AgentNode',),
    'core.budget': ('Limits',),
    'core.decision': ('Choices',),
    'core.events': ('Event',),
    'core.futures': ('Future', 'Promise'),
    'core.model': ('Answer', 'TextRequest'),
    'core.observation': ('Observation', 'ObservedObject', 'SkillResult', 'SkillStatus'),
    'core.outcome': ('Costs', 'RunReport'),
    'core.prompt': ('Prompt',),
    'core.situation': ('Situation',),
    'errors': ('ReactreeError',),
    'execution.pipeline': ('Gate', 'SkillPipeline', 'Stage'),
    'models.backend': ('Backend', 'Watch'),
    'models.kind': ('ModelKind',),
    'models.options': ('ModelOptions',),
    'planner.facade': ('Planner',),
    'ros.goals.client': ('PlannerClient',),
    'skills.executor': ('EndedSkill', 'SkillExecutor', 'SkillRun'),
    'skills.library': ('GroundedSkill',),
    'skills.simulated': ('SimulatedWorld',),
    'strategies.strategy': ('Strategy',),
}
_ORIGIN = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    'AgentNode',
    'Answer',
    'Backend',
    'Choices',
    'Costs',
    'EndedSkill',
    'Event',
    'Future',
    'Gate',
    'GroundedSkill',
    'Limits',
    'ModelKind',
    'ModelOptions',
    'Observation',
    'ObservedObject',
    'Planner',
    'PlannerClient',
    'Promise',
    'Prompt',
    'ReactreeError',
    'RunReport',
    'SimulatedWorld',
    'Situation',
    'SkillExecutor',
    'SkillPipeline',
    'SkillResult',
    'SkillRun',
    'SkillStatus',
    'Stage',
    'Strategy',
    'TextRequest',
    'Watch',
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _ORIGIN:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(importlib.import_module(f'{__name__}.{_ORIGIN[name]}'), name)


def __dir__() -> list[str]:
    """Return the public names, too."""
    return sorted({*globals(), *__all__})
