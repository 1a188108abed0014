# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Named sets of parameter values; docs/differences.md explains those of the paper."""

from __future__ import annotations

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.option import DAY, Value
from reactree_ros.core.settings import NO_APPROVAL, NONE
from reactree_ros.core.vote import VotePolicy

DEFAULT, PAPER = PRESETS = ('default', 'paper')

PAPER_VALUES: dict[str, Value] = {
    'agent.control_flows': tuple(one.value for one in ControlFlow),
    'agent.vote_policy': VotePolicy.MAJORITY.value,
    'agent.allow_consecutive_thoughts': True,
    'agent.max_repetitions': 0,
    'agent.mask_refused_skills': False,
    'agent.reject_recursion': False,
    'agent.replan_after_failure': False,
    'agent.check_done': False,
    'agent.check_at_start': False,
    'agent.read_conditions': False,
    'agent.max_rejected_done': 0,
    'agent.explain_endings': False,
    'agent.max_thought_chars': 0,
    'agent.max_subgoals': 0,
    'agent.max_subgoal_chars': 0,
    'prompt.facts': (NONE,),
    'operator.ask': False,
    'operator.approval_risk_level': NO_APPROVAL,
    'standby_model.name': '',
    'model.share_examples': False,
    'memory.episodic': True,
    'memory.recall': True,
    'memory.keep_between_goals': False,
    'memory.example_tokens': 5000,
    'memory.similarity_margin': 10.0,
    'memory.level_bonus': 0.0,
    'limits.max_decisions': 200,
    'limits.max_depth': 100,
    'limits.max_duration_sec': DAY,
    'limits.max_tokens': 0,
    'limits.subtree_decisions': 0,
    'limits.subtree_duration_sec': 0.0,
    'limits.subtree_tokens': 0,
    'strategies.reactree.chunk_acts': 0,
    'strategies.reactree.check_subgoals': False,
}
"""The paper's value of every parameter with which something else could be done."""
