# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Task files of Watch-And-Help and WAH-NL (ReAcTree paper, section 5.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.scene import Scene, scene_from_virtualhome
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.truth import read_conditions, true_situation
from reactree_ros.sim.household.words import words
from reactree_ros.sim.household.world import World
from reactree_ros.skills.goal_conditions import ConditionError

_KEYS = ('task_id', 'task_name', 'task_goal', 'init_graph')
_ID = re.compile(r'_(\d+)$')
_STATES = {
    'turnOn': 'switched on',
    'turnOff': 'switched off',
    'open': 'open',
    'close': 'closed',
    'closed': 'closed',
    'holds': 'held',
}
"""What the language of conditions calls the predicates of Watch-And-Help that name one thing."""


@dataclass(frozen=True)
class WahTask(Task):
    """One task of such a file.

    Args:
        home: its scene, repaired where the file is inconsistent; ``scene`` only says where it
            comes from.
    """

    home: Scene = field(kw_only=True, compare=False, repr=False)


def is_wah_file(task_set: str) -> bool:
    """Return whether the name of a task set is that of such a file."""
    return task_set.endswith('.json')


def load_wah(path: str | Path) -> tuple[WahTask, ...]:
    """Load tasks of Watch-And-Help or WAH-NL from a JSON file.

    The original files are pickled, which this package does not read, since a pickle may run any
    code; where they come from, ``json.dump(pickle.load(source), target)`` converts them.

    Args:
        path: a list of tasks, or tasks by any key. Of each task are read ``task_id``,
            ``task_name``, ``task_goal`` (conditions with counts, or those of each agent, of whom
            the first counts; a place may be given by its class or by its id in the graph),
            ``init_graph``, ``init_room`` or ``init_rooms`` (of which the first counts) and
            ``nl_instructions``. Without instructions the conditions stand for them.

    Raises:
        ConfigurationError: the file cannot be read or a task is wrong; the message lists every
            fault with its place.
    """
    try:
        data = json.loads(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f'{path} cannot be read: {error}; a pickled file must be converted to JSON first'
        ) from error
    except (ValueError, RecursionError) as error:  # a whole number of too many digits, too
        raise ConfigurationError(f'{path} is not JSON: {error}') from error
    if isinstance(data, dict) and 'init_graph' in data:
        data = [data]
    if not isinstance(data, list | dict):
        raise ConfigurationError(f'{path}: expected a list of tasks')
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    tasks: dict[int, WahTask] = {}
    problems: list[str] = []
    for key, raw in entries:
        try:
            task = _task(raw, f'{path}[{key}]')
        except ConfigurationError as error:
            problems.append(str(error))
            continue
        if task.id in tasks:
            problems.append(f'{path}[{key}].task_id: {task.id} is another task already')
        tasks[task.id] = task
    if problems:
        raise ConfigurationError('\n'.join(problems))
    return tuple(tasks.values())


def _task(raw: Any, place: str) -> WahTask:
    if not isinstance(raw, Mapping):
        raise ConfigurationError(f'{place}: expected a task, not {raw!r}')
    missing = [key for key in _KEYS if key not in raw]
    if missing:
        raise ConfigurationError(f'{place}: {", ".join(missing)} missing')
    number = raw['task_id']
    if not isinstance(number, int) or isinstance(number, bool):
        raise ConfigurationError(f'{place}.task_id: {number!r} is not a whole number')
    graph = raw['init_graph']
    parts = [graph.get(key) for key in ('nodes', 'edges')] if isinstance(graph, Mapping) else []
    if not parts or not all(isinstance(part, list) for part in parts):
        raise ConfigurationError(f'{place}.init_graph: expected a list of nodes and one of edges')
    scene = scene_from_virtualhome(graph, f'{place}.init_graph')
    start = _start(raw, scene, place)
    goal = _goal(raw['task_goal'], scene, f'{place}.task_goal')
    known = true_situation(World(scene, start))
    conditions = tuple(
        _condition(key, count, known, f'{place}.task_goal.{key}') for key, count in goal.items()
    )
    instructions = _instructions(raw.get('nl_instructions') or [], f'{place}.nl_instructions')
    return WahTask(
        id=number,
        type=str(raw['task_name']),
        scene=scene.source,
        start=start,
        instruction=instructions[0] if instructions else '; '.join(conditions),
        instructions=instructions,
        conditions=conditions,
        home=scene,
    )


def _instructions(raw: Any, place: str) -> tuple[str, ...]:
    texts = [raw] if isinstance(raw, str) else raw
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
        raise ConfigurationError(f'{place}: expected a list of texts, not {raw!r}')
    return tuple(texts)


def _goal(raw: Any, scene: Scene, place: str) -> dict[str, int]:
    """The conditions of the first agent, with classes in the place of ids."""
    if isinstance(raw, Mapping) and raw and all(isinstance(v, Mapping) for v in raw.values()):
        raw = raw[min(raw, key=str)]
    if not isinstance(raw, Mapping) or not raw:
        raise ConfigurationError(f'{place}: expected conditions with counts, not {raw!r}')
    goal: dict[str, int] = {}
    for key, count in raw.items():
        name = str(key)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ConfigurationError(f'{place}.{name}: the count {count!r} is not a whole number')
        if count == 0:
            continue
        found = _ID.search(name)
        if found:
            node = scene.nodes.get(int(found[1]))
            if node is None:
                raise ConfigurationError(f'{place}.{name}: the graph has no node {found[1]}')
            bare = name[: found.start()]
            # "turnOn_dishwasher_104" names one thing twice, "inside_plate_104" names two.
            same = words(bare.partition('_')[2]) == node.words
            name = bare if same else f'{bare}_{node.class_name}'
        goal[name] = goal.get(name, 0) + count
    return goal


def _condition(key: str, count: int, known: Situation, place: str) -> str:
    """Write a condition of Watch-And-Help, such as ``inside_apple_fridge``, as the language has it.

    A class name may have underscores of its own, so every way to cut two names is tried.
    """
    predicate, _, rest = key.partition('_')
    number = f'{count} ' if count > 1 else ''
    if predicate in _STATES:
        lines = [f'{number}{words(rest)} {_STATES[predicate]}']
    elif predicate in ('inside', 'on'):
        parts = rest.split('_')
        names = [('_'.join(parts[:cut]), '_'.join(parts[cut:])) for cut in range(1, len(parts))]
        lines = [f'{number}{words(one)} {predicate} {words(other)}' for one, other in names]
    else:
        lines = []
    fault = f'expected inside, on, {", ".join(_STATES)}, and one class or two'
    for line in lines:
        try:
            read_conditions(line, known)
        except ConditionError as error:
            fault = str(error)
        else:
            return line
    raise ConfigurationError(f'{place}: {fault}')


def _start(raw: Mapping[str, Any], scene: Scene, place: str) -> str:
    """The name of the room in which the robot starts; empty: where the graph has it."""
    given = raw.get('init_room') or raw.get('init_rooms') or ''
    if isinstance(given, list):
        given = given[0]
    if not given:
        return ''
    rooms = [scene.nodes[i] for i in scene.rooms]
    found = [room for room in rooms if given in (room.id, room.class_name, room.name, room.words)]
    if not found:
        allowed = ', '.join(room.class_name for room in rooms)
        raise ConfigurationError(f'{place}.init_room: {given!r} is not one of {allowed}')
    return found[0].name
