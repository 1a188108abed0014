# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of a plan that is made before anything was seen (paper, Appendix C).

Places keep their numbers, movable things lose them: "go to fridge 1", but "pick up apple". Which
apple is meant turns out where the robot stands.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from reactree_ros.core.decision import DONE
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import Filter, GroundedSkill, Skill, SkillLibrary

_NUMBER = re.compile(r'\s*\((\d+)\)|\s+(\d+)\b')
_BULLET = re.compile(r'^(?:act:|\d+[.)]|[-*])\s*')


@dataclass(frozen=True)
class PlanStep:
    """One skill of a plan.

    Args:
        skill: the skill.
        arguments: rooms and places by name, e.g. ``fridge 1``; movable things by class, e.g.
            ``apple``.
        phrase: how a plan names it.
    """

    skill: Skill
    arguments: tuple[str, ...]
    phrase: str

    def ground(self, situation: Situation) -> GroundedSkill:
        """Return the skill on instances: the first that it can be done to now, if there is one.

        Otherwise it is the first that was seen, or number 1; the robot then says what is wrong.
        """
        names = [
            self._instance(argument, filters, situation)
            for argument, filters in zip(self.arguments, self.skill.arguments.values(), strict=True)
        ]
        return self.skill.ground(*names)

    @staticmethod
    def _instance(argument: str, filters: tuple[Filter, ...], situation: Situation) -> str:
        known = sorted(
            (item for item in situation.objects.values() if item.class_name == argument),
            key=lambda item: item.instance,
        )
        possible = [item for item in known if any(one.accepts(item, situation) for one in filters)]
        for item in (*possible, *known):
            return item.name
        return argument if _NUMBER.search(argument) else f'{argument} 1'


def steps_of(library: SkillLibrary, survey: Observation) -> dict[str, PlanStep]:
    """Return every step that a plan can have, by its phrase.

    Args:
        library: the robot's skills.
        survey: all rooms, places and movable things that there are.
    """
    found: dict[str, PlanStep] = {}
    known = Situation(objects={item.name: item for item in survey.objects})
    for skill in library.planned_skills:
        candidates = [
            _candidates(filters, survey, unnumbered=not library.closed_world)
            for filters in skill.arguments.values()
        ]
        for arguments in itertools.product(*candidates):
            if len(set(arguments)) == len(arguments):
                grounded = skill.ground(*arguments)
                if not library.forbids(grounded, known):
                    step = PlanStep(skill, arguments, grounded.phrase)
                    found.setdefault(grounded.phrase, step)
    return found


def exact(line: str, steps: Mapping[str, PlanStep]) -> str:
    """Return the phrase that a written line is, ignoring case, bullets and numbers; else ''.

    >>> exact('2. Done.', {})
    'done'
    """
    text = ' '.join(_BULLET.sub('', line.strip().lower()).rstrip('.').split())
    text = re.sub(r'\((\d+)\)', r'\1', text)
    for phrase in (text, ' '.join(_NUMBER.sub(' ', text).split())):
        if phrase == DONE or phrase in steps:
            return phrase
    return ''


def _candidates(filters: tuple[Filter, ...], survey: Observation, unnumbered: bool) -> list[str]:
    """Return what may fill an argument; movable things may lose their numbers."""
    names: dict[str, None] = {}
    for one in filters:
        if one.kind == 'room':
            names.update((room, None) for room in survey.rooms)
            continue
        for item in survey.objects:
            if _may_ever_pass(one, item):
                movable = unnumbered and 'furniture' not in item.affordances
                names[item.class_name if movable else item.name] = None
    return list(names)


def _may_ever_pass(one: Filter, item: ObservedObject) -> bool:
    """Whether an object can pass in some situation: states, reach and hands change."""
    if one.affordance and not one.affordance & item.affordances:
        return False
    if one.held and 'grabbable' not in item.affordances:
        return False
    return one.here is None or 'furniture' in item.affordances
