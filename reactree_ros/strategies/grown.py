# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A root for strategies whose tree is made of other nodes from the beginning."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState


class GrownNode(DecidingNode):
    """Decides nothing itself: what was grown for its goal does, and it ends as that ends.

    =======  ===================================================================
    RUNNING  what was grown is running
    SUCCESS  it succeeded
    FAILURE  it failed, or a limit of the run is reached; ``outcome`` says which
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: the goal of the run.
        state: what the run has.
        grow: makes what works on the goal; called once, when the node begins.
    """

    def __init__(self, goal: str, state: RunState, grow: Callable[[], Behaviour]) -> None:
        super().__init__(goal, state)
        self._make = grow

    def _request(self) -> None:
        """Ask for nothing: every node below perceives for itself."""
        self._grow(self._make())

    def _poll(self) -> None:
        """Do nothing: none is awaited."""
