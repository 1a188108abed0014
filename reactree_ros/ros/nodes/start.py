# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the process of a node: ``python -m reactree_ros.ros.nodes.start MODULE --ros-args …``.

The nodes take a second to import. A signal in that time ends the process as quietly as later.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from functools import partial


def start(module: str) -> None:
    """Import a node's module and run it; this does not return."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    importlib.import_module(module).main()


planner = partial(start, 'reactree_ros.ros.nodes.planner_node')
household_bridge = partial(start, 'reactree_ros.ros.nodes.household_bridge')
arm_skills = partial(start, 'reactree_ros.ros.nodes.arm_skills')
kitchen_bridge = partial(start, 'reactree_ros.ros.nodes.kitchen_bridge')
pddl_bridge = partial(start, 'reactree_ros.ros.nodes.pddl_bridge')
robot_bridge = partial(start, 'reactree_ros.ros.nodes.robot_bridge')
viewer = partial(start, 'reactree_ros.ros.viewer.node')

if __name__ == '__main__':
    start(sys.argv.pop(1))
