# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the skill that a phrase names, or phrases that are like it."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator

from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill, Skill, SkillLibrary

_MOST_ALIKE = 5
_MOST_GROUNDED = 20_000
_FIELD = re.compile(r'\{(\w+)\}')


def named(library: SkillLibrary, phrase: str, situation: Situation) -> GroundedSkill | None:
    """Return the skill that a phrase names, possible now or not; None if it names none.

    A name without its number stands for the only one of its class.

    Args:
        library: the robot's skills.
        phrase: as the model would write it; upper case and spaces do not matter.
        situation: what is known, which gives the names.
    """
    wanted = _bare(phrase)
    every = [*_every(library, situation)]
    exact = [one for one in every if _bare(one.phrase) == wanted]
    if exact:
        return exact[0]
    loose = [one for one in every if _bare(_unnumbered(one)) == wanted]
    return loose[0] if len(loose) == 1 else None


def unchecked(library: SkillLibrary, phrase: str) -> GroundedSkill | None:
    """Return the skill that a phrase names, whatever its arguments are; None if it names none."""
    for skill in library.skills:
        parts = _FIELD.split(_bare(skill.phrase))
        pattern = ''.join(
            re.escape(part) if number % 2 == 0 else f'(?P<{part}>.+?)'
            for number, part in enumerate(parts)
        )
        match = re.fullmatch(pattern, _bare(phrase))
        if match:
            return skill.ground_named(match.groupdict())
    return None


def alike(phrase: str, possible: tuple[GroundedSkill, ...]) -> list[str]:
    """Return the phrases that are most like one, the best first."""
    by_bare = {_bare(one.phrase): one.phrase for one in possible}
    found = difflib.get_close_matches(_bare(phrase), by_bare, _MOST_ALIKE, cutoff=0.3)
    return [by_bare[one] for one in found]


def _every(library: SkillLibrary, situation: Situation) -> Iterator[GroundedSkill]:
    """Yield every skill with everything that is known, possible or not."""
    for skill in library.skills:
        names = [_names(skill, argument, situation) for argument in skill.arguments]
        filled = itertools.islice(itertools.product(*names), _MOST_GROUNDED)
        yield from (skill.ground(*one) for one in filled)


def _names(skill: Skill, argument: str, situation: Situation) -> list[str]:
    kinds = {one.kind for one in skill.arguments[argument]}
    rooms = [*situation.rooms] if 'room' in kinds else []
    return [*rooms, *(situation.objects if 'object' in kinds else ())]


def _unnumbered(skill: GroundedSkill) -> str:
    names = {name: re.sub(r' \d+$', '', name) for name in skill.arguments}
    phrase = skill.phrase
    for name, bare in names.items():
        phrase = phrase.replace(name, bare)
    return phrase


def _bare(text: str) -> str:
    return ' '.join(text.casefold().split())
