# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of goals: their language, its grammar, and whether they hold."""

from __future__ import annotations

from reactree_ros.skills.goal_conditions.grammar import (
    condition_gbnf,
    condition_lark,
    parse_conditions,
)
from reactree_ros.skills.goal_conditions.language import (
    Condition,
    ConditionError,
    ConditionWords,
    conditions_text,
)
from reactree_ros.skills.goal_conditions.tracker import ConditionTracker

__all__ = [
    'Condition',
    'ConditionError',
    'ConditionTracker',
    'ConditionWords',
    'condition_gbnf',
    'condition_lark',
    'conditions_text',
    'parse_conditions',
]
