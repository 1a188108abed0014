# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which processes the system has and what they are started with.

``reactree up`` and ``launch/planner.launch.py`` both read this, so that they start the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros import plugins
from reactree_ros.core.option import parameters_of
from reactree_ros.core.settings import NONE, USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.ros.nodes.household_bridge import HouseholdConfig
from reactree_ros.ros.nodes.kitchen_bridge import KitchenConfig
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.viewer_config import ViewerConfig
from reactree_ros.sim.worlds import KITCHEN, WorldNode

DEFAULT_WORLD = 'household'
STARTER = 'reactree_ros.ros.nodes.start'
"""Module that starts the module of a node."""


@dataclass(frozen=True)
class Argument:
    """One argument of a start.

    Args:
        name: its name.
        default: its value if none is given; an empty one leaves it to the node.
        description: what it does.
        choices: what is allowed; empty if the node decides.
        kind: type of the parameters that it sets; lists have commas between the items.
        clearable: ``none`` sets an empty text, where that is not the default.
    """

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()
    kind: type = str
    clearable: bool = False

    def written(self, value: str) -> str:
        """Return a value as a parameter on the command line of a node."""
        if self.kind is tuple:
            return json.dumps(separate(value))
        if self.kind is not str:
            return value
        # in quotes, or a text such as "1" would arrive as a number
        return json.dumps('' if self.clearable and value == NONE else value)


@dataclass(frozen=True)
class NodeProcess:
    """One process.

    Args:
        name: name of its node.
        executable: name of its executable in the package.
        module: module that runs it.
        parameters: names of the parameters that arguments set, by the arguments' names.
        only_if: argument that has to be ``true`` for it to be started; empty if it always is.
        vital: its end stops all others; otherwise it is restarted, if possible.
        package: ROS package of the executable.
        params_file: parameters that the given ones override: a path, or a name in ``config/``.
        settings: further parameters, which are texts.
    """

    name: str
    executable: str
    module: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    only_if: str = ''
    vital: bool = True
    package: str = 'reactree_ros'
    params_file: str = ''
    settings: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, given: Mapping[str, str]) -> list[str]:
        """Return its command line arguments.

        Args:
            given: values by the arguments' names.
        """
        line = ['--ros-args']
        if namespace := given.get('namespace', '').strip('/'):
            line += ['-r', f'__ns:=/{namespace}']
        if self.params_file:
            # an absolute path stays as it is
            line += ['--params-file', str(share('config') / self.params_file)]
        if given.get('params_file'):
            line += ['--params-file', given['params_file']]
        for name, parameter in self.parameters.items():
            if value := given.get(name):
                line += ['-p', f'{parameter}:={_BY_NAME[name].written(value)}']
        for parameter, value in self.settings.items():
            line += ['-p', f'{parameter}:={json.dumps(value)}']
        if given.get('use_sim_time') == 'true':
            line += ['-p', 'use_sim_time:=true']
        if given.get('log_level'):
            line += ['--log-level', given['log_level']]
        return line


def separate(text: str) -> list[str]:
    """Return the items of an argument with commas between them."""
    return [one.strip() for one in text.split(',') if one.strip()]


PLANNER = NodeProcess(
    name='reactree_planner',
    executable='reactree_planner',
    module='reactree_ros.ros.nodes.planner_node',
    parameters={
        'model': 'model.name',
        'skills': 'skills',
        'memory': 'memory.store',
        'runs': 'recording.runs_dir',
        'observe_service': 'robot.observe_service',
        'check_service': 'robot.check_service',
        'autostart': 'autostart',
        'robots': 'robots',
    },
)
VIEWER = NodeProcess(
    name='reactree_viewer',
    executable='reactree_viewer',
    module='reactree_ros.ros.viewer.node',
    parameters={'runs': 'runs_dir', 'viewer_host': 'host', 'viewer_port': 'port'},
    only_if='viewer',
    vital=False,
)


def _described(argument: str, config: type, name: str, worlds: str = '') -> Argument:
    """Return the argument that sets a parameter, as the parameter's declaration describes it.

    Args:
        argument: its name.
        config: declares the parameter.
        name: of the parameter.
        worlds: those that take it, if not all do.
    """
    (row,) = (row for row in parameters_of(config) if row.name == name)
    text = re.split(r' Empty:| \[', row.description)[0].removesuffix('.')
    kind, clearable = type(row.default), row.default == USER
    if kind is tuple:
        text += '; separated by commas'
    if clearable:
        text += f'; "{NONE}" for none'
    shown = str(row.default).lower() if kind is bool else str(row.default)
    default = '' if row.default in ('', ('',)) else f' (default: {shown})'
    choices = ('true', 'false') if kind is bool else ()
    only = f' Only with sim {worlds}.' if worlds else ''
    return Argument(argument, '', f'{text}{default}.{only}', choices, kind, clearable)


