# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot bridge: a simulated robot behind the actions, services and topics of a real one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.core.option import option
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.conversions import observation_to_msg
from reactree_ros.ros.nodes.node_main import Server as NodeServer
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import LoadedParameters
from reactree_ros.ros.nodes.world_server import filled_check
from reactree_ros.ros.skills.messages import fill, interface, plain_data
from reactree_ros.sim.robots.robot import Server
from reactree_ros.sim.robots.tasks import ROBOT_SETS, ROBOTS, RobotTask, robot_of
from reactree_ros.sim.robots.world import Attempt, RobotWorld
from reactree_ros.sim.tasks import task_of

_POLL_SEC = 0.02
_FEEDBACK_SEC = 0.5


@dataclass(frozen=True)
class RobotConfig:
    """All parameters of the robot bridge."""

    robot: str = option('office', 'Which robot is simulated.', choices=ROBOTS)
    task_set: str = option(
        '',
        "Set of shipped tasks that the task belongs to. Empty: the robot's own.",
        choices=('', *ROBOT_SETS),
        live=True,
    )
    task: int = option(
        0,
        'Number of the task in its set. It sets what is otherwise than usual, and the goal. 0: '
        'none. Setting it starts again, with everything as at first.',
        minimum=0,
        maximum=1_000_000,
        live=True,
    )
    pace: float = option(
        0.0,
        'Simulated seconds in a second. 0: what takes time is done at once.',
        minimum=0.0,
        maximum=1000.0,
        live=True,
    )


