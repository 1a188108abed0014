# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which classes and numbers a goal in everyday words names.

Faults of the planner are derived from this, so every ambiguity counts in its favour: "table" may
be any table of the house, "glass" any glass.
"""

from __future__ import annotations

import re

from reactree_ros.lab.goal_words import ALIASES, named_classes
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.words import PLURALS
from reactree_ros.skills.library import SkillLibrary

_NUMBER = re.compile(r'\b(?:two|both|three|four|five|six|a pair of|all|\d+)\b')


class Vocabulary:
    """The words of one household.

    Args:
        scene: the household.
        library: the robot's skills, for the other classes that its perception can name.
    """

    def __init__(self, scene: Scene, library: SkillLibrary) -> None:
        nodes = [node for node in scene.nodes.values() if node.affordances]
        self.movable = library.objects | {n.words for n in nodes if 'grabbable' in n.affordances}
        self.tools = frozenset(node.words for node in nodes if 'cutter' in node.affordances)
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


def gives_number(text: str) -> bool:
    """Return whether a text has a number from two."""
    return _NUMBER.search(text.lower()) is not None
