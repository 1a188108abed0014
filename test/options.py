# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options of tests, by short names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reactree_ros.core.option import full_name, parameters_of
from reactree_ros.planner.options import PlannerOptions, planner_options

HOUSEHOLD = {
    'skills': 'household',
    'robot.observe_service': 'household/observe',
    'robot.check_service': 'household/check_goal',
}
"""The planner's parameters in the household, as in config/household.yaml."""
PAPER = {
    'agent.allow_consecutive_thoughts': True,
    'agent.check_at_start': False,
    'agent.explain_endings': False,
    'agent.max_repetitions': 0,
    'agent.read_conditions': False,
    'agent.replan_after_failure': False,
    'memory.example_tokens': 0,
    'prompt.facts': ['none'],
}
"""Options that follow the paper to the letter."""


def full_names(
    given: dict[str, Any], kind: type = PlannerOptions, strategy: str = ''
) -> dict[str, Any]:
    """Return values by full names; ``a__b`` stands for ``a.b``, and a short name for the only one.

    Args:
        given: the values.
        kind: dataclass of the options.
        strategy: the one that is meant where several have an option of a name; empty for none.
    """
    names = [row.name for row in parameters_of(kind)]
    if strategy:
        own = {name: f'strategies.{strategy}.{name}' for name in given}
        given = {own[name] if own[name] in names else name: value for name, value in given.items()}
    return {full_name(name.replace('__', '.'), names): value for name, value in given.items()}


def paper_options(strategy: str = 'reactree', **changes: Any) -> PlannerOptions:
    """Return the options of the paper, with changes."""
    no_expansion = changes.get('control_flows') == ()
    if no_expansion:  # which no parameter allows
        del changes['control_flows']
    made = planner_options(
        {'skills': 'household', **PAPER, **full_names(changes, strategy=strategy)}
    )
    return replace(made, agent=replace(made.agent, control_flows=())) if no_expansion else made
