# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A picker in a warehouse: bins, totes, a scanner, a conveyor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_ros.core.observation import ObservedObject
from reactree_ros.sim.robots.robot import (
    GRIPPER,
    NAVIGATE,
    NO_VALID_PATH,
    SET_BOOL,
    STRING,
    TRIGGER,
    Reply,
    Robot,
    Server,
    answered,
    gripped,
    place_named,
    settings_of,
    thing_named,
)
from reactree_ros.skills.library import SkillLibrary

STOCK = {
    'bin 1': ('tape', 3),
    'bin 2': ('stapler', 2),
    'bin 3': ('mug', 4),
    'bin 4': ('lamp', 2),
    'bin 5': ('cable', 4),
    'bin 6': ('notebook', 4),
    'bin 7': ('scissors', 2),
    'bin 8': ('marker', 3),
}
"""What is booked into each bin, and how many."""
AISLES = {1: 'aisle 1', 2: 'aisle 1', 3: 'aisle 1', 4: 'aisle 2', 5: 'aisle 2', 6: 'aisle 2',
          7: 'aisle 3', 8: 'aisle 3'}  # fmt: skip
TOTES = ('tote 1', 'tote 2', 'tote 3')
CONVEYOR = 'conveyor 1'
OPEN = 0.04
"""Fingers that are farther apart than this release what they hold (m)."""
_SCANNED, _WRONG = 'scanned', 'wrong'


