# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The scenes and tasks that come with the package."""

from __future__ import annotations

import gzip
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.scene import Scene, load_scene, scene_from_dict
from reactree_ros.sim.household.task import Task, tasks_of

SUFFIX = '.json.gz'
HOMES = f'homes{SUFFIX}'
"""File of the generated homes."""


def scene_names() -> tuple[str, ...]:
    """The names of the shipped scenes: the hand-made apartments, then the generated homes."""
    by_hand = sorted(path.stem for path in share('resource', 'scenes').glob('*.json'))
    return (*by_hand, *_homes())


@cache
def shipped_scene(name: str) -> Scene:
    """A shipped scene by name; loaded once, for it never changes.

    Raises:
        ConfigurationError: there is no such scene; the message lists those there are.
    """
    if name not in scene_names():
        raise ConfigurationError(f'there is no scene {name!r}, only {", ".join(scene_names())}')
    homes = _homes()
    if name in homes:
        return scene_from_dict(homes[name], name)
    return load_scene(share('resource', 'scenes', f'{name}.json'))


@cache
def shipped_tasks(name: str = 'household') -> tuple[Task, ...]:
    """Tasks that were made by hand, in the order of their file.

    Args:
        name: ``household`` for the ten in the hand-made apartments, ``handwritten`` for twenty
            goals in the generated homes, in words that no generator made.
    """
    path = share('resource', 'tasks', f'{name}.yaml')
    return tasks_of(yaml.safe_load(path.read_text(encoding='utf-8'))['tasks'], Task)


@cache
def _homes() -> dict[str, Any]:
    homes: dict[str, Any] = read_archive(share('resource', 'scenes', HOMES))
    return homes


def read_text(path: Path) -> bytes:
    """Return the uncompressed content of a file.

    Raises:
        ConfigurationError: the file cannot be read or is not compressed by gzip.
    """
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f'{path} cannot be read: {error}') from error


def read_archive(path: Path) -> Any:
    """Return the data in a file.

    Raises:
        ConfigurationError: the file cannot be read or holds no JSON.
    """
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{path} is not JSON: {error}') from error
