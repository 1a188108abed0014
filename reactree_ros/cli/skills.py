# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills``: checks and lists skill libraries."""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.planner.assembly import library_at
from reactree_ros.skills.document import SCHEMA
from reactree_ros.skills.library import SkillLibrary


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'skills',
        help='check and list skill libraries',
        description="Skill libraries say in YAML which actions, services and topics are a robot's "
        'skills; docs/skills.md explains how to write one.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    checking = actions.add_parser(
        'check',
        help='check a library against the installed interface types',
        description='Says of every skill what it calls, whether its interface type is installed, '
        'and what in the library does not fit it. No robot is needed, and nothing is called.',
        epilog='Exit code: 0 all is right; 1 something is wrong or not installed; '
        '2 the library cannot be read.',
    )
    checking.add_argument('library', help='a library that comes with this package, or a file')
    checking.set_defaults(run=_check)
    listing = actions.add_parser('list', help='list the libraries that come with this package')
    listing.set_defaults(run=_list)
    schema = actions.add_parser(
        'schema',
        help='print where the JSON schema of libraries is, for editors',
        description='Prints the path of the JSON schema. An editor completes a library that '
        'begins with "# yaml-language-server: $schema=PATH".',
    )
    schema.set_defaults(run=_schema)


def _check(options: argparse.Namespace) -> int:
    library = library_at(options.library)
    try:
        from reactree_ros.ros.skills.library_check import faults_of, faults_of_goals
    except ImportError as error:
        print(
            f'{library.name}: {len(library.skills)} skills can be read; their interface types were '
            f'not checked: {error.name} is not installed (source a ROS 2 installation)'
        )
        return 1
    faults = {skill.name: faults_of(skill) for skill in library.skills}
    width = max(len(name) for name in faults)
    for skill in library.skills:
        state = 'wrong' if faults[skill.name] else 'ok'
        call = f'{skill.call.kind.value} {skill.call.name}'
        print(f'{state:5}  {skill.name:{width}}  {skill.phrase}  ({call})')
    for name, skills in _by_type(library).items():
        print(f'{name}: {", ".join(skills)}')
    of_goals = faults_of_goals(library)
    for fault in itertools.chain(*faults.values(), of_goals):
        print(fault)
    wrong = sum(bool(found) for found in faults.values())
    if wrong:
        print(f'{wrong} of {len(library.skills)} skills cannot be used as they are')
    elif of_goals:
        print('what goals are checked by cannot be used as it is')
    else:
        print(f'{library.name}: {len(library.skills)} skills, all right')
    return 1 if wrong or of_goals else 0


def _by_type(library: SkillLibrary) -> dict[str, list[str]]:
    """Return the names of the skills by the interface type that they need."""
    found: dict[str, list[str]] = {}
    for skill in library.skills:
        found.setdefault(skill.call.type, []).append(skill.name)
    return found


def _list(_: argparse.Namespace) -> int:
    for path in sorted(share('behaviors').glob('*.yaml')):
        try:
            library = library_at(path.stem)
        except ConfigurationError as error:  # an extra that it needs is not installed
            print(f'{path.stem}: {error}')
        else:
            print(f'{path.stem}: {len(library.skills)} skills ({path})')
    return 0


def _schema(_: argparse.Namespace) -> int:
    print(Path(share(*SCHEMA)))
    return 0
