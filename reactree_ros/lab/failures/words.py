# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which classes and numbers a goal in everyday words names.

Faults of the planner are derived from this, so every ambiguity counts in its favour: "table" may
be any table of the house, "glass" any glass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from reactree_ros.core.situation import named_classes
from reactree_ros.guidance.checks import destination, verbs_of
from reactree_ros.sim.household.goal_text import ALIASES
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.words import PLURALS
from reactree_ros.skills.library import SkillLibrary

_NUMBERS = {'two': 2, 'both': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'a pair of': 2}
_MANY = 99
_NUMBER = '|'.join([*_NUMBERS, 'all', r'\d+'])
_STATE_WORDS = {
    'hot': r'heat|warm|hot|cook|microwave|stove|oven|toast',
    'cooked': r'heat|warm|hot|cook|microwave|stove|oven|toast|bak|fr[iy]|boil',
    'cold': r'cool|chill|cold|fridge|refrigerat',
    'clean': r'clean|wash|rins|scrub|sink|faucet',
    'sliced': r'slic|cut|chop',
    'dirty': r'',
}


class Vocabulary:
    """The words of one household.

    Args:
        scene: the household.
        library: the robot's skills, for the other classes that its perception can name.
    """

    def __init__(self, scene: Scene, library: SkillLibrary) -> None:
        nodes = [node for node in scene.nodes.values() if node.affordances]
        self.movable = library.objects | {n.words for n in nodes if 'grabbable' in n.affordances}
        self.tools = library.tools
        classes = self.movable | library.places | {node.words for node in nodes}
        self._means: dict[str, set[str]] = {}
        for name in sorted(classes):
            for word in {name, name.rpartition(' ')[2]}:
                self._means.setdefault(word, set()).add(name)
        for alias, name in ALIASES.items():
            if name in classes:
                self._means.setdefault(alias, set()).add(name)
        for singular, plural in PLURALS.items():
            if singular in self._means:
                self._means[plural] = self._means[singular]

    def named(self, text: str) -> frozenset[str]:
        """Return the classes that a text names or may mean."""
        found = named_classes(text, self._means)
        return frozenset(name for word in found for name in self._means[word])

    def certain(self, text: str) -> frozenset[str]:
        """Return the classes that a text names in words which mean no other."""
        meant = [self._means[word] for word in named_classes(text, self._means)]
        return frozenset(name for names in meant if len(names) == 1 for name in names)

    def number(self, text: str, class_name: str) -> int:
        """Return how many of a class a text mentions: its number, many for a plural, else 1."""
        for word, names in self._means.items():
            if class_name not in names:
                continue
            noun = r'\s?'.join(map(re.escape, word.split()))
            match = re.search(rf'\b({_NUMBER})\s+(?:\w+\s+)?{noun}(?:s|es)?\b', text.lower())
            if match:
                found = match[1]
                return int(found) if found.isdigit() else _NUMBERS.get(found, _MANY)
            plural = noun if word in PLURALS.values() else f'{noun}(?:s|es)'
            if re.search(rf'\b{plural}\b', text.lower()):
                return _MANY
        return 1

    def puts(self, goal: str) -> bool:
        """Return whether a goal is to bring something somewhere."""
        named = self.named(goal)
        both = bool(named & self.movable) and bool(named - self.movable)
        return 'put' in verbs_of(goal) or (both and not verbs_of(goal))

    def ends_at(self, goal: str) -> frozenset[str]:
        """Return the classes of places that a goal wants something to be put; rooms are none."""
        return self.named(destination(goal))


def speaks_of(state: str, goals: Iterable[str]) -> bool:
    """Return whether any of the goals may bring a state about, e.g. ``hot`` by "heat"."""
    return any(re.search(_STATE_WORDS[state], goal.lower()) for goal in goals)


def gives_number(text: str) -> bool:
    """Return whether a text has a number from two."""
    return re.search(rf'\b(?:{_NUMBER})\b', text.lower()) is not None
