# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A base that delivers parcels in an office building: three floors, a lift, doors, a battery."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reactree_ros.sim.robots.robot import (
    DOCK,
    EXECUTE_SKILL,
    FAILED,
    GOAL_OUTSIDE_MAP,
    NAVIGATE,
    NO_VALID_PATH,
    REFUSED,
    SET_BOOL,
    STRING,
    SUCCEEDED,
    TRIGGER,
    BatteryRobot,
    Reply,
    Server,
    answered,
    of_skill,
    settings_of,
)
from reactree_ros.skills.library import SkillLibrary

DOORS = {
    'lab 1': 'lab door 1',
    'archive 1': 'archive door 1',
    'director office 1': 'director door 1',
    'server room 1': 'server door 1',
}
"""Rooms with a door, which is closed at first, and its name."""
OWNERS = {'desk of kim 1': 'kim', 'desk of weber 1': 'weber', 'desk of rossi 1': 'rossi'}
STAFF = {
    'reception 1': 'The receptionist is here.',
    'mail desk 1': 'The clerk is here.',
    'workbench 1': 'A technician is here.',
    'lab bench 1': 'Two researchers are here.',
    'archive shelf 1': 'The archivist is here.',
}
"""Places where there is always somebody, and what the camera sees there."""
LIFT, RECEPTION = 'lift', 'reception 1'
PLACES_IN_COMPARTMENT = 2
WAIT_SEC = 300.0
RIDE_SEC = 20.0


