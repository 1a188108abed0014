# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of TextCraft."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.sim.textcraft.world import CRAFT, GET, INVENTORY, CraftProblem, grounded
from reactree_ros.skills.library import GroundedSkill, Skill, SkillLibrary
from reactree_ros.skills.reader import library_from

NAME = 'textcraft'
MOST_GOT = 9
"""How many of an item can be got at a time; more by getting it again."""
_DOCUMENT: dict[str, Any] = {
    'name': NAME,
    'agent': 'an agent that gets and crafts items',
    'rules': (
        'Crafting commands say what can be crafted, and of what. Raw items can be got. '
        'What a command names by a wider name ("planks") can be any item whose name ends in it '
        '("oak planks"). A command is always carried out with its own counts.'
    ),
    'action': 'textcraft/execute_skill',
    'skills': {name: {'phrase': name} for name in (GET, CRAFT, INVENTORY)},
}
_EXAMPLES = ('tree', 'flat', 'skills', 'hiagent', 'step')


@dataclass(frozen=True, kw_only=True)
class TextCraftLibrary(SkillLibrary):
    """Skills of a problem; make it by ``textcraft_library``.

    Args:
        problem: what can be got and crafted.
    """

    problem: CraftProblem

    @cached_property
    def planned_skills(self) -> tuple[Skill, ...]:
        """Return every line as a skill of its own: it has no arguments that a robot could know."""
        commands = (one.command for one in grounded(self.problem))
        gets = (
            f'{GET} {count} {item}'
            for item in self.problem.items
            for count in range(1, MOST_GOT + 1)
        )
        return tuple(
            replace(self.skills[0], name=line, phrase=line)
            for line in (INVENTORY, *commands, *gets)
        )

    def executable(self, situation: Situation) -> tuple[GroundedSkill, ...]:
        """Return every line, at any time.

        To know what can be crafted by now, and what has to be, is up to the model.
        """
        return self._lines

    def objections(self, skill: GroundedSkill, situation: Situation) -> list[str]:
        """Return why a line cannot be carried out; nothing if it can be tried."""
        if skill in self._lines:
            return []
        return ['it is not among the crafting commands, and names nothing that they name']

    @cached_property
    def _lines(self) -> tuple[GroundedSkill, ...]:
        return tuple(one.ground() for one in self.planned_skills)


def textcraft_library(problem: CraftProblem) -> TextCraftLibrary:
    """Return the skills of a problem, with examples of another game's crafting."""
    read = library_from(_DOCUMENT, 'of TextCraft')
    folder = share('resource', NAME)
    files = {kind: folder / f'{kind}.txt' for kind in _EXAMPLES}
    read = replace(read, closed_world=True, prompts=folder, examples=files)
    own = {one.name: getattr(read, one.name) for one in fields(SkillLibrary)}
    return TextCraftLibrary(**own, problem=problem)
