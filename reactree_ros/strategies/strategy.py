# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planning strategy is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState

TREE, FLAT, PLANS, SKILLS = 'tree', 'flat', 'plans', 'skills'
"""Kinds of experiences, which are runs with expansions, runs without, whole plans, and
demonstrations of single skills, which every node reads whatever its goal."""


class Mechanism(Enum):
    """What a method does besides deciding on the next skill; reports count how often it ran."""

    EXPANSIONS = 'expansions'
    """A goal was split."""
    SUMMARIES = 'summaries'
    """The model summed up finished steps, or what a failed try has taught."""
    VERDICTS = 'verdicts'
    """The model said whether a finished subgoal was reached."""
    RETRIEVALS = 'retrievals'
    """The steps behind a summary were asked for."""
    CHECKS = 'checks'
    """A subgoal was checked before it was worked on."""
    REPLANS = 'replans'
    """A goal was planned again: split again, or another subgoal named for one that is unfit."""
    RETRIES = 'retries'
    """A goal that had failed was tried again."""
    PLANS = 'plans'
    """Steps or whole plans were written before anything was done."""


@dataclass(frozen=True)
class Strategy:
    """One planning strategy.

    Args:
        root: makes the root of a run's tree from its goal.
        prompt: the system prompt: name of a file in ``resource/prompts`` without its ending, or
            the path of a file. The skill library may have another of that name.
        experiences: kind of the skill library's experiences that it reads: ``TREE``, ``FLAT``,
            ``PLANS``, ``SKILLS``, or one of its own; empty for none. ``FLAT`` stands in for those
            named here if the library has none; they do not show the form of another kind.
        expands: its agent nodes may expand.
        prompts: further prompts, likewise, by the names under which nodes find them in
            ``RunServices.prompts``.
        options: dataclass of its options (``core.option``), the parameters
            ``strategies.NAME.*``; None for none.
        learns: its nodes are agent nodes, whose trajectories can be examples for others.
        asks_memory: its nodes may ask working memory.
        asks_operator: its nodes may ask the operator.
        reads_conditions: its root is an agent node, which may put the goal into conditions.
        mechanisms: what makes the method; a report says which of them never ran.
        added: mechanisms that an option adds where it is on, by the name of the option.
    """

    root: Callable[[str, RunState], DecidingNode]
    prompt: str | Path
    experiences: str
    expands: bool = False
    prompts: Mapping[str, str | Path] = field(default_factory=dict)
    options: type | None = None
    learns: bool = False
    asks_memory: bool = True
    asks_operator: bool = True
    reads_conditions: bool = False
    mechanisms: tuple[Mechanism, ...] = ()
    added: Mapping[str, tuple[Mechanism, ...]] = field(default_factory=dict)
