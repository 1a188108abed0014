# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The PDDL bridge: a planning problem as a robot that ROS 2 can talk to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rclpy.node import Node

from reactree_ros.behaviours.assembly import library_at
from reactree_ros.core.observation import Observation
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.pddl.library import PddlLibrary
from reactree_ros.pddl.world import PddlWorld
from reactree_ros.ros.node_main import run_node
from reactree_ros.ros.parameters import Parameter, load
from reactree_ros.ros.world_server import SKILL_SECONDS, WorldServer
from reactree_ros.world import GoalCheck

PARAMETERS = (
    Parameter(
        'skills',
        'blocksworld',
        'A skill library that names a PDDL domain and problem: a shipped one by name, or the path '
        'of a YAML file.',
    ),
    SKILL_SECONDS,
)
"""All parameters of the PDDL bridge."""


@dataclass(frozen=True)
class PddlBridgeConfig:
    """The bridge's parameters; see ``PARAMETERS``."""

    skills: str
    skill_seconds: float


class PddlBridge(WorldServer):
    """One simulated planning problem, served as ``pddl`` (``WorldServer``).

    Asked about its goal, in words or with no conditions, it tells which of its conditions hold.

    Parameters:
        see ``PARAMETERS``.

    Args:
        node: the node; its parameters are loaded here.

    Raises:
        ConfigurationError: a parameter or the problem is wrong.
    """

    def __init__(self, node: Node) -> None:
        config = load(node, PARAMETERS, PddlBridgeConfig)
        library = library_at(config.skills)
        if not isinstance(library, PddlLibrary):
            raise ConfigurationError(
                f'parameter skills is {config.skills!r}: that library names no PDDL problem'
            )
        self._world = PddlWorld(library.problem)
        super().__init__(node, 'pddl', self._world, config.skill_seconds)
        node.get_logger().info(f'PDDL bridge is ready; its goal: {library.problem.instruction}')

    def observe(self, whole: bool) -> Observation:
        """Tell all that is true."""
        return self._world.observe()

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether the problem's goal holds, if that is what is asked."""
        asked = [' '.join(line.split()) for line in conditions]
        return self._world.check() if asked in ([], [self._world.problem.instruction]) else None


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('pddl_bridge', PddlBridge))


if __name__ == '__main__':
    main()
