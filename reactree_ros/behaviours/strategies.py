# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Planning strategies: what a run's root is, what its model reads first, what it learns from.

============  =====================================================================================
reactree      an agent node that may expand (paper, Algorithms 1 and 2)
react         the same agent node without expansion (paper, section 5.1; Yao et al., 2023)
zsp           a whole plan, written at once and carried out (Huang et al., 2022)
tree_planner  sampled plans merged into a tree, and decisions at its forks (Hu et al., 2024)
============  =====================================================================================

Whether an agent node may ask its working memory is a setting: ``working_memory``. The last two
are told beforehand what is in the house (paper, Appendix C).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.tree_planner import TreePlanner
from reactree_ros.behaviours.whole_plan import WholePlan
from reactree_ros.exceptions import ConfigurationError

REACTREE = 'reactree'


@dataclass(frozen=True)
class Strategy:
    """One planning strategy.

    Args:
        root: makes the root of a run's tree from its goal.
        prompt: name of the system prompt's file in ``resource/prompts``, without its ending.
        experiences: name of the shipped experiences' file in ``resource/experiences``, likewise.
        expands: its agent nodes may expand.
        deciding: name of a second system prompt's file, for decisions among planned steps.
        learns: its nodes are agent nodes, whose trajectories can be examples for others.
    """

    root: Callable[[str, RunState], DecidingNode]
    prompt: str
    experiences: str
    expands: bool = False
    deciding: str = ''
    learns: bool = False


def strategy(name: str) -> Strategy:
    """Return a strategy by its name.

    Raises:
        ConfigurationError: if there is none of that name.
    """
    if name not in STRATEGIES:
        known = ', '.join(STRATEGIES)
        raise ConfigurationError(f'the strategy {name!r} is not known, only {known}')
    return STRATEGIES[name]


def _flat(goal: str, state: RunState) -> AgentNode:
    """Return an agent node whose decisions never include an expansion."""
    settings = replace(state.services.settings, control_flows=())
    state.services = replace(state.services, settings=settings)
    return AgentNode(goal, state)


STRATEGIES = {
    REACTREE: Strategy(AgentNode, 'reactree', 'household', expands=True, learns=True),
    'react': Strategy(_flat, 'react', 'household_flat', learns=True),
    'zsp': Strategy(WholePlan, 'zsp', 'plans'),
    'tree_planner': Strategy(TreePlanner, 'zsp', 'plans', deciding='tree_planner'),
}
"""All strategies by name."""
