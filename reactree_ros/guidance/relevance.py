# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Is a place worth going to for a goal? Small models walk in circles if everything is on offer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, mentions
from reactree_ros.core.situation import unsearched as unsearched_places
from reactree_ros.guidance.checks import verbs_of
from reactree_ros.guidance.needs import Needs
from reactree_ros.guidance.words import kinds_named, mask_classes
from reactree_ros.skills.executable_set import SkillFilter

_PLACE_VERBS = frozenset({'turn on', 'turn off', 'open', 'close', 'find'})


class Relevance(SkillFilter):
    """The objects and places of one goal in one situation.

    Args:
        goal: the agent node's goal; empty if nothing is to be left out.
        situation: what is known now.
        rooms: names of all rooms.
        above: goals of the nodes above, the root's first.
        uses: classes of places that a goal may need without naming them, by a word of the goal;
            a goal that names one of them means that one.
        kinds: classes that a wider word of the goal may mean.
        tools: classes that a goal may need without naming them: to slice something.
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
        kinds: Mapping[str, frozenset[str]] = MappingProxyType({}),
        tools: frozenset[str] = frozenset(),
        *,
        named: bool = True,
        unsearched: bool = True,
    ) -> None:
        known = situation.classes
        self.movable = situation.movable | {
            item.class_name
            for item in situation.objects.values()
            if 'grabbable' in item.affordances
        }
        """Classes of movable objects that were seen or that perception can name."""
        self._named = bool(goal) and named
        self._unsearched = bool(goal) and unsearched
        # What is called a cooking pot is not to be cooked.
        self._goal = mask_classes(goal.lower(), {*known, *kinds})
        self._situation = situation
        self._rooms = frozenset(room for room in rooms if mentions(goal, room))
        self._needs = Needs(goal, above, situation, self.movable, kinds, tools)
        self.objects = self._needs.classes
        """Classes of movable objects that the goal names or needs as tools."""
        named_here = kinds_named(goal, known, kinds).values()
        # "On a table" may mean one in a room that was not seen yet.
        vague = any(len(meant - self.movable) > 1 for meant in named_here)
        groups = [places for meant in named_here if (places := meant - self.movable)]
        places = frozenset().union(*groups)
        used = [
            meant for word, meant in uses.items() if re.search(rf'\b{re.escape(word)}', self._goal)
        ]
        groups += [
            more
            for meant in used
            if (more := self._complement(meant, meant & places) if meant & places else meant)
        ]
        self._places = frozenset().union(*groups)
        verbs = verbs_of(goal, known)
        # The way leads to a place: with a thing in the hand, or because the goal is about a place.
        holds = any(item.class_name in self.objects for item in situation.held)
        leads = holds and not self._needs.busy and (bool(self._places) or not self._needs.vague)
        self._heading = leads or (
            bool(self._places and verbs) and not self.objects and verbs <= _PLACE_VERBS
        )
        seen = {item.class_name for item in situation.objects.values()}
        self._place_known = bool(groups) and not vague and all(group & seen for group in groups)
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
        self._missing = not self._found or self._needs.missing
        # Small models go back and forth between rooms without looking into anything.
        self._leaves_places_here = self._unsearched and bool(
            unsearched_places(situation.room, situation)
        )

    def room(self, name: str) -> bool:
        """Return whether a room is worth going to.

        If the goal names rooms, those. On the way to a place that the goal names, any room that
        was not seen yet, until the place is known. Otherwise a room where something
        meant was seen; as long as something is missing, also one with a place that was not looked
        into, but none that was seen before while there is such a place in this room.
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
        if not self._missing:
            return any(item.room == name for item in self._found)
        if self._leaves_places_here and known and name != self._situation.room:
            return any(item.room == name for item in self._found)
        return not known or any(self.item(item) for item in known)

    def item(self, item: ObservedObject) -> bool:
        """Return whether an object or a place can matter.

        A movable object does if it is meant, or if the goal names no movable object at all.
        A place does if the goal names it, and where something meant was seen. As long as something
        is missing, a place that was not looked into does as well. At a closed place that
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
        if any(item in self._situation.bearers(other) for other in self._found):
            return True
        return self._missing and not (self._unsearched and item.name in self._situation.looked_into)

    def target(self, item: ObservedObject) -> bool:
        """Return whether something may be put down here: if the goal names places, only there."""
        held = self._situation.held
        return (
            not self._named
            or not self._places
            or item.class_name in self._places
            or any(one.class_name in self._needs.tools for one in held)
        )

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
        """Return whether the goal names a movable object and still needs it."""
        elsewhere = bool(self._rooms) and item.room not in self._rooms
        return self._needs.needs(item) and not elsewhere

    def _complement(self, used: frozenset[str], named: frozenset[str]) -> frozenset[str]:
        """Return the places that can do what the named ones of the same use cannot.

        Who rinses something in the sink needs the faucet as well: a sink cannot be turned on.
        """
        able: dict[str, set[str]] = {}
        for item in self._situation.objects.values():
            if item.class_name in used:
                holds = {'holds'} if item.affordances & {'surfaces', 'containers'} else set()
                able.setdefault(item.class_name, set()).update(
                    holds | (item.affordances & {'has_switch'})
                )
        if not named & able.keys():
            return frozenset()
        done = set().union(*(able[name] for name in named if name in able))
        return frozenset(name for name, abilities in able.items() if abilities - done)
