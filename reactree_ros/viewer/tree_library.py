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

from reactree_ros.errors import ConfigurationError

_PACKAGE = 'py_trees_js'
_TABLES = ('qt_resource_data', 'qt_resource_name', 'qt_resource_struct_v1')
_COMPRESSED, _FOLDER = 1, 2
_ENTRY_BYTES = 14

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
        data, names, entries = _tables(path)
        return dict(_files(data, names, entries, 0))
    except (OSError, SyntaxError, KeyError, struct.error, zlib.error) as error:
        raise ConfigurationError(f'{path} has no files that can be read: {error}') from error


def page_files() -> tuple[list[str], list[str]]:
    """Return the names of the scripts, in the order of loading, and of the style sheets."""
    files = library_files()
    scripts = [
        name for part in PARTS for name in files if name.startswith(part) and name.endswith('.js')
    ]
    return scripts, [name for name in files if name.endswith('.css')]


def _tables(path: Path) -> tuple[bytes, bytes, bytes]:
    values: dict[str, bytes] = {}
    for line in ast.parse(path.read_text(encoding='utf-8')).body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            for target in line.targets:
                if isinstance(target, ast.Name) and isinstance(line.value.value, bytes):
                    values[target.id] = line.value.value
    data, names, entries = (values[name] for name in _TABLES)
    return data, names, entries


def _files(data: bytes, names: bytes, entries: bytes, at: int) -> Iterator[tuple[str, bytes]]:
    """Yield what lies at an entry of the tree of folders and below it."""
    start = at * _ENTRY_BYTES
    name_at, flags = struct.unpack_from('>IH', entries, start)
    if flags & _FOLDER:
        count, first = struct.unpack_from('>II', entries, start + 6)
        for number in range(first, first + count):
            yield from _files(data, names, entries, number)
        return
    (content_at,) = struct.unpack_from('>I', entries, start + 10)
    (length,) = struct.unpack_from('>I', data, content_at)
    content = data[content_at + 4 : content_at + 4 + length]
    # what is compressed has its full length before it
    yield _name(names, name_at), zlib.decompress(content[4:]) if flags & _COMPRESSED else content


def _name(names: bytes, at: int) -> str:
    (length,) = struct.unpack_from('>H', names, at)
    return names[at + 6 : at + 6 + 2 * length].decode('utf-16-be')
