# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Crafting tasks by the depth of their recipe tree, drawn from the recipes of the game.

Source: Prasad et al., *ADaPT*, section 4.1 and Appendix E. The commands of a task are those of its
recipe tree, and up to ten that are of no use for it.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.textcraft.library import MOST_GOT, TextCraftLibrary, textcraft_library
from reactree_ros.sim.textcraft.recipes import Recipe, recipe_book
from reactree_ros.sim.textcraft.world import GET, CraftProblem, TextCraftWorld

DEV, TEST = TEXTCRAFT_SETS = ('textcraft_dev', 'textcraft_test')
"""Names of the sets."""
SIZES: Mapping[str, Mapping[int, int]] = {
    DEV: {1: 7, 2: 7, 3: 7, 4: 3},
    TEST: {1: 20, 2: 20, 3: 20, 4: 8},
}
"""How many tasks of each depth a set has. The game has 11 items of depth 4."""
TEXTCRAFT_TYPES = tuple(f'depth_{depth}' for depth in SIZES[TEST])
"""The types of tasks."""
_DISTRACTORS = 10
_DEV_SHARE = 0.3


@dataclass(frozen=True)
class CraftTask(Task):
    """A task of TextCraft.

    Args:
        problem: what is to be crafted, and by what.
        plan: phrases of the skills of a known solution.
    """

    problem: CraftProblem = CraftProblem('', (), {})  # noqa: RUF009 - immutable
    plan: tuple[str, ...] = ()

    @property
    def depth(self) -> int:
        """How often one has to craft in a row."""
        return int(self.type.rpartition('_')[2])

    def world(self) -> TextCraftWorld:
        """Return the world in which it starts."""
        return TextCraftWorld(self.problem)

    def library(self) -> TextCraftLibrary:
        """Return the skills there."""
        return textcraft_library(self.problem)


@cache
def craft_tasks(name: str) -> tuple[CraftTask, ...]:
    """Return the tasks of a set, of which any first part is balanced over the depths.

    Raises:
        ConfigurationError: the package with the recipes is not installed, or has others.
    """
    by_depth = [_targets(name, depth)[:most] for depth, most in SIZES[name].items()]
    targets = [one for row in itertools.zip_longest(*by_depth) for one in row if one is not None]
    if len(targets) != sum(SIZES[name].values()):
        raise ConfigurationError(f'minecraft-data has too few recipes for {name}')
    return tuple(_task(number, target, name) for number, target in enumerate(targets, 1))


def _targets(name: str, depth: int) -> list[str]:
    """Return the items of a depth that are for a set, those unlike each other first.

    Items whose names end alike, as banners of all colours, are for the same set.
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for item, own in sorted(recipe_book().depths.items()):
        family = item.split()[-1]
        is_dev = Draw(f'textcraft/{family}').chance(_DEV_SHARE)
        if own == depth and is_dev == (name == DEV):
            alike[family].append(item)
    draw = Draw(f'{name}/{depth}')
    families = draw.shuffled(draw.shuffled(items) for items in alike.values())
    return [one for row in itertools.zip_longest(*families) for one in row if one is not None]


def _task(number: int, target: str, name: str) -> CraftTask:
    book = recipe_book()
    draw = Draw(f'{name}/{target}')
    tree, chosen = _tree(target, draw)
    gold = [*tree.values()]
    commands = draw.shuffled([*gold, *_distractors(gold, draw)])
    named = {item for one in commands for item, _ in one.needs} | {one.item for one in commands}
    problem = CraftProblem(
        target,
        tuple(commands),
        book.kinds,
        tuple(sorted(tree, key=lambda item: (book.depths[item], item))),
        frozenset(named & book.recipes.keys()),
    )
    plan = _plan(target, tree, chosen)
    instruction = problem.instruction
    depth = book.depths[target]
    return CraftTask(
        number,
        f'depth_{depth}',
        'textcraft',
        '',
        instruction,
        steps=len(plan),
        problem=problem,
        plan=plan,
    )


def _tree(target: str, draw: Draw) -> tuple[dict[str, Recipe], dict[str, str]]:
    """Return a recipe of least depth for each item to be crafted, and an item for each kind."""
    book = recipe_book()
    tree: dict[str, Recipe] = {}
    chosen: dict[str, str] = {}
    waiting = [target]
    while waiting:
        item = waiting.pop()
        if item in tree or item not in book.recipes:
            continue
        depth = book.depths[item]
        tree[item] = draw.pick([one for one in book.recipes[item] if book.depth(one) == depth])
        for name, _ in tree[item].needs:
            if name in book.kinds and name not in chosen:
                least = book.depth_of(name)
                known = [one for one in book.kinds[name] if book.depths.get(one, 0) == least]
                chosen[name] = draw.pick(known)
            waiting.append(chosen.get(name, name))
    return tree, chosen


def _distractors(gold: list[Recipe], draw: Draw) -> list[Recipe]:
    """Return up to ten recipes that need what those of the tree need, and are not of it."""
    found: dict[Recipe, None] = {}
    for name in dict.fromkeys(name for one in gold for name, _ in one.needs):
        users = [
            one
            for ways in recipe_book().recipes.values()
            for one in ways
            if one not in gold and any(need == name for need, _ in one.needs)
        ]
        found |= dict.fromkeys(draw.shuffled(users)[:_DISTRACTORS])
    return draw.shuffled(found)[:_DISTRACTORS]


def _plan(target: str, tree: Mapping[str, Recipe], chosen: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is got, and then crafted from the leaves to the target."""
    depths = recipe_book().depths
    wanted = Counter({target: 1})
    crafts: list[str] = []
    for item in sorted(tree, key=lambda item: (-depths[item], item)):
        recipe = tree[item]
        times = -(-wanted[item] // recipe.count)
        needs = tuple((chosen.get(name, name), count) for name, count in recipe.needs)
        for name, count in needs:
            wanted[name] += times * count
        crafts = [Recipe(item, recipe.count, needs).command] * times + crafts
    gets = [
        f'{GET} {min(MOST_GOT, wanted[item] - start)} {item}'
        for item in sorted(wanted)
        if item not in tree
        for start in range(0, wanted[item], MOST_GOT)
    ]
    return (*gets, *crafts)
