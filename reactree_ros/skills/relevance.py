# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Is a place worth going to for a goal? Small models walk in circles if everything is on offer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from reactree_ros.core.checks import destination, verbs_of
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, mentions, named_classes

_PLACE_VERBS = frozenset({'turn on', 'turn off', 'open', 'close', 'find'})


class Relevance:
    """What one goal names, held against one situation.

    Args:
        goal: the agent node's goal; empty if nothing is to be left out.
        situation: what is known now.
        rooms: names of all rooms.
        above: goals of the nodes above, the root's first.
        uses: classes of places that a goal may need without naming them, by a word of the goal;
            a goal that names one of them means that one.
        named: what the goal names decides; if not, nothing is left out for not being named.
        unsearched: a place that was looked into is left out, until what the goal names is found.
    """

    def __init__(
        self,
        goal: str,
        situation: Situation,
        rooms: tuple[str, ...],
        above: tuple[str, ...] = (),
        uses: Mapping[str, frozenset[str]] = MappingProxyType({}),
        *,
        named: bool = True,
        unsearched: bool = True,
    ) -> None:
        classes = named_classes(goal, situation.classes)
        self.movable = situation.movable | {
            item.class_name
            for item in situation.objects.values()
            if 'grabbable' in item.affordances
        }
        """Classes of movable objects that were seen or that perception can name."""
        self._named = bool(goal) and named
        self._unsearched = bool(goal) and unsearched
        self._goal = goal.lower()
        self._situation = situation
        self._rooms = frozenset(room for room in rooms if mentions(goal, room))
        self.objects = frozenset(name for name in classes if name in self.movable)
        """Classes of movable objects that the goal names."""
        places = frozenset(name for name in classes if name not in self.movable)
        needed = (
            used
            for word, used in uses.items()
            if not used & places and re.search(rf'\b{re.escape(word)}', goal.lower())
        )
        self._places = places.union(*needed)
        # "find another apple" below "put two apples in the fridge" means none in the fridge.
        wanted_at = ' '.join(destination(one) for one in (*above, goal))
        self._destinations = frozenset(named_classes(wanted_at, situation.classes))
        verbs = verbs_of(goal)
        # The way leads to a place: with a thing in the hand, or because the goal is about a place.
        self._heading = any(item.class_name in self.objects for item in situation.held) or (
            bool(self._places and verbs) and not self.objects and verbs <= _PLACE_VERBS
        )
        self._place_known = any(
            item.class_name in self._places for item in situation.objects.values()
        )
        # Small models walk from one closed cabinet to the next without ever opening one.
        here = situation.objects.get(situation.place)
        self._unopened = (
            here is not None
            and bool(self.objects)
            and 'can_open' in here.affordances
            and 'closed' in here.states
            and here.name not in situation.looked_into
        )
        self._found = [
            item
            for item in situation.objects.values()
            if 'grabbable' in item.affordances and self.meant(item)
        ]

    def room(self, name: str) -> bool:
        """Return whether a room is worth going to.

        If the goal names rooms, those. On the way to a place that the goal names, any room that
        was not seen yet, until the place is known. Otherwise a room where something
        meant was seen; as long as nothing was, any room with a place that was not looked into.
        """
        known = [item for item in self._situation.objects.values() if item.room == name]
        if not self._named:
            return not self._searching() or not known or any(self.item(one) for one in known)
        if self._rooms:
            return name in self._rooms
        if self._heading:
            return not known and not self._place_known
        if self._unopened:
            return False
        if self._found:
            return any(item.room == name for item in self._found)
        return not known or any(self.item(item) for item in known)

    def item(self, item: ObservedObject) -> bool:
        """Return whether an object or a place can matter.

        A movable object does if it is meant, or if the goal names no movable object at all.
        A place does if the goal names it. While searching, a place that was not looked into does,
        until something meant was seen: then the place where it was seen. At a closed place that
        was not looked into, no other place does.
        """
        if not self._named:
            return 'grabbable' in item.affordances or not self._was_searched(item)
        if 'grabbable' in item.affordances:
            return not self.objects or self.meant(item)
        if item.class_name in self._places:
            return True
        if self._heading or (self._rooms and item.room not in self._rooms):
            return False
        if self._unopened:
            return item.name == self._situation.place
        if self._found:
            return any(other.receptacle == item.name for other in self._found)
        return not (self._unsearched and item.name in self._situation.looked_into)

    def target(self, item: ObservedObject) -> bool:
        """Return whether something may be put down here: if the goal names places, only there."""
        return not self._named or not self._places or item.class_name in self._places

    def asked(self, words: tuple[str, ...]) -> bool:
        """Return whether the goal asks for a skill by one of its words."""
        return not self._named or any(
            re.search(rf'\b{re.escape(word)}', self._goal) for word in words
        )

    def _searching(self) -> bool:
        """Whether places that were looked into are left out, although names do not decide."""
        return self._unsearched and bool(self.objects) and not (self._heading or self._found)

    def _was_searched(self, item: ObservedObject) -> bool:
        return (
            self._searching()
            and item.class_name not in self._places
            and item.name in self._situation.looked_into
        )

    def meant(self, item: ObservedObject) -> bool:
        """Return whether the goal names a movable object and it is not where it should be."""
        receptacle = self._situation.objects.get(item.receptacle)
        arrived = receptacle is not None and receptacle.class_name in self._destinations
        elsewhere = bool(self._rooms) and item.room not in self._rooms
        return item.class_name in self.objects and not arrived and not elsewhere
