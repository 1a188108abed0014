# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How an agent node or a whole run ended, where, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum


class Reason(Enum):
    """Why a node ended."""

    DONE = 'done'
    """The agent said done, and the check (if any) did not object."""
    EXPANSION = 'expansion'
    """The control flow under the node ended, and the node with it."""
    UNMET = 'unmet'
    """It said done, and what must hold then does not."""
    GAVE_UP = 'gave_up'
    """The agent said failure."""
    MAX_DECISIONS = 'max_decisions'
    MAX_DEPTH = 'max_depth'
    MAX_SECONDS = 'max_seconds'
    MAX_TOKENS = 'max_tokens'
    SUBTREE_BUDGET = 'subtree_budget'
    """The decisions, seconds or tokens of a subtree are spent."""
    REPETITION = 'repetition'
    """The agent did the same again and again with the same result."""
    PLAN = 'plan'
    """A plan had no end, nothing of it was left that could be done, or planning again brought
    nothing."""
    MODEL = 'model'
    """The language model failed, or gave no valid decision in the allowed attempts."""
    ROBOT = 'robot'
    """The robot did not say what it perceives; or, one of several in a parallel, failed or left."""
    CANCELED = 'canceled'
    BAD_GOAL = 'bad_goal'
    """The goal was not accepted: empty, too long, or with a bad strategy, limit or condition."""
    ERROR = 'error'
    """The planner's own code failed."""


@dataclass(frozen=True)
class Outcome:
    """How an agent node ended.

    Args:
        success: the node reports success to its parent.
        reason: why it ended.
        detail: one sentence for a person.
        answer: what the agent answered with its "done"; empty for nothing.
    """

    success: bool
    reason: Reason
    detail: str = ''
    answer: str = ''


@dataclass(frozen=True)
class Costs:
    """What a decision, an agent node or a run has cost; counted or measured, nothing estimated.

    Args:
        decisions: decisions drawn from the model, invalid ones included.
        skills: skills sent to the robot or refused by the last checks before it.
        questions: questions put to the operator, approvals and unanswered ones included.
        tokens_in: prompt tokens.
        tokens_reused: prompt tokens whose key/value cache was reused.
        tokens_out: tokens that the answers have.
        dropped: experiences and observations that prompts had to do without, because they were
            longer than the model's context.
        queued_seconds: from the requests until the model began with them.
        prefill_seconds: the model read prompts.
        decode_seconds: the model wrote answers.
        model_seconds: time in which a decision was awaited, on the way to the model and back
            included.
        skill_seconds: time in which a skill ran.
        operator_seconds: time in which the operator's answer was awaited.
        total_seconds: wall-clock time of the run, or of the agent node and all below it; 0 for a
            decision.
    """

    decisions: int = 0
    skills: int = 0
    questions: int = 0
    tokens_in: int = 0
    tokens_reused: int = 0
    tokens_out: int = 0
    dropped: int = 0
    queued_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    model_seconds: float = 0.0
    skill_seconds: float = 0.0
    operator_seconds: float = 0.0
    total_seconds: float = 0.0

    def __add__(self, other: Costs) -> Costs:
        """Return both together."""
        return Costs(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def tokens(self) -> int:
        """Tokens read and written, the reused ones among them."""
        return self.tokens_in + self.tokens_out

    @property
    def reused(self) -> float:
        """Share of the prompt tokens whose key/value cache was reused, from 0 to 1."""
        return self.tokens_reused / self.tokens_in if self.tokens_in else 0.0


@dataclass(frozen=True)
class NodeCosts:
    """What one agent node has cost by itself, without the nodes below it.

    Args:
        path: goals from the root to the node.
        reason: why it ended; None if it was interrupted before its end.
        costs: its own costs.
    """

    path: tuple[str, ...]
    reason: Reason | None
    costs: Costs


@dataclass(frozen=True)
class ConditionState:
    """Whether a condition of a goal holds.

    Args:
        text: the condition.
        met: it holds.
        detail: why it does not, such as ``1 of 2``, ``not seen`` or ``fridge 1 not looked into``.
    """

    text: str
    met: bool
    detail: str


STATUSES = ('succeeded', 'failed', 'canceled')
"""How a run can end."""


@dataclass(frozen=True)
class RunReport:
    """The end of a run.

    Args:
        status: one of ``STATUSES``.
        reason: why the root node ended.
        message: one sentence for a person.
        costs: what the run cost.
        nodes: every agent node that began, each before the nodes below it.
        tree: the final tree as text, every past act in it.
        failed_at: which node failed, its subgoal and its last observation; empty if none failed.
        conditions: what had to hold in the end, and whether it does, as far as the robot knows.
        unconfirmed: it succeeded, but not all conditions hold, or the goal could not be put into
            conditions. False where conditions were neither read nor given.
        answer: to a goal that was a question; empty for none.
    """

    status: str
    reason: Reason
    message: str
    costs: Costs
    nodes: tuple[NodeCosts, ...]
    tree: str
    failed_at: str = ''
    conditions: tuple[ConditionState, ...] = ()
    unconfirmed: bool = False
    answer: str = ''

    @property
    def unmet(self) -> tuple[ConditionState, ...]:
        """The conditions that do not hold."""
        return tuple(one for one in self.conditions if not one.met)

    @property
    def reason_word(self) -> str:
        """The reason as a word; empty after success."""
        return '' if self.status == 'succeeded' else self.reason.value

    @property
    def full_message(self) -> str:
        """The message, and where the run failed."""
        return f'{self.message}; {self.failed_at}' if self.failed_at else self.message
