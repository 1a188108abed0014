# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of an arm in a kitchen or an apartment, and the worlds in which they start."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.shipped import SUFFIX, read_archive
from reactree_ros.sim.household.task import Task, tasks_of
from reactree_ros.sim.physics.description import (
    DRAWER_DEPTH,
    Description,
    Furniture,
    known_name,
    shipped_description,
)
from reactree_ros.sim.robots.tasks import SHOWN, bt_sets, file_of, read_entries

VARIANTS = ('', '_error', '_knock', '_blocked')
"""How the names of sets of the same tasks end.

With exact positions; with an error of 5 mm; with a thing of the goal that is knocked over as soon
as the hand comes near it; those that need the drawer, with a stool before it, so that it is right
to say that it cannot be done.
"""
KITCHEN_SETS = tuple(f'kitchen{end}' for end in VARIANTS)
"""Names of the sets by which planners are judged, and from which none may learn."""
ARM_TRAINING_SETS = tuple(f'kitchen_train{end}' for end in VARIANTS)
"""Names of the sets from which planners may learn."""
ARM_GOAL_SETS = ('arm', 'arm_shown', *bt_sets('arm'), f'bt_arm{SHOWN}')
"""Names of the sets of goals like those of the other robots (``sim.robots.tasks``).

Solutions of those that end with SHOWN may be shown; the others are to be judged by and never
learned from.
"""
ARM_SETS = (*KITCHEN_SETS, *ARM_TRAINING_SETS, 'apartment', *ARM_GOAL_SETS)
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
        plan: skills of a known solution, such as ``go to drawer``; for what is impossible, of an
            attempt whose last step fails.
        subgoals: the same plan as a sequence of subgoals in plain words, each with its skills;
            empty if the plan is not divided.
        says: what a person who shows it says in the end: the answer, or why it is impossible.
        opened: drawers and cupboards that are open at the start.
        missing: things that are not there.
        guards: conditions that must hold as well, though nobody asks for them.
        once: conditions that must have held after some skill, or at the start.
        never: conditions that must not have held then.
        strict: what is in no condition must lie where it lay.
    """

    knock: str = ''
    blocked: str = ''
    error: float = 0.0
    plan: tuple[str, ...] = ()
    subgoals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    says: str = ''
    opened: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    strict: bool = False


def needs_physics(error: ImportError) -> str:
    """Return what to say if the simulator cannot be imported."""
    return (
        f"the kitchen needs the physics simulator ({error}): pip install 'reactree_ros[physics]' "
        'and, for the model of the arm, pip install --no-deps dm-robotics-panda==0.4.8'
    )


@cache
def arm_tasks(name: str) -> tuple[KitchenTask, ...]:
    """Return the tasks of a set, one of ARM_SETS."""
    end = next(end for end in reversed(VARIANTS) if name.endswith(end))
    tasks = tasks_of(_entries(name.removesuffix(end)), KitchenTask)
    if end == '_blocked':
        tasks = tuple(blocked for task in tasks if (blocked := _with_stool(task)) is not None)
    error = _ERROR if end == '_error' else 0.0
    return tuple(
        replace(
            task,
            steps=len(task.plan),
            error=error,
            knock=task.knock if end == '_knock' or name in ARM_GOAL_SETS else '',
        )
        for task in tasks
    )


def _entries(name: str) -> list[dict[str, Any]]:
    """Return the tasks of a file, drawn or made by hand, as plain data."""
    if name in ARM_GOAL_SETS:
        goals = read_entries(file_of(name), name, 'kitchen', 'kitchen 1')
        return [entry | {'strict': True} for entry in goals]
    if name == ARM_TRAINING_SETS[0]:
        data = read_archive(share('resource', 'tasks', f'{name}{SUFFIX}'))
    else:
        text = share('resource', 'tasks', f'{name}.yaml').read_text(encoding='utf-8')
        data = yaml.safe_load(text)
    tasks: list[dict[str, Any]] = data['tasks']
    return tasks


def _with_stool(task: KitchenTask) -> KitchenTask | None:
    """Return a task with a stool before the drawer that it needs; None if it needs none."""
    for piece in shipped_description(task.scene).furniture.values():
        step = f'open {piece.drawer.rpartition(" ")[0]}'
        if step in task.plan:
            return replace(
                task,
                type='impossible_act',
                blocked=piece.drawer,
                impossible=True,
                conditions=(),
                plan=task.plan[: task.plan.index(step) + 1],
            )
    return None


def start_of(task: KitchenTask, seed: int) -> Description:
    """Return the world in which a task starts, whose things stand where a seed puts them.

    Raises:
        ConfigurationError: a thing or a place is not there, or has no room.
    """
    return arranged(task, 1000 * task.id + seed)


def arranged(task: KitchenTask, seed: int) -> Description:
    """Return the world of a task, with its things at drawn places.

    Args:
        task: the task.
        seed: of the draw; what cannot be carried stands where it stands in the world.

    Raises:
        ConfigurationError: a thing or a place is not there, or has no room.
    """
    description = shipped_description(task.scene)
    pieces = description.furniture.values()
    doors = {one.name if one.kind == 'cupboard' else one.drawer for one in pieces}
    for name in {*task.missing} - {*description.things} | {*task.opened} - doors:
        raise ConfigurationError(f'task {task.id}: there is no {name} in {task.scene}')
    description = replace(
        description,
        things={n: one for n, one in description.things.items() if n not in task.missing},
        on={n: where for n, where in description.on.items() if n not in task.missing},
        opened=task.opened,
    )
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
