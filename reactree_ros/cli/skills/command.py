# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills``: drafts, checks, tries and lists skill libraries."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from reactree_ros.cli.argument_types import namespace, number, ros_name
from reactree_ros.cli.skills.check import check, list_shipped, print_schema

LOOK_SEC = 4.0
_DISCOVER = """\
Looks at the running ROS graph for some seconds and writes a skill library of
what it finds: actions, services, and topics that somebody listens to. It asks
which of them are skills, what they are called, and where the robot can go;
Enter takes what is in brackets. Known types, such as Nav2's, grippers and
joint trajectories, become complete skills; others get the fields of their
type as comments. It only looks: nothing is sent to the robot."""
_DISCOVER_MORE = """\
examples:
  reactree skills discover
  reactree skills discover --yes --places places.yaml --out my_robot.yaml
  reactree skills discover --only navigate_to_pose,open_door
  reactree skills discover --namespace robot1

Exit code: 0 written, and the check is all right; 1 written, and the check found
something; 2 nothing was found or written; 130 interrupted, nothing is written.
"""
_TRY = """\
Calls one skill by its phrase, as the planner would: with the same checks,
limits and areas to keep out of. Shows the message that goes out, asks before
it is sent, and shows the result: what the model would read, and what working
memory makes of it. Ctrl-C cancels the skill and says whether the robot stopped.
A declared world starts again with each try: what an earlier try changed is not
known, so a skill such as "put down cup 1" is refused; --at says where the robot
is."""
_TRY_MORE = """\
examples:
  reactree skills try my_robot.yaml                          what is possible now
  reactree skills try my_robot.yaml "go to dock 1" --dry-run
  reactree skills try my_robot.yaml "go to dock 1"
  reactree skills try my_robot.yaml "grasp cup 1" --at "table 1"

Exit code: 0 it succeeded, or was shown only; 1 it failed, was refused or not sent,
or there is no such phrase; 2 the library cannot be read or used; 130 canceled.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'skills',
        help='draft, check, try and list skill libraries',
        description="Skill libraries say in YAML which actions, services and topics are a robot's "
        'skills; docs/skills.md explains how to write one.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    _add_discover(actions)
    checking = actions.add_parser(
        'check',
        help='check a library against the installed interface types',
        description='Says of every skill what it calls, whether its interface type is installed, '
        'and what in the library does not fit it. No robot is needed, and nothing is called.',
        epilog='Exit code: 0 all is right; 1 something is wrong or not installed; '
        '2 the library cannot be read.',
    )
    checking.add_argument('library', help='a library that comes with this package, or a file')
    checking.set_defaults(run=lambda options: check(options.library))
    _add_try(actions)
    listing = actions.add_parser('list', help='list the libraries that come with this package')
    listing.set_defaults(run=lambda _: list_shipped())
    schema = actions.add_parser(
        'schema',
        help='print where the JSON schema of libraries is, for editors',
        description='Prints the path of the JSON schema. An editor completes a library that '
        'begins with "# yaml-language-server: $schema=PATH".',
    )
    schema.set_defaults(run=lambda _: print_schema())


def _add_discover(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        'discover',
        help='draft a library of what a running robot offers',
        description=_DISCOVER,
        epilog=_DISCOVER_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--yes', action='store_true',
                        help='ask nothing: take what is known, with its defaults')  # fmt: skip
    parser.add_argument('--only', metavar='NAMES', default='',
                        help='these actions, services and topics, with commas between '
                        'them; * stands for any text')  # fmt: skip
    parser.add_argument('--places', type=Path, metavar='FILE',
                        help='places that the robot can go to, as YAML: '
                        '"dock: {x: 0, y: 0, yaw: 90}" (metres, degrees)')  # fmt: skip
    parser.add_argument('--name', default='', help='name of the robot')
    parser.add_argument('--out', type=Path, metavar='FILE',
                        help="the library (default: the robot's name with .yaml)")  # fmt: skip
    parser.add_argument('--force', action='store_true', help='replace a file that is there')
    parser.add_argument('--namespace', default='', type=namespace, metavar='NAME',
                        help='look only there, such as robot1; the planner then has to be '
                        'started in it as well')  # fmt: skip
    parser.add_argument('--no-observe', action='store_true',
                        help='declare the world, also for a robot that serves Observe')  # fmt: skip
    parser.add_argument('--seconds', type=number(float, 600), default=LOOK_SEC, metavar='S',
                        help=f'how long to look (default: {LOOK_SEC:g})')  # fmt: skip
    parser.set_defaults(run=_ros_command('discover'))


def _add_try(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        'try',
        help='call one skill of a library by its phrase',
        description=_TRY,
        epilog=_TRY_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('library', help='a library that comes with this package, or a file')
    parser.add_argument('phrase', nargs='?', default='',
                        help='the skill, as the model would name it (default: list what is '
                        'possible now)')  # fmt: skip
    parser.add_argument('--dry-run', action='store_true',
                        help='show the message only; no robot is needed')  # fmt: skip
    parser.add_argument('--yes', action='store_true',
                        help='send it without asking, also what needs approval')  # fmt: skip
    parser.add_argument('--at', default='', metavar='PLACE',
                        help='where the robot is now, for a library that declares its world '
                        '(default: the "start" of the world)')  # fmt: skip
    parser.add_argument('--namespace', default='', type=namespace, metavar='NAME',
                        help='namespace of the robot, such as robot1')  # fmt: skip
    parser.add_argument('--observe-service', default='', type=ros_name, metavar='NAME',
                        help='service that reports what the robot perceives, for a library without '
                        'a world (default: the one that runs)')  # fmt: skip
    parser.add_argument('--check-service', default='', type=ros_name, metavar='NAME',
                        help='service for "world" conditions of a check (default: the one that '
                        'runs)')  # fmt: skip
    parser.set_defaults(run=_ros_command('attempt'))


def _ros_command(module: str) -> Callable[[argparse.Namespace], int]:
    """Return what runs a command that needs ROS, which is imported only then."""

    def run(options: argparse.Namespace) -> int:
        import importlib

        return int(importlib.import_module(f'reactree_ros.cli.skills.{module}').run(options))

    return run
