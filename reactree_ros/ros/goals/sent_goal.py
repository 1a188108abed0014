# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who is told of every goal that a robot is sent, so that none is forgotten when a process ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SentGoal:
    """A goal for an action server; with it another process can cancel it.

    Args:
        robot: namespace of the robot, within the planner's; empty for the planner's own.
        action: full name of the action.
        type: its type, such as ``nav2_msgs/action/NavigateToPose``.
        goal_id: 32 hexadecimal digits.
        phrase: what the robot is to do.
    """

    robot: str
    action: str
    type: str
    goal_id: str
    phrase: str


class GoalJournal(Protocol):
    """Is told of goals on the tick's thread; it must not wait long."""

    def sending(self, goal: SentGoal) -> None:
        """Hear of a goal that is sent as soon as this returns."""

    def over(self, goal_id: str) -> None:
        """Hear that the robot is not at a goal any more; hearing it again changes nothing.

        It has ended, was not accepted, or its server has gone. A goal of which that is not known
        when the planner leaves is never over.
        """
