# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ReAcTree's agent nodes, with what other papers add to them where the settings say so."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.option import option
from reactree_ros.strategies.hiagent import ChunkedNode, ChunkOptions
from reactree_ros.strategies.leaf_check import CheckedNode


@dataclass(frozen=True)
class AgentTreeOptions(ChunkOptions):
    """Options of ReAcTree."""

    leaf_check: bool = option(
        False,
        'Ask the model of each subgoal whether it is one skill, has to be worked out, or is unfit '
        '(STEP, section III-C).',
        kept_on_resume=True,
    )


_ADDITIONS = {'leaf_check': CheckedNode, 'chunk_acts': ChunkedNode}
"""What is added to agent nodes, by the option that asks for it."""


def agent_tree(goal: str, state: RunState) -> AgentNode:
    """Return the root; the nodes below it are of its kind."""
    options = state.options(AgentTreeOptions)
    added = [kind for option, kind in _ADDITIONS.items() if getattr(options, option)]
    kind: type[AgentNode] = type('AgentTreeNode', (*added, AgentNode), {})
    return kind(goal, state)
