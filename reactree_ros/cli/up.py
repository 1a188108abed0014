# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree up``: starts the planner and the simulated household on a machine without launch."""

from __future__ import annotations

import argparse
import sys
import time

from reactree_ros.cli.argument_types import namespace, ros_name
from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import ARGUMENTS, Argument, chosen, world_node
from reactree_ros.ros.goals.client import PlannerClient

READY_SEC = 3600.0
"""The nodes have limits of their own for getting ready; this one only ends what hangs."""
_EXAMPLES = """\
examples:
  reactree up                                    the simulated household
  reactree up --sim kitchen --viewer true        the arm in the kitchen, and the web page
  reactree up --sim none --skills my_robot.yaml  a robot of your own

Exit code: 0 after Ctrl-C; 1 a process ended; 2 one did not start.
"""
_TYPES = {'namespace': namespace, 'observe_service': ros_name, 'check_service': ros_name}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'up',
        help='start planner, model and simulation (--sim none: your own robot)',
        description='Starts the same processes as launch/planner.launch.py and shows what they '
        'log. Ctrl-C stops them all.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_start_arguments(parser)
    parser.set_defaults(run=run)


def add_start_arguments(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    """Add what a start can be given, as options."""
    for argument in ARGUMENTS:
        if argument.name not in without:
            parser.add_argument(
                '--' + argument.name.replace('_', '-'),
                default=argument.default,
                help=_with_default(argument),
                type=_TYPES.get(argument.name, str),
                choices=argument.choices or None,
            )


def _with_default(argument: Argument) -> str:
    if not argument.default or 'default' in argument.description:
        return argument.description
    return f'{argument.description.removesuffix(".")} (default: {argument.default}).'


def given_arguments(options: argparse.Namespace) -> dict[str, str]:
    """Return the values of the start's arguments by name."""
    names = [argument.name for argument in ARGUMENTS]
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


def run(options: argparse.Namespace) -> int:
    """Start everything and stay until Ctrl-C or until a process ends.

    Returns:
        0 after Ctrl-C, 1 if a process ended, 2 if one did not start.
    """
    given = given_arguments(options)
    world = world_node(given['sim'])
    width = max(len(process.name) for process in chosen(given))

    def show(name: str, line: str) -> None:
        print(f'{name:>{width}} | {line}', flush=True)

    show('reactree', 'starting; Ctrl-C stops everything')
    with Interrupts() as interrupts, ProcessGroup(given, show) as group:
        with PlannerClient(namespace=given['namespace']) as client:
            ready = client.wait_for_planner(
                READY_SEC,
                lambda: not interrupts and not group.died(),
                bridge=world is not None and bool(world.check_service),
            )
        if ready:
            to = f' --namespace {given["namespace"]}' if given['namespace'] else ''
            show('reactree', f'ready; send a goal from another shell: reactree send{to} "…"')
        while not interrupts and not group.died():
            time.sleep(0.1)
        why = group.died()
        if interrupts:
            show('reactree', 'stopping')
    if why:
        print(f'reactree up: {why}', file=sys.stderr)
        return 1 if ready else 2
    return 0
