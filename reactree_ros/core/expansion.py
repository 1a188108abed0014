# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Validates an expansion against the tree before anything of it joins the tree."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.decision import ControlFlow, Expand


def settle(expansion: Expand) -> Expand:
    """Return a fallback without repeats: what has just failed is not tried again as it is."""
    if expansion.control_flow is not ControlFlow.FALLBACK:
        return expansion
    subgoals: dict[str, str] = {}
    for subgoal in expansion.subgoals:
        subgoals.setdefault(_key(subgoal), subgoal)
    return Expand(expansion.control_flow, tuple(subgoals.values()))


def faults_of(expansion: Expand, path: Sequence[str]) -> list[str]:
    """Return every fault of an expansion; empty if it may join the tree.

    Args:
        expansion: control flow and subgoals.
        path: goals from the root to the expanding node, both included.

    Returns:
        One sentence a fault, which the model can repair its decision from.
    """
    faults = []
    above = {_key(goal) for goal in path}
    seen: set[str] = set()
    for subgoal in expansion.subgoals:
        key = _key(subgoal)
        if key in above:
            faults.append(f'"{subgoal}" is a goal that is being worked on already')
        if key in seen:
            faults.append(f'"{subgoal}" is given twice')
        seen.add(key)
    return faults


def _key(goal: str) -> str:
    return ' '.join(goal.casefold().strip(' .!').split())
