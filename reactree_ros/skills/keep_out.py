# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot must keep out of: rooms, places and things by name, and areas on the floor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reactree_ros.core.names import parse_name, plain_name
from reactree_ros.core.situation import Situation, receptacles
from reactree_ros.skills.document import as_float
from reactree_ros.skills.pose import Pose

Point = tuple[float, float]
_EDGE = 1e-9
"""How far beside an edge, in metres, a point still counts as on it."""
_FAR = 1e9
"""No robot works as far from the origin, in metres; larger numbers are errors."""


@dataclass(frozen=True)
class Area:
    """A part of the x-y plane of a frame, its edge included; at any height.

    Args:
        frame: TF frame that it is given in.
        polygon: its corners in metres, in their order; empty for a circle.
        centre: of the circle, in metres.
        radius: of the circle, in metres.
    """

    frame: str
    polygon: tuple[Point, ...] = ()
    centre: Point = (0.0, 0.0)
    radius: float = 0.0

    def has(self, x: float, y: float) -> bool:
        """Return whether a point lies in it or on its edge; what is not a position does.

        >>> square = Area('map', ((0, 0), (2, 0), (2, 2), (0, 2)))
        >>> square.has(1, 1), square.has(2, 1), square.has(2.1, 1), square.has(float('nan'), 1)
        (True, True, False, True)
        """
        if not (abs(x) <= _FAR and abs(y) <= _FAR):  # this way round for nan
            return True
        if not self.polygon:
            return math.dist((x, y), self.centre) <= self.radius + _EDGE
        edges = list(zip(self.polygon, (*self.polygon[1:], self.polygon[0]), strict=True))
        if any(_distance((x, y), *edge) <= _EDGE for edge in edges):
            return True
        # even-odd rule: how often does a ray to the right cross an edge?
        crossed = [
            x < ax + (y - ay) * (bx - ax) / (by - ay)
            for (ax, ay), (bx, by) in edges
            if (ay > y) != (by > y)
        ]
        return sum(crossed) % 2 == 1


@dataclass(frozen=True)
class KeepOut:
    """Everything that a library forbids.

    Args:
        names: of rooms, places and things, or their classes.
        areas: on the floor.
    """

    names: frozenset[str] = frozenset()
    areas: tuple[Area, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is forbidden."""
        return bool(self.names or self.areas)

    def names_it(self, name: str) -> bool:
        """Return whether a name, or its class, is among the forbidden ones."""
        written = plain_name(name)
        return written in self.names or _class(written) in self.names

    def objection(self, name: str, situation: Situation, poses: Mapping[str, Pose]) -> str:
        """Return why a skill must not have this argument; empty if it may.

        It must not if it, its room, or what it lies on or in is forbidden, or has a pose in a
        forbidden area of the same frame; ``elsewhere`` has the other frames.
        """
        for one in _around(name, situation):
            if self.names_it(one):
                return _reason(name, one, f'the robot must keep away from {one}')
            pose = _pose(one, poses)
            if pose is not None and self._has(pose):
                return in_area(name, one)
        return ''

    def elsewhere(
        self, name: str, situation: Situation, poses: Mapping[str, Pose]
    ) -> Iterator[tuple[str, Pose, Area]]:
        """Yield what ``objection`` cannot check: poses, and areas that are in another frame.

        Yields:
            It, its room, or what it lies on or in; the pose of that; and an area.
        """
        for one in _around(name, situation):
            pose = _pose(one, poses)
            for area in self.areas:
                if pose is not None and area.frame != pose.frame:
                    yield one, pose, area

    def needs_transforms(self, poses: Mapping[str, Pose]) -> bool:
        """Return whether there is a pose in another frame than an area."""
        return any(area.frame != pose.frame for area in self.areas for pose in poses.values())

    def _has(self, pose: Pose) -> bool:
        x, y, _ = pose.position
        return any(area.frame == pose.frame and area.has(x, y) for area in self.areas)


def in_area(name: str, where: str) -> str:
    """Return why a skill must not have an argument that is in a forbidden area."""
    return _reason(name, where, f'{where} lies in an area that the robot must keep out of')


def read_keep_out(given: Sequence[Any], frame: str, faults: list[str]) -> KeepOut:
    """Return what a document of the right form forbids.

    Args:
        given: names, and mappings that describe areas.
        frame: of areas that name none.
        faults: what is wrong is added here.
    """
    areas = [
        _area(entry, frame, f'keep_out[{place}]', faults)
        for place, entry in enumerate(given)
        if not isinstance(entry, str)
    ]
    names = (plain_name(entry) for entry in given if isinstance(entry, str))
    return KeepOut(frozenset(names), tuple(areas))


def _area(entry: Mapping[str, Any], default: str, where: str, faults: list[str]) -> Area:
    frame = entry.get('frame', default).lstrip('/')
    if ('polygon' in entry) == ('circle' in entry):
        faults.append(f'{where}: an area is either a polygon or a circle')
    corners = tuple((as_float(x), as_float(y)) for x, y in entry.get('polygon', ()))
    circle = entry.get('circle', {})
    x, y, radius = (as_float(circle.get(key, 0.0)) for key in ('x', 'y', 'radius'))
    centre = (x, y)
    numbers = [*(one for corner in corners for one in corner), *centre, radius]
    if not all(abs(one) <= _FAR for one in numbers):
        faults.append(f'{where}: a number is not finite, or beyond {_FAR:g} m')
    elif corners and len({*corners}) < 3:
        faults.append(f'{where}: a polygon has at least three corners')
    return Area(frame, corners, centre, radius)


def _distance(point: Point, a: Point, b: Point) -> float:
    """Return how far a point is from the line between two others."""
    along = (b[0] - a[0], b[1] - a[1])
    length = along[0] ** 2 + along[1] ** 2
    if not length:
        return math.dist(point, a)
    share = ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / length
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * along[0], a[1] + share * along[1]))


def _around(name: str, situation: Situation) -> Iterator[str]:
    """Yield a name, what that is on or in, and their rooms, by working memory."""
    names = list(receptacles(name, situation.objects))
    rooms = [situation.objects[one].room for one in names if one in situation.objects]
    yield from names
    yield from (room for room in dict.fromkeys(rooms) if room)


def _pose(name: str, poses: Mapping[str, Pose]) -> Pose | None:
    return poses.get(plain_name(name)) or poses.get(_class(name))


def _class(name: str) -> str:
    parsed = parse_name(name)
    return parsed[0] if parsed else name


def _reason(name: str, where: str, why: str) -> str:
    return why if name == where else f'{name} is there, and {why}'
