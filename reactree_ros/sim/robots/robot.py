# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot is: named servers, and a state that their requests change.

There is no ROS here. A request and the reply are plain data with the fields of the messages, and
whoever serves them makes messages of them (``ros.nodes.robot_bridge``). Time is simulated: a reply
says how long it took, and who serves it decides how long that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

from reactree_ros.core.names import listing
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.library import SkillLibrary

NAVIGATE = 'nav2_msgs/action/NavigateToPose'
GRIPPER = 'control_msgs/action/GripperCommand'
TRIGGER = 'std_srvs/srv/Trigger'
SET_BOOL = 'std_srvs/srv/SetBool'
STRING = 'std_msgs/msg/String'
EXECUTE_SKILL = 'reactree_interfaces/action/ExecuteSkill'

GOAL_OUTSIDE_MAP, GOAL_OCCUPIED, NO_VALID_PATH = 204, 206, 208
"""Error codes of nav2_msgs/action/ComputePathToPose, which NavigateToPose hands on."""
UNKNOWN, TF_ERROR = 9000, 9002
"""Error codes of nav2_msgs/action/NavigateToPose."""
SUCCEEDED, REFUSED, FAILED = 1, 2, 3
"""Outcomes of reactree_interfaces/action/ExecuteSkill."""

BATTERY, DOCK = 'battery 1', 'dock 1'
FULL, RESERVE = 80.0, 5.0
"""From what on a battery counts as charged, and what a drive must leave unless it is home (%)."""
_NEAR = 0.3
"""A pose is at a place if it is not farther from it than this (m)."""
VISITED = 'visited'


@dataclass(frozen=True)
class Server:
    """An action, a service or a topic that a robot serves.

    Args:
        name: its name, relative to the robot's namespace.
        type: its interface type, e.g. ``std_srvs/srv/Trigger``.
    """

    name: str
    type: str


@dataclass(frozen=True)
class Reply:
    """What came of a request.

    Args:
        succeeded: whether an action succeeds; otherwise it is aborted.
        fields: of the result or response.
        seconds: how long it took, in simulated time.
        counting: fields of the feedback that count down to 0 meanwhile, and where they begin.
    """

    succeeded: bool
    fields: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    counting: Mapping[str, float] = field(default_factory=dict)


def answered(success: bool, message: str, seconds: float = 1.0) -> Reply:
    """Return the reply of a Trigger or a SetBool."""
    return Reply(success, {'success': success, 'message': message}, seconds)


def gripped(held: bool, position: float) -> Reply:
    """Return the reply of a GripperCommand that closed.

    Args:
        held: whether there is something between the fingers.
        position: of the fingers (m).
    """
    return Reply(
        True, {'position': position, 'stalled': held, 'reached_goal': not held}, seconds=2.0
    )


def of_skill(outcome: int, text: str, seconds: float = 10.0) -> Reply:
    """Return the reply of an ExecuteSkill that says no more than a text."""
    observation = {'text': text}
    return Reply(outcome == SUCCEEDED, {'outcome': outcome, 'observation': observation}, seconds)


Handler = Callable[[Any, Mapping[str, Any]], Reply]


