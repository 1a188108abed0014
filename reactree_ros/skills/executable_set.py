# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The executable set: every skill that the robot can do now, on every object (paper, 4.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reactree_ros.core.situation import Situation

if TYPE_CHECKING:
    from reactree_ros.skills.library import Filter, GroundedSkill, Skill, SkillLibrary


def executable_set(library: SkillLibrary, situation: Situation) -> tuple[GroundedSkill, ...]:
    """Return every skill of a library that can change something now and is not forbidden.

    Args:
        library: the robot's skills.
        situation: what is perceived now; objects out of reach are there, not ``near``.

    Returns:
        Grounded skills with different phrases, in a fixed order.
    """
    found: dict[str, GroundedSkill] = {}
    for skill in library.skills:
        if not _is_possible(skill, library.hands, situation):
            continue
        fillings = [
            dict.fromkeys(_fillings(filters, situation)) for filters in skill.arguments.values()
        ]
        for arguments in itertools.product(*fillings):
            # Nothing goes into itself: no skill is offered on the same object twice.
            if len(set(arguments)) == len(arguments):
                grounded = skill.ground(*arguments)
                if not library.forbids(grounded, situation):
                    found.setdefault(grounded.phrase, grounded)
    return tuple(found.values())


def _is_possible(skill: Skill, hands: int, situation: Situation) -> bool:
    """Return whether the robot can do a skill where it is and with what it holds."""
    held = situation.held
    if skill.hands_free and len(held) >= hands:
        return False
    if skill.holding and not any(skill.holding in item.affordances for item in held):
        return False
    if skill.at is None:
        return True
    place = situation.objects.get(situation.place)
    return place is not None and skill.at.accepts(place, situation)


def _fillings(filters: tuple[Filter, ...], situation: Situation) -> Iterator[str]:
    """Return the names of the rooms and objects that may fill an argument."""
    for one in filters:
        if one.kind == 'room':
            for room in situation.rooms:
                if one.here in (None, room == situation.room):
                    yield room
            continue
        for item in situation.objects.values():
            if one.accepts(item, situation):
                yield item.name
