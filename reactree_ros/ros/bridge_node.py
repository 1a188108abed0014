# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The household bridge: the simulated household as a robot that ROS 2 can talk to."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.exceptions import ConfigurationError, WorldError
from reactree_ros.ros.conversions import observation_to_msg, skill_result_to_msg
from reactree_ros.ros.node_main import run_node
from reactree_ros.ros.parameters import Parameter, load
from reactree_ros.world import (
    Condition,
    Scene,
    Task,
    World,
    check,
    conditions_from_text,
    load_scene,
    parse_conditions,
    shipped_scene,
)
from reactree_ros.world.survey import survey
from reactree_ros.world.task_sets import TASK_SETS, scene_of, task_set

PARAMETERS = (
    Parameter('scene', '', 'A shipped scene by name, or the path of a scene file. Empty: the '
              "task's scene, or apartment_1 without a task."),
    Parameter('task_set', 'household', 'Set of shipped tasks that the task is of.',
              choices=TASK_SETS),
    Parameter('task', 0, 'Number of a task in its set, whose start and goal conditions are '
              'taken. 0: none.', lowest=0, highest=1_000_000),
    Parameter('room', '', 'Room in which the robot starts, such as "kitchen 1". Empty: the '
              "task's, or the scene's."),
    Parameter('skill_seconds', 0.2, 'How long a skill takes; until then it can be cancelled and '
              'has changed nothing.', unit='s', lowest=0.0, highest=3600.0),
)  # fmt: skip
"""All parameters of the household bridge."""

_FIRST_SCENE = 'apartment_1'
_POLL_SEC = 0.01
_NOTATION = re.compile(r'(\w+_[\w.+]+)\s*(?::\s*(\d+))?')


@dataclass(frozen=True)
class BridgeConfig:
    """The bridge's parameters; see ``PARAMETERS``."""

    scene: str
    task_set: str
    task: int
    room: str
    skill_seconds: float


