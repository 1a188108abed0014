# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The PDDL problems that come with the package: HiAgent's domains (its section 4.1)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.pddl.generator import DOMAINS, PROBLEMS
from reactree_ros.pddl.problem import PddlProblem

PDDL_SETS = tuple(DOMAINS)
"""Names of the sets of problems."""


@cache
def shipped_problem(domain: str, number: int) -> PddlProblem:
    """Return a problem; it never changes.

    Raises:
        ConfigurationError: if there is no such problem, or unified-planning is not installed.
    """
    if domain not in DOMAINS or not 1 <= number <= PROBLEMS:
        raise ConfigurationError(f'there is no PDDL problem {number} of {domain!r}')
    folder = share('resource', 'pddl', domain)
    name = f'p{number:02}.pddl'
    return PddlProblem.read(folder / 'domain.pddl', folder / name, folder / 'words.yaml')


def shipped_examples(domain: str) -> Path:
    """Return the file with an example run of a domain, on none of its problems."""
    return share('resource', 'pddl', domain, 'examples.txt')
