# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which processes the system has and what they are started with.

``reactree up`` and ``launch/planner.launch.py`` both read this, so that they start the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reactree_ros.ros.goal_check import PDDL_CHECK_SERVICE

NONE = 'none'
"""Says of an argument that the node is to have an empty text, where that is not its default."""
STARTER = 'reactree_ros.ros.start'
"""Module that starts the module of a node."""
_OF_SIM = {'pddl': {'check_service': PDDL_CHECK_SERVICE}}
"""What arguments are if they are not given, by the simulated world; else the node's defaults."""
_LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')


@dataclass(frozen=True)
class Argument:
    """One argument of a start.

    Args:
        name: its name; if it is a node's parameter, the parameter's name.
        default: its value if none is given; an empty one leaves it to the node.
        description: what it does.
        choices: what is allowed; empty if the node decides.
    """

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeProcess:
    """One process.

    Args:
        name: name of its node.
        executable: name of its executable in the package.
        module: module that runs it.
        texts: arguments that become parameters of type text; ``none`` makes an empty one of
            those in ``emptied``.
        numbers: arguments that become parameters of type number, or true or false.
        vital: nothing goes on without it; else it is started again, where that is possible.
        for_each_robot: there is one in the namespace of each robot.
        robot: namespace of its robot, within that of all; empty for none.
        when: argument that has to have a value for it to be started, what it is if it is not
            given, and that value; None if it is always started.
        emptied: see ``texts``.
        prefix: what the parameters' names lack of those of the arguments.
    """

    name: str
    executable: str
    module: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    when: tuple[str, str, str] | None = None
    vital: bool = True
    for_each_robot: bool = False
    robot: str = ''

    @property
    def label(self) -> str:
        """What it is called among the processes of a start."""
        return f'{self.robot}.{self.name}' if self.robot else self.name

    emptied: tuple[str, ...] = ()
    prefix: str = ''

    def arguments(self, given: Mapping[str, str]) -> list[str]:
        """Return its command line arguments.

        Args:
            given: values by the arguments' names.
        """
        line = ['--ros-args']
        spaces = (given.get('namespace', '').strip('/'), self.robot)
        if any(spaces):
            line += ['-r', f'__ns:=/{"/".join(filter(None, spaces))}']
        if given.get('params_file'):
            line += ['--params-file', given['params_file']]
        for name in (*self.texts, *self.numbers):
            value = given.get(name, '') or _OF_SIM.get(given.get('sim', ''), {}).get(name, '')
            if value:
                value = '' if value == NONE and name in self.emptied else value
                # in quotes, or a text such as "1" would arrive as a number
                value = json.dumps(value) if name in self.texts else value
                line += ['-p', f'{name.removeprefix(self.prefix)}:={value}']
        if given.get('log_level'):
            line += ['--log-level', given['log_level']]
        return line


ARGUMENTS = (
    Argument('scene', '', 'Scene of the simulated household: a shipped one by name, or a file.'),
    Argument('task_set', '', 'Set of shipped tasks that the task is of (default: household).'),
    Argument('task', '', 'Number of a task in its set; it sets scene, start and conditions.'),
    Argument('sim', 'true', 'Start the simulated household; "pddl" starts the PDDL problem of '
             'the skill library instead.', ('true', 'pddl', 'false')),
    Argument('model', '', 'Language model: a packaged one, a folder, a GGUF file, a server.'),
    Argument('skills', '', 'Skill library of the robot: a shipped one by name, or a file.'),
    Argument('memory', '', 'What the planner has learned: a file, "user" for the user\'s own, or '
             '"none" (default: the parameter memory, which is "user").'),
    Argument('runs', '', 'Folder in which every run is recorded, "user" for the user\'s own, or '
             '"none" (default: the parameter runs, which is "user").'),
    Argument('viewer', 'false', 'Serve the web viewer, which logs its address.',
             ('true', 'false')),
    Argument('viewer_host', '', 'Address of the web viewer; any but localhost lets other machines '
             'in, who need the token that is logged (default: localhost).'),
    Argument('viewer_port', '', 'Port of the web viewer; 0 is any free one (default: 8765).'),
    Argument('observe_service', '', 'Service that tells what the robot perceives (sim: the '
             "household's)."),
    Argument('check_service', '', 'Service that tells whether a goal was reached (sim: the '
             "world's)."),
    Argument('robots', '', 'Namespaces of several robots, with commas between them: subgoals of a '
             'parallel run on them at the same time (default: one robot).'),
    Argument('namespace', '', 'Namespace of all nodes, such as robot1.'),
    Argument('autostart', '', 'Whether the planner configures and activates itself (default: the '
             'parameter autostart, which is true).', ('true', 'false')),
    Argument('params_file', '', 'File with node parameters (see config/); arguments win over it.'),
    Argument('log_level', 'info', 'Log level of the nodes.', _LOG_LEVELS),
)  # fmt: skip
"""What a start can be given."""

VIEWER = NodeProcess(
    name='reactree_viewer',
    executable='viewer',
    module='reactree_ros.ros.viewer_node',
    texts=('runs', 'viewer_host'),
    numbers=('viewer_port',),
    emptied=('runs',),
    prefix='viewer_',
    when=('viewer', 'false', 'true'),
    vital=False,
)
PROCESSES = (
    NodeProcess(
        name='household_bridge',
        executable='household_bridge',
        module='reactree_ros.ros.bridge_node',
        texts=('scene', 'task_set'),
        numbers=('task',),
        when=('sim', 'true', 'true'),
        for_each_robot=True,
    ),
    NodeProcess(
        name='pddl_bridge',
        executable='pddl_bridge',
        module='reactree_ros.ros.pddl_bridge_node',
        texts=('skills',),
        when=('sim', 'true', 'pddl'),
    ),
    NodeProcess(
        name='reactree_planner',
        executable='planner',
        module='reactree_ros.ros.planner_node',
        texts=('model', 'skills', 'memory', 'runs', 'robots', 'observe_service', 'check_service'),
        numbers=('autostart',),
        emptied=('memory', 'runs'),
    ),
    VIEWER,
)
"""All processes, in the order in which they are started; they are stopped in reverse."""


def chosen(
    given: Mapping[str, str], processes: tuple[NodeProcess, ...] = PROCESSES
) -> tuple[NodeProcess, ...]:
    """Return the processes that a start with these arguments has."""
    robots = [one.strip() for one in given.get('robots', '').split(',') if one.strip()]
    found: list[NodeProcess] = []
    for process in processes:
        if process.when is not None:
            argument, otherwise, wanted = process.when
            if given.get(argument, otherwise) != wanted:
                continue
        if process.for_each_robot and robots:
            found += [replace(process, robot=robot) for robot in robots]
        else:
            found.append(process)
    return tuple(found)
