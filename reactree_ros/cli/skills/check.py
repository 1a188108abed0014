# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills check``, ``list`` and ``schema``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from reactree_ros.errors import ConfigurationError, not_installed
from reactree_ros.memory.exchange import LEARNED, read_runs
from reactree_ros.memory.experience import Origin, read_experiences
from reactree_ros.paths import share
from reactree_ros.skills.document import SCHEMA
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_at


def check(named: str) -> int:
    """Check a library against the installed interface types, print that, return the exit code.

    Args:
        named: a library that comes with this package, or a file.
    """
    library = library_at(named)
    try:
        from reactree_ros.ros.skills.library_check import (
            faults_of,
            faults_of_goals,
            unfilled,
        )
    except ImportError as error:
        print(
            f'{library.name}: {len(library.skills)} skills can be read; their interface types were '
            f'not checked: {not_installed(error)}'
        )
        return 1
    faults = {skill.name: faults_of(skill) for skill in library.skills}
    width = max(map(len, faults))
    for skill in library.skills:
        state = 'wrong' if faults[skill.name] else 'ok'
        call = f'{skill.call.kind.value} {skill.call.name}'
        print(f'{state:5}  {skill.name:{width}}  {skill.phrase}  ({call})')
    for name, skills in _by_type(library).items():
        print(f'{name}: {", ".join(skills)}')
    for skill in library.skills:
        for note in unfilled(skill, library):
            print(f'note: {note}')
    of_rest = [*faults_of_goals(library), *_faults_of_examples(library)]
    for fault in itertools.chain(*faults.values(), of_rest):
        print(fault)
    wrong = sum(bool(found) for found in faults.values())
    if wrong:
        print(f'{wrong} of {len(library.skills)} skills cannot be used as they are')
    elif of_rest:
        print(f'{library.name}: {len(library.skills)} skills, and errors outside of them')
    else:
        print(f'{library.name}: {len(library.skills)} skills, no errors')
    return 1 if wrong or of_rest else 0


def _faults_of_examples(library: SkillLibrary) -> Iterator[str]:
    for kind, path in library.examples.items():
        try:
            found = read_runs(path, Origin('')) if kind == LEARNED else read_experiences(path)
        except ConfigurationError as error:
            yield f'examples.{kind}: {error}'
        else:
            if not found:
                yield f'examples.{kind}: there are no experiences in {path}'


def _by_type(library: SkillLibrary) -> dict[str, list[str]]:
    """Return the names of the skills by the interface type that they need."""
    found: dict[str, list[str]] = {}
    for skill in library.skills:
        found.setdefault(skill.call.type, []).append(skill.name)
    return found


def list_shipped() -> int:
    """Print the libraries that come with this package."""
    for path in sorted(share('behaviors').glob('*.yaml')):
        try:
            library = library_at(path.stem)
        except ConfigurationError as error:  # an extra that it needs is not installed
            print(f'{path.stem}: {error}')
        else:
            print(f'{path.stem}: {len(library.skills)} skills ({path})')
    return 0


def print_schema() -> int:
    """Print where the JSON schema of libraries is."""
    print(Path(share(*SCHEMA)))
    return 0
