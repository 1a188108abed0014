# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner, with the beginning of every tick written down, for ``reactree-lab bench-ticks``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from rclpy.node import Node

from reactree_ros.ros.goals.planner import Planner
from reactree_ros.ros.nodes.managed_node import ManagedNode
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.planner_node import ManagedPlanner
from reactree_ros.ros.nodes.tree_host import TreeHost

TICK_FILE = 'REACTREE_TICK_FILE'
"""Environment variable with the file to be written: a line with a time in nanoseconds of the
monotonic clock for every tick in which a goal was running."""


class TimedPlanner(Planner):
    """A planner that remembers when its ticks began."""

    def __init__(self, node: Node, config: PlannerConfig, host: TreeHost) -> None:
        self._begun: list[int] = []
        super().__init__(node, config, host)

    def _tick(self) -> None:
        if self._current is not None:
            self._begun.append(time.monotonic_ns())
        super()._tick()

    def close(self) -> None:
        """Write the times and let go of everything."""
        Path(os.environ[TICK_FILE]).write_text('\n'.join(map(str, self._begun)), encoding='utf-8')
        super().close()


def main() -> None:
    """Run the planner as a process."""

    def make(node: ManagedNode) -> ManagedPlanner:
        return ManagedPlanner(node, TimedPlanner)

    sys.exit(run_node('reactree_planner', make, ManagedNode))


if __name__ == '__main__':
    main()
