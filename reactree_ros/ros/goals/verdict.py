# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves what a person says about a goal that was reported as succeeded."""

from __future__ import annotations

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import VerifyGoal
from reactree_ros.ros.goals.learning import GoalLearning

VERIFY_SERVICE = 'reactree/verify_goal'


class GoalJudge:
    """The ``VerifyGoal`` service of a planner.

    Args:
        node: the node that the service belongs to.
        learning: acts on what is said.
        group: callback group of the service and of the tick.
    """

    def __init__(self, node: Node, learning: GoalLearning, group: CallbackGroup) -> None:
        self._learning = learning
        self._node = node
        self._service = node.create_service(
            VerifyGoal, VERIFY_SERVICE, self._on_verdict, callback_group=group
        )

    def destroy(self) -> None:
        """Destroy the service."""
        self._node.destroy_service(self._service)

    def _on_verdict(
        self, request: VerifyGoal.Request, response: VerifyGoal.Response
    ) -> VerifyGoal.Response:
        goal_id = bytes(request.goal_id)
        response.taken, response.message, response.run = self._learning.judge(
            goal_id, request.reached
        )
        return response
