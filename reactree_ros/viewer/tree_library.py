# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""py_trees' own JavaScript library, taken out of the package that carries it.

``py_trees_js`` holds its files as a Qt resource, in a module that imports PyQt. The viewer runs
without Qt: it reads the literals of that module and unpacks them (Qt's resource format, version 1).
"""

from __future__ import annotations

import ast
import importlib.util
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

_PACKAGE = 'py_trees_js'
_TABLES = ('qt_resource_data', 'qt_resource_name', 'qt_resource_struct_v1')
_COMPRESSED, _FOLDER = 1, 2

PARTS = ('dagre', 'graphlib', 'jquery', 'lodash', 'backbone', 'joint', 'py_trees')
"""The scripts in the order in which a page has to load them; names begin so, versions follow."""


@cache
def library_files() -> dict[str, bytes]:
    """Return the files by name, such as ``py_trees-0.6.js``.

    Raises:
        ConfigurationError: if the package is missing, or holds them in another form.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ConfigurationError(
            f'the viewer draws with {_PACKAGE}, which is not installed: '
            f'pip install --no-deps {_PACKAGE}'
        )
    path = Path(found.submodule_search_locations[0]) / 'resources.py'
    try:
        return dict(_files(*_tables(path)))
    except (OSError, SyntaxError, KeyError, struct.error, zlib.error) as error:
        raise ConfigurationError(f'{path} has no files that can be read: {error}') from error


def page_files() -> tuple[list[str], list[str]]:
    """Return the names of the scripts, in the order of loading, and of the style sheets."""
    files = library_files()
    scripts = [
        name for part in PARTS for name in files if name.startswith(part) and name.endswith('.js')
    ]
    return scripts, [name for name in files if name.endswith('.css')]


def _tables(path: Path) -> list[Any]:
    """Return the tables of Qt's resource compiler: contents, names, and entries of both."""
    values = {
        target.id: line.value.value
        for line in ast.parse(path.read_text(encoding='utf-8')).body
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    return [values[name] for name in _TABLES]


def _files(contents: bytes, names: bytes, entries: bytes) -> Iterator[tuple[str, bytes]]:
    for name_at, flags, _, content_at in struct.iter_unpack('>IHII', entries):
        if flags & _FOLDER:
            continue
        (length,) = struct.unpack_from('>I', contents, content_at)
        content = contents[content_at + 4 : content_at + 4 + length]
        (characters,) = struct.unpack_from('>H', names, name_at)
        name = names[name_at + 6 : name_at + 6 + 2 * characters].decode('utf-16-be')
        # what is compressed has its full length before it
        yield name, zlib.decompress(content[4:]) if flags & _COMPRESSED else content
