# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Crafting recipes of Minecraft 1.16.5, from the package ``minecraft-data`` (MIT).

Source: Prasad et al., *ADaPT*, 2024, Appendix E: recipes of the crafting table, of which only the
counts matter.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

VERSION = '1.16.5'
_NEEDED = (
    'the tasks of TextCraft need the recipes of the package minecraft-data: '
    'pip install minecraft-data==3.20.0'
)

Needs = frozenset[tuple[str, int]]
_Made = tuple[int, Needs]
"""How many are made, and of what."""


@dataclass(frozen=True)
class Recipe:
    """One way to craft an item.

    Args:
        item: what is made.
        count: how many at a time.
        needs: what it takes, and how many of each; a name can be that of a kind.
    """

    item: str
    count: int
    needs: tuple[tuple[str, int], ...]

    @property
    def command(self) -> str:
        """The recipe as a crafting command, e.g. ``craft 4 stick using 2 planks``."""
        needs = ', '.join(f'{count} {item}' for item, count in self.needs)
        return f'craft {self.count} {self.item} using {needs}'


@dataclass(frozen=True)
class RecipeBook:
    """Recipes that belong together.

    Args:
        recipes: those of each item that has to be crafted; all others can be got.
        kinds: which items a wider name means: any of them will do.
    """

    recipes: Mapping[str, tuple[Recipe, ...]]
    kinds: Mapping[str, tuple[str, ...]]

    @cached_property
    def depths(self) -> Mapping[str, int]:
        """How often one has to craft in a row for an item at least; 0 for what can be got.

        An item that cannot be made from what can be got has none.
        """
        return _depths(self.recipes, self.kinds)

    def depth(self, recipe: Recipe) -> int:
        """Return the depth of an item that is made by a recipe."""
        return 1 + max(self.depth_of(name) for name, _ in recipe.needs)

    def depth_of(self, name: str) -> int:
        """Return the depth of an item, or that of the nearest of a kind."""
        return min(self.depths.get(one, 0) for one in self.kinds.get(name, (name,)))


@cache
def recipe_book() -> RecipeBook:
    """Return all recipes of the game.

    Recipes that differ in one ingredient whose names end alike ("oak planks", "birch planks") are
    one recipe of a kind ("planks"). Things that can only be made from each other, as iron ingots
    and blocks of iron, can be got.

    Raises:
        ConfigurationError: the package with the recipes is not installed.
    """
    found: dict[str, set[_Made]] = defaultdict(set)
    names = {one['id']: one['name'].replace('_', ' ') for one in _read('items')}
    for ways in _read('recipes').values():
        for way in ways:
            cells = [*way.get('ingredients', ()), *itertools.chain(*way.get('inShape', ()))]
            needs = Counter(names[one] for one in cells if one is not None)
            made = way['result']
            found[names[made['id']]].add((made['count'], frozenset(needs.items())))
    kinds: dict[str, set[str]] = defaultdict(set)
    recipes = {
        item: tuple(
            Recipe(item, count, tuple(sorted(needs, key=lambda need: (-need[1], need[0]))))
            for count, needs in sorted(_in_kinds(ways, {*names.values()}, kinds), key=_order)
        )
        for item, ways in sorted(found.items())
    }
    sorted_kinds = {name: tuple(sorted(items)) for name, items in sorted(kinds.items())}
    got = _made_of_themselves(recipes, sorted_kinds)
    left = {item: ways for item, ways in recipes.items() if item not in got}
    return RecipeBook(left, sorted_kinds)


def is_installed() -> bool:
    """Return whether the package with the recipes is there."""
    return find_spec('minecraft_data') is not None


