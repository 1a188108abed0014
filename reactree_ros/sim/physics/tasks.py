# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of an arm in a kitchen or an apartment, and the worlds in which they start."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.task import Task, tasks_of
from reactree_ros.sim.physics.description import (
    DRAWER_DEPTH,
    Description,
    Furniture,
    known_name,
    shipped_description,
)

KITCHEN_SETS = ('kitchen', 'kitchen_error', 'kitchen_knock')
"""Names of the sets, all of the same tasks: with exact positions; with an error of 5 mm; with a
thing of the goal that is knocked over as soon as the hand comes near it."""
ARM_SETS = (*KITCHEN_SETS, 'apartment')
"""Names of all sets of the arm's tasks."""
_ERROR = 0.005
_APART = 0.03
_EDGE = 0.06
_REACH = 0.25, 0.45
"""Things stand no farther than this from the middle of their furniture, in depth and width (m)."""
_TRIES = 500
_STOOL, _GAP = 0.28, 0.07
"""Width of a stool, and what is between it and the front of what it blocks (m)."""


@dataclass(frozen=True)
class KitchenTask(Task):
    """A task of an arm.

    Args:
        scene: name of the world's description.
        moved: things that stand elsewhere than in it: (name, relation, name of the place); where on
            it is drawn.
        knock: the thing that is knocked over; empty for none.
        blocked: the drawer that a stool before it keeps from opening; empty for none.
        error: standard deviation of the positions that the camera reports (m).
        plan: skills of a known solution, such as ``go to drawer``.
    """

    knock: str = ''
    blocked: str = ''
    error: float = 0.0
    plan: tuple[str, ...] = ()


def needs_physics(error: ImportError) -> str:
    """Return what to say if the simulator cannot be imported."""
    return (
        f"the kitchen needs the physics simulator ({error}): pip install 'reactree_ros[physics]' "
        'and, for the model of the arm, pip install --no-deps dm-robotics-panda==0.4.8'
    )


@cache
def arm_tasks(name: str) -> tuple[KitchenTask, ...]:
    """Return the tasks of a set, one of ARM_SETS."""
    file = 'kitchen.yaml' if name in KITCHEN_SETS else f'{name}.yaml'
    data = yaml.safe_load(share('resource', 'tasks', file).read_text(encoding='utf-8'))
    tasks = [replace(task, steps=len(task.plan)) for task in tasks_of(data['tasks'], KitchenTask)]
    if name == 'kitchen_knock':
        return tuple(tasks)
    error = _ERROR if name == 'kitchen_error' else 0.0
    return tuple(replace(task, knock='', error=error) for task in tasks)


def arranged(task: KitchenTask, seed: int) -> Description:
    """Return the world of a task, with its things at drawn places.

    Args:
        task: the task.
        seed: of the draw; what cannot be carried stands where it stands in the world.

    Raises:
        ConfigurationError: a thing or a place is not there, or has no room.
    """
    description = shipped_description(task.scene)
    places = {thing: place for thing, (place, _, _) in description.on.items()}
    for thing, _, place in task.moved:
        known = known_name(thing, description.things)
        if not known:
            raise ConfigurationError(f'task {task.id}: there is no {thing} in {task.scene}')
        places[known] = place
    random = np.random.default_rng(seed)
    on = {
        thing: where for thing, where in description.on.items() if description.things[thing].fixed
    }
    for thing, place in places.items():
        if thing not in on:
            on[thing] = _spot(description, thing, place, on, random)
    furniture = dict(description.furniture)
    if task.blocked:
        stool = _stool_before(description.stands_on(task.blocked)[0])
        furniture[stool.name] = stool
    return replace(description, furniture=furniture, on=on)


def _stool_before(piece: Furniture) -> Furniture:
    """Return a stool that is higher than the lower edge of a drawer, close before it."""
    far = piece.size[0] / 2 + _GAP + _STOOL / 2
    at = piece.at[0] + far * math.cos(piece.yaw), piece.at[1] + far * math.sin(piece.yaw)
    height = piece.size[2] - DRAWER_DEPTH + 0.02
    return Furniture('stool 1', 'table', piece.room, at, piece.yaw, (_STOOL, _STOOL, height))


def _spot(
    description: Description,
    name: str,
    place: str,
    on: dict[str, tuple[str, float, float]],
    random: np.random.Generator,
) -> tuple[str, float, float]:
    """Draw where a thing stands on its furniture, apart from what stands there already."""
    radius = description.things[name].radius
    (low, high), width = _room(description, place, radius)
    others = [
        (x, y, description.things[other].radius)
        for other, (below, x, y) in on.items()
        if below == place
    ]
    for _ in range(_TRIES):
        x, y = random.uniform(low, high), random.uniform(-width, width)
        if all(math.hypot(x - a, y - b) > radius + r + _APART for a, b, r in others):
            return place, float(x), float(y)
    raise ConfigurationError(f'{name} has no room on {place}')


def _room(description: Description, place: str, radius: float) -> tuple[tuple[float, float], float]:
    """Return from where to where a thing may stand in depth, and how far from the middle (m)."""
    piece, _ = description.stands_on(place)
    depth, width, _ = piece.size
    front, side = depth / 2 - _EDGE - radius, width / 2 - _EDGE - radius
    if place == piece.drawer:
        return (front - 0.06, front), 0.15 - radius
    if piece.kind == 'cupboard':
        return (0.0, max(0.0, front)), side
    return (-0.05, max(-0.04, min(front, _REACH[0]))), min(side, _REACH[1])
