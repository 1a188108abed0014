# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What lies on or in what, judged by where things are."""

from __future__ import annotations

import math
from collections.abc import Mapping

from reactree_ros.sim.physics.description import Thing
from reactree_ros.sim.physics.geometry import Pose
from reactree_ros.sim.physics.manipulation.grasps import as_it_lies
from reactree_ros.sim.physics.places import Place

Relation = tuple[str, str]
"""Name of what a thing lies on or in, and ``on`` or ``inside``."""
_CLOSE = 0.025
"""A thing stands on another if its bottom is this near to the other's top (m)."""


def relations(
    poses: Mapping[str, Pose],
    openings: Mapping[str, float],
    things: Mapping[str, Thing],
    places: Mapping[str, Place],
) -> dict[str, Relation]:
    """Return what each thing lies on or in: another thing, or furniture.

    Args:
        poses: of things, by name.
        openings: of drawers and doors, by the names of their joints (m or rad).
        things: by name.
        places: by name.

    Returns:
        Without things that lie on the floor, or nowhere.
    """
    found = {}
    for name, pose in poses.items():
        below = _below(things[name], pose, poses, things) or furniture_below(pose, openings, places)
        if below is not None:
            found[name] = below
    return found


def _below(
    thing: Thing, pose: Pose, poses: Mapping[str, Pose], things: Mapping[str, Thing]
) -> Relation | None:
    """Return the thing on or in which another lies."""
    middle = pose.position
    bottom = _bottom(thing, pose)
    for name, lying in poses.items():
        if name == thing.name:
            continue
        other, frame = as_it_lies(things[name], lying)
        x, y, _ = frame.rotation.T @ (middle - frame.position)
        above = bottom - frame.position[2]
        far = math.hypot(x, y)
        if other.shape == 'vessel':
            if far < other.size[0] and -0.01 < above < other.size[1]:
                return name, 'inside'
        elif other.shape == 'tray':
            if abs(x) < other.size[0] / 2 and abs(y) < other.size[1] / 2 and -0.01 < above < 0.05:
                return name, 'on'
        elif other.shape != 'sphere' and far < other.radius:
            if abs(above - other.height) < _CLOSE:
                return name, 'on'
    return None


def _bottom(thing: Thing, pose: Pose) -> float:
    """Return the height of a thing's bottom, whichever side it lies on (m)."""
    if thing.shape == 'sphere':
        return float(pose.position[2]) - thing.size[0]
    return float(as_it_lies(thing, pose)[1].position[2])


def furniture_below(
    pose: Pose, openings: Mapping[str, float], places: Mapping[str, Place]
) -> Relation | None:
    """Return the furniture on or in which something is; None if there is none."""
    # A drawer is below a top, so it is asked first.
    for place in sorted(places.values(), key=lambda one: not one.is_drawer):
        if place.holds(pose.position, openings):
            return place.name, 'inside' if place.joints else 'on'
    return None
