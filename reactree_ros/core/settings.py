# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How agent nodes behave beyond the algorithm; every setting says where the paper stands."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.vote import VotePolicy


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Args:
        control_flows: control flows on offer (paper, Table 4).
        vote_policy: when a parallel control flow succeeds (paper: majority).
        working_memory: offer "recall location of …" (paper, Table 3).
        ask_operator: offer a question to the operator, where one is there (paper: no). Not two
            in a row, none twice, and none after one that nobody answered.
        max_questions: questions to the operator in one run.
        example_tokens: token budget of retrieved experiences (paper: 5,000); 0 turns episodic
            memory off.
        think_twice: allow a thought right after a thought (paper: yes).
        check_decisions: hold "done" and "failure" against working memory, and an expansion against
            its goal (paper: no). An ending that is contradicted is not on offer; an expansion
            that is becomes an observation that says why.
        check_done: ask the world whether the goal of the run is reached before that counts; where
            the world cannot read it, it counts (paper: no).
        only_relevant: where a skill asks for it, offer it only on what can matter for the node's
            goal (paper: no).
        search_memory: leave places out that were looked into, as long as what the node's goal
            names was not seen (paper: no).
        point_out: end an observation with those objects in reach that the node's goal names
            (paper: no).
        max_repetitions: a node that did the same with the same result this often fails; 0 turns
            the guard off (paper: off).
        max_invalid: invalid answers in a row after which a node fails; with constrained
            decoding there are none but expansions that contradict the tree.
        replan_after_failure: a node goes on deciding after its expansion failed (paper,
            Algorithm 1 line 28: no).
        decision_time_limit_s: seconds that one decision may take.
        seed: of sampled plans.
        plan_samples: how many plans Tree-Planner samples (paper: 25 and 50).
        plan_temperature: temperature of sampled plans (paper: 0.8).
        plan_top_p: plans are sampled from the likeliest tokens that together have this
            probability (paper: 0.95).
        plan_steps: most skills of a plan (paper: as many as there may be decisions).
        attempt_decisions: most decisions of one try of ADaPT and of the baselines that it is
            compared with (ADaPT, Appendix A: 20).
        split_depth: how often ADaPT splits a step of a step, the first try counted (d_max of its
            Algorithm 1: 3).
        tries: how often a goal is tried, with or without a lesson in between.
        chunk_acts: an agent node reads so many of its acts as they were; those before stand in its
            context as summaries, one for each thought and for each so many acts (HiAgent, section
            3); 0 for all as they were (paper).
        leaf_check: ask of a subgoal, before anything is decided for it, whether it is one skill,
            more than that, or unfit (STEP, section III-C; paper: no).
    """

    control_flows: tuple[ControlFlow, ...] = tuple(ControlFlow)
    vote_policy: VotePolicy = VotePolicy.MAJORITY
    working_memory: bool = True
    ask_operator: bool = False
    max_questions: int = 3
    example_tokens: int = 1200
    think_twice: bool = False
    check_decisions: bool = True
    check_done: bool = False
    only_relevant: bool = True
    search_memory: bool = True
    point_out: bool = True
    max_repetitions: int = 3
    max_invalid: int = 3
    replan_after_failure: bool = False
    decision_time_limit_s: float = 120.0
    seed: int = 0
    plan_samples: int = 25
    plan_temperature: float = 0.8
    plan_top_p: float = 0.95
    plan_steps: int = 60
    attempt_decisions: int = 20
    split_depth: int = 3
    tries: int = 3
    chunk_acts: int = 0
    leaf_check: bool = False
