# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The baselines that the papers compare their methods with; setup.py lists them as entry points."""

from __future__ import annotations

from reactree_ros.lab.strategies.retry import RetryOptions, plan_and_execute, reflexion, try_again
from reactree_ros.lab.strategies.tree_planner import SampledPlanOptions, TreePlanner
from reactree_ros.lab.strategies.whole_plan import PlanOptions, WholePlan
from reactree_ros.strategies.attempt import AttemptOptions
from reactree_ros.strategies.strategy import PLANS, SKILLS, Mechanism, Strategy

ZSP = Strategy(
    WholePlan,
    'zsp',
    PLANS,
    options=PlanOptions,
    asks_memory=False,
    asks_operator=False,
    mechanisms=(Mechanism.PLANS,),
)
TREE_PLANNER = Strategy(
    TreePlanner,
    'zsp',
    PLANS,
    prompts={'choose': 'tree_planner'},
    options=SampledPlanOptions,
    asks_memory=False,
    asks_operator=False,
    mechanisms=(Mechanism.PLANS,),
)
PLAN_AND_EXECUTE = Strategy(
    plan_and_execute,
    'react',
    SKILLS,
    prompts={'split': 'plan'},
    options=AttemptOptions,
    mechanisms=(Mechanism.EXPANSIONS,),
)
TRY_AGAIN = Strategy(
    try_again, 'react', SKILLS, options=RetryOptions, mechanisms=(Mechanism.RETRIES,)
)
REFLEXION = Strategy(
    reflexion,
    'react',
    SKILLS,
    prompts={'reflect': 'reflect'},
    options=RetryOptions,
    mechanisms=(Mechanism.RETRIES, Mechanism.SUMMARIES),
)
