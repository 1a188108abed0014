# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What happens in a run: events, and the record of each decision for the audit."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.budget import RemainingBudget
from reactree_ros.core.outcome import ConditionState, Costs

KINDS = (
    'queued',
    'goal',
    'conditions',
    'corrected',
    'plan',
    'think',
    'act',
    'recall',
    'summary',
    'check',
    'expand',
    'ask',
    'observation',
    'fault',
    'done',
    'failure',
    'rejected',
    'ended',
)
"""``queued``: the goal waits for its turn; ``goal``: a node began; ``plan``: steps were planned
before anything is done; ``conditions``: what must hold in the end, and what of it does, whenever
that changes; ``corrected``: a person has corrected where a thing is; ``summary``: what stands in
the context for finished steps, or what a failed try has taught; ``check``: whether a subgoal is to
be carried out, split or planned again, or whether a finished one was reached; ``fault``: something
the planner needs failed, and what it does instead; ``rejected``: a decision did not count, the text
says why; ``ended``: the run ended, the text says how."""


@dataclass(frozen=True)
class Event:
    """One event of a run.

    Args:
        kind: one of ``KINDS``.
        text: thought, skill phrase, observation, or how it ended.
        path: goals from the root to the active agent node.
        run: costs of the whole run so far; its total is the time since the run began.
        node: own costs of the active agent node so far, this decision's among them.
        decision: costs of the decision that the event reports; all 0 if it reports none.
        model: name of the model that decided; empty if it has none, or the event reports no
            decision.
        behaviour: number of the active agent node in the run; the root has 1.
        robot: name of the robot that it works with; empty if there is only one.
        remaining: remaining budget of the goal.
        node_remaining: remaining budget of the subtree of the active agent node.
        conditions: with ``conditions``, what must hold in the end.
    """

    kind: str
    text: str
    path: tuple[str, ...]
    run: Costs
    node: Costs
    decision: Costs = Costs()
    model: str = ''
    behaviour: int = 0
    robot: str = ''
    remaining: RemainingBudget = RemainingBudget()
    node_remaining: RemainingBudget = RemainingBudget()
    conditions: tuple[ConditionState, ...] = ()

    @property
    def depth(self) -> int:
        """Depth of the active agent node; the root has 1."""
        return len(self.path)

    def __str__(self) -> str:
        """Return one line, indented by the depth of the agent node."""
        return f'{"  " * (self.depth - 1)}{self.kind}: {self.text}'


@dataclass(frozen=True)
class DecisionRecord:
    """One decision: who made it on what grounds, and its outcome.

    Args:
        index: its place among the decisions of the run, from 1.
        behaviour: number of the agent node in the run; the root has 1.
        path: goals from the root to the agent node.
        robot: name of the robot that it works with; empty if there is only one.
        prompt_sha256: of the prompt that the model read, in hexadecimal digits.
        model: name of the model that decided.
        decision: its answer, as it was.
        accepted: whether the answer counted; else the outcome says why not.
        robot_goal_id: id of the action goal that the robot was sent for it; empty for none.
        robot_action: name of the action; empty for none.
        outcome: the observation after it, or how the agent node continued.
        seconds_ago: how long before the outcome it was decided.
    """

    index: int
    behaviour: int
    path: tuple[str, ...]
    robot: str
    prompt_sha256: str
    model: str
    decision: str
    accepted: bool = True
    robot_goal_id: str = ''
    robot_action: str = ''
    outcome: str = ''
    seconds_ago: float = 0.0
