# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plugins: what joins the package by an entry point, the package's own parts among it.

=============================  =======================================================
group                          an entry point is
=============================  =======================================================
``reactree_ros.commands``      a module: a sub-command of ``reactree``
``reactree_ros.lab_commands``  a module: a sub-command of ``reactree-lab``
``reactree_ros.strategies``    a ``strategies.strategy.Strategy``
``reactree_ros.models``        a ``models.kind.ModelKind``
``reactree_ros.worlds``        a ``sim.worlds.WorldNode``
``reactree_ros.readers``       a function that reads skill libraries with a key of its name
=============================  =======================================================
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from reactree_ros.errors import ConfigurationError, not_installed

T = TypeVar('T')
OWN = 'reactree_ros'
COMMANDS = f'{OWN}.commands'
LAB_COMMANDS = f'{OWN}.lab_commands'
STRATEGIES = f'{OWN}.strategies'
MODELS = f'{OWN}.models'
WORLDS = f'{OWN}.worlds'
READERS = f'{OWN}.readers'

_KINDS = {
    COMMANDS: 'command',
    LAB_COMMANDS: 'command',
    STRATEGIES: 'strategy',
    READERS: 'reader',
    MODELS: 'kind of model',
    WORLDS: 'world',
}


def names(group: str) -> tuple[str, ...]:
    """Return the names in a group: the package's own first, then those of other packages."""
    return tuple(_points(group))


def load(group: str, name: str) -> Any:
    """Return the object of an entry point.

    Args:
        group: one of the table above.
        name: of the entry point.

    Raises:
        ConfigurationError: if the group has no such name, or importing it fails.
    """
    points = _points(group)
    kind = _KINDS[group]
    if name not in points:
        known = ', '.join(points) or 'none; is the package installed?'
        raise ConfigurationError(f'unknown {kind} {name!r} (known: {known})')
    point = points[name]
    try:
        return point.load()
    except Exception as error:  # whatever a foreign module raises when it is imported
        why = f'{type(error).__name__}: {error}'
        if isinstance(error, ModuleNotFoundError):
            why = not_installed(error)
        raise ConfigurationError(f'the {kind} {name!r} ({point.value}): {why}') from error


def load_as(group: str, name: str, of: type[T]) -> T:
    """Return the object of an entry point that has to be of a class.

    Raises:
        ConfigurationError: as ``load``, or if the object is of another class.
    """
    found = load(group, name)
    if not isinstance(found, of):
        raise ConfigurationError(
            f'the {_KINDS[group]} {name!r} is a {type(found).__name__}, not a {of.__name__}'
        )
    return found


def _points(group: str) -> dict[str, EntryPoint]:
    return _found(group, tuple(sys.path))


@lru_cache(maxsize=16)
def _found(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    # reading the metadata of all packages takes a tenth of a second
    found = sorted(entry_points(group=group), key=lambda one: (not _is_own(one), one.name))
    points: dict[str, EntryPoint] = {}
    for point in found:
        points.setdefault(point.name, point)
    return points


def _is_own(point: EntryPoint) -> bool:
    return point.value.partition('.')[0] == OWN
