# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ReAcTree's agent nodes, with what other papers add to them where the settings say so."""

from __future__ import annotations

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.hiagent import ChunkedNode
from reactree_ros.behaviours.leaf_check import CheckedNode
from reactree_ros.behaviours.services import RunState


class CheckedChunkedNode(CheckedNode, ChunkedNode):
    """An agent node that is checked first, and folds its trajectory."""


_NODES: dict[tuple[bool, bool], type[AgentNode]] = {
    (False, False): AgentNode,
    (True, False): ChunkedNode,
    (False, True): CheckedNode,
    (True, True): CheckedChunkedNode,
}
"""By whether trajectories are folded, and whether subgoals are checked."""


def agent_tree(goal: str, state: RunState) -> AgentNode:
    """Return the root; the nodes below it are of its kind."""
    settings = state.services.settings
    return _NODES[settings.chunk_acts > 0, settings.leaf_check](goal, state)
