# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which simulated worlds a start can bring up, and what their nodes are started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WorldNode:
    """The ROS 2 node of a simulated world; an entry point of the group ``reactree_ros.worlds``.

    ``sim:=NAME`` and ``reactree up --sim NAME`` start it beside the planner.

    Args:
        module: module whose ``main()`` runs the node.
        executable: name of the same program, as ``ros2 run`` knows it.
        node: name of the node.
        package: ROS package of the executable.
        arguments: arguments of the start that the node takes as parameters of the same names.
        check_service: name of its ``CheckGoal`` service; empty if it has none.
        settings: parameters that the node always gets.
        params_file: file with the planner's parameters in this world: its path, or its name in
            ``config/`` of this package; parameter files and arguments of the start override it.
    """

    module: str
    executable: str
    node: str
    package: str = 'reactree_ros'
    arguments: tuple[str, ...] = ()
    check_service: str = ''
    settings: Mapping[str, str] = field(default_factory=dict)
    params_file: str = ''


HOUSEHOLD = WorldNode(
    module='reactree_ros.ros.nodes.household_bridge',
    executable='reactree_household_bridge',
    node='household_bridge',
    arguments=('scene', 'task_set', 'task', 'robots'),
    check_service='household/check_goal',
    params_file='household.yaml',
)
KITCHEN = WorldNode(
    module='reactree_ros.ros.nodes.kitchen_bridge',
    executable='reactree_kitchen_bridge',
    node='kitchen_bridge',
    arguments=('pace', 'page', 'page_host', 'page_port'),
    check_service='kitchen/check_goal',
    params_file='kitchen.yaml',
)
PDDL = WorldNode(
    module='reactree_ros.ros.nodes.pddl_bridge',
    executable='reactree_pddl_bridge',
    node='pddl_bridge',
    arguments=('skills',),
    check_service='pddl/check_goal',
    params_file='pddl.yaml',
)


def _robot(name: str) -> WorldNode:
    """Return the node of a simulated robot in an office, a warehouse or a plant."""
    return WorldNode(
        module='reactree_ros.ros.nodes.robot_bridge',
        executable='reactree_robot_bridge',
        node='robot_bridge',
        arguments=('task_set', 'task', 'pace'),
        check_service=f'{name}/check_goal',
        settings={'robot': name},
        params_file=f'{name}.yaml',
    )


OFFICE, WAREHOUSE, ROVER = map(_robot, ('office', 'warehouse', 'rover'))
