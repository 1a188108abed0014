# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pause, resume, step and stop, as services; and a topic that says how it is."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from reactree_interfaces.msg import PauseState
from reactree_ros.execution.pause import PauseSwitch
from reactree_ros.ros.conversions import PAUSES
from reactree_ros.ros.qos import LATEST

PAUSE_SERVICE = 'reactree/pause'
STEP_SERVICE = 'reactree/step'
STOP_SERVICE = 'reactree/stop'
PAUSE_TOPIC = 'reactree/pause_state'


class PauseServer:
    """Lets people pause a planner.

    Args:
        node: the node that it belongs to.
        pause: the planner's.
        changed: called with the new state as a word and as a message, after it was published; not
            with the one at the start.
        stop: cancels all goals, and returns how many there were.
        group: callback group of the services and of the tick.
    """

    def __init__(
        self,
        node: Node,
        pause: PauseSwitch,
        changed: Callable[[str, PauseState], None],
        stop: Callable[[], int],
        group: CallbackGroup,
    ) -> None:
        self._node = node
        self._pause = pause
        self._changed = changed
        self._stop = stop
        self._word = ''
        self._publisher = node.create_publisher(PauseState, PAUSE_TOPIC, LATEST)
        self._services = (
            node.create_service(SetBool, PAUSE_SERVICE, self._on_pause, callback_group=group),
            node.create_service(Trigger, STEP_SERVICE, self._on_step, callback_group=group),
            node.create_service(Trigger, STOP_SERVICE, self._on_stop, callback_group=group),
        )

    def look(self) -> None:
        """Publish how it is, if that has changed."""
        word = self._pause.state
        if word != self._word:
            before, self._word = self._word, word
            message = PauseState(state=PAUSES.number(word))
            self._publisher.publish(message)
            if before:  # not at the start
                self._changed(word, message)

    def destroy(self) -> None:
        """Destroy the services and the topic."""
        for service in self._services:
            self._node.destroy_service(service)
        self._node.destroy_publisher(self._publisher)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        if request.data:
            self._pause.pause()
            response.message = (
                'paused: running skills will finish, no new decision or skill will start'
            )
        else:
            self._pause.resume()
            response.message = 'resumed'
        response.success = True
        return response

    def _on_step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._pause.step()
        response.message = 'one decision' if response.success else 'not paused'
        return response

    def _on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        count = self._stop()
        response.success = True
        goals = (
            'no goal was running or queued'
            if not count
            else f'{count} goal{"s" * (count > 1)} canceled'
        )
        response.message = goals
        return response
