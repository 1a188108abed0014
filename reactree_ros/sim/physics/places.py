# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Places of a physical world: what lies on or in them, and where the robot stands before them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from reactree_ros.sim.physics.description import (
    CUPBOARD_HEIGHT,
    DRAWER_DEPTH,
    Description,
    Furniture,
)
from reactree_ros.sim.physics.geometry import Pose, Vector, standing
from reactree_ros.sim.physics.scene import DOOR_RANGE, DRAWER_TRAVEL

OPEN = 0.6
"""Open is what is open by more than this share of its range."""
CLOSED = 0.05
"""Closed is what is open by less."""
_FRONT = 0.22
"""From the arm's axis to the front of the robot (m)."""
_GAP = 0.06


@dataclass(frozen=True)
class Region:
    """A rectangle on which things can stand.

    Args:
        frame: its middle; x points out of the furniture's front.
        half: half its depth and half its width (m).
        headroom: above it (m).
        round: it is the circle in the rectangle, and is filled from its edge.
    """

    frame: Pose
    half: tuple[float, float]
    headroom: float = math.inf
    round: bool = False

    def holds(self, position: Vector, margin: float = 0.02) -> bool:
        """Whether a point is on or above it, and below what covers it."""
        x, y, z = self.frame.rotation.T @ (position - self.frame.position)
        return bool(
            abs(x) <= self.half[0] + margin
            and abs(y) <= self.half[1] + margin
            and -0.02 <= z <= min(self.headroom, 0.3)
        )


@dataclass(frozen=True)
class Place:
    """What a goal can name: a table, a shelf, a drawer.

    Args:
        name: e.g. ``drawer 1``.
        piece: the furniture that it is, or is part of.
        joints: of its doors, or of itself if it is a drawer; empty if it is always open.
        range: of the joints (m or rad).
    """

    name: str
    piece: Furniture
    joints: tuple[str, ...] = ()
    range: float = 1.0

    @property
    def is_drawer(self) -> bool:
        """Whether it slides."""
        return self.name == self.piece.drawer

    @property
    def out(self) -> Vector:
        """Direction out of its front."""
        return np.array([math.cos(self.piece.yaw), math.sin(self.piece.yaw), 0.0])

    @property
    def left(self) -> Vector:
        """Direction to the left of who looks out of its front."""
        return np.array([-math.sin(self.piece.yaw), math.cos(self.piece.yaw), 0.0])

    @property
    def front(self) -> Vector:
        """Middle of its front, on the floor."""
        return np.array([*self.piece.at, 0.0]) + self.out * self.piece.size[0] / 2

    def open_share(self, openings: Mapping[str, float]) -> float:
        """How far it is open, from 0 to 1: its least open door."""
        return min((openings.get(joint, 0.0) / self.range for joint in self.joints), default=1.0)

    def region(self, openings: Mapping[str, float]) -> Region:
        """Where things stand on or in it; of a drawer, what has come out from under the top."""
        depth, width, height = self.piece.size
        if self.is_drawer:
            out = openings.get(self.name, 0.0)
            low = height - DRAWER_DEPTH
            half = max(0.0, (out - 0.03) / 2)
            middle = self.front + self.out * (half + 0.005)
            return Region(standing((middle[0], middle[1], low), self.piece.yaw), (half, 0.17))
        if self.joints:
            floor = standing((*self.piece.at, height - CUPBOARD_HEIGHT), self.piece.yaw)
            return Region(floor, (depth / 2 - 0.02, width / 2 - 0.03), 0.40)
        return Region(
            standing((*self.piece.at, height), self.piece.yaw), (depth / 2 - 0.02, width / 2 - 0.02)
        )

    def holds(self, position: Vector, openings: Mapping[str, float]) -> bool:
        """Whether a point is on or in it; what is in a drawer is in it wherever it slides."""
        if not self.is_drawer:
            return self.region(openings).holds(position)
        depth, _, height = self.piece.size
        out = openings.get(self.name, 0.0)
        x, y, z = position - self.front
        low = height - DRAWER_DEPTH
        return bool(
            -depth < self.out @ (x, y, 0) < out + 0.02
            and abs(self.left @ (x, y, 0)) < 0.21
            and low - 0.03 < z < low + 0.12
        )

    def stands(self, openings: Mapping[str, float]) -> Iterator[Vector]:
        """Yield where the robot may stand before it, the best first: x, y and yaw of its base."""
        near = _FRONT + _GAP
        distances: tuple[float, ...]
        offsets: tuple[float, ...]
        if self.is_drawer:
            far = near + DRAWER_TRAVEL
            distances = (far + 0.14, far + 0.19, far + 0.09, far + 0.04)
            offsets = (0.0, 0.12, -0.12)
        elif self.joints:
            distances, offsets = (0.55, 0.62, 0.48, 0.4), (0.0, 0.15, -0.15, 0.3, -0.3)
        else:
            half = max(0.0, self.piece.size[1] / 2 - 0.15)
            distances = (near + 0.02, near + 0.1)
            offsets = (0.0, half / 2, -half / 2, half, -half)
        for distance in distances:
            for offset in offsets:
                x, y, _ = self.front + distance * self.out + offset * self.left
                yield np.array([x, y, self.piece.yaw + math.pi])


def places_of(description: Description) -> dict[str, Place]:
    """Return the places of a world by name."""
    found = {}
    for piece in description.furniture.values():
        if piece.kind == 'cupboard':
            doors = (f'{piece.name} right door', f'{piece.name} left door')
            found[piece.name] = Place(piece.name, piece, doors, DOOR_RANGE)
        else:
            found[piece.name] = Place(piece.name, piece)
        if piece.drawer:
            found[piece.drawer] = Place(piece.drawer, piece, (piece.drawer,), DRAWER_TRAVEL)
    return found
