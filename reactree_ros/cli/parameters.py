# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree parameters``: prints all parameters of the nodes, for a file or for the docs."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator

from reactree_ros.core.option import Parameter, Value, parameters_of, summaries_of
from reactree_ros.ros.nodes.arm_skills import ArmSkillsConfig
from reactree_ros.ros.nodes.household_bridge import HouseholdConfig
from reactree_ros.ros.nodes.kitchen_bridge import KitchenConfig
from reactree_ros.ros.nodes.pddl_bridge import PddlBridgeConfig
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.robot_bridge import RobotConfig
from reactree_ros.ros.nodes.viewer_config import ViewerConfig

_YAML_HEAD = """\
# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
#
# Every parameter of the nodes with its default; "reactree parameters" prints this file. Copy what
# you change into a file of your own and pass it as params_file. An unknown parameter or a value
# that is not allowed stops the node at startup.
"""
_MARKDOWN_HEAD = """\
# Parameters

`reactree parameters --format markdown` prints this page, and without `--format` the file
[`config/reactree.yaml`](../config/reactree.yaml) with all defaults. An unknown parameter or a value
that is not allowed stops the node at startup. Parameters marked *live* can be changed at any time,
for the next goal (`ros2 param set /reactree_planner limits.max_duration_sec 300.0`); the others of
the planner in the lifecycle state `unconfigured`.

Put what you change into a file, and start with it: `reactree up … --params-file my.yaml`, or
`params_file:=my.yaml` for the launch file. Arguments override the file.

```yaml
/**/reactree_planner:
  ros__parameters:
    operator.approval_risk_level: medium
```
"""
_WIDTH = 100
NODES = {
    'reactree_planner': PlannerConfig,
    'reactree_viewer': ViewerConfig,
    'household_bridge': HouseholdConfig,
    'kitchen_bridge': KitchenConfig,
    'arm_skills': ArmSkillsConfig,
    'pddl_bridge': PddlBridgeConfig,
    'robot_bridge': RobotConfig,
}
"""The nodes' parameters, by the names of the nodes."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'parameters',
        help='print all parameters of the nodes',
        description='Prints all parameters of the nodes with types, defaults and ranges.',
    )
    parser.add_argument(
        '--format',
        choices=('yaml', 'markdown'),
        default='yaml',
        help='yaml: a parameter file; markdown: tables (default: yaml)',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the parameters."""
    print(to_yaml() if options.format == 'yaml' else to_markdown(), end='')
    return 0


def to_yaml() -> str:
    """Return a parameter file with all defaults."""
    return '\n'.join([_YAML_HEAD, *('\n'.join(_yaml(*one)) for one in NODES.items())])


def to_markdown() -> str:
    """Return the page of the documentation."""
    parts = [_MARKDOWN_HEAD, *('\n'.join(_tables(*one)) for one in NODES.items())]
    return '\n'.join(parts)


def _yaml(node: str, config: type) -> Iterator[str]:
    yield f'/**/{node}:'
    yield '  ros__parameters:'
    summaries, above = summaries_of(config), ['']
    for prefix, rows in _by_group(config):
        names = prefix.split('.')[:-1]
        for depth, name in enumerate(names):
            whole = '.'.join([*names[: depth + 1], ''])
            if whole not in above:
                above.append(whole)
                indent = '  ' * (depth + 2)
                if whole in summaries:
                    yield f'{indent}# {summaries[whole]}'
                yield f'{indent}{name}:'
        indent = '  ' * (len(names) + 2)
        for row in rows:
            text = f'{row.description} Allowed: {row.allowed}.'
            yield from textwrap.wrap(
                text, _WIDTH, initial_indent=f'{indent}# ', subsequent_indent=f'{indent}# '
            )
            yield f'{indent}{row.name.removeprefix(prefix)}: {_written(row.default)}'
    yield ''


def _tables(node: str, config: type) -> Iterator[str]:
    yield f'## `{node}`'
    yield ''
    summaries = summaries_of(config)
    for prefix, rows in _by_group(config):
        if prefix:
            yield f'### `{prefix}*`\n'
        yield f'{summaries[prefix]}\n'
        yield '| parameter | type | default | allowed | |'
        yield '| --- | --- | --- | --- | --- |'
        for row in rows:
            live = ' *Live.*' if row.live else ''
            default = f'`{_written(row.default)}`'
            text = f'{row.description}{live}'.replace('|', '\\|')
            yield f'| `{row.name}` | {row.type_name} | {default} | {_allowed(row)} | {text} |'
        yield ''


def _by_group(config: type) -> Iterator[tuple[str, list[Parameter]]]:
    """Yield the parameters by what their names begin with, those without a group first."""
    found: dict[str, list[Parameter]] = {'': []}
    for row in parameters_of(config):
        group, dot, _ = row.name.rpartition('.')
        found.setdefault(group + dot, []).append(row)
    yield from ((prefix, rows) for prefix, rows in found.items() if rows)


def _allowed(row: Parameter) -> str:
    if row.choices:
        return ', '.join(f'`{one}`' if one else '`""`' for one in row.choices)
    if row.range is None:
        return ''
    low, high = (f'{one:.10g}' for one in row.range)
    return f'{low} to {high}' + (f' {row.unit}' if row.unit else '')


def _written(value: Value) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
