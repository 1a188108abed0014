# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The scenes and tasks that come with the package."""

from __future__ import annotations

from functools import cache

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.world.scene import Scene, load_scene
from reactree_ros.world.task import Task, load_tasks


def scene_names() -> tuple[str, ...]:
    """The names of the shipped scenes, sorted, e.g. ``apartment_1``."""
    return tuple(sorted(path.stem for path in share('resource', 'scenes').glob('*.json')))


@cache
def shipped_scene(name: str) -> Scene:
    """A shipped scene by name; loaded once, for it never changes.

    Raises:
        ConfigurationError: there is no such scene; the message lists those there are.
    """
    if name not in scene_names():
        raise ConfigurationError(f'there is no scene {name!r}, only {", ".join(scene_names())}')
    return load_scene(share('resource', 'scenes', f'{name}.json'))


@cache
def shipped_tasks() -> tuple[Task, ...]:
    """The shipped tasks in the order of their file."""
    return load_tasks(share('resource', 'tasks', 'household.yaml'), shipped_scene)
