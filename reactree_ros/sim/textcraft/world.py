# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world of TextCraft: an inventory, things to be got, and commands to craft others by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.textcraft.recipes import Recipe
from reactree_ros.skills.simulated import SimulatedWorld

GET, CRAFT, INVENTORY = 'get', 'craft', 'inventory'
"""The skills."""
_COMMAND = re.compile(r'craft (\d+) (.+) using (.+)')
_AMOUNT = re.compile(r'(\d+) (.+)')


@dataclass(frozen=True)
class CraftProblem:
    """What is to be crafted, and by what.

    Args:
        target: the item; one of it has to be in the inventory.
        commands: the crafting commands that are known, in the order in which they are shown.
        kinds: items that a wider name in a command means.
        crafted: items that have to be crafted on the way to the target, itself the last; for
            partial credit.
        not_got: further items that cannot be got, besides those that a command makes.
    """

    target: str
    commands: tuple[Recipe, ...]
    kinds: Mapping[str, Collection[str]]
    crafted: tuple[str, ...] = ()
    not_got: frozenset[str] = frozenset()

    @property
    def instruction(self) -> str:
        """The goal as text."""
        return f'craft {self.target}'

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items that a command names; not the kinds."""
        named = dict.fromkeys(
            name for one in self.commands for name in (one.item, *(need for need, _ in one.needs))
        )
        return tuple(sorted(name for name in named if name not in self.kinds))

    def members(self, name: str) -> tuple[str, ...]:
        """Return the items of a kind that a command names; for an item itself."""
        if name not in self.kinds:
            return (name,)
        return tuple(one for one in self.items if one in self.kinds[name])

    def can_be_got(self, item: str) -> bool:
        """Return whether an item is in the surroundings, so that nobody has to craft it."""
        return item not in self.not_got and all(one.item != item for one in self.commands)


def read_command(text: str) -> Recipe:
    """Read a crafting command.

    >>> read_command('craft 4 stick using 2 planks').needs
    (('planks', 2),)

    Raises:
        ConfigurationError: if it is another text.
    """
    found = _COMMAND.fullmatch(text)
    needs = [_AMOUNT.fullmatch(part) for part in found[3].split(', ')] if found else [None]
    if found is None or None in needs:
        raise ConfigurationError(
            f'{text!r} is not a crafting command; write: craft 4 stick using 2 planks'
        )
    return Recipe(found[2], int(found[1]), tuple((one[2], int(one[1])) for one in needs if one))


def read_problem(path: Path) -> CraftProblem:
    """Read a problem: ``target``, ``commands``, and ``kinds`` with the items of each.

    Raises:
        ConfigurationError: if the file cannot be read, or a command is none.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
        commands = tuple(map(read_command, document['commands']))
        return CraftProblem(document['target'], commands, document['kinds'])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError) as error:
        raise ConfigurationError(f'cannot read the crafting problem {path}: {error}') from error


class TextCraftWorld(SimulatedWorld):
    """An inventory that is empty at first (``SimulatedWorld``).

    Args:
        problem: what there is.
    """

    def __init__(self, problem: CraftProblem) -> None:
        self.problem = problem
        self.inventory: Counter[str] = Counter()
        self._ever: set[str] = set()

    def observe(self) -> Observation:
        """Tell the crafting commands, and what is in the inventory."""
        commands = '; '.join(one.command for one in self.problem.commands)
        return Observation(f'Crafting commands: {commands}. {self._inventory()}')

    def execute(self, skill: str, arguments: Sequence[str] = ()) -> SkillResult:
        """Carry out a command line, as a text game does.

        Args:
            skill: the whole line: ``inventory``; ``get`` with how many of what; a crafting command,
                in which items stand for kinds.
            arguments: none.

        Returns:
            SUCCEEDED; FAILED for what cannot be got; REFUSED for other lines, and if the
            ingredients are not there.
        """
        if skill == INVENTORY:
            return _result(SkillStatus.SUCCEEDED, self._inventory())
        verb, _, rest = skill.partition(' ')
        wanted = _AMOUNT.fullmatch(rest)
        if verb == GET and wanted is not None:
            return self._get(int(wanted[1]), wanted[2])
        if verb == CRAFT and _COMMAND.fullmatch(skill):
            return self._craft(skill)
        return _result(SkillStatus.REFUSED, f'"{skill}" is not possible like that.')

    def check(self) -> GoalCheck:
        """Return whether the target is in the inventory.

        Partial credit is for the items on the way to it that were crafted at some time.
        """
        problem = self.problem
        line = f'{problem.target} in the inventory'
        on_the_way = problem.crafted or (problem.target,)
        if self.inventory[problem.target]:
            return GoalCheck((line,), (), len(on_the_way), len(on_the_way))
        met = sum(item in self._ever for item in on_the_way if item != problem.target)
        return GoalCheck((), (line,), met, len(on_the_way))

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return what does not hold of the goal, given as its instruction; None for others."""
        asked = [' '.join(line.split()) for line in conditions]
        return self.check().unsatisfied if asked == [self.problem.instruction] else None

    def _get(self, count: int, item: str) -> SkillResult:
        if item not in self.problem.items or not self.problem.can_be_got(item) or count < 1:
            return _result(SkillStatus.FAILED, f'Could not find {item}.')
        self.inventory[item] += count
        return _result(SkillStatus.SUCCEEDED, f'Got {count} {item}.{self._total(item)}')

    def _craft(self, command: str) -> SkillResult:
        asked = read_command(command)
        if asked not in grounded(self.problem):
            text = f'"{command}" is not among the crafting commands.'
            return _result(SkillStatus.REFUSED, text)
        lacking = [f'{count} {item}' for item, count in asked.needs if self.inventory[item] < count]
        if lacking:
            text = f'Not enough in the inventory: it takes {", ".join(lacking)}.'
            return _result(SkillStatus.REFUSED, text)
        self.inventory.subtract(dict(asked.needs))
        self.inventory[asked.item] += asked.count
        self._ever.add(asked.item)
        text = f'Crafted {asked.count} {asked.item}.{self._total(asked.item)}'
        return _result(SkillStatus.SUCCEEDED, text)

    def _total(self, item: str) -> str:
        return f' You have {self.inventory[item]} of it.'

    def _inventory(self) -> str:
        held = [f'{count} {item}' for item, count in sorted(self.inventory.items()) if count]
        return f'Inventory: {", ".join(held) or "empty"}.'


def grounded(problem: CraftProblem) -> tuple[Recipe, ...]:
    """Return the crafting commands with items for kinds, as they can be carried out."""
    found: list[Recipe] = []
    for one in problem.commands:
        ways: Iterable[tuple[tuple[str, int], ...]] = [()]
        for name, count in one.needs:
            ways = [(*way, (item, count)) for way in ways for item in problem.members(name)]
        found += [Recipe(one.item, one.count, way) for way in ways]
    return tuple(dict.fromkeys(found))


def _result(status: SkillStatus, text: str) -> SkillResult:
    return SkillResult(status, Observation(text))
