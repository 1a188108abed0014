# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes and tasks as compressed JSON files."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

SUFFIX = '.json.gz'


def text_of(entries: Mapping[str, Any] | Sequence[Any]) -> bytes:
    """Write entries as JSON, one a line, so that two versions can be compared."""
    if isinstance(entries, Mapping):
        lines = [f'{_json(name)}: {_json(entry)}' for name, entry in entries.items()]
        text = '{\n' + ',\n'.join(lines) + '\n}\n'
    else:
        text = '[\n' + ',\n'.join(_json(entry) for entry in entries) + '\n]\n'
    return text.encode()


def write_archive(path: Path, text: bytes) -> None:
    """Write a compressed file that is the same bytes for the same text.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text, 9, mtime=0))
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be written: {error}') from error


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


def _json(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(', ', ': '))
