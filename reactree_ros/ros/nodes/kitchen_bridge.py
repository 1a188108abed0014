# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The kitchen bridge: an arm in a physics simulation as a robot that ROS 2 can talk to."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rclpy.node import Node

from reactree_ros.core.observation import SkillResult
from reactree_ros.core.option import option
from reactree_ros.core.settings import USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.world_server import WorldServer
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.physics.tasks import (
    ARM_SETS,
    KITCHEN_SETS,
    KitchenTask,
    needs_physics,
    start_of,
)
from reactree_ros.sim.tasks import task_of

if TYPE_CHECKING:
    from reactree_ros.ros.arm.camera import CameraStream
    from reactree_ros.ros.arm.controllers import Controllers
    from reactree_ros.ros.arm.markers import SceneMarkers
    from reactree_ros.ros.arm.poses import PosePublisher
    from reactree_ros.ros.arm.streams import Streams
    from reactree_ros.sim.physics.simulation import Simulation
    from reactree_ros.sim.physics.viewing.page import LivePage


_LOOK_SEC = 0.01


@dataclass(frozen=True)
class KitchenConfig:
    """All parameters of the kitchen bridge."""

    world: str = option(
        'kitchen',
        'Name of a shipped world, or path of a file that describes one.',
    )
    task_set: str = option(
        KITCHEN_SETS[0],
        'Set of shipped tasks that the task belongs to.',
        choices=ARM_SETS,
    )
    task: int = option(
        0,
        'Number of the task in its set. It sets the world, where things stand (drawn by the seed), '
        'the error of the positions and what disturbs the robot. 0: none.',
        minimum=0,
        maximum=1_000_000,
    )
    pace: float = option(
        0.0,
        'Simulated seconds in a second, at most. 0: time passes only while the robot moves, as '
        'fast as the processor allows, so that a run can be repeated.',
        minimum=0.0,
        maximum=1000.0,
    )
    pose_error: float = option(
        0.003,
        'Standard deviation of the positions that the camera reports, in x and y.',
        unit='m',
        minimum=0.0,
        maximum=0.2,
    )
    skills: bool = option(
        True,
        'Whether skills are served. Without them, a skill server above the controllers '
        '(`reactree_arm_skills`) may do it.',
    )
    controllers: bool = option(
        True,
        "Whether the arm's controllers are served and its joint states, frames, odometry, scan, "
        'pictures and map are published, too.',
    )
    page: bool = option(
        False,
        'Whether a page for the browser shows the simulation in 3D. Its address is logged.',
    )
    page_host: str = option('localhost', 'Address that the page listens on.')
    page_port: int = option(
        8081,
        'Port of the page; the next free one from here is taken.',
        minimum=1,
        maximum=65535,
    )
    motions_dir: str = option(
        USER,
        'Folder for the recorded motions (one file for each start), of which `reactree film` makes '
        'films, or "user" for motions in the user\'s data folder. Empty: none.',
    )
    max_motions: int = option(
        50,
        'Most recorded motions to keep. The oldest are deleted first.',
        unit='files',
        minimum=1,
        maximum=1_000_000,
    )
    seed: int = option(
        0,
        "Seed of the camera's errors, of all motions and, with a task, of where things stand.",
        minimum=0,
        maximum=2**31 - 1,
    )


