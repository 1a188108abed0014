# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The service by which a person confirms or denies that a goal was reached."""

from __future__ import annotations

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import ConfirmGoal
from reactree_ros.ros.goals.learning import GoalLearning

CONFIRM_SERVICE = 'reactree/confirm_goal'


class GoalJudge:
    """The ``ConfirmGoal`` service of a planner.

    Args:
        node: the node that the service belongs to.
        learning: acts on it.
        group: callback group of the service and of the tick.
    """

    def __init__(self, node: Node, learning: GoalLearning, group: CallbackGroup) -> None:
        self._learning = learning
        self._node = node
        self._service = node.create_service(
            ConfirmGoal, CONFIRM_SERVICE, self._on_verdict, callback_group=group
        )

    def destroy(self) -> None:
        """Destroy the service."""
        self._node.destroy_service(self._service)

    def _on_verdict(
        self, request: ConfirmGoal.Request, response: ConfirmGoal.Response
    ) -> ConfirmGoal.Response:
        goal_id = bytes(request.goal_id.uuid)
        response.accepted, response.message, response.run = self._learning.judge(
            goal_id, request.reached
        )
        return response
