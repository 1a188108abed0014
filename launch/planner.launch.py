# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the planner, with its model, and a simulated world.

    ros2 launch reactree_ros planner.launch.py --show-args
    ros2 launch reactree_ros planner.launch.py task:=2
    ros2 launch reactree_ros planner.launch.py sim:=none skills:=/path/of/my_robot.yaml

``reactree up`` starts the same processes from the same description (cli/processes.py).
"""

from __future__ import annotations

from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from reactree_ros.cli.processes import ARGUMENTS, chosen

_RESPAWN_SEC = 5.0
_RESPAWNS = 3
"""What cannot start, because its port is taken, is not tried for ever."""
_SIGTERM_SEC = 20.0
_SIGKILL_SEC = 10.0
"""A planner waits up to 8 s for its robot to stop (``node_main.STOP_SEC``), a busy one longer."""
_UNSET = ('',)
"""Leaves an argument to the node."""


def start_nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes for the values that the arguments have."""
    given = {
        argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS
    }
    return [
        Node(
            package=process.package,
            executable=process.executable,
            name=process.name,
            # relative, so that it is within the namespace that was pushed around an include
            namespace=given['namespace'].strip('/') or None,
            arguments=process.arguments({**given, 'namespace': ''}),
            output='screen',
            emulate_tty=True,
            on_exit=Shutdown(reason=f'{process.name} has ended') if process.vital else None,
            respawn=not process.vital,
            respawn_delay=_RESPAWN_SEC,
            respawn_max_retries=_RESPAWNS,
            sigterm_timeout=str(_SIGTERM_SEC),
            sigkill_timeout=str(_SIGKILL_SEC),
        )
        for process in chosen(given)
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch`` starts."""
    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=argument.description,
            choices=[*argument.choices, *_UNSET] if argument.choices else None,
        )
        for argument in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start_nodes)])