class HouseholdBridge:
    """One simulated household with one robot.

    Actions:
        household/execute_skill (ExecuteSkill): does one skill at a time; a second goal while one
            runs is rejected. A canceled skill has changed nothing.
    Services:
        household/observe (Observe): what the robot perceives now, or what is in the whole house.
        household/check_goal (CheckGoal): whether goal conditions hold. A request may have
            conditions in the notation of the task files (``inside_apple_fridge: 2``), or one
            instruction in plain language, which is read if every word of it is understood, or if
            it is that of the task.
    Parameters:
        see ``PARAMETERS``.

    Args:
        node: the node; its parameters are loaded here.

    Raises:
        ConfigurationError: a parameter, the scene or the task is wrong.
    """

    threads = 3

    def __init__(self, node: Node) -> None:
        self.node = node
        self._config = load(node, PARAMETERS, BridgeConfig)
        self._task = _task(self._config.task_set, self._config.task)
        self._world = _world(self._config, self._task)
        self._lock = threading.Lock()
        self._busy = False
        self._leaving = False
        self._idle = threading.Event()
        self._idle.set()
        self._server = ActionServer(
            node,
            ExecuteSkill,
            'household/execute_skill',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        node.create_service(Observe, 'household/observe', self._on_observe)
        node.create_service(CheckGoal, 'household/check_goal', self._on_check)
        rooms = ', '.join(self._world.observe().rooms)
        node.get_logger().info(f'household bridge is ready; rooms: {rooms}')

    def begin(self) -> str:
        """Do nothing: it serves as soon as it is made."""
        return ''

    @property
    def broken(self) -> str:
        """Nothing can break a simulated household."""
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
                self.node.get_logger().warning(
                    f'rejected {_phrase(goal)}: another skill is running'
                )
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
        end = time.monotonic() + self._config.skill_seconds
        while time.monotonic() < end and not handle.is_cancel_requested and not self._leaving:
            time.sleep(_POLL_SEC)
        if handle.is_cancel_requested or self._leaving:
            handle.canceled() if handle.is_cancel_requested else handle.abort()
            self.node.get_logger().info(f'{phrase}: canceled, nothing changed')
            nothing = Observation(f'{phrase} was canceled: nothing changed.')
            return skill_result_to_msg(SkillResult(SkillStatus.CANCELED, nothing))
        with self._lock:
            result = self._world.execute(goal.skill, tuple(goal.arguments))
        if result.status is SkillStatus.SUCCEEDED:
            handle.succeed()
        else:
            handle.abort()
        self.node.get_logger().info(f'{phrase}: {result.observation.text}')
        return skill_result_to_msg(result)

    def _on_observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        look = survey if request.whole_house else World.observe
        with self._lock:
            response.observation = observation_to_msg(look(self._world))
        return response

    def _on_check(
        self, request: CheckGoal.Request, response: CheckGoal.Response
    ) -> CheckGoal.Response:
        conditions = self._conditions(request.conditions)
        with self._lock:
            response.changes = list(self._world.changes())
            if conditions is None:
                return response
            found = check(self._world, conditions)
        response.known = True
        response.holds = found.holds
        response.satisfied = list(found.satisfied)
        response.unsatisfied = list(found.unsatisfied)
        response.met, response.wanted = found.met, found.wanted
        return response

    def _conditions(self, lines: Sequence[str]) -> tuple[Condition, ...] | None:
        scene = self._world.scene
        raw: dict[str, int] | None = None
        if self._task is not None and (not lines or _is_instruction(lines, self._task)):
            raw = self._task.goal
        elif lines:
            raw = _conditions_from_lines(lines, scene)
        if not raw:
            return None
        try:
            return parse_conditions(raw, scene, 'conditions')
        except ConfigurationError as error:
            self.node.get_logger().warning(str(error))
            return None


def _is_instruction(lines: Sequence[str], task: Task) -> bool:
    """Whether what is asked about is what the task is called, in any of its wordings."""
    wordings = {' '.join(text.split()) for text in (task.instruction, *task.instructions)}
    return len(lines) == 1 and ' '.join(lines[0].split()) in wordings


def _conditions_from_lines(lines: Sequence[str], scene: Scene) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for line in lines:
        notation = _NOTATION.fullmatch(line.strip())
        if notation:
            found[notation[1]] = int(notation[2] or 1)
            continue
        read = conditions_from_text(line, scene)
        if read is None:
            return None
        found.update(read)
    return found


def _task(name: str, number: int) -> Task | None:
    if number == 0:
        return None
    tasks = {task.id: task for task in task_set(name)}
    if number not in tasks:
        raise ConfigurationError(
            f'parameter task is {number}: it must be 0 or the number of a task of {name}, which '
            f'has {len(tasks)}, from {min(tasks)} to {max(tasks)}'
        )
    return tasks[number]


def _world(config: BridgeConfig, task: Task | None) -> World:
    if task is not None and config.scene not in ('', task.scene):
        raise ConfigurationError(
            f'parameter scene is {config.scene!r}, but task {task.id} has the scene '
            f'{task.scene!r}: give one of the two'
        )
    name = config.scene or (task.scene if task else _FIRST_SCENE)
    looks_like_a_path = '/' in name or name.endswith('.json')
    try:
        if task is not None:
            scene = scene_of(task)
        else:
            scene = load_scene(Path(name)) if looks_like_a_path else shipped_scene(name)
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter scene is {name!r}: {error}') from error
    room = config.room or (task.start if task else '')
    try:
        world = World(scene, room)
        if task is not None:
            parse_conditions(task.goal, scene, f'the goal of task {task.id}')
    except WorldError as error:
        raise ConfigurationError(f'parameter room is {room!r}: {error}') from error
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter scene is {name!r}: {error}') from error
    return world


def _phrase(goal: ExecuteSkill.Goal) -> str:
    return ' '.join([goal.skill.replace('_', ' '), ', '.join(goal.arguments)]).strip()


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('household_bridge', HouseholdBridge))


if __name__ == '__main__':
    main()
