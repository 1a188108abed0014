# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The way to one action of one robot; the journal hears of all that goes along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_ros.ros.goals.sent_goal import GoalJournal, SentGoal


class ActionChannel:
    """The way to one action of one robot.

    Args:
        client: the action's client.
        robot: namespace of the robot, within the planner's.
        action: full name of the action.
        type_name: its type.
        journal: is told of every goal; None for nobody.
    """

    def __init__(
        self,
        client: ActionClient,
        robot: str,
        action: str,
        type_name: str,
        journal: GoalJournal | None = None,
    ) -> None:
        self._client = client
        self._robot, self._action, self._type = robot, action, type_name
        self._journal = journal

    def server_is_ready(self) -> bool:
        """Return whether the action server is there."""
        return bool(self._client.server_is_ready())

    def send(
        self, goal_id: str, phrase: str, message: Any, on_feedback: Callable[[Any], None]
    ) -> Future:
        """Send a goal and return its response to be; the journal hears of it before."""
        if self._journal is not None:
            self._journal.sending(SentGoal(self._robot, self._action, self._type, goal_id, phrase))
        return self._client.send_goal_async(message, on_feedback, goal_uuid=_uuid(goal_id))

    def handle(self, goal_id: str) -> ClientGoalHandle:
        """Return a handle of a goal, whether it was accepted or not."""
        return ClientGoalHandle(self._client, _uuid(goal_id), None)

    def over(self, goal_id: str) -> None:
        """Tell the journal that the robot is not at a goal any more."""
        if self._journal is not None:
            self._journal.over(goal_id)

    def destroy(self) -> None:
        """Destroy the client."""
        self._client.destroy()


def _uuid(goal_id: str) -> UUID:
    return UUID(uuid=list(bytes.fromhex(goal_id)))
