# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Control-flow nodes as py_trees composites (paper, Algorithm 2).

==================  ==============================  ==========================================
control flow        composite                       ends
==================  ==============================  ==========================================
sequence            ``Sequence(memory=True)``       at the first failure
fallback            ``Selector(memory=True)``       at the first success
parallel            ``VotingParallel``              when every child has ended, by a vote
==================  ==============================  ==========================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.vote import VotePolicy, vote


class VotingParallel(py_trees.composites.Parallel):
    """Runs every child to its end, one after another, then lets them vote.

    It is a Parallel to viewers and displays, but not to the tick: py_trees' own stops all
    siblings at the first failure and ticks them at the same time, which one robot cannot do.

    =======  ===================================================================
    RUNNING  a child is at it
    SUCCESS  every child has ended and the vote says so
    FAILURE  every child has ended and the vote says otherwise
    =======  ===================================================================

    Args:
        name: name of the node.
        vote_policy: the rule of the vote.
        children: at least one.
    """

    def __init__(
        self, name: str, vote_policy: VotePolicy, children: Sequence[Behaviour] | None = None
    ) -> None:
        super().__init__(
            name=name,
            policy=py_trees.common.ParallelPolicy.SuccessOnAll(synchronise=False),
            children=list(children) if children is not None else None,
        )
        self.vote_policy = vote_policy

    def tick(self) -> Iterator[Behaviour]:
        """Tick the first child that has not ended."""
        if self.status != Status.RUNNING:
            self.current_child = None
            self.initialise()
        for child in self.children:
            if child.status in (Status.SUCCESS, Status.FAILURE):
                continue
            self.current_child = child
            yield from child.tick()
            if child.status == Status.RUNNING:
                self.status = Status.RUNNING
                yield self
                return
        results = [child.status == Status.SUCCESS for child in self.children]
        succeeded = vote(results, self.vote_policy)
        self.feedback_message = f'{sum(results)} of {len(results)} succeeded'
        self.stop(Status.SUCCESS if succeeded else Status.FAILURE)
        yield self


def build_control_flow(
    control_flow: ControlFlow, children: Sequence[Behaviour], vote_policy: VotePolicy
) -> py_trees.composites.Composite:
    """Return the composite of a control flow over agent nodes.

    Args:
        control_flow: which one.
        children: the agent nodes, at least one.
        vote_policy: how the children of a parallel decide.
    """
    name = f'{control_flow.value} of {len(children)}'
    if control_flow is ControlFlow.SEQUENCE:
        return py_trees.composites.Sequence(name=name, memory=True, children=list(children))
    if control_flow is ControlFlow.FALLBACK:
        return py_trees.composites.Selector(name=name, memory=True, children=list(children))
    return VotingParallel(name, vote_policy, children)
