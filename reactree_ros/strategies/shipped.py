# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies of this package; setup.py lists them as entry points."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.strategies.adapt import AdaptOptions, adapt
from reactree_ros.strategies.agent_tree import AgentTreeOptions, agent_tree
from reactree_ros.strategies.hiagent import HiAgentNode
from reactree_ros.strategies.step import StepNode, StepOptions
from reactree_ros.strategies.strategy import FLAT, SKILLS, TREE, Mechanism, Strategy


def _flat(node: type[AgentNode]) -> Callable[[str, RunState], AgentNode]:
    """Return what makes an agent node whose decisions never include an expansion."""
    return lambda goal, state: node(goal, state.without_expansion())


REACTREE = Strategy(
    agent_tree,
    'reactree',
    TREE,
    expands=True,
    prompts={'summarize': 'summarize_part', 'chunks': 'chunks', 'leaf_check': 'leaf_check'},
    options=AgentTreeOptions,
    learns=True,
    reads_conditions=True,
    mechanisms=(Mechanism.EXPANSIONS,),
    added={
        'chunk_acts': (Mechanism.SUMMARIES, Mechanism.RETRIEVALS),
        'check_subgoals': (Mechanism.CHECKS,),
    },
)
REACT = Strategy(_flat(AgentNode), 'react', FLAT, learns=True, reads_conditions=True)
ADAPT = Strategy(
    adapt,
    'react',
    SKILLS,
    prompts={'split': 'split'},
    options=AdaptOptions,
    mechanisms=(Mechanism.EXPANSIONS,),
)
HIAGENT = Strategy(
    _flat(HiAgentNode),
    'hiagent',
    'hiagent',
    prompts={'summarize': 'summarize'},
    reads_conditions=True,
    mechanisms=(Mechanism.SUMMARIES, Mechanism.VERDICTS, Mechanism.RETRIEVALS),
)
STEP = Strategy(
    StepNode,
    'step',
    'step',
    prompts={'leaf_check': 'leaf_check'},
    options=StepOptions,
    asks_operator=False,
    mechanisms=(Mechanism.CHECKS, Mechanism.EXPANSIONS, Mechanism.REPLANS),
)
