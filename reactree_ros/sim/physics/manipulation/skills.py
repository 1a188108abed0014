# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of a driving arm, in the words of the household: go to, pick up, put down, open."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import numpy as np

from reactree_ros.core.names import numbered
from reactree_ros.sim.physics.description import Description, Thing, known_name
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.manipulation.body import Body, Failed, Refused
from reactree_ros.sim.physics.manipulation.doors import Doors
from reactree_ros.sim.physics.manipulation.handling import Handling
from reactree_ros.sim.physics.places import CLOSED, OPEN, Place, Region
from reactree_ros.sim.physics.relations import Relation, relations
from reactree_ros.sim.physics.robot import Robot
from reactree_ros.sim.physics.rooms import Room

_AWAY_M = 0.8
"""As far from where it stands before a place the base is elsewhere; opening a door moves it."""


class Skills:
    """Skills of one robot; each raises ``Refused``, ``Failed`` or ``Canceled``.

    Args:
        robot: what carries them out.
        description: the world's furniture, and the things that the robot can recognise.
        seed: of all motions.
    """

    def __init__(self, robot: Robot, description: Description, seed: int = 0) -> None:
        self.body = Body(robot, description, seed)
        self.belief = self.body.belief
        self._at = ''
        self._handling = Handling(self.body)
        self._doors = Doors(self.body)

    @property
    def place(self) -> str:
        """Name of the place at which the robot stands; empty if at none, or driven away since."""
        if not self._at:
            return ''
        base = self.body.robot.base[:2]
        stands = self._stands(self.belief.places[self._at])
        is_there = any(np.linalg.norm(one[:2] - base) < _AWAY_M for one in stands)
        return self._at if is_there else ''

    def believed(self) -> Mapping[str, Relation]:
        """Return what each thing is believed to lie on or in."""
        belief = self.belief
        # A copy: a skill may learn something meanwhile.
        things = dict(belief.things)
        return relations(things, belief.openings, self.body.description.things, belief.places)

    def feel(self) -> str:
        """Feel whether the hand still holds what it held; return what it does not, or nothing."""
        held = self.belief.held
        if not held or self.body.holds():
            return ''
        self.belief.held = ''
        self.body.look()
        return held

    def go_to(self, name: str) -> None:
        """Drive to a place."""
        place = self._place(name)
        self._at = ''
        self.body.drive(self._stands(place), place.name)
        self._at = place.name
        self.body.look()

    def enter(self, name: str) -> None:
        """Drive into a room, to its middle."""
        rooms = self.body.description.rooms
        known = known_name(name, rooms)
        if not known:
            raise Refused(f'there is no {numbered(name)}')
        self._at = ''
        self.body.drive(_middle(rooms[known], self.body.robot.base[2]), known)
        self.body.look()

    def drive_to(self, base: Vector) -> None:
        """Drive to x, y (m) and yaw (rad), where no furniture need be."""
        self._at = ''
        self.body.drive([base], 'where it is to go')
        self.body.look()

    def pick_up(self, name: str) -> None:
        """Take a thing at the place where the robot stands."""
        thing = self._thing(name)
        if self.belief.held:
            raise Refused(f'no hand is free, you hold {numbered(self.belief.held)}')
        if thing.fixed:
            raise Refused('it is too wide for the hand')
        if self.belief.deck is not None and self.belief.deck[0] == thing.name:
            self._handling.take(thing.name, ())
            return
        if thing.name not in self.belief.things:
            raise Refused(f'there is no {numbered(thing.name)} in sight')
        place = self._place_of(thing.name)
        for one, (below, relation) in self.believed().items():
            if below == thing.name:
                raise Refused(f'{numbered(one)} is {"in" if relation == "inside" else "on"} it')
        self._handling.take(thing.name, self._stands(place))

    def put_down(self, name: str) -> None:
        """Put what is held on or in the place at which the robot stands."""
        self._need_held(name)
        if not self.place:
            raise Refused('you do not stand at any furniture, go to some first')
        place = self.belief.places[self.place]
        if not self.belief.is_open(place):
            raise Refused(f'{numbered(place.name)} is closed')
        region = place.region(self.belief.openings)
        self._handling.put(region, self._stands(place), place.name)

    def put_into(self, name: str, vessel: str) -> None:
        """Put what is held into a vessel, onto a tray or on top of another thing."""
        self._need_held(name)
        below = self._thing(vessel)
        if below.name == self.belief.held:
            raise Refused('it cannot be put into itself')
        if below.name not in self.belief.things:
            raise Refused(f'there is no {numbered(below.name)} in sight')
        place = self._place_of(below.name)
        region = _region_on(below, self.body)
        self._handling.put(region, self._stands(place), below.name, on=below.name)

    def open(self, name: str) -> None:
        """Pull a drawer or doors open; what is held stands on the deck meanwhile."""
        place = self._with_door(name)
        if self.belief.is_open(place):
            raise Refused('it is open already')
        with self._free_hand():
            for joint in place.joints:
                if self.belief.openings.get(joint, 0.0) < OPEN * place.range:
                    self._doors.pull(place, joint)

    def close(self, name: str) -> None:
        """Push a drawer or doors shut; what is held stands on the deck meanwhile."""
        place = self._with_door(name)
        if self.belief.is_closed(place):
            raise Refused('it is closed already')
        with self._free_hand():
            for joint in place.joints:
                if self.belief.openings.get(joint, 0.0) > CLOSED * place.range:
                    self._doors.push(place, joint)

    @contextmanager
    def _free_hand(self) -> Iterator[None]:
        """Set what is held down on the deck for a while."""
        held = self.belief.held
        if not held:
            yield
            return
        self._handling.put_on_deck()
        try:
            yield
        except Failed:
            with suppress(Failed):
                self._handling.take(held, ())
            raise
        try:
            self._handling.take(held, ())
        except Failed as failed:
            raise Failed(
                f'{numbered(held)} was set down on the deck meanwhile, and {failed}'
            ) from failed

    def _place(self, name: str) -> Place:
        known = known_name(name, self.belief.places)
        if not known:
            raise Refused(f'there is no {numbered(name)} in sight')
        return self.belief.places[known]

    def _thing(self, name: str) -> Thing:
        things = self.body.description.things
        known = known_name(name, things)
        if not known:
            raise Refused(f'there is no {numbered(name)} in sight')
        return things[known]

    def _place_of(self, name: str) -> Place:
        """Return the place of a thing, at which the robot stands and which is open."""
        place = self.belief.places.get(self.belief.where(name))
        if place is None:
            raise Refused('it is out of reach: it lies on no furniture')
        here = self.belief.places.get(self.place)
        if here is None or here.piece is not place.piece:
            raise Refused('it is out of reach from here')
        if not self.belief.is_open(place):
            raise Refused(f'{numbered(place.name)} is closed')
        return place

    def _stands(self, place: Place) -> list[Vector]:
        return list(place.stands(self.belief.openings))

    def _need_held(self, name: str) -> None:
        if not self.belief.held or self._thing(name).name != self.belief.held:
            raise Refused('you do not hold it')

    def _with_door(self, name: str) -> Place:
        place = self._place(name)
        if not place.joints:
            raise Refused('it has no door')
        if self.place != place.name:
            raise Refused('it is out of reach from here')
        return place


def _middle(room: Room, yaw: float) -> Iterator[Vector]:
    """Yield the middle of a room, and places around it, for one where nothing stands."""
    x, y = (sum(room.x) / 2, sum(room.y) / 2)
    for east, north in itertools.product((0.0, 0.5, -0.5), repeat=2):
        yield np.array([x + east, y + north, yaw])


def _region_on(below: Thing, body: Body) -> Region:
    """Return where on or in a thing another can stand."""
    frame = body.belief.things[below.name]
    if below.shape == 'tray':
        depth, width, _ = below.size
        return Region(frame.moved((0, 0, 0.006)), (depth / 2 - 0.012, width / 2 - 0.012))
    if below.shape == 'vessel':
        radius = below.size[0] - 0.008
        return Region(frame.moved((0, 0, 0.006)), (radius, radius), round=True)
    return Region(frame.moved((0, 0, below.height)), (0.0, 0.0))
