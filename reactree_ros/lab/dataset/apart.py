# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Generated robots that training may have are none that planners are judged by.

Compared are the shipped skill libraries, which the robots of tests have, and the PDDL domains:
the name, the phrases of the skills, the classes of things and places. ``held_back`` compares the
wordings of their goals.
"""

from __future__ import annotations

from functools import cache

from reactree_ros.lab.dataset.held_back import normalised
from reactree_ros.paths import share
from reactree_ros.sim.made.make import TEST
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.pddl.shipped import PDDL_SETS, shipped_library
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import ARGUMENT, read_library

_ALIKE = 0.5
"""A robot is another one if it shares no more than this of its phrases, or of its classes."""


def fault_of_robot(robot: MadeRobot) -> str:
    """Say why nothing may be learned from a generated robot; empty if it may."""
    if robot.name.startswith(f'{TEST} '):
        return f'{robot.name} is a robot of tests'
    own = robot.library
    for other in judged_libraries():
        if normalised(own.name) == normalised(other.name):
            return f'{robot.name} is called like the robot {other.name!r} of tests'
        for what, mine, theirs in (
            ('skills', _phrases(own), _phrases(other)),
            ('things and places', own.objects | own.places, other.objects | other.places),
        ):
            if theirs and len(mine & theirs) > _ALIKE * len(mine | theirs):
                return f'{robot.name} has the {what} of the robot {other.name!r} of tests'
    return ''


@cache
def judged_libraries() -> tuple[SkillLibrary, ...]:
    """Return the libraries of all robots that planners are judged by, and of the examples."""
    files = sorted(share('behaviors').glob('*.yaml'))
    found = [read_library(file) for file in files if 'skills:' in file.read_text(encoding='utf-8')]
    return (*found, *(shipped_library(name, 1) for name in PDDL_SETS))


def _phrases(library: SkillLibrary) -> frozenset[str]:
    return frozenset(ARGUMENT.sub('{}', skill.phrase).casefold() for skill in library.skills)
