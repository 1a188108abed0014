# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The PDDL problems that come with the package: HiAgent's domains (its section 4.1)."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.pddl.library import PddlLibrary, pddl_library
from reactree_ros.sim.pddl.problem import PddlProblem

PDDL_SETS = ('blocksworld', 'gripper', 'tyreworld', 'barman')
"""Names of the sets of problems, which are those of their domains."""
PROBLEMS = 20
"""Problems of each domain."""
TASK_INDEX = 'tasks.json'
"""The goals of all problems in words, by domain; made by ``lab.pddl.generator``."""
_EXAMPLES = {
    'tree': 'tree.txt',
    'flat': 'examples.txt',
    'skills': 'skills.txt',
    'hiagent': 'hiagent.txt',
    'step': 'step.txt',
}
"""Files of a domain by the kind of the experiences in them."""


@cache
def shipped_goals() -> dict[str, list[str]]:
    """Return the goals of all problems in words, by domain, without parsing the problems."""
    index = share('resource', 'pddl', TASK_INDEX).read_text(encoding='utf-8')
    goals: dict[str, list[str]] = json.loads(index)
    return goals


@cache
def shipped_problem(domain: str, number: int) -> PddlProblem:
    """Return a problem; it never changes.

    Raises:
        ConfigurationError: if there is no such problem, or unified-planning is not installed.
    """
    if domain not in PDDL_SETS or not 1 <= number <= PROBLEMS:
        raise ConfigurationError(f'there is no PDDL problem {number} of {domain!r}')
    folder = share('resource', 'pddl', domain)
    name = f'p{number:02}.pddl'
    return PddlProblem.read(folder / 'domain.pddl', folder / name, folder / 'words.yaml')


def shipped_library(domain: str, number: int) -> PddlLibrary:
    """Return the skills of a problem, with example runs on none of the domain's problems.

    Raises:
        ConfigurationError: see ``shipped_problem``.
    """
    library = pddl_library(shipped_problem(domain, number))
    folder = share('resource', 'pddl', domain)
    examples = {kind: folder / name for kind, name in _EXAMPLES.items()}
    return replace(library, prompts=folder, examples=examples)
