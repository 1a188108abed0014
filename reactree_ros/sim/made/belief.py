# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a generated robot has seen, as facts, and what it may assume of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reactree_ros.core.names import parse_name
from reactree_ros.sim.made.robot import AT, FULL, IN, IN_ROOM, IS, ON, ROBOT, ROOM, MadeRobot
from reactree_ros.sim.made.seeing import View
from reactree_ros.sim.planning.facts import Action, Fact, State

_WHERE = {ON, IN}


class Belief:
    """The facts that a robot has seen; those of a thing as they were when it was last seen.

    Args:
        robot: the robot.
    """

    def __init__(self, robot: MadeRobot) -> None:
        self.robot = robot
        self.looked_into: set[str] = set()
        """Places whose load was seen."""
        self._entered: set[str] = set()
        self._facts: dict[str, frozenset[Fact]] = {}

    def act(self, action: Action) -> None:
        """Take note of what an action changes, also behind a closed door; ``update`` comes next."""
        after = action.after(frozenset(self._known()))
        changed: dict[str, set[Fact]] = {name: set() for name in self._facts}
        for fact in after - self.robot.static:
            if fact[1] in changed:
                changed[fact[1]].add(fact)
        self._facts = {name: frozenset(facts) for name, facts in changed.items()}

    def update(self, view: View) -> None:
        """Take note of what is seen now."""
        robot = self.robot
        self._entered.add(view.room)
        seen = {*view.seen()}
        by_subject: dict[str, set[Fact]] = {name: set() for name in (*seen, ROBOT)}
        for fact in view.state:
            if fact[1] in by_subject and fact not in robot.static:
                hidden = fact[0] == IS and fact[2] not in view.states(fact[1])
                if not hidden:
                    by_subject[fact[1]].add(fact)
        self._facts |= {name: frozenset(facts) for name, facts in by_subject.items()}
        if robot.sees == FULL:
            open_now = {name for name, one in robot.things.items() if 'holder' in one.tags}
        else:
            open_now = {name for name in view.reached if not view.is_closed(name)}
        self.looked_into |= open_now
        for name in [*self._facts]:
            if name not in seen and name != ROBOT and self._bearer(name) in open_now:
                del self._facts[name]  # it would be seen if it still were there
        for name in [*self._facts]:
            if name not in seen and ('held', name) in self._facts[name]:
                del self._facts[name]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names of the things that were not seen, or are not where they were."""
        return tuple(name for name in self.robot.things if name not in self._facts)

    def knows(self, fact: Fact) -> bool:
        """Return whether it was seen to hold."""
        return fact in self._facts.get(fact[1], frozenset())

    def facts(self) -> State:
        """Return what was seen, with the facts that never change of what was seen."""
        return frozenset(self._known())

    def candidates(self, name: str) -> tuple[str, ...]:
        """Return the places where a thing that was not seen may be, none looked into.

        What the robot stands at comes first, then what else is in its room, then the other rooms
        in the order in which prompts list them.
        """
        tags = self.robot.things[name].tags
        if 'grabbable' not in tags or 'made' in tags:
            return ()
        places = (
            place
            for place, one in self.robot.things.items()
            if {'furniture', 'holder'} <= one.tags and place not in self.looked_into
        )
        return tuple(sorted(places, key=self.turn))

    def turn(self, name: str) -> tuple[Any, ...]:
        """Return a key of sorting: when a place or a room is looked at, of all that are left."""
        room = name if name in self.robot.rooms else self.room_of(name) or self._new_rooms()[0]
        return (
            not self.knows((AT, ROBOT, name)),
            room != self.room_of(ROBOT),
            parse_name(room) or (room, 0),
            parse_name(name) or (name, 0),
        )

    def room_of(self, name: str) -> str:
        """Return the room in which a place, or the robot, is known to be; empty for none."""
        spot = name
        if name == ROBOT:
            own = self._facts.get(ROBOT, ())
            spot = next((fact[2] for fact in own if fact[0] == AT), '')
        if self._is_unsure(spot):
            return ''
        return next((fact[2] for fact in self.robot.static if fact[:2] == (IN_ROOM, spot)), '')

    def _new_rooms(self) -> list[str]:
        """Return the rooms that were not entered, in the order in which prompts list them."""
        rooms = sorted(self.robot.rooms, key=lambda room: parse_name(room) or (room, 0))
        return [room for room in rooms if room not in self._entered] or rooms or ['']

    def assumed(self, seed: int = 0, sparing: bool = False) -> State:
        """Return a whole state that fits what was seen; the rest is drawn as starts are.

        A thing that was not seen lies at the first of its candidates, and is nowhere if there is
        none; a place that was not seen is in the first room that was not entered.

        Args:
            seed: of what is drawn; further ones take further candidates.
            sparing: what was not seen is nowhere if another of its kind was seen.
        """
        guess = self.robot.start(-1 - seed)
        unknown = {*self.unknown}
        found = {*self._known()}
        found |= {
            fact for fact in guess if fact[0] not in (*_WHERE, IN_ROOM) and fact[1] in unknown
        }
        unseen = self._new_rooms()
        seen = self._seen_classes() if sparing else frozenset()
        for name in sorted(unknown):
            if self.robot.things[name].noun.name in seen:
                continue
            candidates = self.candidates(name)
            if candidates:
                place = candidates[seed % len(candidates)]
                is_surface = 'surfaces' in self.robot.things[place].tags
                found.add((ON if is_surface else IN, name, place))
            elif self._is_unsure(name):
                found.add((IN_ROOM, name, unseen[seed % len(unseen)]))
        return frozenset(found)

    def _seen_classes(self) -> frozenset[str]:
        """Return the classes of what was seen, and all classes of the same kinds."""
        seen = {self.robot.things[name].noun.name for name in self._facts if name != ROBOT}
        kinds = (kind for kind in self.robot.library.kinds.values() if kind & seen)
        return frozenset(seen).union(*kinds)

    def _known(self) -> Iterator[Fact]:
        for facts in self._facts.values():
            yield from facts
        for fact in self.robot.static:
            if not (fact[0] == IN_ROOM and self._is_unsure(fact[1])):
                yield fact

    def _is_unsure(self, name: str) -> bool:
        """Return whether the room of a place is not known; lifts are where they must be."""
        thing = self.robot.things.get(name)
        return (
            self.robot.sees == ROOM
            and thing is not None
            and thing.is_place
            and 'lift' not in thing.tags
            and name not in self._facts
        )

    def _bearer(self, name: str) -> str:
        for fact in self._facts[name]:
            if fact[0] in _WHERE:
                return fact[2]
        return ''
