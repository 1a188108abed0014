# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planning strategy is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState

TREE, FLAT, PLANS = 'tree', 'flat', 'plans'
"""Kinds of experiences, which are runs with expansions, runs without, and whole plans."""


@dataclass(frozen=True)
class Strategy:
    """One planning strategy.

    Args:
        root: makes the root of a run's tree from its goal.
        prompt: the system prompt: name of a file in ``resource/prompts`` without its ending, or
            the path of a file. The skill library may have another of that name.
        experiences: kind of the skill library's experiences that it reads: ``TREE``, ``FLAT``,
            ``PLANS``; empty for none.
        expands: its agent nodes may expand.
        prompts: further prompts, likewise, by the names under which nodes find them in
            ``RunServices.prompts``.
        options: dataclass of its options (``core.option``), the parameters
            ``strategies.NAME.*``; None for none.
        learns: its nodes are agent nodes, whose trajectories can be examples for others.
        asks_memory: its nodes may ask working memory.
        reads_conditions: its root is an agent node, which may put the goal into conditions.
    """

    root: Callable[[str, RunState], DecidingNode]
    prompt: str | Path
    experiences: str
    expands: bool = False
    prompts: Mapping[str, str | Path] = field(default_factory=dict)
    options: type | None = None
    learns: bool = False
    asks_memory: bool = True
    reads_conditions: bool = False
