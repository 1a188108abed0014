# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the hand may take hold of things, and stand before handles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reactree_ros.sim.physics.description import Thing
from reactree_ros.sim.physics.geometry import Pose, Vector, standing, tool

WIDEST = 0.076
"""What is wider does not fit between the fingers (m)."""
TILTS = (0.0, 0.35, 0.7, 1.05, 1.3)
"""Between the hand and straight down (rad)."""
LEVEL = (1.05, 0.8, 1.3)
"""Those with which the hand reaches in under a board."""
_UPRIGHT = 0.95
"""Cosine of the tilt up to which a thing stands."""
_TURNS = (0.0, 0.4, -0.4, 0.8, -0.8)
"""Between where a tilted hand points and the way from the robot to a round thing (rad)."""


@dataclass(frozen=True)
class Grasp:
    """One way to take hold of a thing.

    Args:
        hand: where the hand is then.
        width: what is then between the fingers (m).
    """

    hand: Pose
    width: float


def as_it_lies(thing: Thing, pose: Pose) -> tuple[Thing, Pose]:
    """Return an upright thing of the same size and place as one that may lie on a side.

    Args:
        thing: what it is.
        pose: where it is.

    Returns:
        The thing itself if it stands; otherwise a box that stands, and its frame.
    """
    up = pose.rotation[2]
    if thing.shape == 'sphere':
        return thing, Pose(np.eye(3), pose.position)
    if up[2] > _UPRIGHT:
        return thing, pose
    middle = pose.position + pose.rotation[:, 2] * thing.height / 2
    sides = thing.extents
    vertical = int(np.argmax(np.abs(up)))
    if thing.shape in ('cylinder', 'vessel') and vertical != 2:
        # A round thing may have rolled: its axis is what is level.
        vertical = 0
        first, second = 2, 1
    else:
        first, second = (axis for axis in range(3) if axis != vertical)
    level = pose.rotation[:, first] * (1, 1, 0)
    size = (sides[first], sides[second], sides[vertical])
    box = replace(thing, shape='box', size=tuple(map(float, size)))
    yaw = math.atan2(level[1], level[0])
    return box, standing(middle - (0, 0, size[2] / 2), yaw)


def grasps(
    thing: Thing, pose: Pose, forward: Vector, tilts: Sequence[float] = TILTS
) -> Iterator[Grasp]:
    """Yield ways to take hold of a thing that stands upright, the hand that points down first.

    Args:
        thing: what it is.
        pose: where it is.
        forward: horizontal direction from the robot to the thing.
        tilts: of the hand that may be tried (rad).
    """
    if thing.shape == 'vessel' and 2 * thing.size[0] > WIDEST:
        yield from _rims(thing, pose, forward, tilts)
        return
    height = thing.height
    base = pose.position.copy()
    if thing.shape == 'sphere':
        base[2] -= thing.size[0]
    for tilt in tilts:
        # A tall thing is taken near its top, lest the palm hits it.
        below_top = 0.035 if tilt < 0.6 else 0.06
        position = base + (0, 0, max(height / 2, height - below_top))
        for heading, fingers, width in _sides(thing, pose, forward, tilt):
            if width <= WIDEST:
                approach = math.sin(tilt) * heading - (0, 0, math.cos(tilt))
                yield Grasp(tool(position, approach, fingers), width)


def _sides(
    thing: Thing, pose: Pose, forward: Vector, tilt: float
) -> Iterator[tuple[Vector, Vector, float]]:
    """Yield where a hand may point, how its fingers move, and how wide the thing is there.

    The fingers are parallel to the sides that they touch; a tilted hand points away from the robot.
    """
    if thing.shape == 'box':
        for axis in (0, 1):
            fingers = pose.rotation[:, axis]
            heading = np.cross(fingers, (0, 0, 1))
            if heading[:2] @ forward < 0:
                heading = -heading
            for sign in (1, -1):
                yield heading, sign * fingers, thing.size[axis]
        return
    ahead = math.atan2(forward[1], forward[0])
    turns = np.linspace(0, math.pi, 6, endpoint=False) if tilt == 0 else _TURNS
    for turn in turns:
        heading = np.array([math.cos(ahead + turn), math.sin(ahead + turn), 0.0])
        for sign in (1, -1):
            yield heading, sign * np.cross((0, 0, 1), heading), 2 * thing.size[0]


def _rims(thing: Thing, pose: Pose, forward: Vector, tilts: Sequence[float]) -> Iterator[Grasp]:
    """Yield grasps at the rim of a vessel: one finger in it, one outside."""
    radius, height = thing.size
    heading = math.atan2(forward[1], forward[0])
    for tilt in tilts:
        for turn in np.linspace(0, 2 * math.pi, 12, endpoint=False):
            outwards = np.array([math.cos(turn), math.sin(turn), 0.0])
            at = pose.position + (radius - 0.002) * outwards + (0, 0, height - 0.018)
            approach = np.array(
                [
                    math.sin(tilt) * math.cos(heading),
                    math.sin(tilt) * math.sin(heading),
                    -math.cos(tilt),
                ]
            )
            if abs(float(outwards @ approach)) < 0.3:
                for sign in (1, -1):
                    yield Grasp(tool(at, approach, sign * outwards), 0.004)
