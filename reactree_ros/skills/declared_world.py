# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot without perception of its own knows: what is declared, and what its skills changed.

A skill library may declare places and things, and what each skill brings about, so that action
servers that report no observation can be planned with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from reactree_ros.core.names import listing, numbered
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import receptacles, supports

if TYPE_CHECKING:
    from reactree_ros.skills.library import GroundedSkill

_OPPOSITES = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}


@dataclass(frozen=True)
class Declared:
    """What a skill library says of the surroundings.

    Args:
        rooms: names of all rooms, e.g. ``kitchen 1``.
        objects: all places and things.
        start: name of the place, or of the room, that the robot is in at first; empty if unknown.
    """

    rooms: tuple[str, ...] = ()
    objects: tuple[ObservedObject, ...] = ()
    start: str = ''


@dataclass(frozen=True)
class Effects:
    """What a skill has changed when it has succeeded.

    Names are those of its arguments, or of what is declared.

    Args:
        at: where the robot is afterwards, a room or a place.
        holds: what it holds afterwards.
        puts: what it does not hold any more; it lies where the robot is.
        onto: what it lies on or in instead.
        inside: whether it lies in that, not on it.
        states: states that things have afterwards; open and closed, on and off end each other.
    """

    at: str = ''
    holds: str = ''
    puts: str = ''
    onto: str = ''
    inside: bool = False
    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class DeclaredWorld:
    """A declared world as skills change it (``skills.library.WorldModel``).

    Args:
        declared: its initial state.
    """

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._rooms = declared.rooms
        self._goes_somewhere = bool(declared.rooms) or any(
            'furniture' in item.affordances for item in declared.objects
        )
        self.reset()

    def reset(self) -> None:
        """Forget what skills have changed."""
        self._objects = {item.name: item for item in self._declared.objects}
        self._room = self._place = ''
        if self._declared.start:
            self._go(self._declared.start)

    def observe(self) -> Observation:
        """Return all that is known; its text says where the robot is and what is around it."""
        rooms = (
            f'There are the rooms {", ".join(map(numbered, self._rooms))}. ' if self._rooms else ''
        )
        places = [item for item in self._objects.values() if 'furniture' in item.affordances]
        known = f'There are: {_names(places)}. ' if places else ''
        return self._observation(f'{rooms}{known}{self._whereabouts()}{self._holding()}')

    def after(self, skill: GroundedSkill, said: str) -> Observation:
        """Apply a skill that has succeeded, and return what is known then."""
        effects = skill.call.effects

        def named(name: str) -> str:
            return skill.named.get(name, name)

        if effects.at:
            self._go(named(effects.at))
        if effects.holds:
            self._hold(named(effects.holds))
        if effects.puts:
            onto = named(effects.onto) if effects.onto else self._place
            self._put(named(effects.puts), onto, effects.inside)
        for name, states in effects.states.items():
            self._change(named(name), states)
        where = f' {self._whereabouts()}' if effects.at else ''
        return self._observation(f'{said}{where}{self._holding()}')

    def _go(self, name: str) -> None:
        place = self._objects.get(name)
        self._room, self._place = (name, '') if place is None else (self._room_of(place), name)

    def _hold(self, name: str) -> None:
        item = self._objects.get(name)
        if item is not None:
            self._objects[name] = replace(item, held=True, receptacle='', relation='')

    def _put(self, name: str, onto: str, inside: bool) -> None:
        item = self._objects.get(name)
        if item is None:
            return
        bearer = self._objects.get(onto)
        if bearer is not None and not inside:
            inside = {'containers', 'surfaces'} & bearer.affordances == {'containers'}
        relation = 'inside' if inside else 'on'
        room = self._room_of(bearer) if bearer is not None else self._room
        self._objects[name] = replace(
            item, held=False, receptacle=onto, relation=relation if onto else '', room=room
        )

    def _change(self, name: str, states: tuple[str, ...]) -> None:
        item = self._objects.get(name)
        if item is not None:
            gone = {_OPPOSITES[state] for state in states if state in _OPPOSITES}
            self._objects[name] = replace(item, states=(item.states - gone) | {*states})

    def _is_held(self, item: ObservedObject) -> bool:
        return any(one.held for one in (item, *supports(item, self._objects)))

    def _is_near(self, item: ObservedObject) -> bool:
        if self._is_held(item):
            return True
        if self._place:
            return self._place in receptacles(item.name, self._objects) and not self._is_shut(item)
        is_known = bool(self._room) or not self._goes_somewhere
        return is_known and not item.receptacle and item.room == self._room

    def _is_shut(self, item: ObservedObject) -> bool:
        """Return whether it is in something that is closed."""
        return any(
            inner.relation == 'inside' and 'closed' in bearer.states
            for inner, bearer in pairwise((item, *supports(item, self._objects)))
        )

    def _room_of(self, item: ObservedObject) -> str:
        """Return the room of an object, which is that of what bears it, however it got there."""
        *_, lowest = item, *supports(item, self._objects)
        return lowest.room

    def _whereabouts(self) -> str:
        if not self._place and not self._room:
            return ''
        around = [
            item
            for item in self._objects.values()
            if self._is_near(item) and not self._is_held(item) and item.name != self._place
        ]
        here = f'You are at the {numbered(self._place or self._room)}.'
        if around:
            return f'{here} You see: {_names(around)}.'
        things = any('furniture' not in item.affordances for item in self._objects.values())
        return f'{here} You see nothing there.' if things else here

    def _holding(self) -> str:
        held = [item for item in self._objects.values() if item.held]
        return f' You hold {_names(held)}.' if held else ''

    def _observation(self, text: str) -> Observation:
        return Observation(
            text=text.strip(),
            room=self._room,
            place=self._place,
            rooms=self._rooms,
            objects=tuple(
                replace(
                    item,
                    near=self._is_near(item),
                    room=self._room if self._is_held(item) else self._room_of(item),
                )
                for item in self._objects.values()
            ),
        )


def _names(items: list[ObservedObject]) -> str:
    return listing((item.class_name, item.instance) for item in items)
