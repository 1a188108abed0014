# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks: an instruction in everyday words, where it starts, and what must hold at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError, WorldError
from reactree_ros.sim.household.goal import check, parse_conditions
from reactree_ros.sim.household.rearrange import rearranged
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.world import World

WAH_TYPES = ('put_fridge', 'put_dishwasher', 'prepare_food', 'prepare_snack', 'setup_table')
"""The task types of Watch-And-Help (paper, section 5.1)."""

ALFRED_TYPES = (
    'pick_and_place_simple',
    'look_at_obj_in_light',
    'pick_clean_then_place',
    'pick_heat_then_place',
    'pick_cool_then_place',
    'pick_two_obj',
    'pick_and_place_with_movable_recep',
)
"""The task types of ALFRED (paper, section 5.1)."""

TASK_TYPES = (*WAH_TYPES, *ALFRED_TYPES)

_FIELDS: dict[str, type] = {
    'id': int,
    'type': str,
    'scene': str,
    'start': str,
    'instruction': str,
    'goal': dict,
}
_OPTIONAL: dict[str, type] = {
    'instructions': list,
    'ambiguous': bool,
    'unseen': bool,
    'shortest': int,
    'moved': list,
}
_NAMES = {
    int: 'a whole number',
    str: 'a text',
    dict: 'conditions with counts',
    list: 'a list',
    bool: 'true or false',
}


@dataclass(frozen=True)
class Task:
    """One task.

    Args:
        id: number, unique in its file.
        type: one of TASK_TYPES.
        scene: name of the scene.
        start: name of the room in which the robot starts, e.g. ``bathroom 1``.
        instruction: the goal as text, for the robot.
        goal: conditions in WAH form, which do not hold at the start.
        instructions: all wordings of the instruction, the first one first; empty if it has one.
        ambiguous: the wording leaves open which objects or which place is meant, on purpose.
        unseen: its apartment is in no training task.
        shortest: skills of the shortest solution known, by the solver; 0 if none was looked for.
        moved: objects that lie elsewhere than in the scene: (name, relation, name of the place).
    """

    id: int
    type: str
    scene: str
    start: str
    instruction: str
    goal: dict[str, int]
    instructions: tuple[str, ...] = ()
    ambiguous: bool = False
    unseen: bool = False
    shortest: int = 0
    moved: tuple[tuple[str, str, str], ...] = ()

    def wording(self, seed: int) -> str:
        """Return the instruction in the wording of a seed."""
        wordings = self.instructions or (self.instruction,)
        return wordings[seed % len(wordings)]


def load_tasks(path: str | Path, scene_of: Callable[[str], Scene]) -> tuple[Task, ...]:
    """Load tasks from a YAML file and check them against their scenes.

    Args:
        path: a file with one key, ``tasks``.
        scene_of: gives a scene by its name; it raises ConfigurationError for an unknown one.

    Raises:
        ConfigurationError: the file cannot be read or a task is wrong; the message lists every
            fault with its place.
    """
    try:
        data = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'tasks {path} cannot be read: {error}') from error
    raw_tasks = data.get('tasks') if isinstance(data, dict) else None
    if not isinstance(raw_tasks, list) or set(data) != {'tasks'}:
        raise ConfigurationError(f'tasks {path}: expected one key "tasks" with a list')
    return _read(raw_tasks, str(path), scene_of)


def tasks_from_list(raw_tasks: Any, source: str) -> tuple[Task, ...]:
    """Read tasks given as plain data, without holding them against their scenes.

    Args:
        raw_tasks: a list of mappings with the names of Task's arguments.
        source: named in messages.

    Raises:
        ConfigurationError: a task is wrong; the message lists every fault with its place.
    """
    if not isinstance(raw_tasks, list):
        raise ConfigurationError(f'{source}: expected a list of tasks')
    return _read(raw_tasks, source, None)


def _read(
    raw_tasks: list[Any], source: str, scene_of: Callable[[str], Scene] | None
) -> tuple[Task, ...]:
    problems: list[str] = []
    tasks: dict[int, Task] = {}
    for index, raw in enumerate(raw_tasks):
        place = f'tasks[{index}]'
        found = _problems(raw, place)
        if not found:
            task = _task(raw)
            if task.id in tasks:
                found = [f'{place}.id: {task.id} is already the id of another task']
            tasks[task.id] = task
            if scene_of is not None:
                found += _scene_problems(task, place, scene_of)
        problems += found
    if problems:
        lines = '\n'.join(f'  - {problem}' for problem in problems)
        raise ConfigurationError(f'{source} has wrong tasks:\n{lines}')
    return tuple(tasks.values())


def _task(raw: dict[str, Any]) -> Task:
    moved = tuple((thing, relation, place) for thing, relation, place in raw.get('moved', ()))
    return Task(**{**raw, 'instructions': tuple(raw.get('instructions', ())), 'moved': moved})


def _problems(raw: Any, place: str) -> list[str]:
    if not isinstance(raw, dict):
        return [f'{place}: expected a task with {", ".join(_FIELDS)}, not {raw!r}']
    kinds = {**_FIELDS, **_OPTIONAL}
    problems = [f'{place}.{name}: not a key of a task' for name in raw if name not in kinds]
    problems += [f'{place}.{name}: missing' for name in _FIELDS if name not in raw]
    for name, value in raw.items():
        kind = kinds.get(name, object)
        is_bool = isinstance(value, bool) and kind is not bool
        if name in kinds and (not isinstance(value, kind) or is_bool or value == ''):
            problems.append(f'{place}.{name}: {value!r} is not {_NAMES[kind]}')
    for name, size, what in (
        ('instructions', 0, 'a text'),
        # YAML reads a bare "on" as true.
        ('moved', 3, 'three texts (in YAML, write "on" in quotes)'),
    ):
        entries = raw.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            texts = entry if size else [entry]
            good = isinstance(texts, (list, tuple)) and all(isinstance(t, str) and t for t in texts)
            if not good or (size and len(texts) != size):
                problems.append(f'{place}.{name}[{index}]: {entry!r} is not {what}')
    if isinstance(raw.get('type'), str) and raw['type'] not in TASK_TYPES:
        problems.append(f'{place}.type: {raw["type"]!r} is not one of {", ".join(TASK_TYPES)}')
    return problems


def _scene_problems(task: Task, place: str, scene_of: Callable[[str], Scene]) -> list[str]:
    problems: list[str] = []
    try:
        scene = scene_of(task.scene)
    except ConfigurationError as error:
        return [f'{place}.scene: {error}']
    try:
        scene = rearranged(scene, task.moved, f'{place}.moved')
    except ConfigurationError as error:
        return [str(error)]
    try:
        world = World(scene, task.start)
    except WorldError as error:
        problems.append(f'{place}.start: {error}')
        world = World(scene)
    try:
        conditions = parse_conditions(task.goal, scene, f'{place}.goal')
    except ConfigurationError as error:
        return [*problems, *str(error).splitlines()]
    problems += [
        f'{place}.goal.{c.key}: the scene has fewer {c.subject} than {c.count}'
        for c in conditions
        if len(scene.of_words(c.subject)) < c.count
    ]
    # "And close it" may well hold at the start; something to do there must be.
    to_do = [c for c in conditions if c.predicate not in ('closed', 'turnOff')]
    lines = check(world, to_do or conditions).satisfied
    return problems + [f'{place}.goal: holds already at the start: {line}' for line in lines]
