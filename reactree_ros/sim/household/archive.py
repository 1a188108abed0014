# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads scenes and tasks from compressed JSON files."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

SUFFIX = '.json.gz'


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
