# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The sets of tasks that planners are taught and judged by."""

from __future__ import annotations

from functools import cache, lru_cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.rearrange import rearranged
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.shipped import SUFFIX, read_archive, shipped_scene, shipped_tasks
from reactree_ros.sim.household.task import Task, tasks_of
from reactree_ros.sim.household.world import World

TASK_SETS: tuple[str, ...] = (
    'household',
    'wah_train',
    'wah_test',
    'alfred_train',
    'alfred_test',
    'handwritten',
)
"""Names of the shipped sets: the generated families, and those made by hand."""

TEST_SETS: tuple[str, ...] = ('wah_test', 'alfred_test', 'handwritten')
"""Those that planners are judged by, and therefore must not learn from."""

TRAINING_SETS: tuple[str, ...] = tuple(name for name in TASK_SETS if name not in TEST_SETS)
"""Those that planners may learn from."""


@cache
def task_set(name: str) -> tuple[Task, ...]:
    """The tasks of a set in their order, of which any first part is balanced over the types.

    Raises:
        ConfigurationError: there is no such set; the message lists those there are.
    """
    if name not in TASK_SETS:
        raise ConfigurationError(f'there is no task set {name!r}, only {", ".join(TASK_SETS)}')
    if name in ('household', 'handwritten'):
        return shipped_tasks(name)
    return tasks_of(read_archive(share('resource', 'tasks', f'{name}{SUFFIX}')))


def scene_of(task: Task) -> Scene:
    """The scene of a task, with its things where the task has them; it never changes."""
    return _scene(task.scene, task.moved, task.states)


def world_of(task: Task) -> World:
    """A new world in which a task starts."""
    return World(scene_of(task), task.start)


# As many as run at once, and a few to come back to.
@lru_cache(maxsize=128)
def _scene(
    name: str, moved: tuple[tuple[str, str, str], ...], states: tuple[tuple[str, str], ...]
) -> Scene:
    return rearranged(shipped_scene(name), moved, states)
