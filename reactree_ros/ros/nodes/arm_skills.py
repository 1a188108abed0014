# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of an arm above its standard controllers, real or simulated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.errors import ConfigurationError, ReactreeError
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.world_server import WorldServer
from reactree_ros.sim.physics.description import description_of
from reactree_ros.sim.physics.tasks import needs_physics


@dataclass(frozen=True)
class ArmSkillsConfig:
    """All parameters of the skill server."""

    world: str = option(
        'kitchen',
        'Name of a shipped world, or path of a file that describes one: its furniture, and the '
        'things that can be recognised.',
    )
    seed: int = option(
        0,
        'Seed of all motions.',
        minimum=0,
        maximum=2**31 - 1,
    )


class ArmSkills(WorldServer):
    """The skills of one arm, served as ``kitchen`` (``WorldServer``), without judging goals.

    It moves the arm by ``FollowJointTrajectory`` and ``GripperCommand``, and sees by the topics
    ``head_camera/detections`` and ``head_camera/openings`` (docs/physics.md).

    Parameters:
        see ``ArmSkillsConfig``.

    Raises:
        ConfigurationError: a parameter or the world is wrong, or a package is missing.
    """

    threads = 8

    def __init__(self, node: Node) -> None:
        config = load(node, ArmSkillsConfig)
        try:
            from reactree_ros.ros.arm.robot import RosRobot
            from reactree_ros.sim.physics.manipulation.arm_world import ArmWorld
        except ImportError as error:
            raise ConfigurationError(needs_physics(error)) from error
        description = description_of(config.world)
        self._robot = robot = RosRobot(node)
        self._make = lambda: ArmWorld(robot, description, config.seed)
        super().__init__(node, 'kitchen', None, locks=False)

    def begin(self) -> str:
        """Wait until the robot is there; return what is wrong, empty if nothing."""
        try:
            self._robot.wait()
            self._arm = self._make()
        except ReactreeError as error:
            return str(error)
        self.serve(self._arm, checks=False)
        self._log.info('the skills of the arm are ready')
        return ''

    def perceive(self, overview: bool) -> Observation:
        """Return what the robot perceives now, or which topic is silent."""
        try:
            return super().perceive(overview)
        except ConfigurationError as error:
            return Observation(f'The robot does not answer: {error}.')

    def carry_out(
        self, skill: str, arguments: tuple[str, ...], stop: Callable[[], bool]
    ) -> SkillResult:
        """Carry out one skill; it fails if the robot does not take part."""
        try:
            return self._arm.execute(skill, arguments, stop)
        except ConfigurationError as error:
            return SkillResult(SkillStatus.FAILED, Observation(f'The robot cannot do it: {error}.'))


def main() -> None:
    """Run the skill server as a process."""
    sys.exit(run_node('arm_skills', ArmSkills))
