# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a goal needs of the movable things that it names: how many, where, in which states."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.checks import destination, number_asked
from reactree_ros.guidance.words import kinds_named, mask_classes

_STATES = {
    'clean': r'clean|wash|rins',
    'hot': r'hot|heat|warm',
    'cooked': r'cook',
    'cold': r'cold|cool|chill',
    'sliced': r'slic|cut',
}
_INTO = re.compile(
    r'\b(?:on top of|onto|on|inside|into|in)\s+(?:(?:an?|the|one|some|your|my)\s+)?(?:\w+ of )?$'
)
_LADEN = re.compile(
    r'\b(?:with|has|having|holds|holding|contains|containing)\b(.*?)\b(?:i|o)n it\b'
)


@dataclass(frozen=True)
class _Group:
    """One thing as the goal names it.

    Args:
        classes: what it may be.
        wanted: how many; None if the goal leaves it open.
    """

    classes: frozenset[str]
    wanted: int | None


class Needs:
    """Counts what is at hand against what a goal asks for.

    A goal that names a single thing, or things without a number, needs another one as long as none
    is known that is not in its place yet. A wider word leaves open what is meant: no number of
    things is enough.

    Args:
        goal: in class words.
        above: goals of the nodes above, the root's first.
        situation: what is known now.
        movable: classes of movable things.
        kinds: classes that a wider word of the goal may mean.
        tools: classes that a root's goal may need for slicing without naming them.
    """

    def __init__(
        self,
        goal: str,
        above: Sequence[str],
        situation: Situation,
        movable: Collection[str],
        kinds: Mapping[str, frozenset[str]],
        tools: frozenset[str],
    ) -> None:
        self._situation = situation
        classes = situation.classes
        named = {
            name: frozenset(one for one in meant if one in movable)
            for name, meant in kinds_named(goal, classes, kinds).items()
        }
        named = {name: meant for name, meant in named.items() if meant}
        vessels = _vessels(goal, tuple(named))
        self._vessels = frozenset().union(*(named[name] for name in vessels))
        self.states = states_asked(goal, {*classes, *kinds})
        self._things = frozenset().union(*named.values())
        # Below another node the tool is that one's business, unless the goal speaks of it.
        alone = not above or bool(tools & self._things)
        about_it = not self._things - tools
        self.tools = tools if 'sliced' in self.states and alone and not about_it else frozenset()
        """Classes of tools that the goal needs; they can be put down anywhere."""
        self.classes = self._things | self.tools
        """Classes of movable things that the goal names, and of the tools that it needs."""
        self._groups = [
            _Group(meant, number_asked(goal, name))
            for name, meant in named.items()
            if not meant & self.tools
        ]
        self._counted = len(self._groups) > 1 or any(
            group.wanted is not None and group.wanted > 1 for group in self._groups
        )
        # "find another apple" below "put two apples in the fridge" means none in the fridge.
        where = '; '.join(destination(one, classes) for one in (*above, goal))
        self._targets = frozenset().union(*kinds_named(where, classes, kinds).values())

    def arrived(self, item: ObservedObject) -> bool:
        """Return whether a thing is where it should be, perhaps in a vessel.

        A vessel is not before something lies in it.
        """
        if item.class_name in self._vessels and not self._is_laden(item):
            return False
        bearers = self._situation.bearers(item)
        return any(bearer.class_name in self._targets for bearer in bearers)

    def needs(self, item: ObservedObject) -> bool:
        """Return whether a thing is still wanted: held, or not in its place and not one too many.

        In its place, it is wanted as long as it lacks a state that the goal asks for.
        """
        if item.class_name in self.tools:
            return item.held or not self._is_cut()
        if item.class_name not in self._things:
            return False
        if item.held:
            return True
        if self.arrived(item):
            return bool(self._states_of(item) - item.states)
        return any(
            item.class_name in group.classes and self._lack(group) != 0 for group in self._groups
        )

    @property
    def missing(self) -> bool:
        """Whether more is to be found than is known."""
        loose = [
            item
            for item in self._situation.objects.values()
            if not item.held and self.needs(item) and 'grabbable' in item.affordances
        ]
        if self.tools and not self._is_cut() and not self._holds_tool():
            if not any(item.class_name in self.tools for item in loose):
                return True
        for group in self._groups:
            if len(group.classes) > 1:
                return True  # which of them is meant, the goal does not say
            number = sum(item.class_name in group.classes for item in loose)
            lack = self._lack(group)
            if lack is None:
                held = any(item.class_name in group.classes for item in self._situation.held)
                lack = 0 if held else 1
            if number < lack:
                return True
        return False

    @property
    def vague(self) -> bool:
        """Whether the goal names something by a wider word only."""
        return any(len(group.classes) > 1 for group in self._groups)

    @property
    def busy(self) -> bool:
        """Whether what is held is wanted elsewhere than at a place: to slice, or in a vessel."""
        held = self._situation.held
        if self._holds_tool():
            return True
        return bool(self._vessels) and any(
            item.class_name in self._things - self._vessels for item in held
        )

    def _holds_tool(self) -> bool:
        return any(item.class_name in self.tools for item in self._situation.held)

    def _lack(self, group: _Group) -> int | None:
        """Return how many are still to be fetched; None if that is open."""
        if not self._counted or group.wanted is None or len(group.classes) > 1:
            return None
        there = sum(
            item.held or self.arrived(item)
            for item in self._situation.objects.values()
            if item.class_name in group.classes and 'grabbable' in item.affordances
        )
        return max(0, group.wanted - there)

    def _is_laden(self, item: ObservedObject) -> bool:
        return any(
            other.receptacle == item.name and other.class_name in self._things
            for other in self._situation.objects.values()
        )

    def _states_of(self, item: ObservedObject) -> frozenset[str]:
        return frozenset() if item.class_name in self._vessels else self.states

    def _is_cut(self) -> bool:
        return any(
            'sliced' in item.states
            for item in self._situation.objects.values()
            if item.class_name in self._things
        )


def _vessels(goal: str, things: Sequence[str]) -> frozenset[str]:
    """Return those of the named things that others are to be put into."""
    text = goal.lower()
    found = set()
    laden = _LADEN.search(text)
    for name in things:
        start = text.find(name.replace(' ', '')) if name not in text else text.find(name)
        while start >= 0:
            if _INTO.search(text[:start]):
                found.add(name)
            start = text.find(name, start + 1)
        if laden is not None and name not in laden.group(1):
            found.add(name)
    return frozenset(found) if len(found) < len(things) else frozenset()


def states_asked(goal: str, classes: Collection[str]) -> frozenset[str]:
    """Return the states that the parts of a goal ask for which name something.

    "It is getting warm, so put the milk in the fridge" asks for no warm milk.
    """
    masked = mask_classes(goal.lower(), classes)
    parts = [part for part in re.split(r'[.:!?]|, so\b', masked) if '_' in part]
    return frozenset(
        state
        for state, words in _STATES.items()
        if any(re.search(rf'\b(?:{words})', part) for part in parts)
    )