class OfficeBase(BatteryRobot):
    """The delivery robot and its building.

    Args:
        library: its skills, which declare the building.
        setting: what is otherwise than usual. ``battery`` (%), ``lift`` (its floor),
            ``lift_broken``, ``charger_broken``, ``locked`` and ``open`` (doors), ``jammed`` (how
            often a door cannot open yet), ``absent`` (people), ``meeting`` (one is going on),
            ``visitor`` (after how many seconds one comes; 0 for never), ``blocked`` and ``held_up``
            (see ``Robot``).
    """

    skills = 'office_base'
    perceives = False
    per_metre = 0.1
    percent_sec = 36.0

    def __init__(self, library: SkillLibrary, setting: Mapping[str, Any]) -> None:
        declared = library.declared
        assert declared is not None
        given = settings_of(
            setting,
            {
                'battery': 76.0,
                'lift': 1,
                'lift_broken': False,
                'charger_broken': False,
                'locked': ['server door 1'],
                'open': [],
                'jammed': {},
                'absent': [],
                'meeting': False,
                'visitor': 0.0,
                'blocked': [],
                'held_up': {},
            },
        )
        battery, stops = float(given['battery']), (given['blocked'], given['held_up'])
        super().__init__(library, declared.objects, declared.rooms, declared.start, battery, *stops)
        self._car = int(given['lift'])
        self._lift_broken: bool = given['lift_broken']
        self._charger_broken: bool = given['charger_broken']
        self._locked = frozenset(given['locked'])
        self._jammed = dict(given['jammed'])
        self._absent = frozenset(given['absent'])
        self._meeting: bool = given['meeting']
        self._visitor_at = float(given['visitor'])
        self._docked = True
        for door in given['open']:
            self.mark(door, 'open', gone=('closed',))

    @property
    def floor(self) -> int:
        """The floor that it is on."""
        return self._floor_of(self.place)

    def obstacle(self, place: str) -> tuple[int, str]:
        """Return Nav2's error code and why the robot cannot drive to a place; 0 if it can."""
        floor = self._floor_of(place)
        if floor != self.floor:
            why = f'{place} is on floor {floor}, and the robot is on floor {self.floor}'
            return GOAL_OUTSIDE_MAP, why
        for room in (self.room, self.objects[place].room):
            door = DOORS.get(room, '')
            if self.room != self.objects[place].room and door and not self.is_in(door, 'open'):
                return NO_VALID_PATH, f'no way to {place}: the {door} is closed'
        if place.startswith(LIFT) and self._car != floor:
            return NO_VALID_PATH, f'the lift is on floor {self._car}: call it'
        return super().obstacle(place)

    def arrive(self, place: str, metres: float) -> None:
        """Be at a place after a drive of so many metres."""
        super().arrive(place, metres)
        self._docked = False

    def _floor_of(self, place: str) -> int:
        return int(self._poses[place].frame.rpartition('_')[2])

    def _call_lift(self, _: Mapping[str, Any]) -> Reply:
        if self._lift_broken:
            return answered(False, 'the lift is out of service')
        seconds = RIDE_SEC * abs(self._car - self.floor) + 1.0
        self._car = self.floor
        return answered(
            True, f'The lift is on floor {self.floor}, and its doors are open.', seconds
        )

    def _ride(self, floor: int) -> Reply:
        if not self.place.startswith(LIFT):
            return answered(False, 'the robot is not in the lift')
        if self._lift_broken:
            return answered(False, 'the lift is out of service')
        seconds = RIDE_SEC * abs(floor - self.floor) + 1.0
        self._car = floor
        self.arrive(f'{LIFT} {floor}', 0.0)
        return answered(True, f'The lift is on floor {floor}, and its doors are open.', seconds)

    def _move_door(self, door: str, request: Mapping[str, Any]) -> Reply:
        if not request['data']:
            self.mark(door, 'closed', gone=('open',))
            return answered(True, f'The {door[:-2]} is closed.')
        if door in self._locked:
            return answered(False, f'the {door[:-2]} is locked, and the robot has no access')
        if self._jammed.get(door, 0) > 0:
            self._jammed[door] -= 1
            return answered(False, f'somebody stands in the {door[:-2]}; ask again', 30.0)
        self.mark(door, 'open', gone=('closed',))
        return answered(True, f'The {door[:-2]} is open.')

    def _look(self, _: Mapping[str, Any]) -> Reply:
        self.mark(self.place, 'checked')
        seen = STAFF.get(self.place, 'Nobody is here.')
        if owner := OWNERS.get(self.place):
            absent = owner in self._absent
            seen = 'Nobody is here.' if absent else f'{owner.title()} is at the desk.'
        if self.place == 'meeting table 1':
            seen = 'A meeting is going on.' if self._meeting else 'The meeting room is empty.'
        if self.place == RECEPTION and 0 < self._visitor_at <= self.clock:
            seen += ' A visitor is waiting.'
        return answered(True, seen)

    def _announce(self, _: Mapping[str, Any]) -> Reply:
        self.mark(self.place, 'notified')
        return Reply(True, seconds=2.0)

    def _wait_for_visitor(self, _: Mapping[str, Any]) -> Reply:
        if self.place != RECEPTION:
            return answered(False, 'visitors come to the reception')
        left = self._visitor_at - self.clock
        if self._visitor_at <= 0 or left > WAIT_SEC:
            return answered(False, 'nobody has come in five minutes', WAIT_SEC)
        self.mark('visitor 1', 'met')
        return answered(True, 'The visitor has come.', max(left, 1.0))

    def _dock(self, _: Mapping[str, Any]) -> Reply:
        if self.place != DOCK:
            return answered(False, 'the robot is not at the dock')
        if self._charger_broken:
            return answered(False, 'the charger does not answer')
        self._docked = True
        return answered(True, 'Docked.', 5.0)

    def _charge(self, _: Mapping[str, Any]) -> Reply:
        if not self._docked:
            return answered(False, 'the robot is not docked')
        if self._charger_broken:
            return answered(False, 'the charger does not answer')
        return answered(True, 'The battery is at 100 %.', self.fill_battery())

    def _move_goods(self, goal: Mapping[str, Any]) -> Reply:
        skill: str = goal['skill']
        name: str = next(iter(goal['arguments']), '')
        item = self.objects.get(name)
        if item is None or 'grabbable' not in item.affordances:
            return of_skill(REFUSED, f'The compartment knows no {name}.')
        owner = OWNERS.get(self.place, '')
        if skill == 'load':
            if len(self.held) >= PLACES_IN_COMPARTMENT:
                return of_skill(REFUSED, 'The compartment is full.')
            if item.receptacle != self.place:
                return of_skill(FAILED, f'There is no {name} here.')
            if owner in self._absent:
                return of_skill(FAILED, 'Nobody is here who could put it in.', 60.0)
            self.take(name)
            return of_skill(SUCCEEDED, f'{name} is in the compartment.')
        if not item.held:
            return of_skill(REFUSED, f'There is no {name} in the compartment.')
        if 'surfaces' not in self.objects[self.place].affordances:
            return of_skill(REFUSED, f'There is nobody to give it to at the {self.place}.')
        addressee = item.class_name.partition(' for ')[2]
        if addressee and owner and addressee != owner:
            why = f'{name} is not addressed to {owner.title()}, who does not take it.'
            return of_skill(REFUSED, why)
        if owner in self._absent:
            return of_skill(FAILED, f'{owner.title()} is not here; nobody takes it.', 60.0)
        self.put(name, self.place)
        return of_skill(SUCCEEDED, f'{name} was taken out.')

    @staticmethod
    def _rider(floor: int) -> Callable[[Any, Mapping[str, Any]], Reply]:
        return lambda robot, _: robot._ride(floor)

    @staticmethod
    def _mover(door: str) -> Callable[[Any, Mapping[str, Any]], Reply]:
        return lambda robot, request: robot._move_door(door, request)


OfficeBase.serves = {
    Server('navigate_to_pose', NAVIGATE): OfficeBase.navigate,
    Server('lift/call', TRIGGER): OfficeBase._call_lift,
    **{Server(f'lift/floor_{n}', TRIGGER): OfficeBase._rider(n) for n in (1, 2, 3)},
    **{
        Server(f'doors/{door.split()[0]}/set_open', SET_BOOL): OfficeBase._mover(door)
        for door in DOORS.values()
    },
    Server('compartment', EXECUTE_SKILL): OfficeBase._move_goods,
    Server('camera/look', TRIGGER): OfficeBase._look,
    Server('speaker/say', STRING): OfficeBase._announce,
    Server('visitor/wait', TRIGGER): OfficeBase._wait_for_visitor,
    Server('dock', TRIGGER): OfficeBase._dock,
    Server('charge', TRIGGER): OfficeBase._charge,
    Server('battery/report', TRIGGER): OfficeBase.report_battery,
}
