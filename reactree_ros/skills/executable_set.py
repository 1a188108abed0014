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


MOST = 5000
"""Combinations of arguments of one skill that are looked at: a tick must not take seconds."""


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
        for arguments in itertools.islice(itertools.product(*fillings), MOST):
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


def objections(library: SkillLibrary, grounded: GroundedSkill, situation: Situation) -> list[str]:
    """Return why a skill is not in the executable set, one sentence each; none if it is.

    Args:
        library: the robot's skills.
        grounded: one of them, with arguments that are known.
        situation: what is perceived now.
    """
    (skill,) = (one for one in library.skills if one.name == grounded.name)
    found = [*_of_skill(skill, library.hands, situation)]
    for argument, name in zip(skill.arguments, grounded.arguments, strict=True):
        filters = skill.arguments[argument]
        if name not in _fillings(filters, situation):
            wanted = ' or '.join(filter(None, map(_in_words, filters))) or 'another one'
            found.append(f'{{{argument}}} has to be {wanted}, and {name} is not')
    if len({*grounded.arguments}) < len(grounded.arguments):
        found.append('two arguments are the same')
    forbidden = library.forbids(grounded, situation)
    return [*found, forbidden] if forbidden else found


def _of_skill(skill: Skill, hands: int, situation: Situation) -> Iterator[str]:
    held = situation.held
    if skill.hands_free and len(held) >= hands:
        yield f'it needs a free hand, and the robot holds {", ".join(one.name for one in held)}'
    if skill.holding and not any(skill.holding in item.affordances for item in held):
        yield f'the robot has to hold something that is {skill.holding}'
    place = situation.objects.get(situation.place)
    if skill.at is not None and (place is None or not skill.at.accepts(place, situation)):
        at = situation.place or situation.room or 'an unknown place'
        yield f'the robot has to be at something that is {_in_words(skill.at)}, and is at {at}'


def _in_words(one: Filter) -> str:
    """Return what a filter wants."""
    wanted = [
        *(['a room'] if one.kind == 'room' else []),
        *(['/'.join(sorted(one.affordance))] if one.affordance else []),
        *filter(None, [one.state, one.not_state and f'not {one.not_state}']),
    ]
    for value, yes, no in (
        (one.near, 'within reach', 'out of reach'),
        (one.held, 'held', 'not held'),
        (one.here, 'where the robot is', 'elsewhere than the robot'),
    ):
        if value is not None:
            wanted.append(yes if value else no)
    return ' and '.join(wanted)