def _read(what: str) -> Any:
    spec = find_spec('minecraft_data')  # its own interface reads everything of a version
    if spec is None or spec.origin is None:
        raise ConfigurationError(_NEEDED)
    folder = Path(spec.origin).parent / 'data' / 'data'
    try:
        paths = json.loads((folder / 'dataPaths.json').read_text(encoding='utf-8'))
        file = folder / paths['pc'][VERSION][what] / f'{what}.json'
        return json.loads(file.read_text(encoding='utf-8'))
    except (OSError, KeyError, ValueError) as error:
        raise ConfigurationError(f'{_NEEDED} ({error})') from error


def _order(made: _Made) -> tuple[object, ...]:
    return made[0], sorted(made[1])


def _in_kinds(ways: Iterable[_Made], items: set[str], kinds: dict[str, set[str]]) -> set[_Made]:
    """Return recipes of an item, with those that differ in one ingredient as one of a kind.

    Args:
        ways: the recipes.
        items: names of all items, which no kind may have.
        kinds: takes up the items of each kind.
    """
    left = {*ways}
    while True:
        alike: dict[tuple[int, int, Needs], set[str]] = defaultdict(set)
        for count, needs in left:
            for name, many in needs:
                alike[count, many, needs - {(name, many)}].add(name)
        named = [
            (len(names), kind, key, names)
            for key, names in alike.items()
            if len(names) > 1 and (kind := _common_end(names)) and kind not in items
        ]
        if not named:
            return left
        _, kind, (count, many, rest), names = max(
            named, key=lambda one: (one[0], one[1], one[2][:2], sorted(one[2][2]))
        )
        kinds[kind] |= names
        left -= {(count, rest | {(name, many)}) for name in names}
        left.add((count, rest | {(kind, many)}))


def _common_end(names: Iterable[str]) -> str:
    """Return the words with which all names end."""
    common: list[str] = []
    for words in zip(*(reversed(name.split()) for name in names), strict=False):
        if len({*words}) > 1:
            break
        common.insert(0, words[0])
    return ' '.join(common)


def _depths(
    recipes: Mapping[str, Iterable[Recipe]],
    kinds: Mapping[str, Iterable[str]],
    got: Iterable[str] = (),
) -> dict[str, int]:
    """Return the depths of all items that can be made, see ``RecipeBook``.

    Args:
        recipes: of each item.
        kinds: the items of each kind.
        got: items that can be got although they have recipes.
    """
    used = {name for ways in recipes.values() for way in ways for name, _ in way.needs}
    used |= {name for items in kinds.values() for name in items}
    depths = dict.fromkeys((used - recipes.keys() - kinds.keys()) | {*got}, 0)
    for depth in range(1, len(recipes) + 1):
        made = (kind for kind, items in kinds.items() if not depths.keys().isdisjoint(items))
        there = {*depths, *made}
        new = {
            item
            for item, ways in recipes.items()
            if item not in depths and any({name for name, _ in way.needs} <= there for way in ways)
        }
        if not new:
            break
        depths |= dict.fromkeys(new, depth)
    return depths


def _made_of_themselves(
    recipes: Mapping[str, tuple[Recipe, ...]], kinds: Mapping[str, Iterable[str]]
) -> set[str]:
    """Return the items that can only be made from each other."""
    got: set[str] = set()
    while True:
        depths = _depths(recipes, kinds, got)
        left = recipes.keys() - depths.keys()
        if not left:
            return got
        below = {item: _reachable(item, recipes, kinds, left) for item in sorted(left)}
        got |= next(
            there for item, there in below.items() if all(item in below[one] for one in there)
        )


def _reachable(
    item: str,
    recipes: Mapping[str, tuple[Recipe, ...]],
    kinds: Mapping[str, Iterable[str]],
    among: set[str],
) -> set[str]:
    """Return the items of a set that an item can be made of, over others of the set."""

    def needed(of: str) -> Iterator[str]:
        for way in recipes[of]:
            for name, _ in way.needs:
                yield from (one for one in kinds.get(name, (name,)) if one in among)

    found: set[str] = set()
    waiting = [item]
    while waiting:
        for name in needed(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
