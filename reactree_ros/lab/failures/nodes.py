# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent nodes of a run, read from its events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reactree_ros.lab.evaluation.trace import TraceEvent


@dataclass
class NodeSpan:
    """One agent node of a run.

    Args:
        path: goals from the root to the node.
        first: index of its first event.
        parent: the node above; None for the root.
        children: agent nodes below it that began, in order.
        events: indices of its own events.
        end: index of the event that ended it; None if it was cut short.
        success: it ended with success.
    """

    path: tuple[str, ...]
    first: int
    parent: NodeSpan | None = None
    children: list[NodeSpan] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    end: int | None = None
    success: bool = False

    @property
    def goal(self) -> str:
        """The node's own goal."""
        return self.path[-1]

    def below(self) -> Iterator[NodeSpan]:
        """The node itself and all below it, each before those below it."""
        yield self
        for child in self.children:
            yield from child.below()


@dataclass(frozen=True)
class Expansion:
    """One expansion of a run.

    Args:
        event: index of its event.
        control_flow: sequence, fallback or parallel.
        subgoals: in order.
    """

    event: int
    control_flow: str
    subgoals: tuple[str, ...]


def read_nodes(events: Sequence[TraceEvent]) -> NodeSpan:
    """Return the root of the agent nodes; a strategy without nodes has a root alone.

    Every node begins with an event of its own, which separates those with the same path: a
    subgoal that comes twice below one parent, and the tries of a goal below the node that has it.
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
        if event.kind in ('done', 'failure'):
            span.end, span.success = index, event.kind == 'done'
            if span.parent is not None and span.parent.path == span.path:
                latest[event.path] = span.parent
    return root or NodeSpan(('',), 0)


def expansions(span: NodeSpan, events: Sequence[TraceEvent]) -> list[Expansion]:
    """Return the expansions of a node."""
    found = []
    for index in span.events:
        if events[index].kind == 'expand':
            control_flow, _, subgoals = events[index].text.partition(': ')
            found.append(Expansion(index, control_flow, tuple(subgoals.split('; '))))
    return found


def failed_leaves(root: NodeSpan) -> list[NodeSpan]:
    """Return the nodes that the failure of a run began at: failed, with none failed below."""
    if root.success:
        return []
    failed = [child for child in root.children if not child.success]
    return [leaf for child in failed for leaf in failed_leaves(child)] or [root]
