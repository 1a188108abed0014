# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What stands where in a physical world: read from a file, built by ``scene``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import yaml
from numpy.typing import NDArray

from reactree_ros.core.names import parse_name
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.physics.rooms import Room, Wall, passages, room_at

CUPBOARD_HEIGHT = 0.42
"""From the top of a cupboard down to its bottom, below which is its stand (m)."""
DRAWER_DEPTH = 0.182
"""From the top of a counter down to the bottom of its drawer (m)."""
KINDS = ('table', 'counter', 'cupboard', 'shelf')
"""The kinds of furniture."""
_LARGEST = 1e6
SHAPES = {'box': 3, 'cylinder': 2, 'sphere': 1, 'vessel': 2, 'tray': 3}
"""The shapes of things, and how many lengths each has."""


def known_name(name: str, names: Iterable[str]) -> str:
    """Return one of some names that means the same, such as ``fridge 1`` for ``Fridge (1)``.

    Returns:
        Empty if there is none.
    """
    parsed = parse_name(name)
    return next((one for one in names if parsed is not None and parse_name(one) == parsed), '')


@dataclass(frozen=True)
class Furniture:
    """A piece of furniture, of which only drawer and doors move.

    Args:
        name: what it is called, e.g. ``kitchen table 1``.
        kind: one of KINDS.
        room: the room in which it stands.
        at: middle of its footprint (m).
        yaw: direction out of its front (rad).
        size: depth, width and height (m).
        drawer: name of its drawer; empty if it has none.
    """

    name: str
    kind: str
    room: str
    at: tuple[float, float]
    yaw: float
    size: tuple[float, float, float]
    drawer: str = ''

    def corners(self) -> NDArray[np.float64]:
        """Return the corners of its footprint, 4 x 2 (m)."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        signs = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
        return np.array(self.at + signs * self.size[:2] / 2 @ [[c, s], [-s, c]])


@dataclass(frozen=True)
class Thing:
    """A movable thing.

    Args:
        name: what it is called, e.g. ``red block 1``.
        shape: one of SHAPES.
        size: lengths of the shape (m): edges of a box; radius and height of a cylinder or vessel;
            radius of a sphere; edges and rim of a tray.
        mass: kg.
        colour: red, green and blue, from 0 to 1.
        friction: coefficient of sliding friction.
        fixed: too heavy or too wide for the hand.
    """

    name: str
    shape: str
    size: tuple[float, ...]
    mass: float
    colour: tuple[float, float, float]
    friction: float = 0.9
    fixed: bool = False

    @property
    def height(self) -> float:
        """Height when it stands upright (m)."""
        return 2 * self.size[0] if self.shape == 'sphere' else self.size[-1]

    @property
    def extents(self) -> tuple[float, float, float]:
        """Depth, width and height when it stands upright (m)."""
        if self.shape in ('box', 'tray'):
            depth, width, _ = self.size
            return depth, width, self.height
        return 2 * self.size[0], 2 * self.size[0], self.height

    @property
    def radius(self) -> float:
        """Radius of the circle around its footprint (m)."""
        if self.shape in ('box', 'tray'):
            return math.hypot(self.size[0], self.size[1]) / 2
        return self.size[0]


@dataclass(frozen=True)
class Description:
    """A physical world.

    Args:
        rooms: by name.
        furniture: by name.
        things: by name.
        on: where each thing stands at the start: the furniture, and the place from the middle of
            its surface (m).
        robot: x, y (m) and yaw (rad) at which the robot starts.
        walls: by name.
        skills: name of the skill library that has the words for it.
        opened: drawers and cupboards that are open at the start.
    """

    rooms: Mapping[str, Room]
    furniture: Mapping[str, Furniture]
    things: Mapping[str, Thing]
    on: Mapping[str, tuple[str, float, float]]
    robot: tuple[float, float, float]
    walls: Mapping[str, Wall] = field(default_factory=dict)
    skills: str = 'kitchen_arm'
    opened: tuple[str, ...] = ()

    def stands_on(self, place: str) -> tuple[Furniture, float]:
        """Return the furniture of a place, and the height on which things stand there (m).

        In a cupboard it is its bottom, in a drawer that of the drawer.
        """
        for piece in self.furniture.values():
            if place == piece.drawer:
                return piece, piece.size[2] - DRAWER_DEPTH
            if place == piece.name:
                inside = CUPBOARD_HEIGHT if piece.kind == 'cupboard' else 0.0
                return piece, piece.size[2] - inside
        raise KeyError(place)

    def room_at(self, x: float, y: float) -> str:
        """Return the name of the room at a point of the floor; empty if there is none."""
        return room_at(self.rooms, x, y)


def read_description(path: Path) -> Description:
    """Read a world from a YAML file, such as ``resource/physics/kitchen.yaml``.

    Raises:
        ConfigurationError: the file is not there or is wrong; it says where and what is allowed.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'{path}: {error}') from error
    try:
        return _description(data)
    except _Wrong as wrong:
        raise ConfigurationError(f'{path}: {wrong}') from None


