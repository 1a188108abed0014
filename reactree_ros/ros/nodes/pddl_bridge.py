# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The PDDL bridge: a planning problem as a robot that ROS 2 can talk to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rclpy.node import Node

from reactree_ros.core.option import option
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.world_server import BridgeOptions, WorldServer
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.pddl.library import PddlLibrary
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.skills.reader import library_at


@dataclass(frozen=True)
class PddlBridgeConfig(BridgeOptions):
    """All parameters of the PDDL bridge."""

    skills: str = option(
        'blocksworld',
        'Skill library with a PDDL domain and problem: name of a shipped one, or path of a YAML '
        'file.',
    )


class PddlBridge(WorldServer):
    """One simulated planning problem, served as ``pddl`` (``WorldServer``).

    Asked about its goal, in words or with no conditions, it answers which of its conditions hold.

    Parameters:
        see ``PddlBridgeConfig``.

    Raises:
        ConfigurationError: a parameter or the problem is wrong.
    """

    def __init__(self, node: Node) -> None:
        config = load(node, PddlBridgeConfig)
        library = library_at(config.skills)
        if not isinstance(library, PddlLibrary):
            raise ConfigurationError(
                f'parameter skills is {config.skills!r}: that library names no PDDL problem'
            )
        self._pddl = PddlWorld(library.problem)
        super().__init__(node, 'pddl', self._pddl, config.skill_duration_sec)
        node.get_logger().info(f'PDDL bridge is ready; its goal: {library.problem.instruction}')

    def check(self, conditions: Sequence[str]) -> GoalCheck | None:
        """Return whether the problem's goal holds, if that is what is asked."""
        is_goal = not conditions or self._pddl.missing(conditions) is not None
        return self._pddl.check() if is_goal else None


def main() -> None:
    """Run the bridge as a process."""
    sys.exit(run_node('pddl_bridge', PddlBridge))
