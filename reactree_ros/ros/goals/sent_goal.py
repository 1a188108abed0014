# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The protocol by which action goals are noted before they are sent, to survive a crash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SentGoal:
    """An action goal, with what another process needs to cancel it.

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
    """Called on the tick's thread; it must not block for long."""

    def sending(self, goal: SentGoal) -> None:
        """Note a goal, which is sent as soon as this returns."""

    def over(self, goal_id: str) -> None:
        """Note that the robot does not execute a goal any more; calling it again does nothing.

        The goal has ended, was not accepted, or its server has gone. If that is not known when the
        planner shuts down, it is not called.
        """
