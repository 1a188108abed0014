# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A rover that inspects a plant: readings, photographs, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reactree_ros.core.observation import ObservedObject
from reactree_ros.sim.robots.robot import (
    BATTERY,
    DOCK,
    NAVIGATE,
    SET_BOOL,
    STRING,
    TRIGGER,
    UNKNOWN,
    BatteryRobot,
    Reply,
    Robot,
    Server,
    answered,
    place_named,
    settings_of,
    thing_named,
)
from reactree_ros.skills.library import SkillLibrary

PLACES = {
    'dock 1': 'yard 1',
    'gate 1': 'yard 1',
    'fence 1': 'yard 1',
    'pump 1': 'pump house 1',
    'pump 2': 'pump house 1',
    'pump 3': 'pump house 1',
    'pressure gauge 1': 'pump house 1',
    'pressure gauge 2': 'pump house 1',
    'tank 1': 'tank farm 1',
    'tank 2': 'tank farm 1',
    'level gauge 1': 'tank farm 1',
    'level gauge 2': 'tank farm 1',
    'valve 1': 'tank farm 1',
    'transformer 1': 'substation 1',
    'thermometer 1': 'substation 1',
}
"""Where everything is."""
GAUGES: dict[str, tuple[str, float, float, float]] = {
    # what it measures and its unit, the value, from where to where it is normal
    'pressure gauge 1': ('bar', 3.2, 2.0, 4.0),
    'pressure gauge 2': ('bar', 3.6, 2.0, 4.0),
    'level gauge 1': ('m', 5.1, 1.0, 8.0),
    'level gauge 2': ('m', 2.4, 1.0, 8.0),
    'thermometer 1': ('degrees', 48.0, 0.0, 70.0),
}
HIGH_UP = ('level gauge 1', 'level gauge 2')
"""Gauges that the camera sees with the mast up only."""
DARK = ('pump house 1',)
"""Rooms without light."""
LAMP, MAST = 'lamp 1', 'mast 1'
_FOUND_OUT = ('leaking', 'open', 'damaged', 'hot', 'smoking', 'fine')
"""States that only an inspection shows."""
_MEASURED = ('high', 'low', 'normal')
"""States that only a reading shows."""
ANOMALIES = ('leaking', 'open', 'damaged', 'hot', 'smoking', 'high', 'low')
"""States that are worth a report."""


