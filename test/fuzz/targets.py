# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All fuzz targets by name; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from .contract import Target

NAMES = ('decision', 'skills', 'scene', 'pddl', 'memory', 'runs', 'socket')
_MODULES = {'socket': 'web_socket'}
"""Where the module is not called like its target."""


def target(name: str) -> Target:
    """Return the target of a name."""
    found = import_module(f'.{_MODULES.get(name, name)}', __package__).TARGET
    assert isinstance(found, Target)
    return found