class KitchenBridge(WorldServer):
    """One arm in a kitchen, served as ``kitchen`` (``WorldServer``).

    A canceled skill leaves the robot at rest where it is; what it has moved stays moved. The arm's
    controllers are served beside the skills (``ros.arm``); while one moves it the other is refused.

    Parameters:
        see ``KitchenConfig``.

    Raises:
        ConfigurationError: a parameter or the world is wrong, or MuJoCo is not installed.
    """

    threads = 10

    def __init__(self, node: Node) -> None:
        config = load(node, KitchenConfig)
        try:
            from reactree_ros.ros.arm.poses import PosePublisher
            from reactree_ros.sim.physics.description import description_of
            from reactree_ros.sim.physics.live import LiveSimulation
            from reactree_ros.sim.physics.task_world import KitchenTaskWorld, disturbance_of
            from reactree_ros.sim.physics.viewing.motion_file import MotionRecorder
            from reactree_ros.sim.physics.world import PhysicsWorld
        except ImportError as error:
            raise ConfigurationError(needs_physics(error)) from error
        self._task = _task_of(config)
        before: list[Callable[[Simulation], None]] = []
        if self._task is None:
            description, pose_error = description_of(config.world), config.pose_error
        else:
            description, pose_error = start_of(self._task, config.seed), self._task.error
            if disturbance := disturbance_of(self._task):
                before.append(disturbance)
        self._recorder: MotionRecorder | None = None
        if config.motions_dir:
            folder = data('motions') if config.motions_dir == USER else Path(config.motions_dir)
            about = {name: getattr(config, name) for name in ('world', 'task_set', 'task', 'seed')}
            log = node.get_logger()
            self._recorder = MotionRecorder(folder, about, config.max_motions, log)
            before.append(self._recorder.sample)

        def before_step(simulation: Simulation) -> None:
            for each in before:
                each(simulation)

        page = _page_type() if config.page else None
        seed = config.seed
        self._live = LiveSimulation(description, pose_error, seed, before_step, config.pace)
        self._page: LivePage | None = None
        if page is not None:
            try:
                self._page = page(self._live, config.page_host, config.page_port)
            except ConfigurationError:
                self._live.close()
                raise
            node.get_logger().info(f'the simulation in 3D: {self._page.address}')
        self._kitchen: PhysicsWorld
        self._judge: Callable[[], GoalCheck] | None = None
        if self._task is None:
            self._kitchen = PhysicsWorld(description, seed=seed, robot=self._live)
        else:
            self._kitchen = world = KitchenTaskWorld(self._task, seed, self._live)
            self._judge = world.judge
        super().__init__(node, 'kitchen', None, locks=False)
        self.serve(self._kitchen, skills=config.skills)
        self._controllers: Controllers | None = None
        self._streams: list[Streams | CameraStream | SceneMarkers | PosePublisher]
        self._streams = [PosePublisher(node, self._live)]
        if config.controllers:
            self._serve_controllers(node)
        places = ', '.join(description.furniture)
        node.get_logger().info(f'kitchen bridge is ready; furniture: {places}')

    def _serve_controllers(self, node: Node) -> None:
        """Serve what a real arm has, where ROS 2 has the interfaces for it."""
        try:
            from reactree_ros.ros.arm.camera import CameraStream
            from reactree_ros.ros.arm.controllers import Controllers
            from reactree_ros.ros.arm.streams import Streams
        except ImportError as error:
            node.get_logger().info(
                f'the controllers are not served ({error}); with ROS 2 from wheels: make setup-arm'
            )
            return
        self._controllers = Controllers(
            node, self._live, self._kitchen.drive_to, lambda: not self.busy, self.accepting
        )
        self._streams += [Streams(node, self._live), CameraStream(node, self._live)]
        try:
            from reactree_ros.ros.arm.markers import SceneMarkers
        except ImportError as error:
            node.get_logger().info(f'scene_markers is not published ({error})')
        else:
            self._streams.append(SceneMarkers(node, self._live))

    def may_start(self) -> str:
        """Return why no skill can start now; empty if one can."""
        if self._controllers is not None and self._controllers.busy:
            return 'a controller moves the robot'
        return super().may_start()

    @property
    def broken(self) -> str:
        """Why the node cannot go on: the physics has ended."""
        return f'the physics has ended: {self._live.fault!r}' if self._live.fault else ''

    def leave(self) -> threading.Event:
        """Stop what moves; the event is set when no skill runs and no controller."""
        controllers, idle = self._controllers, super().leave()
        if controllers is None:
            return idle
        controllers.leave()
        left = threading.Event()

        def wait() -> None:
            idle.wait()
            while controllers.busy:
                time.sleep(_LOOK_SEC)
            left.set()

        threading.Thread(target=wait, daemon=True).start()
        return left

    def close(self) -> None:
        """Release everything."""
        for one in self._streams:
            one.close()
        if self._controllers is not None:
            self._controllers.close()
        super().close()
        if self._page is not None:
            self._page.close()
        self._live.close()
        if self._recorder is not None:
            self._recorder.close()

    def carry_out(
        self, skill: str, arguments: tuple[str, ...], stop: Callable[[], bool]
    ) -> SkillResult:
        """Carry out one skill; it can be observed meanwhile."""
        return self._kitchen.execute(skill, arguments, stop)

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions, or those of the task, hold by the state of the physics."""
        if self._task and self._judge and (not conditions or self._task.is_said_by(conditions)):
            return self._judge()
        return self._kitchen.check(conditions)


def _page_type() -> type[LivePage]:
    try:
        from reactree_ros.sim.physics.viewing.page import LivePage
    except ImportError as error:
        raise ConfigurationError(f'the page needs the extra "physics": {error}') from error
    return LivePage


def _task_of(config: KitchenConfig) -> KitchenTask | None:
    found = task_of(config.task_set, config.task) if config.task else None
    assert found is None or isinstance(found, KitchenTask)
    return found


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('kitchen_bridge', KitchenBridge))