class Robot:
    """A simulated mobile robot; a subclass has its servers in ``serves`` and its own state.

    Args:
        library: its skills, whose poses are its map.
        objects: all places and things, as they are at the start.
        rooms: names of all rooms.
        start: place where it stands.
        blocked: places and rooms that cannot be driven to.
        held_up: places, and how often a drive there does not get through at first.
    """

    skills: ClassVar[str]
    """Name of its shipped skill library."""
    perceives: ClassVar[bool] = True
    """Whether it serves ``observe``; otherwise its library declares its world."""
    serves: ClassVar[Mapping[Server, Handler]]
    speed: ClassVar[float] = 1.0
    """How fast it drives (m/s)."""

    def __init__(
        self,
        library: SkillLibrary,
        objects: Iterable[ObservedObject],
        rooms: tuple[str, ...],
        start: str,
        blocked: Iterable[str] = (),
        held_up: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.objects = {one.name: one for one in objects}
        self.rooms = rooms
        self.place = start
        self.clock = 0.0
        """Seconds since the start."""
        self._no_way = frozenset(blocked)
        self._held_up = dict(held_up)
        self.faults: list[str] = []
        """What it has done that it never should, whatever the goal."""
        self._poses = {
            name: pose
            for name, one in self.objects.items()
            if 'furniture' in one.affordances
            and (pose := library.poses.get(name) or library.poses.get(one.class_name))
        }

    def handle(self, server: Server, request: Mapping[str, Any]) -> Reply:
        """Do what a server was asked for.

        Args:
            server: one of ``serves``.
            request: fields of the goal, request or message, nested messages as mappings.
        """
        reply = self.serves[server](self, request)
        self.clock += reply.seconds
        return reply

    @property
    def room(self) -> str:
        """Name of the room that it is in."""
        return self.objects[self.place].room

    @property
    def held(self) -> list[ObservedObject]:
        """What it holds or carries."""
        return [one for one in self.objects.values() if one.held]

    def on(self, place: str) -> list[ObservedObject]:
        """Return what lies on or in a place, in the order in which it came there."""
        return [one for one in self.objects.values() if one.receptacle == place]

    def is_in(self, name: str, state: str) -> bool:
        """Return whether an object is in a state."""
        return state in self.objects[name].states

    def mark(self, name: str, *states: str, gone: Iterable[str] = ()) -> None:
        """Give an object states, and take others from it."""
        one = self.objects[name]
        self.objects[name] = replace(one, states=(one.states - {*gone}) | {*states})

    def take(self, name: str) -> None:
        """Hold a thing."""
        one = self.objects.pop(name)
        self.objects[name] = replace(one, held=True, receptacle='', relation='', room=self.room)

    def put(self, name: str, place: str) -> None:
        """Lay a thing on or in a place."""
        one, where = self.objects.pop(name), self.objects[place]
        inside = {'containers', 'surfaces'} & where.affordances == {'containers'}
        self.objects[name] = replace(
            one,
            held=False,
            receptacle=place,
            relation='inside' if inside else 'on',
            room=where.room,
        )

    def obstacle(self, place: str) -> tuple[int, str]:
        """Return Nav2's error code and why the robot cannot drive to a place; 0 if it can."""
        if place in self._no_way:
            return GOAL_OCCUPIED, f'something stands at {place}'
        room = self.objects[place].room
        if room in self._no_way and room != self.room:
            return NO_VALID_PATH, f'the way into the {room} is blocked'
        return 0, ''

    def arrive(self, place: str, metres: float) -> None:
        """Be at a place after a drive of so many metres."""
        self.place = place
        self.mark(place, VISITED)
        for one in self.held:
            self.objects[one.name] = replace(one, room=self.room)

    def navigate(self, request: Mapping[str, Any]) -> Reply:
        """Drive to a pose on the map, as Nav2 does."""
        header, pose = request['pose']['header'], request['pose']['pose']
        x, y = pose['position']['x'], pose['position']['y']
        found = [
            name
            for name, one in self._poses.items()
            if one.frame == header['frame_id'] and math.dist(one.position[:2], (x, y)) <= _NEAR
        ]
        if not found:
            why = f'({x:.2f}, {y:.2f}) in {header["frame_id"]} is outside the map'
            return self._stuck(GOAL_OUTSIDE_MAP, why)
        code, why = self.obstacle(found[0])
        if code:
            return self._stuck(code, why)
        if self._held_up.get(found[0], 0) > 0:
            self._held_up[found[0]] -= 1
            return self._stuck(NO_VALID_PATH, f'somebody stands in the way to {found[0]}')
        metres = self.distance(found[0])
        seconds = metres / self.speed
        self.arrive(found[0], metres)
        counting = {'distance_remaining': metres}
        return Reply(True, {'error_code': 0, 'error_msg': ''}, seconds, counting)

    def wait(self, _: Mapping[str, Any]) -> Reply:
        """Let a minute pass; the minute is said, so that no wait repeats the one before."""
        minutes = round((self.clock + 60.0) / 60.0)
        return answered(True, f'A minute has passed. It is minute {minutes}.', 60.0)

    def distance(self, place: str) -> float:
        """Return how far a place is from where the robot stands (m)."""
        here, there = self._poses[self.place], self._poses[place]
        return math.dist(here.position[:2], there.position[:2])

    @staticmethod
    def _stuck(code: int, why: str) -> Reply:
        return Reply(False, {'error_code': code, 'error_msg': why}, seconds=5.0)

    def truth(self) -> Observation:
        """Return everything that there is."""
        return self._observation('', self.objects.values())

    def known(self) -> list[ObservedObject]:
        """Return what a robot that perceives knows or sees; all there is, unless overridden."""
        return list(self.objects.values())

    def observe(self) -> Observation:
        """Return what a robot that perceives says of its surroundings."""
        objects = self.known()
        here = next(one for one in objects if one.name == self.place)
        around = [one for one in objects if one.receptacle == self.place]
        states = sorted(here.states - {VISITED})
        text = f'You are in the {self.room}, at the {_numbered(here)}'
        text += f' ({", ".join(states)}).' if states else '.'
        if here.affordances & {'surfaces', 'containers'}:
            seen = listing((one.class_name, one.instance) for one in around)
            text += f' You see: {seen}.' if around else ' You see nothing there.'
        for one in self.held:
            noted = f' ({", ".join(sorted(one.states))})' if one.states else ''
            text += f' You hold {_numbered(one)}{noted}.'
        for one in objects:
            if one.states and not (one.room or one.held):
                text += f' The {_numbered(one)} is {" and ".join(sorted(one.states))}.'
        return self._observation(text, objects)

    def reachable(self, item: ObservedObject) -> bool:
        """Return whether the robot can reach a thing or a place from where it stands."""
        return item.held or self.place in (item.name, item.receptacle)

    def _observation(self, text: str, objects: Iterable[ObservedObject]) -> Observation:
        return Observation(
            text,
            self.room,
            self.place,
            self.rooms,
            tuple(replace(one, near=self.reachable(one)) for one in objects),
        )


class BatteryRobot(Robot):
    """A robot with a battery that drives take from, and a dock to charge it.

    Args:
        battery: how full it is (%).
        others: see ``Robot``.
    """

    per_metre: ClassVar[float]
    """What a metre takes of the battery (%)."""
    percent_sec: ClassVar[float]
    """How long it takes to charge one percent (s)."""

    def __init__(
        self,
        library: SkillLibrary,
        objects: Iterable[ObservedObject],
        rooms: tuple[str, ...],
        start: str,
        battery: float,
        blocked: Iterable[str] = (),
        held_up: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        super().__init__(library, objects, rooms, start, blocked, held_up)
        self._battery = battery
        self._note_battery()

    def obstacle(self, place: str) -> tuple[int, str]:
        """Return Nav2's error code and why the robot cannot drive to a place; 0 if it can."""
        code, why = super().obstacle(place)
        if code:
            return code, why
        left = self._battery - self.per_metre * self.distance(place)
        if left < (0.0 if place == DOCK else RESERVE):
            return UNKNOWN, f'the battery is too low to go there ({self._battery:.0f} %)'
        return 0, ''

    def arrive(self, place: str, metres: float) -> None:
        """Be at a place after a drive of so many metres."""
        super().arrive(place, metres)
        self._battery = max(0.0, self._battery - self.per_metre * metres)
        self._note_battery()

    def fill_battery(self) -> float:
        """Charge the battery to the full and return how long it took (s)."""
        seconds, self._battery = self.percent_sec * (100.0 - self._battery), 100.0
        self._note_battery()
        return seconds

    def report_battery(self, _: Mapping[str, Any]) -> Reply:
        """Answer how full the battery is."""
        return answered(True, f'The battery is at {self._battery:.0f} %.')

    def _note_battery(self) -> None:
        full = self._battery >= FULL
        self.mark(BATTERY, *(('charged',) if full else ()), gone=('charged',))


def _numbered(item: ObservedObject) -> str:
    return f'{item.class_name} ({item.instance})'


def place_named(
    name: str, room: str, *affordances: str, states: Iterable[str] = ()
) -> ObservedObject:
    """Return a place that a robot can drive to.

    Args:
        name: class and number.
        room: where it is.
        affordances: besides ``furniture``.
        states: it is in.
    """
    class_name, _, number = name.rpartition(' ')
    kinds = frozenset({*affordances, 'furniture'})
    return ObservedObject(
        class_name, int(number), room=room, states=frozenset(states), affordances=kinds
    )


def thing_named(
    name: str, place: ObservedObject | None, *affordances: str, states: Iterable[str] = ()
) -> ObservedObject:
    """Return a thing on or in a place.

    Args:
        name: class and number.
        place: where it is; None for nowhere.
        affordances: what can be done with it.
        states: it is in.
    """
    class_name, _, number = name.rpartition(' ')
    inside = place is not None and 'containers' in place.affordances
    return ObservedObject(
        class_name,
        int(number),
        room=place.room if place else '',
        receptacle=place.name if place else '',
        relation=('inside' if inside else 'on') if place else '',
        states=frozenset(states),
        affordances=frozenset(affordances),
    )


def settings_of(given: Mapping[str, Any], allowed: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with their defaults.

    Args:
        given: some of them by name.
        allowed: the default of each.

    Raises:
        ConfigurationError: there is no such setting.
    """
    wrong = sorted(given.keys() - allowed.keys())
    if wrong:
        raise ConfigurationError(
            f'a robot has no setting {", ".join(wrong)}, only {", ".join(allowed)}'
        )
    return {**allowed, **given}