class Picker(Robot):
    """The picker and its warehouse.

    The stock is booked, so the robot knows what should be in each bin; what really is there it sees
    when it is at the bin. From a bin or a tote it reaches one thing only, the foremost.

    Args:
        library: its skills, whose poses are its map.
        setting: what is otherwise than usual. ``missing`` (things that are booked and not there),
            ``mislabelled`` (things, and what they are really), ``moved`` (things, and the places
            where they are), ``blocked`` (aisles, and after how many seconds they are free; 0 for
            never), ``full`` (totes), ``running`` (the conveyor is).
    """

    skills = 'warehouse_picker'
    speed = 1.5

    def __init__(self, library: SkillLibrary, setting: Mapping[str, Any]) -> None:
        given = settings_of(
            setting,
            {
                'missing': [],
                'mislabelled': {},
                'moved': {},
                'blocked': {},
                'full': [],
                'running': False,
            },
        )
        places = {
            one.name: one
            for one in (
                place_named('charger 1', 'packing area 1'),
                place_named('packing table 1', 'packing area 1', 'surfaces'),
                *(place_named(name, 'packing area 1', 'containers', 'tote') for name in TOTES),
                place_named('inbound table 1', 'receiving 1', 'surfaces'),
                place_named('returns shelf 1', 'receiving 1', 'surfaces'),
                *(place_named(f'bin {n}', AISLES[n], 'containers') for n in AISLES),
            )
        }
        stock = {
            f'{kind} {number}': place
            for place, (kind, most) in STOCK.items()
            for number in range(1, most + 1)
        }
        things = [
            thing_named(name, places[given['moved'].get(name, place)], 'grabbable')
            for name, place in stock.items()
        ]
        conveyor = thing_named(CONVEYOR, None, states=('on' if given['running'] else 'off',))
        self._booked = {
            name: thing_named(name, places[place], 'grabbable') for name, place in stock.items()
        }
        gone = frozenset(given['missing'])
        self._short: dict[str, set[str]] = {}
        for name, place in stock.items():
            if name in gone or given['moved'].get(name, place) != place:
                self._short.setdefault(place, set()).add(name)
        rooms = ('packing area 1', 'receiving 1', 'aisle 1', 'aisle 2', 'aisle 3')
        objects = (*places.values(), conveyor, *(one for one in things if one.name not in gone))
        super().__init__(library, objects, rooms, 'charger 1')
        self._looked = {self.place}
        self._labels = dict(given['mislabelled'])
        self._blocked = {aisle: float(until) for aisle, until in given['blocked'].items()}
        for tote in given['full']:
            self.mark(tote, 'full')

    def obstacle(self, place: str) -> tuple[int, str]:
        """Return Nav2's error code and why the robot cannot drive to a place; 0 if it can."""
        room = self.objects[place].room
        until = self._blocked.get(room)
        if until is not None and room != self.room and (until <= 0 or self.clock < until):
            return NO_VALID_PATH, f'a pallet blocks {room}'
        return 0, ''

    def arrive(self, place: str, metres: float) -> None:
        """Be at a place after a drive of so many metres."""
        super().arrive(place, metres)
        self._looked.add(place)

    def known(self) -> list[ObservedObject]:
        """Return what there is, with what is booked in bins that were not looked at."""
        known = []
        for name in dict.fromkeys((*self.objects, *self._booked)):
            one, booked = self.objects.get(name), self._booked.get(name)
            if one and (booked is None or one.held or one.receptacle in self._looked):
                known.append(one)
            elif booked is not None and booked.receptacle not in self._looked:
                known.append(booked)
        return known

    def reachable(self, item: ObservedObject) -> bool:
        """Return whether the robot can reach a thing or a place from where it stands."""
        if item.held or item.name == self.place:
            return True
        return item.receptacle == self.place and item.name == self._foremost()

    def _foremost(self) -> str:
        """Return what the gripper takes here: the foremost of a bin, else what came last."""
        here = self.on(self.place)
        if not here:
            return ''
        return here[0 if self.place in STOCK else -1].name

    def _grip(self, goal: Mapping[str, Any]) -> Reply:
        position, held = goal['command']['position'], self.held
        if position < OPEN:
            if held:
                return gripped(True, 0.03)
            name = '' if self.is_in(self.place, 'sent') else self._foremost()
            if name:
                self.take(name)
                if self._labels.get(name):
                    # what was scanned on another day says nothing
                    self.mark(name, gone=(_SCANNED,))
            return gripped(bool(name), 0.03 if name else 0.0)
        if held:
            where = self.objects[self.place]
            holds_things = where.affordances & {'surfaces', 'containers'}
            if not holds_things or where.states & {'full', 'sent'}:
                return Reply(True, {'position': 0.03, 'stalled': True, 'reached_goal': False}, 2.0)
            self.put(held[0].name, self.place)
        return Reply(True, {'position': position, 'stalled': False, 'reached_goal': True}, 2.0)

    def _scan(self, _: Mapping[str, Any]) -> Reply:
        if not self.held:
            return answered(False, 'there is nothing in front of the scanner')
        (item,) = self.held
        really = self._labels.get(item.name)
        if really:
            self.mark(item.name, _WRONG)
            return answered(
                False, f'wrong item: the label reads {really}, not {item.class_name}', 2.0
            )
        self.mark(item.name, _SCANNED)
        return answered(True, f'The label reads {item.class_name}.', 2.0)

    def _run_conveyor(self, request: Mapping[str, Any]) -> Reply:
        on = bool(request['data'])
        self.mark(CONVEYOR, 'on' if on else 'off', gone=('off' if on else 'on',))
        return answered(True, f'The conveyor {"runs" if on else "stands still"}.')

    def _send(self, _: Mapping[str, Any]) -> Reply:
        if self.place not in TOTES:
            return answered(False, 'the robot is not at a tote')
        if not self.is_in(CONVEYOR, 'on'):
            return answered(False, 'the conveyor stands still')
        if self.is_in(self.place, 'sent'):
            return answered(False, f'{self.place} has left already')
        self.mark(self.place, 'sent')
        for one in self.on(self.place):
            if _WRONG in one.states or one.name in self._labels:
                self.faults.append(f'{self.place} was sent with {one.name}, a wrong item')
            elif _SCANNED not in one.states:
                self.faults.append(f'{self.place} was sent with {one.name}, which was not scanned')
        return answered(True, f'{self.place} is on its way to shipping.', 5.0)

    def _print(self, _: Mapping[str, Any]) -> Reply:
        if self.place in TOTES:
            self.mark(self.place, 'labelled')
        return Reply(True, seconds=3.0)

    def _note(self, message: Mapping[str, Any]) -> Reply:
        name = str(message['data']).replace('_', ' ')
        if name in self.objects:
            self.mark(name, 'reported')
            if not self._is_trouble(name):
                self.faults.append(f'{name} was reported, and nothing is wrong with it')
        return Reply(True)

    def _is_trouble(self, name: str) -> bool:
        """Return whether something is wrong with a bin, a tote or a thing, and it was seen."""
        if name in self._labels:
            return self.is_in(name, _WRONG)
        if name in STOCK:
            here = {one.name for one in self.on(name)}
            return name in self._looked and not self._short.get(name, set()) <= here
        return self.is_in(name, 'full')

    serves = {
        Server('navigate_to_pose', NAVIGATE): Robot.navigate,
        Server('gripper_controller/gripper_cmd', GRIPPER): _grip,
        Server('scanner/scan', TRIGGER): _scan,
        Server('conveyor/run', SET_BOOL): _run_conveyor,
        Server('conveyor/send', TRIGGER): _send,
        Server('label_printer/print', STRING): _print,
        Server('supervisor/report', STRING): _note,
        Server('wait', TRIGGER): Robot.wait,
    }
