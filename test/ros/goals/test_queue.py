# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The order in which goals have their turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reactree_ros.core.budget import Limits
from reactree_ros.ros.goals.queue import GoalQueue
from reactree_ros.ros.goals.session import AcceptedGoal


@dataclass
class Waiting:
    """A goal that notes how many are ahead of it."""

    before: int = -1

    def wait_behind(self, before: int) -> None:
        self.before = before


def accepted(goal: str, priority: int = 0) -> AcceptedGoal:
    return AcceptedGoal(goal, Limits(), 'reactree', {}, priority)


def test_priority_then_arrival_but_first_what_a_killed_planner_had_begun() -> None:
    queue, sessions = GoalQueue(), [Waiting() for _ in range(4)]
    goals = [accepted('late'), accepted('urgent', 5), accepted('later'), accepted('begun')]
    for session, goal in zip(sessions, goals, strict=True):
        one: Any = session
        queue.add(one, goal, begun=goal.goal == 'begun')
    assert [session.before for session in sessions] == [2, 1, 3, 0]
    assert [queue.take()[1].goal for _ in goals] == ['begun', 'urgent', 'late', 'later']
