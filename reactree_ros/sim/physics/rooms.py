# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The floor plan of a physical world: rooms, walls, and ways through doorways."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Point = tuple[float, float]
"""x and y on the floor (m)."""
WALL_HEIGHT = 2.0
"""Higher than the head camera (m)."""
_HALF = 0.05
"""Half the thickness of a wall (m)."""
_CLEAR = 0.65
"""From the middle of a doorway to ``base_link`` before or behind it, where the base turns (m)."""


@dataclass(frozen=True)
class Room:
    """A room: a rectangle.

    Args:
        x: its west and its east side (m).
        y: its south and its north side (m).
    """

    x: tuple[float, float]
    y: tuple[float, float]

    def holds(self, x: float, y: float) -> bool:
        """Whether a point of the floor is in it."""
        return self.x[0] <= x <= self.x[1] and self.y[0] <= y <= self.y[1]

    def overlaps(self, other: Room) -> bool:
        """Whether it has more in common with another room than a side."""
        return all(
            max(mine[0], its[0]) < min(mine[1], its[1])
            for mine, its in ((self.x, other.x), (self.y, other.y))
        )


@dataclass(frozen=True)
class Wall:
    """A wall along x or y, 10 cm thick.

    Args:
        start: the middle of its one end.
        end: the middle of its other end.
        doorways: middle of each, as distance from the start, and its width (m).
    """

    start: Point
    end: Point
    doorways: tuple[tuple[float, float], ...] = ()

    @property
    def length(self) -> float:
        """Metres."""
        return math.dist(self.start, self.end)

    @property
    def yaw(self) -> float:
        """Direction from its start to its end (rad)."""
        return math.atan2(self.end[1] - self.start[1], self.end[0] - self.start[0])

    def at(self, distance: float) -> Point:
        """Return the point at a distance from its start (m)."""
        share = distance / self.length
        (x, y), (a, b) = self.start, self.end
        return x + share * (a - x), y + share * (b - y)

    def parts(self) -> Iterator[tuple[Vector, Vector]]:
        """Yield its parts between doorways: the south-west and the north-east corner of each."""
        gaps = sorted((middle - width / 2, middle + width / 2) for middle, width in self.doorways)
        edges = [-_HALF, *(edge for gap in gaps for edge in gap), self.length + _HALF]
        side = _HALF * np.abs([math.sin(self.yaw), math.cos(self.yaw)])
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            ends = np.array([self.at(first), self.at(last)])
            yield ends.min(axis=0) - side, ends.max(axis=0) + side


@dataclass(frozen=True)
class Passage:
    """A doorway in one of its two directions.

    Args:
        leaves: name of the room before it.
        enters: name of the room behind it.
        middle: of the doorway.
        yaw: direction through it (rad).
    """

    leaves: str
    enters: str
    middle: Point
    yaw: float

    def stands(self) -> tuple[Vector, Vector]:
        """Return where the base is before and behind it: x, y (m) and yaw (rad)."""
        x, y = self.middle
        step = _CLEAR * np.array([math.cos(self.yaw), math.sin(self.yaw), 0.0])
        middle = np.array([x, y, self.yaw])
        return middle - step, middle + step


def room_at(rooms: Mapping[str, Room], x: float, y: float) -> str:
    """Return the name of the room at a point of the floor; empty if there is none."""
    return next((name for name, room in rooms.items() if room.holds(x, y)), '')


def passages(rooms: Mapping[str, Room], wall: Wall) -> list[Passage]:
    """Return how the doorways of a wall can be passed, each in both directions."""
    found = []
    for distance, _ in wall.doorways:
        x, y = middle = wall.at(distance)
        for yaw in (wall.yaw + math.pi / 2, wall.yaw - math.pi / 2):
            east, north = 2 * _HALF * math.cos(yaw), 2 * _HALF * math.sin(yaw)
            before, behind = (
                room_at(rooms, x - east, y - north),
                room_at(rooms, x + east, y + north),
            )
            found.append(Passage(before, behind, middle, yaw))
    return found


def ways(
    rooms: Mapping[str, Room], walls: Mapping[str, Wall], start: str, goal: str
) -> Iterator[list[Vector]]:
    """Yield ways from one room to another, those through the fewest doorways first.

    Args:
        rooms: by name.
        walls: by name.
        start: name of a room; empty for outside.
        goal: the same.

    Yields:
        Where the base is before and behind each doorway: x, y (m) and yaw (rad).
    """
    doorways = [one for wall in walls.values() for one in passages(rooms, wall)]
    waiting: deque[tuple[list[str], list[Vector]]] = deque([([start], [])])
    while waiting:
        passed, way = waiting.popleft()
        if passed[-1] == goal:
            yield way
            continue
        for doorway in doorways:
            if doorway.leaves == passed[-1] and doorway.enters not in passed:
                waiting.append(([*passed, doorway.enters], [*way, *doorway.stands()]))
