# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The household bridge: the simulated household as a robot that ROS 2 can talk to."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node

from reactree_ros.core.option import option
from reactree_ros.errors import ConfigurationError, WorldError
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import robot_names
from reactree_ros.ros.nodes.world_server import BridgeOptions, WorldServer
from reactree_ros.sim.household import (
    GoalCheck,
    Task,
    TaskWorld,
    World,
    check_lines,
    load_scene,
    shipped_scene,
)
from reactree_ros.sim.household.task_sets import TASK_SETS
from reactree_ros.sim.tasks import task_of

_FIRST_SCENE = 'apartment_1'


@dataclass(frozen=True)
class HouseholdConfig(BridgeOptions):
    """All parameters of the household bridge."""

    scene: str = option(
        '',
        "Name of a shipped scene, or path of a scene file. Empty: the task's scene, or "
        f'{_FIRST_SCENE} without a task.',
    )
    task_set: str = option(
        'household',
        'Set of shipped tasks that the task belongs to.',
        choices=TASK_SETS,
    )
    task: int = option(
        0,
        'Number of the task in its set. It sets start and goal conditions. 0: none.',
        minimum=0,
        maximum=1_000_000,
    )
    room: str = option(
        '',
        'Room in which the robot starts, such as "kitchen 1". Empty: that of the task or scene.',
    )
    robots: tuple[str, ...] = option(
        ('',),
        'Namespaces of the robots in the household. [""]: one robot, in the own namespace.',
    )


class HouseholdBridge(WorldServer):
    """One simulated household, served as ``household`` (``WorldServer``).

    With several robots each is served in its namespace, as ``robot2/household``. It may be asked
    for lines of conditions (``2 apple inside fridge``), or for the instruction of its task.

    Parameters:
        see ``HouseholdConfig``.

    Raises:
        ConfigurationError: a parameter, the scene or the task is wrong.
    """

    def __init__(self, node: Node) -> None:
        config = load(node, HouseholdConfig)
        robots = robot_names(config.robots)
        house = _world(config, task_of(config.task_set, config.task) if config.task else None)
        self._house = house
        super().__init__(node, 'household', None, config.skill_duration_sec)
        self.serve(house, skills=robots == ('',))
        worlds = [house, *(house.join(config.room) for _ in robots[1:])]
        self._robots = [
            _RobotServer(self, f'{name}/household', world, config.skill_duration_sec)
            for name, world in zip(robots, worlds, strict=True)
            if name
        ]
        self.threads = type(self).threads + len(self._robots)
        rooms = ', '.join(self._house.observe().rooms)
        node.get_logger().info(f'household bridge is ready; rooms: {rooms}')

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions hold; see ``WorldServer``."""
        house = self._house
        if isinstance(house, TaskWorld) and (not conditions or house.task.is_said_by(conditions)):
            return house.check()
        return check_lines(house, conditions)

    def leave(self) -> threading.Event:
        """Stop all running skills; the event is set when none runs."""
        idle = [super().leave(), *(robot.leave() for robot in self._robots)]
        left = threading.Event()

        def wait() -> None:
            for one in idle:
                one.wait()
            left.set()

        threading.Thread(target=wait, daemon=True).start()
        return left

    def close(self) -> None:
        """Destroy the action servers."""
        super().close()
        for robot in self._robots:
            robot.close()


class _RobotServer(WorldServer):
    """One of several robots in a household."""

    def __init__(self, bridge: HouseholdBridge, name: str, house: World, seconds: float) -> None:
        self._bridge = bridge
        super().__init__(bridge.node, name, house, seconds, with_others=bridge)

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        return self._bridge.check(conditions)


def _world(config: HouseholdConfig, task: Task | None) -> World:
    if task is not None and config.scene not in ('', task.scene):
        raise ConfigurationError(
            f'parameter scene is {config.scene!r}, but task {task.id} has the scene '
            f'{task.scene!r}: give one of the two'
        )
    name = config.scene or (task.scene if task else _FIRST_SCENE)
    looks_like_a_path = '/' in name or name.endswith('.json')
    room = config.room or (task.start if task else '')
    try:
        if task is None:
            return World(load_scene(Path(name)) if looks_like_a_path else shipped_scene(name), room)
        return TaskWorld(task, room)
    except WorldError as error:
        raise ConfigurationError(f'parameter room is {room!r}: {error}') from error
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter scene is {name!r}: {error}') from error


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('household_bridge', HouseholdBridge))
