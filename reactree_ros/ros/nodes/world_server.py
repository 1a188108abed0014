# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated world as a robot that ROS 2 can talk to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.ros.conversions import observation_to_msg, skill_result_to_msg
from reactree_ros.ros.nodes.node_main import Server
from reactree_ros.sim.household import GoalCheck
from reactree_ros.skills.simulated import SimulatedWorld

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


class BridgedWorld(SimulatedWorld, Protocol):
    """A world that says what has changed since its start."""

    def changes(self) -> Sequence[str]:
        """Return a line for each thing that is elsewhere, or in another state."""


class WorldServer(Server):
    """A node that serves one simulated world with one robot; the base of bridges.

    Actions:
        NAME/execute_skill (ExecuteSkill): does one skill at a time; a second goal while one runs
            is rejected. A canceled skill has changed nothing, unless the world is physical.
    Services:
        NAME/observe (Observe): what the robot perceives now, or what is in the whole world.
        NAME/check_goal (CheckGoal): whether goal conditions hold.

    Args:
        name: what the names begin with.
        world: the world; None if ``serve`` is called with it later.
        skill_duration_sec: how long a skill takes.
        locks: the world is not for several threads; else it has locks of its own.
        with_others: serves other robots in the same world.

    Attributes:
        accepting: held while it is decided whether a goal is accepted.
    """

    threads = 3

    def __init__(
        self,
        node: Node,
        name: str,
        world: BridgedWorld | None,
        skill_duration_sec: float = 0.0,
        *,
        locks: bool = True,
        with_others: WorldServer | None = None,
    ) -> None:
        self.node = node
        self._log = node.get_logger()
        self._name = name
        self._skill_duration_sec = skill_duration_sec
        self._lock: threading.Lock | nullcontext[None]
        self._lock = threading.Lock() if locks else nullcontext()
        if with_others is not None:
            self._lock = with_others._lock
        self._leaving = False
        self.accepting = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._server: ActionServer | None = None
        if world is not None:
            self.serve(world)

    def serve(self, world: BridgedWorld, *, skills: bool = True, checks: bool = True) -> None:
        """Serve a world from now on.

        Args:
            world: the world.
            skills: whether its skills are served, and what the robot perceives.
            checks: whether goals are judged.
        """
        self._world, node, name = world, self.node, self._name
        # An answer may have to wait for the robot; nothing else must wait for it.
        if checks:
            group = MutuallyExclusiveCallbackGroup()
            node.create_service(
                CheckGoal, f'{name}/check_goal', self._on_check, callback_group=group
            )
        if not skills:
            return
        group = MutuallyExclusiveCallbackGroup()
        node.create_service(Observe, f'{name}/observe', self._on_observe, callback_group=group)
        self._server = ActionServer(
            node,
            ExecuteSkill,
            f'{name}/execute_skill',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions hold; None if they cannot be read, or there are none.

        Args:
            conditions: one line each; empty for those of the world's own task.
        """
        raise NotImplementedError

    def leave(self) -> threading.Event:
        """Stop a running skill; the event is set when none runs."""
        self._leaving = True
        return self._idle

    def close(self) -> None:
        """Destroy the action server."""
        if self._server is not None:
            self._server.destroy()

    @property
    def busy(self) -> bool:
        """Whether a skill is running, or the node leaves."""
        return not self._idle.is_set() or self._leaving

    def may_start(self) -> str:
        """Return why no skill can start now; empty if one can."""
        return 'another skill is running' if self.busy else ''

    def _on_goal(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        with self.accepting:
            reason = self.may_start()
            if not reason:
                self._idle.clear()
                return GoalResponse.ACCEPT
        self._log.warning(f'rejected {_phrase(goal)}: {reason}')
        return GoalResponse.REJECT

    def _execute(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        try:
            return self._execute_alone(handle)
        finally:
            self._idle.set()

    def _execute_alone(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        goal = handle.request
        phrase = _phrase(goal)
        handle.publish_feedback(ExecuteSkill.Feedback(text=phrase))
        result = self.carry_out(
            goal.skill,
            tuple(goal.arguments),
            lambda: bool(handle.is_cancel_requested or self._leaving),
        )
        canceled = result.status is SkillStatus.CANCELED
        if result.status is SkillStatus.SUCCEEDED:
            handle.succeed()
        elif canceled and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        self._log.info(f'{phrase}: {"canceled" if canceled else result.observation.text}')
        return skill_result_to_msg(result)

    def carry_out(
        self, skill: str, arguments: tuple[str, ...], stop: Callable[[], bool]
    ) -> SkillResult:
        """Carry out one skill: it takes its time, and then changes the world at once.

        Args:
            skill: name of the skill.
            arguments: names of objects or rooms.
            stop: whether it is canceled, or the node leaves.
        """
        end = time.monotonic() + self._skill_duration_sec
        while time.monotonic() < end and not stop():
            time.sleep(_POLL_SEC)
        if stop():
            nothing = Observation(f'{_words(skill, arguments)} was canceled: nothing changed.')
            return SkillResult(SkillStatus.CANCELED, nothing)
        with self._lock:
            return self._world.execute(skill, arguments)

    def perceive(self, overview: bool) -> Observation:
        """Return what the robot perceives now, or what is in the whole world."""
        return self._world.survey() if overview else self._world.observe()

    def _on_observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        with self._lock:
            response.observation = observation_to_msg(self.perceive(request.overview))
        return response

    def _on_check(
        self, request: CheckGoal.Request, response: CheckGoal.Response
    ) -> CheckGoal.Response:
        with self._lock:
            response.changes = list(self._world.changes())
            found = self.check(request.conditions)
        return response if found is None else filled_check(response, found)


def filled_check(response: CheckGoal.Response, found: GoalCheck) -> CheckGoal.Response:
    """Return a response that says which conditions hold."""
    response.known, response.holds = True, found.holds
    response.satisfied, response.unsatisfied = list(found.satisfied), list(found.unsatisfied)
    response.met, response.wanted = found.met, found.wanted
    return response


def _phrase(goal: ExecuteSkill.Goal) -> str:
    return _words(goal.skill, tuple(goal.arguments))


def _words(skill: str, arguments: tuple[str, ...]) -> str:
    return ' '.join([skill.replace('_', ' '), ', '.join(arguments)]).strip()