ARGUMENTS = (
    _described('scene', HouseholdConfig, 'scene', DEFAULT_WORLD),
    *(
        _described(name, HouseholdConfig, name, 'household, office, warehouse or rover')
        for name in ('task_set', 'task')
    ),
    Argument('sim', DEFAULT_WORLD, 'Simulated world to start: the household, an arm in a kitchen, '
             'the PDDL problem of the skill library, or a robot in an office, a warehouse or a '
             'plant; "none" for a robot of your own.',
             (*plugins.names(plugins.WORLDS), NONE)),
    *(_described(name, PlannerConfig, full) for name, full in PLANNER.parameters.items()),
    Argument('viewer', 'false', 'Serve the web viewer, which logs its address.',
             ('true', 'false')),
    *(
        _described(name, ViewerConfig, VIEWER.parameters[name])
        for name in ('viewer_host', 'viewer_port')
    ),
    *(
        _described(
            name,
            KitchenConfig,
            name,
            'kitchen' if name.startswith('page') else 'kitchen, office, warehouse or rover',
        )
        for name in KITCHEN.arguments
    ),
    Argument('namespace', '', 'Namespace of all nodes, such as robot1.'),
    Argument('use_sim_time', 'false', 'Take the time from /clock.', ('true', 'false')),
    Argument('params_file', '', 'File with node parameters (see config/); arguments override it.'),
    Argument('log_level', 'info', 'Log level of the nodes.',
             ('debug', 'info', 'warn', 'error', 'fatal')),
)  # fmt: skip
"""What a start can be given."""
_BY_NAME = {argument.name: argument for argument in ARGUMENTS}
_OF_ALL = {'sim', 'viewer', 'namespace', 'use_sim_time', 'params_file', 'log_level'}
"""Arguments that are not parameters of a node."""


def world_node(sim: str) -> WorldNode | None:
    """Return the node of a simulated world; None for ``none``.

    Args:
        sim: name in the group ``reactree_ros.worlds``.

    Raises:
        ConfigurationError: if there is no such world.
    """
    return None if sim == NONE else plugins.load_as(plugins.WORLDS, sim, WorldNode)


def processes_of(sim: str = DEFAULT_WORLD) -> tuple[NodeProcess, ...]:
    """Return all processes, in the order in which they are started; they are stopped in reverse.

    Args:
        sim: name of the simulated world, or ``none``.
    """
    world = world_node(sim)
    if world is None:
        return PLANNER, VIEWER
    return bridge_of(world), replace(PLANNER, params_file=world.params_file), VIEWER


def bridge_of(world: WorldNode) -> NodeProcess:
    """Return the process of a simulated world."""
    return NodeProcess(
        name=world.node,
        executable=world.executable,
        module=world.module,
        parameters={name: name for name in world.arguments},
        package=world.package,
        settings=world.settings,
    )


def chosen(
    given: Mapping[str, str], processes: tuple[NodeProcess, ...] | None = None
) -> tuple[NodeProcess, ...]:
    """Return the processes that a start with these arguments has.

    Args:
        given: values by the arguments' names.
        processes: what there is to be started; None for all with the world that is given.

    Raises:
        ConfigurationError: if an argument is given that none of these processes takes.
    """
    if processes is None:
        sim = given.get('sim') or DEFAULT_WORLD
        processes = processes_of(sim)
        taken = {name for process in processes for name in process.parameters}
        left = [name for name in given if given[name] and name not in taken | _OF_ALL]
        if left:
            raise ConfigurationError(f'not an option of the world "{sim}": {", ".join(left)}')
        if given.get('params_file'):
            _check_params_file(given['params_file'], {process.name for process in processes})
    return tuple(
        process
        for process in processes
        if not process.only_if or given.get(process.only_if) == 'true'
    )


def _check_params_file(path: str, nodes: set[str]) -> None:
    """Check that a file has parameters of one of these nodes; ROS ignores those of others."""
    try:
        content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'params_file {path}: {error}') from error
    sections = set(_sections(content))
    if not {name.rpartition('/')[2] for name in sections} & {*nodes, '*', '**'}:
        raise ConfigurationError(
            f'params_file {path}: it is for {", ".join(sorted(sections)) or "no node"}, '
            f'but the nodes are called {", ".join(sorted(nodes))}'
        )


def _sections(content: Any) -> Iterator[str]:
    """Yield the names of nodes for which a file has parameters."""
    for name, value in content.items() if isinstance(content, Mapping) else ():
        if isinstance(value, Mapping) and 'ros__parameters' in value:
            yield str(name)
        else:
            yield from _sections(value)