class Rover(BatteryRobot):
    """The rover and its plant.

    Args:
        library: its skills, whose poses are its map.
        setting: what is otherwise than usual. ``wrong`` (places, and what is wrong with each),
            ``values`` (gauges, and what they show), ``drift`` (gauges, and how much they change
            with a minute), ``steam`` (places that cannot be seen, and until how many seconds; 0 for
            ever), ``battery`` (%), ``blocked`` and ``held_up`` (see ``Robot``).
    """

    skills = 'inspection_rover'
    per_metre = 0.2
    percent_sec = 30.0

    def __init__(self, library: SkillLibrary, setting: Mapping[str, Any]) -> None:
        given = settings_of(
            setting,
            {
                'wrong': {},
                'values': {},
                'drift': {},
                'steam': {},
                'battery': 70.0,
                'blocked': [],
                'held_up': {},
            },
        )
        self._values = {name: float(given['values'].get(name, GAUGES[name][1])) for name in GAUGES}
        self._drift = {name: float(rate) for name, rate in given['drift'].items()}
        self._steam = {name: float(until) for name, until in given['steam'].items()}
        places = [
            place_named(name, room, *(('gauge',) if name in GAUGES else ('inspectable',)))
            for name, room in PLACES.items()
        ]
        lamp = thing_named(LAMP, None, states=('off',))
        parts = (lamp, thing_named(MAST, None), thing_named(BATTERY, None))
        rooms = tuple(dict.fromkeys(PLACES.values()))
        battery, stops = float(given['battery']), (given['blocked'], given['held_up'])
        super().__init__(library, (*places, *parts), rooms, DOCK, battery, *stops)
        for name, states in given['wrong'].items():
            self.mark(name, *states)
        self._shown: dict[str, frozenset[str]] = {}
        """What the rover has found out, by place."""
        self._note_states()

    def obstacle(self, place: str) -> tuple[int, str]:
        """Return Nav2's error code and why the robot cannot drive to a place; 0 if it can."""
        if self.is_in(MAST, 'up'):
            return UNKNOWN, 'the mast is up, and the rover does not drive like that'
        return super().obstacle(place)

    def handle(self, server: Server, request: Mapping[str, Any]) -> Reply:
        """Do what a server was asked for; time passes meanwhile for the plant, too."""
        reply = super().handle(server, request)
        for name, change in self._drift.items():
            self._values[name] += change * reply.seconds / 60.0
        self._note_states()
        return reply

    def known(self) -> list[ObservedObject]:
        """Return everything as it is known: what is wrong only where the rover found it out."""
        hidden = {*_FOUND_OUT, *_MEASURED}
        return [
            replace(one, states=(one.states - hidden) | self._shown.get(name, frozenset()))
            for name, one in self.objects.items()
        ]

    def _note_states(self) -> None:
        for name, (_, _, low, high) in GAUGES.items():
            value = self._values[name]
            state = 'low' if value < low else 'high' if value > high else 'normal'
            self.mark(name, state, gone=_MEASURED)

    def _unseen(self) -> str:
        """Return why the camera sees nothing of what the rover stands at; empty if it does."""
        until = self._steam.get(self.place)
        if until is not None and (until <= 0 or self.clock < until):
            return f'steam hides the {self.place}'
        if self.room in DARK and not self.is_in(LAMP, 'on'):
            return f'it is too dark to see the {self.place}'
        if self.place in HIGH_UP and not self.is_in(MAST, 'up'):
            return f'the {self.place} is above the camera and not in view'
        return ''

    def _read(self, _: Mapping[str, Any]) -> Reply:
        if self.place not in GAUGES:
            return answered(False, f'there is no gauge at the {self.place}')
        if why := self._unseen():
            return answered(False, why)
        unit, _usual, low, high = GAUGES[self.place]
        value = self._values[self.place]
        state = 'below' if value < low else 'above' if value > high else 'within'
        (measured,) = self.objects[self.place].states & {*_MEASURED}
        self._shown[self.place] = frozenset({measured})
        self.mark(self.place, 'read')
        return answered(
            True,
            f'The {self.place} shows {value:.1f} {unit}, {state} the range of {low:g} to {high:g}.',
            3.0,
        )

    def _inspect(self, _: Mapping[str, Any]) -> Reply:
        if why := self._unseen():
            return answered(False, why)
        found = self.objects[self.place].states & {*_FOUND_OUT}
        self._shown[self.place] = found or frozenset({'fine'})
        if not found:
            self.mark(self.place, 'fine')
        self.mark(self.place, 'inspected')
        if found:
            return answered(True, f'The {self.place} is {" and ".join(sorted(found))}.', 20.0)
        return answered(True, f'Nothing unusual at the {self.place}.', 20.0)

    def _photograph(self, _: Mapping[str, Any]) -> Reply:
        if why := self._unseen():
            return answered(False, why)
        self.mark(self.place, 'photographed')
        return answered(True, f'A picture of the {self.place} was saved.')

    def _report(self, message: Mapping[str, Any]) -> Reply:
        name = str(message['data']).replace('_', ' ')
        if name not in self.objects:
            return Reply(True)
        self.mark(name, 'reported')
        if not self._shown.get(name, frozenset()) & {*ANOMALIES}:
            self.faults.append(f'{name} was reported, and nothing wrong was found there')
        return Reply(True)

    def _switch_lamp(self, request: Mapping[str, Any]) -> Reply:
        on = bool(request['data'])
        self.mark(LAMP, 'on' if on else 'off', gone=('off' if on else 'on',))
        return answered(True, f'The lamp is {"on" if on else "off"}.')

    def _move_mast(self, request: Mapping[str, Any]) -> Reply:
        up = bool(request['data'])
        self.mark(MAST, *(('up',) if up else ()), gone=('up',))
        return answered(True, f'The mast is {"up" if up else "down"}.', 8.0)

    def _dock(self, _: Mapping[str, Any]) -> Reply:
        if self.place != DOCK:
            return answered(False, 'the rover is not at the dock')
        seconds = self.fill_battery()
        return answered(True, 'The rover is docked, and its battery is full.', seconds)

    serves = {
        Server('navigate_to_pose', NAVIGATE): Robot.navigate,
        Server('gauge_reader/read', TRIGGER): _read,
        Server('camera/inspect', TRIGGER): _inspect,
        Server('camera/capture', TRIGGER): _photograph,
        Server('reports', STRING): _report,
        Server('lamp/switch', SET_BOOL): _switch_lamp,
        Server('mast/raise', SET_BOOL): _move_mast,
        Server('dock', TRIGGER): _dock,
        Server('battery/report', TRIGGER): BatteryRobot.report_battery,
        Server('wait', TRIGGER): Robot.wait,
    }
