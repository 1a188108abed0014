# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where the package's data lies: in a checkout, or in the share folder of an installation."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from reactree_ros.errors import ConfigurationError

PACKAGE = 'reactree_ros'
_DATA_FOLDERS = ('resource', 'behaviors', 'config')


def share(*parts: str) -> Path:
    """Find a data file or folder of the package, e.g. ``share('resource', 'scenes')``.

    A checkout (or an editable installation of one) is asked first, then the prefix that this
    package was installed into, then every ament prefix. ROS need not be there.

    Args:
        parts: the path below the share folder; the first is resource, behaviors or config.

    Returns:
        The path, which exists.

    Raises:
        ConfigurationError: no place has it; the message lists the places.
    """
    tried = []
    for root in _roots():
        path = root.joinpath(*parts)
        if path.exists():
            return path
        tried.append(str(path))
    raise ConfigurationError(
        f'{"/".join(parts)} is not among the data of {PACKAGE}; looked for '
        f'{", ".join(tried)}. Install the package again, or source its workspace.'
    )


def share_of(package: str) -> Path:
    """Find the share folder of any package that is installed, in a workspace or by pip.

    Raises:
        ConfigurationError: no place has it.
    """
    for prefix in _prefixes():
        folder = prefix / 'share' / package
        if folder.is_dir():
            return folder
    raise ConfigurationError(
        f'the package {package} is not installed, or its workspace not sourced'
    )


def cache(*parts: str) -> Path:
    """Name a path below the user's cache folder of the package; nothing is created.

    Args:
        parts: the path below ``$XDG_CACHE_HOME/reactree_ros`` (``~/.cache/reactree_ros``).
    """
    return _home('XDG_CACHE_HOME', '.cache').joinpath(PACKAGE, *parts)


def data(*parts: str) -> Path:
    """Name a path below the user's data folder of the package; nothing is created.

    Args:
        parts: the path below ``$XDG_DATA_HOME/reactree_ros`` (``~/.local/share/reactree_ros``).
    """
    return _home('XDG_DATA_HOME', '.local/share').joinpath(PACKAGE, *parts)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone.

    What people ask robots, and what robots see, is not for other users of the machine.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def _home(variable: str, default: str) -> Path:
    base = os.environ.get(variable, '')
    # The XDG specification says that a relative path is to be ignored.
    return Path(base) if base.startswith('/') else Path.home() / default


def _roots() -> list[Path]:
    checkout = Path(__file__).resolve().parents[1]
    # An installation puts the package beside others, where a folder called resource or config
    # would not be ours: only all three together are.
    is_checkout = all((checkout / folder).is_dir() for folder in _DATA_FOLDERS)
    roots = [checkout] if is_checkout else []
    return roots + [prefix / 'share' / PACKAGE for prefix in _prefixes()]


def _prefixes() -> list[Path]:
    # pip puts data below the prefix of its scheme (user, target, Debian's /usr/local), which need
    # not be sys.prefix, but always holds the package, too.
    own = [one for one in Path(__file__).resolve().parents if (one / 'share' / PACKAGE).is_dir()]
    ament = [p for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    return [*own, *map(Path, ament), Path(sys.prefix)]