@cache
def shipped_description(name: str) -> Description:
    """Read one of the worlds that come with the package, e.g. ``kitchen``."""
    return read_description(share('resource', 'physics', f'{name}.yaml'))


def description_of(world: str) -> Description:
    """Return a world by the name of a shipped one, or by the path of its file.

    Raises:
        ConfigurationError: the file is not there or is wrong.
    """
    if '/' in world or world.endswith('.yaml'):
        return read_description(Path(world))
    return shipped_description(world)


class _Wrong(Exception):
    """What is wrong with a file."""


def _description(data: Any) -> Description:
    keys = ('rooms', 'walls', 'skills', 'robot', 'furniture', 'things', 'on')
    whole = _Entry('the file', data, keys)
    rooms: dict[str, Room] = {}
    for name, entry in whole.entries('rooms', ('x', 'y')):
        rooms[name] = _room(entry, rooms)
    walls = {
        name: _wall(entry, rooms)
        for name, entry in whole.entries('walls', ('from', 'to', 'doorways'), needed=False)
    }
    furniture = {
        name: _furniture(name, entry, rooms, walls)
        for name, entry in whole.entries(
            'furniture', ('kind', 'room', 'at', 'yaw', 'size', 'drawer')
        )
    }
    things = {
        name: _thing(name, entry)
        for name, entry in whole.entries(
            'things', ('shape', 'size', 'mass', 'colour', 'friction', 'fixed')
        )
    }
    drawers = (piece.drawer for piece in furniture.values() if piece.drawer)
    names = [*walls, *furniture, *drawers, *things]
    for name in names:
        if names.count(name) > 1:
            raise _Wrong(
                f'{name}: two walls, pieces of furniture, drawers or things have this name'
            )
    robot = _Entry('robot', whole.data.get('robot'), ('at', 'yaw'))
    x, y = robot.pair('at')
    if not room_at(rooms, x, y):
        raise robot.wrong(f'at is [{x:g}, {y:g}]: that is in no room')
    return Description(
        rooms,
        furniture,
        things,
        {
            name: _place(name, where, furniture, things)
            for name, where in whole.mapping('on').items()
        },
        (x, y, math.radians(robot.number('yaw'))),
        walls,
        whole.text('skills') or Description.skills,
    )


def _room(entry: _Entry, others: Mapping[str, Room]) -> Room:
    room = Room(entry.pair('x'), entry.pair('y'))
    if room.x[0] >= room.x[1] or room.y[0] >= room.y[1]:
        raise entry.wrong('x must go from west to east, and y from south to north')
    for name, other in others.items():
        if room.overlaps(other):
            raise entry.wrong(f'it overlaps {name}')
    return room


def _wall(entry: _Entry, rooms: Mapping[str, Room]) -> Wall:
    wall = Wall(entry.pair('from'), entry.pair('to'), entry.pairs('doorways'))
    if not wall.length:
        raise entry.wrong('it has no length: "from" and "to" are the same point')
    if wall.start[0] != wall.end[0] and wall.start[1] != wall.end[1]:
        raise entry.wrong('it runs neither along x nor along y')
    last = 0.0
    for middle, width in sorted(wall.doorways):
        if width <= 0 or middle - width / 2 < last or middle + width / 2 > wall.length:
            raise entry.wrong(
                f'the doorway [{middle:g}, {width:g}] (middle, width) lies outside the wall, which '
                f'is {wall.length:g} m long, or in another doorway'
            )
        last = middle + width / 2
    for way in passages(rooms, wall):
        if not way.leaves or not way.enters or way.leaves == way.enters:
            x, y = way.middle
            raise entry.wrong(f'the doorway at x {x:g}, y {y:g} is not between two rooms')
    return wall


def _furniture(
    name: str, entry: _Entry, rooms: Mapping[str, Room], walls: Mapping[str, Wall]
) -> Furniture:
    length, width, height = entry.positive('size', 3)
    drawer = entry.text('drawer')
    if drawer and parse_name(drawer) is None:
        raise entry.wrong(f'drawer is {drawer!r}: a number is missing, such as in "drawer 1"')
    piece = Furniture(
        name,
        entry.choice('kind', KINDS),
        entry.choice('room', tuple(rooms)),
        entry.pair('at'),
        math.radians(entry.number('yaw')),
        (length, width, height),
        drawer,
    )
    corners = piece.corners()
    if not all(rooms[piece.room].holds(x, y) for x, y in corners):
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        raise entry.wrong(
            f'it is not in {piece.room}: it takes x from {west:.2f} to {east:.2f}, '
            f'y from {south:.2f} to {north:.2f}'
        )
    for wall_name, wall in walls.items():
        for low, high in wall.parts():
            if _overlap(corners, np.array([low, (low[0], high[1]), high, (high[0], low[1])])):
                raise entry.wrong(f'it stands across {wall_name}')
    return piece


