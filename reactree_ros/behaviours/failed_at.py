# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where in the tree a run has failed, in words for the person who asked."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from py_trees.common import Status

from reactree_ros.behaviours.node import DecidingNode, nearest_nodes
from reactree_ros.core.decision import FAILURE, ending_of
from reactree_ros.core.plain_text import one_line

_MOST_SHOWN = 200


def failed_at(root: DecidingNode, number: Callable[[UUID], int]) -> str:
    """Return which node failed, by its number, its subgoal and its last observation."""
    node = _deepest(root)
    where = f'node {number(node.id)} failed at "{node.goal}"'
    seen = one_line(_last_observation(node), _MOST_SHOWN)
    return f'{where}; it last observed "{seen}"' if seen else f'{where}; it observed nothing'


def _deepest(node: DecidingNode) -> DecidingNode:
    """Return the node whose own failure ended this one.

    A node fails with its control flow if that is the last thing it did and it did not give up by
    itself; of several children that failed the last one counts, for it left nothing more to try.
    """
    last = node.children[-1] if node.children else None
    steps = node.trajectory.steps
    gave_up = bool(steps) and ending_of(steps[-1].text) == FAILURE
    if last is None or last.status != Status.FAILURE or gave_up:
        return node
    failed = [
        one for one in nearest_nodes(last) if one.outcome is not None and not one.outcome.success
    ]
    return _deepest(failed[-1]) if failed else node


def _last_observation(node: DecidingNode) -> str:
    steps = (step.text for step in reversed(node.trajectory.steps) if not step.decided)
    return next(steps, node.trajectory.first_observation)
