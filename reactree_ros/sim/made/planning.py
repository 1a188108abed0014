# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for generated robots: actions that meet conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reactree_ros.sim.made.conditions import planning_goal
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.planning.facts import Action, State
from reactree_ros.sim.planning.fast_downward import plan_to
from reactree_ros.sim.planning.goal import PlanningGoal
from reactree_ros.skills.goal_conditions import Condition


def plan(
    robot: MadeRobot, state: State, goal: PlanningGoal | Iterable[Condition]
) -> tuple[Action, ...] | None:
    """Return actions that lead from a state to a goal.

    Args:
        robot: whose skills are planned with.
        state: everything that holds, or is assumed to hold, static facts included.
        goal: what to reach; of conditions, all at the same time (``plan_stages`` keeps their
            order).

    Returns:
        The actions, none if the goal holds already; None if there is no plan.

    Raises:
        ConfigurationError: Fast Downward is not installed.
        NoPlanError: a condition cannot be put to the planner.
        TimeoutError: no plan was found in time.
    """
    if not isinstance(goal, PlanningGoal):
        goal = planning_goal(robot, state, goal)
    return plan_to(robot, state, goal)


def plan_stages(
    robot: MadeRobot, state: State, conditions: Sequence[Condition]
) -> tuple[Action, ...] | None:
    """Return actions that meet conditions in their order, stage by stage; see ``plan``.

    What a stage has reached is kept in the later ones, unless it may be undone.

    Args:
        robot: whose skills are planned with.
        state: from which to plan.
        conditions: of a goal.
    """
    found: list[Action] = []
    for stage in dict.fromkeys(one.stage for one in conditions):
        due = [
            one
            for one in conditions
            if one.stage == stage or (one.stage < stage and not one.may_be_undone(conditions))
        ]
        steps = plan(robot, state, due)
        if steps is None:
            return None
        for step in steps:
            state = step.after(state)
        found += steps
    return tuple(found)
