# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree bench-world``: how fast the household world is."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

from reactree_ros.commands.machine import machine
from reactree_ros.evaluation.world_speed import WorldSpeed, enlarged, measure
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.world import load_scene, scene_names, shipped_scene

WANTED = 2_000
"""Actions a second, on one core, in a scene of NODES nodes."""
NODES = 400


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-world',
        help='measure how many actions a second the household world does',
        description='Walks through a household at random, in one process, and takes the time of '
        f'each action with its observation text. Fails below {WANTED:,} actions a second.',
    )
    parser.add_argument(
        '--scene', default='apartment_1', help='a shipped scene, or a scene file (%(default)s)'
    )
    parser.add_argument(
        '--nodes', type=int, default=NODES, help='enlarged to so many (%(default)s)'
    )
    parser.add_argument('--actions', type=int, default=20_000, help='how many (%(default)s)')
    parser.add_argument('--seed', type=int, default=0, help='of the walk (%(default)s)')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the result, and return the exit code: 1 if the world is too slow.

    Raises:
        ConfigurationError: there is no such scene, or no action is to be done.
    """
    if options.actions < 1:
        raise ConfigurationError(f'--actions: {options.actions} is not above 0')
    name = options.scene
    if name not in scene_names() and not Path(name).exists():
        shipped = ', '.join(scene_names())
        raise ConfigurationError(f'--scene: {name!r} is no file and none of {shipped}')
    scene = shipped_scene(name) if name in scene_names() else load_scene(Path(name))
    speed = measure(enlarged(scene, options.nodes), options.actions, options.seed)
    show(speed, name)
    return 0 if speed.per_second >= WANTED else 1


def show(speed: WorldSpeed, name: str) -> None:
    """Print what was measured."""
    console = Console()
    console.print(f'Machine: {machine()} (one core is used)', highlight=False)
    console.print(
        f'Scene: {name}, with {speed.nodes} nodes and {speed.edges} edges', highlight=False
    )
    table = Table('skill')
    for title in ('actions', 'refused', 'µs an action'):
        table.add_column(title, justify='right')
    for one in speed.skills:
        mean = 1e6 * one.seconds / one.actions
        table.add_row(one.skill, f'{one.actions:,}', f'{one.refused:,}', f'{mean:.0f}')
    console.print(table)
    console.print(
        f'{speed.actions:,} actions in {speed.seconds:.2f} s: '
        f'{speed.per_second:,.0f} actions a second (wanted: {WANTED:,}), '
        f'texts of {speed.characters / speed.actions:.0f} characters on average',
        highlight=False,
    )
    console.print(
        f'One more world of the scene: {1e6 * speed.world_seconds:.0f} µs', highlight=False
    )
