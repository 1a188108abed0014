# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How an agent node or a whole run ended, where, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why a node ended."""

    DONE = 'done'
    """The agent said done, and the check (if any) did not object."""
    EXPANSION = 'expansion'
    """The control flow under the node ended, and the node with it."""
    GAVE_UP = 'gave_up'
    """The agent said failure."""
    MAX_DECISIONS = 'max_decisions'
    MAX_DEPTH = 'max_depth'
    MAX_SECONDS = 'max_seconds'
    REPETITION = 'repetition'
    """The agent did the same again and again with the same result."""
    MODEL = 'model'
    """The language model failed, or gave no valid decision in the allowed attempts."""
    ROBOT = 'robot'
    """The robot did not say what it perceives."""
    CANCELED = 'canceled'


@dataclass(frozen=True)
class Outcome:
    """How an agent node ended.

    Args:
        success: the node reports success to its parent.
        reason: why it ended.
        detail: one sentence for a person.
    """

    success: bool
    reason: Reason
    detail: str = ''


@dataclass
class Costs:
    """What a run has cost so far; everything is counted or measured, nothing estimated.

    Args:
        decisions: decisions drawn from the model, invalid ones included.
        skills: skills executed or refused.
        tokens_in: prompt tokens.
        tokens_reused: prompt tokens whose key/value cache was reused.
        tokens_out: tokens that the answers have.
        model_seconds: time in which a decision was awaited.
        skill_seconds: time in which a skill ran.
        total_seconds: wall-clock time of the run.
    """

    decisions: int = 0
    skills: int = 0
    tokens_in: int = 0
    tokens_reused: int = 0
    tokens_out: int = 0
    model_seconds: float = 0.0
    skill_seconds: float = 0.0
    total_seconds: float = 0.0


@dataclass(frozen=True)
class RunReport:
    """The end of a run.

    Args:
        status: ``succeeded``, ``failed`` or ``canceled``.
        reason: why the root node ended.
        message: one sentence for a person.
        costs: what the run cost.
        tree: the final tree as text, every past act in it.
    """

    status: str
    reason: Reason
    message: str
    costs: Costs
    tree: str
