# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies of this package; setup.py lists them as entry points."""

from __future__ import annotations

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.strategies.adapt import AdaptOptions, adapt
from reactree_ros.strategies.agent_tree import AgentTreeOptions, agent_tree
from reactree_ros.strategies.hiagent import ChunkOptions, hiagent
from reactree_ros.strategies.step import StepNode
from reactree_ros.strategies.strategy import FLAT, TREE, Strategy


def _flat(goal: str, state: RunState) -> AgentNode:
    """Return an agent node whose decisions never include an expansion."""
    return AgentNode(goal, state.without_expansion())


_SUMMARIZE = {'summarize': 'summarize'}
_LEAF_CHECK = {'leaf_check': 'leaf_check'}

REACTREE = Strategy(
    agent_tree,
    'reactree',
    TREE,
    expands=True,
    prompts=_SUMMARIZE | _LEAF_CHECK,
    options=AgentTreeOptions,
    learns=True,
    reads_conditions=True,
)
REACT = Strategy(_flat, 'react', FLAT, learns=True, reads_conditions=True)
ADAPT = Strategy(adapt, 'react', FLAT, prompts={'split': 'split'}, options=AdaptOptions)
HIAGENT = Strategy(
    hiagent,
    'hiagent',
    FLAT,
    prompts=_SUMMARIZE,
    options=ChunkOptions,
    reads_conditions=True,
)
STEP = Strategy(StepNode, 'step', FLAT, prompts=_LEAF_CHECK)
