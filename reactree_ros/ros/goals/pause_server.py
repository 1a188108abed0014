# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pause, resume, step and stop, as services; and a topic that says how it is."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from reactree_ros.execution.pause import PauseSwitch
from reactree_ros.ros.qos import LATEST

PAUSE_SERVICE = 'reactree/pause'
STEP_SERVICE = 'reactree/step'
STOP_SERVICE = 'reactree/stop'
HOLD_TOPIC = 'reactree/hold'


class HoldServer:
    """Lets people pause a planner.

    Args:
        node: the node that it belongs to.
        pause: the planner's.
        changed: is told the new word, after it was published; not the one at the start.
        stop: cancels all goals, and returns how many there were.
        group: callback group of the services and of the tick.
    """

    def __init__(
        self,
        node: Node,
        pause: PauseSwitch,
        changed: Callable[[str], None],
        stop: Callable[[], int],
        group: CallbackGroup,
    ) -> None:
        self._node = node
        self._pause = pause
        self._changed = changed
        self._stop = stop
        self._word = ''
        self._publisher = node.create_publisher(String, HOLD_TOPIC, LATEST)
        self._services = (
            node.create_service(SetBool, PAUSE_SERVICE, self._on_pause, callback_group=group),
            node.create_service(Trigger, STEP_SERVICE, self._on_step, callback_group=group),
            node.create_service(Trigger, STOP_SERVICE, self._on_stop, callback_group=group),
        )

    def look(self) -> None:
        """Publish how it is, if that has changed."""
        word = self._pause.word
        if word != self._word:
            before, self._word = self._word, word
            self._publisher.publish(String(data=word))
            if before:  # not at the start
                self._changed(word)

    def destroy(self) -> None:
        """Destroy the services and the topic."""
        for service in self._services:
            self._node.destroy_service(service)
        self._node.destroy_publisher(self._publisher)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        if request.data:
            self._pause.pause()
            response.message = 'nothing new begins; what has begun comes to its end'
        else:
            self._pause.resume()
            response.message = 'it goes on'
        response.success = True
        return response

    def _on_step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._pause.step()
        response.message = 'one decision' if response.success else 'pause it first'
        return response

    def _on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        count = self._stop()
        response.success = True
        goals = 'no goal was there' if not count else f'{count} goal{"s" * (count > 1)} canceled'
        response.message = goals
        return response
