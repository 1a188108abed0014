# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes sure that a server knows its client before anything is sent that must not get lost.

``server_is_ready`` only says that the client has discovered the server. As long as the server has
not discovered the client, it drops the response to a goal, and the feedback, without a word.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

AGAIN_SEC = 0.5


class Handshake:
    """Asks an action server to cancel a goal that does not exist, until it answers.

    A participant's endpoints are discovered in the order in which they were made. So make the
    action client first: once the answer is here, the server knows all of the client too.

    Args:
        group: callback group of its client; None for the node's default.
    """

    def __init__(
        self,
        node: Node,
        action: str,
        clock: Callable[[], float] = time.monotonic,
        group: CallbackGroup | None = None,
    ) -> None:
        self._node = node
        self._client = node.create_client(
            CancelGoal, f'{action}/_action/cancel_goal', callback_group=group
        )
        self._clock = clock
        self._asked_at = float('-inf')
        self._futures: list[Future] = []

    def done(self) -> bool:
        """Return whether the server has answered; asks it again if need be. Never waits."""
        if any(future.done() for future in self._futures):
            return True
        if self._clock() - self._asked_at >= AGAIN_SEC and self._client.service_is_ready():
            self._asked_at = self._clock()
            request = CancelGoal.Request()
            request.goal_info.goal_id.uuid = list(uuid.uuid4().bytes)
            self._futures.append(self._client.call_async(request))
        return False

    def destroy(self) -> None:
        """Destroy the client."""
        self._node.destroy_client(self._client)
