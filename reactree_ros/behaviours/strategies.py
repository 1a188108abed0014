# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Planning strategies: what a run's root is, what its model reads first, what it learns from.

=================  ================================================================================
reactree           an agent node that may expand (paper, Algorithms 1 and 2)
react              the same agent node without expansion (paper, section 5.1; Yao et al., 2023)
zsp                a whole plan, written at once and carried out (Huang et al., 2022)
tree_planner       sampled plans merged into a tree, decisions at its forks (Hu et al., 2024)
adapt              tried as it is; split into steps only where that fails (Prasad et al., 2024)
plan_and_execute   split once, then every step is tried (the same, section 4.2)
try_again          tried again from where it failed (the same)
reflexion          tried again with what the model wrote about the failure (Shinn et al., 2023)
hiagent            one node whose finished subgoals are summaries in its context (Hu et al., 2024)
step               subgoals from coarse to fine, each checked before it is carried out (STEP)
=================  ================================================================================

Whether an agent node may ask its working memory is a setting: ``working_memory``. ``zsp`` and
``tree_planner`` are told beforehand what is in the house (paper, Appendix C). Other packages add
strategies by an entry point of the group ``reactree_ros.strategies`` whose object is a Strategy
(docs/strategies.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from reactree_ros.behaviours.adapt import adapt, plan_and_execute
from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.agent_tree import agent_tree
from reactree_ros.behaviours.hiagent import hiagent
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.retry import reflexion, try_again
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.step import StepNode
from reactree_ros.behaviours.tree_planner import TreePlanner
from reactree_ros.behaviours.whole_plan import WholePlan
from reactree_ros.exceptions import ConfigurationError

REACTREE = 'reactree'
GROUP = 'reactree_ros.strategies'
PLANS = 'plans'
"""Experiences that are plans."""


@dataclass(frozen=True)
class Strategy:
    """One planning strategy.

    Args:
        root: makes the root of a run's tree from its goal.
        prompt: the system prompt: name of a file in ``resource/prompts`` without its ending, or
            the path of a file.
        experiences: the experiences that come with it: name of a file in
            ``resource/experiences``, likewise.
        expands: its agent nodes may expand.
        deciding: a second system prompt, likewise, for decisions of another kind.
        learns: its nodes are agent nodes, whose trajectories can be examples for others.
        asks_memory: its nodes may ask working memory.
    """

    root: Callable[[str, RunState], DecidingNode]
    prompt: str | Path
    experiences: str | Path
    expands: bool = False
    deciding: str | Path = ''
    learns: bool = False
    asks_memory: bool = True


def strategy(name: str) -> Strategy:
    """Return a strategy by its name.

    Raises:
        ConfigurationError: if there is none of that name, or its package does not give it.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    point = _of_other_packages().get(name)
    if point is None:
        known = ', '.join(strategy_names())
        raise ConfigurationError(f'the strategy {name!r} is not known, only {known}')
    try:
        found = point.load()
    except Exception as error:  # whatever a foreign module raises when it is imported
        why = f'{type(error).__name__}: {error}'
        raise ConfigurationError(f'the strategy {name!r} ({point.value}): {why}') from error
    if not isinstance(found, Strategy):
        kind = type(found).__name__
        raise ConfigurationError(f'the strategy {name!r}: {point.value} is a {kind}, no Strategy')
    return found


def strategy_names() -> tuple[str, ...]:
    """Return the names of all strategies, those of other packages last."""
    return (*STRATEGIES, *sorted(_of_other_packages()))


def _of_other_packages() -> dict[str, EntryPoint]:
    """Return where other packages have strategies; the names of our own stay ours."""
    points = entry_points(group=GROUP)
    return {point.name: point for point in points if point.name not in STRATEGIES}


def _flat(goal: str, state: RunState) -> AgentNode:
    """Return an agent node whose decisions never include an expansion."""
    return AgentNode(goal, state.without_expansion())


STRATEGIES = {
    REACTREE: Strategy(agent_tree, 'reactree', 'household', expands=True, learns=True),
    'react': Strategy(_flat, 'react', 'household_flat', learns=True),
    'zsp': Strategy(WholePlan, 'zsp', PLANS, asks_memory=False),
    'tree_planner': Strategy(TreePlanner, 'zsp', PLANS, deciding='tree_planner', asks_memory=False),
    'adapt': Strategy(adapt, 'react', 'household_flat', deciding='split'),
    'plan_and_execute': Strategy(plan_and_execute, 'react', 'household_flat', deciding='split'),
    'try_again': Strategy(try_again, 'react', 'household_flat'),
    'reflexion': Strategy(reflexion, 'react', 'household_flat', deciding='reflect'),
    'hiagent': Strategy(hiagent, 'hiagent', 'household_flat'),
    'step': Strategy(StepNode, 'step', 'household_flat'),
}
"""The strategies of this package, by name."""
