# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated world as a robot that ROS 2 can talk to."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.ros.conversions import observation_to_msg, skill_result_to_msg
from reactree_ros.sim.household import GoalCheck

_POLL_SEC = 0.01


@dataclass(frozen=True)
class BridgeOptions:
    """Parameters of every bridge."""

    skill_duration_sec: float = option(
        0.2,
        'Duration of a skill. Until then it can be canceled and has changed nothing.',
        unit='s',
        minimum=0.0,
        maximum=3600.0,
    )


class Simulated(Protocol):
    """A world that skills change."""

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Do a skill, or say why not."""

    def changes(self) -> Sequence[str]:
        """Tell what is different from the beginning, one line each."""


class WorldServer:
    """A node that serves one world with one robot (``node_main.Server``); the base of bridges.

    Actions:
        NAME/execute_skill (ExecuteSkill): does one skill at a time; a second goal while one runs
            is rejected. A canceled skill has changed nothing.
    Services:
        NAME/observe (Observe): what the robot perceives now, or what is in the whole world.
        NAME/check_goal (CheckGoal): whether goal conditions hold.

    Args:
        node: the node.
        name: what the names begin with.
        simulated: the world.
        skill_duration_sec: how long a skill takes.
    """

    threads = 3

    def __init__(
        self, node: Node, name: str, simulated: Simulated, skill_duration_sec: float
    ) -> None:
        self.node = node
        self._log = node.get_logger()
        self._simulated = simulated
        self._skill_duration_sec = skill_duration_sec
        self._lock = threading.Lock()
        self._busy = False
        self._leaving = False
        self._idle = threading.Event()
        self._idle.set()
        self._server = ActionServer(
            node,
            ExecuteSkill,
            f'{name}/execute_skill',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        node.create_service(Observe, f'{name}/observe', self._on_observe)
        node.create_service(CheckGoal, f'{name}/check_goal', self._on_check)

    def observe(self, whole: bool) -> Observation:
        """Tell what is perceived now, or what is known of the whole world."""
        raise NotImplementedError

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions hold; None if they cannot be read, or there are none.

        Args:
            conditions: one line each; empty for those of the world's own task.
        """
        raise NotImplementedError

    def begin(self) -> str:
        """Do nothing: it serves as soon as it is made."""
        return ''

    @property
    def broken(self) -> str:
        """Nothing can break a simulated world."""
        return ''

    def leave(self) -> threading.Event:
        """Cut a running skill short; the event is set when none runs."""
        self._leaving = True
        return self._idle

    def close(self) -> None:
        """Destroy the action server."""
        self._server.destroy()

    def _on_goal(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        with self._lock:
            if self._busy or self._leaving:
                self._log.warning(f'rejected {_phrase(goal)}: another skill is running')
                return GoalResponse.REJECT
            self._busy = True
            self._idle.clear()
        return GoalResponse.ACCEPT

    def _execute(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        try:
            return self._execute_alone(handle)
        finally:
            with self._lock:
                self._busy = False
                self._idle.set()

    def _execute_alone(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        goal = handle.request
        phrase = _phrase(goal)
        handle.publish_feedback(ExecuteSkill.Feedback(text=phrase))
        end = time.monotonic() + self._skill_duration_sec
        while time.monotonic() < end and not handle.is_cancel_requested and not self._leaving:
            time.sleep(_POLL_SEC)
        if handle.is_cancel_requested or self._leaving:
            handle.canceled() if handle.is_cancel_requested else handle.abort()
            self._log.info(f'{phrase}: canceled, nothing changed')
            nothing = Observation(f'{phrase} was canceled: nothing changed.')
            return skill_result_to_msg(SkillResult(SkillStatus.CANCELED, nothing))
        with self._lock:
            result = self._simulated.execute(goal.skill, tuple(goal.arguments))
        if result.status is SkillStatus.SUCCEEDED:
            handle.succeed()
        else:
            handle.abort()
        self._log.info(f'{phrase}: {result.observation.text}')
        return skill_result_to_msg(result)

    def _on_observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        with self._lock:
            response.observation = observation_to_msg(self.observe(request.overview))
        return response

    def _on_check(
        self, request: CheckGoal.Request, response: CheckGoal.Response
    ) -> CheckGoal.Response:
        with self._lock:
            response.changes = list(self._simulated.changes())
            found = self.check(request.conditions)
        if found is None:
            return response
        response.known = True
        response.holds = found.holds
        response.satisfied = list(found.satisfied)
        response.unsatisfied = list(found.unsatisfied)
        response.met, response.wanted = found.met, found.wanted
        return response


def _phrase(goal: ExecuteSkill.Goal) -> str:
    return ' '.join([goal.skill.replace('_', ' '), ', '.join(goal.arguments)]).strip()