class RobotBridge(NodeServer):
    """One simulated robot, behind its own servers.

    Actions, services and topics are those of ``Robot.serves``; there is one action at a time, and
    a canceled one has changed nothing.

    Services:
        observe (Observe): what the robot perceives; only of a robot that does.
        ROBOT/check_goal (CheckGoal): whether goal conditions hold, by the true state.

    Parameters:
        see ``RobotConfig``.

    Raises:
        ConfigurationError: a parameter is wrong, or an interface type is not installed.
    """

    threads = 8

    def __init__(self, node: Node) -> None:
        self.node = node
        self._log = node.get_logger()
        self._parameters = LoadedParameters(node, RobotConfig, lambda: True, self._start_again)
        config = self._parameters.config
        self._world = _world(config)
        node.add_on_set_parameters_callback(self._check_task)
        self._doing, self._choosing = threading.Lock(), threading.Lock()
        self._leaving = False
        self._idle = threading.Event()
        self._idle.set()
        self._actions: list[ActionServer] = []
        served = self._world.robot.serves
        types = {server: interface(server.type) for server in served}
        # Nothing waits for a request that takes its time.
        self._group = ReentrantCallbackGroup()
        for server, kind in types.items():
            self._serve(server, kind)
        alone = MutuallyExclusiveCallbackGroup()
        node.create_service(
            CheckGoal, f'{config.robot}/check_goal', self._on_check, callback_group=alone
        )
        if self._world.robot.perceives:
            node.create_service(Observe, 'observe', self._on_observe, callback_group=alone)
        names = ', '.join(server.name for server in served)
        self._log.info(f'robot bridge is ready ({config.robot}); it serves {names}')

    def leave(self) -> threading.Event:
        """Stop what is being done; the event is set when nothing is."""
        self._leaving = True
        return self._idle

    def close(self) -> None:
        """Destroy the action servers."""
        for action in self._actions:
            action.destroy()

    def _serve(self, server: Server, kind: Any) -> None:
        what = server.type.split('/')[1]
        if what == 'action':
            self._actions.append(
                ActionServer(
                    self.node,
                    kind,
                    server.name,
                    lambda handle: self._execute(server, kind, handle),
                    goal_callback=self._on_goal,
                    cancel_callback=lambda _: CancelResponse.ACCEPT,
                    callback_group=self._group,
                )
            )
        elif what == 'srv':
            self.node.create_service(
                kind,
                server.name,
                lambda request, response: self._answer(server, request, response),
                callback_group=self._group,
            )
        else:
            self.node.create_subscription(
                kind,
                server.name,
                lambda message: self._take(server, message),
                10,
                callback_group=self._group,
            )

    def _on_goal(self, _: Any) -> GoalResponse:
        with self._choosing:
            if self._leaving or not self._idle.is_set():
                self._log.warning('rejected a goal: the robot is doing something else')
                return GoalResponse.REJECT
            self._idle.clear()
            return GoalResponse.ACCEPT

    def _execute(self, server: Server, kind: Any, handle: ServerGoalHandle) -> Any:
        result = kind.Result()

        def stop() -> bool:
            return bool(handle.is_cancel_requested or self._leaving)

        def report(left: float, attempt: Attempt) -> None:
            feedback = kind.Feedback()
            counted = {name: most * left for name, most in attempt.reply.counting.items()}
            fill(feedback, counted, _no_frame)
            handle.publish_feedback(feedback)

        try:
            attempt = self._do(server, handle.request, stop, report)
            if attempt is None:
                (handle.canceled if handle.is_cancel_requested else handle.abort)()
                return result
            fill(result, attempt.reply.fields, _no_frame)
            (handle.succeed if attempt.reply.succeeded else handle.abort)()
            return result
        finally:
            self._idle.set()

    def _answer(self, server: Server, request: Any, response: Any) -> Any:
        attempt = self._do(server, request, lambda: self._leaving)
        if attempt is not None:
            fill(response, attempt.reply.fields, _no_frame)
        return response

    def _take(self, server: Server, message: Any) -> None:
        self._do(server, message, lambda: self._leaving)

    def _do(
        self,
        server: Server,
        message: Any,
        stop: Callable[[], bool],
        report: Callable[[float, Attempt], None] = lambda left, attempt: None,
    ) -> Attempt | None:
        """Let a request take its time, and then happen at once; None if it was stopped."""
        with self._doing:
            attempt = self._world.attempt(server, plain_data(message))
            pace = self._parameters.config.pace
            seconds = attempt.reply.seconds / pace if pace else 0.0
            start = latest = time.monotonic()
            while (now := time.monotonic()) < start + seconds and not stop():
                if now - latest >= _FEEDBACK_SEC:
                    latest = now
                    report(1.0 - (now - start) / seconds, attempt)
                time.sleep(min(_POLL_SEC, seconds))
            if stop():
                self._log.info(f'{server.name}: stopped, nothing has changed')
                return None
            self._world.settle(attempt)
        self._log.info(f'{server.name}: {_said(attempt.reply.fields)}')
        return attempt

    def _check_task(self, parameters: Sequence[Any]) -> SetParametersResult:
        names = {field.name for field in fields(RobotConfig)}
        changed = {one.name: one.value for one in parameters if one.name in names}
        try:
            _world(replace(self._parameters.config, **changed))
        except ConfigurationError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _start_again(self, config: RobotConfig) -> None:
        with self._doing:
            self._world = _world(config)

    def _on_observe(self, _: Observe.Request, response: Observe.Response) -> Observe.Response:
        response.observation = observation_to_msg(self._world.observe())
        return response

    def _on_check(
        self, request: CheckGoal.Request, response: CheckGoal.Response
    ) -> CheckGoal.Response:
        response.changes = list(self._world.changes())
        found = self._world.check(request.conditions)
        return response if found is None else filled_check(response, found)


def _world(config: RobotConfig) -> RobotWorld:
    name = config.task_set or config.robot
    if robot_of(name) != config.robot:
        raise ConfigurationError(
            f'parameter task_set is {name!r}, not a set of the robot {config.robot!r}'
        )
    task = task_of(name, config.task) if config.task else None
    assert task is None or isinstance(task, RobotTask)
    return RobotWorld(config.robot, task)


def _said(fields: Mapping[str, Any]) -> str:
    return ', '.join(f'{name} {value}' for name, value in fields.items()) or 'done'


def _no_frame(pose: Any) -> Any:
    return pose


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('robot_bridge', RobotBridge))
