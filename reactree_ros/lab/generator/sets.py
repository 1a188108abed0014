# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the sets of tasks: two families, each with training and test tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from reactree_ros.errors import WorldError
from reactree_ros.lab.generator.catalogue import THINGS
from reactree_ros.lab.generator.goals import Draft, draw_alfred, draw_wah
from reactree_ros.lab.generator.homes import FLOOR_PLANS, Arrangement
from reactree_ros.lab.generator.wording import can_be_vague, word
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.rearrange import rearranged
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.task import ALFRED_TYPES, WAH_TYPES, Task
from reactree_ros.sim.household.truth import household_library, read_conditions, true_situation
from reactree_ros.sim.household.world import World
from reactree_ros.skills.goal_conditions import ConditionTracker

_WORDINGS = 4
_MOVED_BESIDES = 8


FAMILIES: Mapping[str, tuple[tuple[str, ...], Callable[[Draw, str, Mapping[str, int]], Draft]]] = {
    'wah': (WAH_TYPES, draw_wah),
    'alfred': (ALFRED_TYPES, draw_alfred),
}
"""By family of tasks: its types, which tasks take turns in, and what draws a goal of a type."""

SIZES: Mapping[str, int] = {'train': 250, 'test': 100}


def make_family(name: str, scenes: Mapping[str, Scene]) -> dict[str, list[dict[str, Any]]]:
    """Draw the training and the test tasks of a family.

    Args:
        name: one of FAMILIES.
        scenes: the generated homes by name.

    Returns:
        Tasks by the name of their set, as plain data. No two tasks of the family want the same
        in the same home.
    """
    taken: set[tuple[str, frozenset[str]]] = set()
    sets: dict[str, list[dict[str, Any]]] = {}
    for part, size in SIZES.items():
        tasks = []
        for index in range(size):
            task = _make(name, part, index, scenes, taken)
            taken.add((task.scene, frozenset(task.conditions)))
            tasks.append(plain(task))
        sets[f'{name}_{part}'] = tasks
    return sets


_FIELDS = tuple('id type scene start instruction instructions ambiguous unseen steps moved'.split())


def plain(task: Task) -> dict[str, Any]:
    """Write a task as plain data: the fields that all have, and those others that say something."""
    values = {name: value for name, value in asdict(task).items() if name in _FIELDS or value}
    return {**values, 'moved': [list(move) for move in task.moved]}


def _make(
    family: str,
    part: str,
    index: int,
    scenes: Mapping[str, Scene],
    taken: set[tuple[str, frozenset[str]]],
) -> Task:
    types, draw_goal = FAMILIES[family]
    unseen = part == 'test' and index % 2 == 1
    # One of ten, in another place of each ten, so that it meets every type.
    ambiguous = (7 * (index % 10) + index // 10) % 10 == 3
    homes = [name for name, plan in FLOOR_PLANS.items() if plan.unseen == unseen]
    for attempt in range(1000):
        draw = Draw(f'{family}_{part}/{index + 1}/{attempt}')
        home = draw.pick(homes)
        scene = scenes[home]
        have = Counter(node.class_name for node in scene.nodes.values())
        draft = draw_goal(draw, types[index % len(types)], have)
        if ambiguous:
            parts = [p for p in ('items', 'place') if can_be_vague(draft, p)]
            if not parts:
                continue
            draft = replace(draft, vague=draw.pick(parts))
        if (home, frozenset(draft.conditions())) in taken:
            continue
        moved = _lay_out(draft, draw, scene)
        if moved is None:
            continue
        start = scene.nodes[draw.pick(scene.rooms)].name
        steps = _prove(draft, rearranged(scene, moved), start)
        if steps is None:
            continue
        instructions = word(draft, draw, _WORDINGS)
        return Task(
            id=index + 1,
            type=draft.type,
            scene=home,
            start=start,
            instruction=instructions[0],
            instructions=instructions,
            ambiguous=ambiguous,
            unseen=unseen,
            steps=steps,
            moved=moved,
            conditions=draft.conditions(),
        )
    raise AssertionError(f'{family}_{part}: no task {index + 1} can be drawn')


def _lay_out(draft: Draft, draw: Draw, scene: Scene) -> tuple[tuple[str, str, str], ...] | None:
    """Lay what the task is about, and some other things, elsewhere; None if there is no room."""
    arrangement = Arrangement.of(scene)
    things = [node for node in scene.nodes.values() if 'grabbable' in node.affordances]
    wanted = [node for node in things if node.class_name in draft.things()]
    for node in wanted:
        if not arrangement.lay(draw, node.id, node.class_name, draft.avoid()):
            return None
    others = [node for node in things if node not in wanted and node.class_name in THINGS]
    for node in draw.shuffled(others)[:_MOVED_BESIDES]:
        arrangement.lay(draw, node.id, node.class_name)
    return arrangement.moved(scene)


def _prove(draft: Draft, scene: Scene, start: str) -> int | None:
    """The length of a solution; None if there is none, or if part of the goal holds already."""
    world = World(scene, start)
    known = true_situation(world)
    conditions = read_conditions('; '.join(draft.conditions()), known)
    met, _ = ConditionTracker(conditions, household_library(), complete=True).counts(known)
    if met:
        return None
    try:
        return len(fulfil(world, conditions))
    except WorldError:
        return None
