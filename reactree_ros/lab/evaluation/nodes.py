# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent nodes of a run, read from its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reactree_ros.lab.evaluation.trace import TraceEvent


class Expansion(NamedTuple):
    """One expansion: sequence, fallback or parallel, and the subgoals."""

    control_flow: str
    subgoals: tuple[str, ...]


@dataclass
class NodeSpan:
    """One agent node of a run.

    Args:
        path: goals from the root to the node.
        first: index of its first event.
        parent: the node above; None for the root.
        children: agent nodes below it that began, in order.
        events: indices of its own events.
        expansions: in order.
        end: index of the event that ended it; None if it was cut short.
        success: it ended with success.
    """

    path: tuple[str, ...]
    first: int
    parent: NodeSpan | None = None
    children: list[NodeSpan] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    expansions: list[Expansion] = field(default_factory=list)
    end: int | None = None
    success: bool = False

    @property
    def goal(self) -> str:
        """The node's own goal."""
        return self.path[-1]


def read_nodes(events: Sequence[TraceEvent]) -> NodeSpan:
    """Return the root of the agent nodes; a strategy without nodes has a root alone.

    Every node begins with an event of its own, which separates those with the same path: a
    subgoal that occurs twice below one parent, and the attempts at a goal below its node.
    """
    root: NodeSpan | None = None
    latest: dict[tuple[str, ...], NodeSpan] = {}
    for index, event in enumerate(events):
        span = latest.get(event.path)
        if span is None or event.kind == 'goal':
            parent = span if span and span.end is None else latest.get(event.path[:-1])
            span = NodeSpan(event.path, index, parent)
            if parent is not None:
                parent.children.append(span)
            root = root or span
        span.events.append(index)
        latest[event.path] = span
        if event.kind == 'expand':
            control_flow, _, subgoals = event.text.partition(': ')
            span.expansions.append(Expansion(control_flow, tuple(subgoals.split('; '))))
        elif event.kind in ('done', 'failure'):
            span.end, span.success = index, event.kind == 'done'
            if span.parent is not None and span.parent.path == span.path:
                latest[event.path] = span.parent
    return root or NodeSpan(('',), 0)


def failed_leaves(root: NodeSpan) -> list[NodeSpan]:
    """Return the nodes that the failure of a run began at: failed, with none failed below."""
    if root.success:
        return []
    return [leaf for child in root.children for leaf in failed_leaves(child)] or [root]