def _overlap(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two rectangles, 4 x 2 corners each, overlap: no side of one separates them."""
    for sides in (first[1:3] - first[0:2], second[1:3] - second[0:2]):
        ours, theirs = first @ sides.T, second @ sides.T
        if np.any(ours.max(axis=0) <= theirs.min(axis=0)):
            return False
        if np.any(theirs.max(axis=0) <= ours.min(axis=0)):
            return False
    return True


def _thing(name: str, entry: _Entry) -> Thing:
    shape, mass = entry.choice('shape', tuple(SHAPES)), entry.number('mass')
    if mass <= 0.0:
        raise entry.wrong(f'mass is {mass:g}: it must be above 0')
    return Thing(
        name,
        shape,
        entry.positive('size', SHAPES[shape]),
        mass,
        entry.triple('colour'),
        entry.number('friction', 0.9),
        entry.flag('fixed'),
    )


def _place(
    name: str, where: Any, furniture: Mapping[str, Furniture], things: Mapping[str, Thing]
) -> tuple[str, float, float]:
    if name not in things:
        raise _Wrong(f'on: there is no thing {name!r}, only {", ".join(things)}')
    places = [*furniture, *(piece.drawer for piece in furniture.values() if piece.drawer)]
    match where:
        case [str(place), x, y] if place in places and _is_number(x) and _is_number(y):
            piece = next(one for one in furniture.values() if place in (one.name, one.drawer))
            if max(abs(x), abs(y)) > max(piece.size[:2]) / 2.0:
                raise _Wrong(f'on, {name}: [{x:g}, {y:g}] from its middle is not on {place}')
            return place, float(x), float(y)
    raise _Wrong(f'on, {name}: {where!r} is not [place, x, y]; places: {", ".join(places)}')


def _is_number(value: Any) -> TypeGuard[float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -_LARGEST <= value <= _LARGEST  # YAML has .inf, .nan, and whole numbers of any size


class _Entry:
    """A mapping of the file, with errors that say where.

    Args:
        where: its name in messages.
        data: the mapping.
        keys: the keys that it may have.
    """

    def __init__(self, where: str, data: Any, keys: tuple[str, ...]) -> None:
        if not isinstance(data, dict):
            raise _Wrong(f'{where}: a mapping with the keys {", ".join(keys)} is missing')
        for key in data:
            if key not in keys:
                raise _Wrong(f'{where}: {key!r} is not one of {", ".join(keys)}')
        self._where = where
        self.data: dict[str, Any] = data

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a mapping of names."""
        found = self.data.get(key)
        if not isinstance(found, dict) or not all(
            isinstance(name, str) and parse_name(name) for name in found
        ):
            raise _Wrong(f'{key}: names with numbers are missing, such as "kitchen table 1"')
        return found

    def wrong(self, text: str) -> _Wrong:
        """Return the error that says what is wrong with it."""
        return _Wrong(f'{self._where}: {text}')

    def entries(
        self, key: str, keys: tuple[str, ...], *, needed: bool = True
    ) -> list[tuple[str, _Entry]]:
        """Return the named mappings of a key, which may be missing unless it is needed."""
        if key not in self.data and not needed:
            return []
        return [
            (name, _Entry(f'{key}, {name}', value, keys))
            for name, value in self.mapping(key).items()
        ]

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        """Return so many numbers."""
        found = self.data.get(key)
        if not isinstance(found, list) or len(found) != count or not all(map(_is_number, found)):
            raise _Wrong(f'{self._where}: {key} is {found!r}: it must be a list of {count} numbers')
        return tuple(map(float, found))

    def pair(self, key: str) -> tuple[float, float]:
        """Return two numbers."""
        first, second = self.numbers(key, 2)
        return first, second

    def pairs(self, key: str) -> tuple[tuple[float, float], ...]:
        """Return any number of pairs of numbers; none if the key is not there."""
        found = self.data.get(key, [])
        if not isinstance(found, list):
            raise self.wrong(f'{key} is {found!r}: it must be a list of pairs of numbers')
        each = [_Entry(self._where, {key: one}, (key,)) for one in found]
        return tuple(one.pair(key) for one in each)

    def triple(self, key: str) -> tuple[float, float, float]:
        """Return three numbers."""
        first, second, third = self.numbers(key, 3)
        return first, second, third

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number."""
        found = self.data.get(key, default)
        if not _is_number(found):
            raise _Wrong(f'{self._where}: {key} is {found!r}: it must be a number')
        return float(found)

    def positive(self, key: str, count: int) -> tuple[float, ...]:
        """Return so many numbers above 0."""
        found = self.numbers(key, count)
        if min(found) <= 0.0:
            raise _Wrong(f'{self._where}: {key} is {list(found)!r}: each must be above 0')
        return found

    def flag(self, key: str) -> bool:
        """Return true or false; false if it is not there."""
        found = self.data.get(key, False)
        if not isinstance(found, bool):
            raise _Wrong(f'{self._where}: {key} is {found!r}: it must be true or false')
        return found

    def text(self, key: str) -> str:
        """Return a text; empty if it is not there."""
        found = self.data.get(key, '')
        if not isinstance(found, str):
            raise _Wrong(f'{self._where}: {key} is {found!r}: it must be a text')
        return found

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Return one of some texts."""
        found = self.text(key)
        if found not in choices:
            raise _Wrong(f'{self._where}: {key} is {found!r}, not one of {", ".join(choices)}')
        return found
