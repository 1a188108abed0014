# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the skill that a phrase names, or phrases that are like it."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping

from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill, Skill, SkillLibrary
from reactree_ros.skills.reader import ARGUMENT

_MOST_ALIKE = 5


def named(library: SkillLibrary, phrase: str, situation: Situation) -> GroundedSkill | None:
    """Return the skill that a phrase names, possible now or not; None if it names none.

    A name without its number stands for the only one of its class.

    Args:
        library: the robot's skills.
        phrase: as the model would write it; upper case and spaces do not matter.
        situation: what is known, which gives the names.
    """
    for skill in library.skills:
        known = {argument: _names(skill, argument, situation) for argument in skill.arguments}
        match = _match(skill, phrase, {one: _any_of(names) for one, names in known.items()})
        if match is not None:
            return skill.ground_named(
                {argument: known[argument][name] for argument, name in match.items()}
            )
    return None


def unchecked(library: SkillLibrary, phrase: str) -> GroundedSkill | None:
    """Return the skill that a phrase names, whatever its arguments are; None if it names none."""
    for skill in library.skills:
        match = _match(skill, phrase, dict.fromkeys(skill.arguments, '.+?'))
        if match is not None:
            return skill.ground_named(match)
    return None


def alike(phrase: str, possible: tuple[GroundedSkill, ...]) -> list[str]:
    """Return the phrases that are most like one, the best first."""
    by_bare = {_bare(one.phrase): one.phrase for one in possible}
    found = difflib.get_close_matches(_bare(phrase), by_bare, _MOST_ALIKE, cutoff=0.3)
    return [by_bare[one] for one in found]


def _match(skill: Skill, phrase: str, patterns: Mapping[str, str]) -> dict[str, str] | None:
    """Return the arguments of a phrase, if it is the skill's."""
    parts = ARGUMENT.split(' '.join(skill.phrase.split()))
    pattern = ''.join(
        re.escape(_bare(part, strip=False)) if number % 2 == 0 else f'(?P<{part}>{patterns[part]})'
        for number, part in enumerate(parts)
    )
    match = re.fullmatch(pattern, _bare(phrase))
    return match.groupdict() if match else None


def _any_of(names: Mapping[str, str]) -> str:
    longest_first = sorted(names, key=len, reverse=True)
    return '|'.join(map(re.escape, longest_first)) or '(?!)'


def _names(skill: Skill, argument: str, situation: Situation) -> dict[str, str]:
    """Return the names of what is known, by what a phrase may call them."""
    kinds = {one.kind for one in skill.arguments[argument]}
    full = [
        *(situation.rooms if 'room' in kinds else ()),
        *(situation.objects if 'object' in kinds else ()),
    ]
    classes = Counter(_unnumbered(name) for name in full)
    loose = {_unnumbered(name): name for name in full if classes[_unnumbered(name)] == 1}
    return {**loose, **{_bare(name): name for name in full}}


def _unnumbered(name: str) -> str:
    return _bare(re.sub(r' \d+$', '', name))


def _bare(text: str, *, strip: bool = True) -> str:
    return ' '.join(text.casefold().split()) if strip else text.casefold()
