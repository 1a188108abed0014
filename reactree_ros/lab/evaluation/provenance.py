# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which code and data a run was made with, so that results of two versions are never mixed up."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from reactree_ros.paths import share

_FOLDERS = ('resource', 'behaviors')
_LEFT_OUT = {'__pycache__'}


@cache
def made_with() -> str:
    """Return 12 hexadecimal digits that stand for the package's code and data."""
    digest = hashlib.sha256()
    for root in (Path(__file__).parents[2], *(share(folder) for folder in _FOLDERS)):
        for path in sorted(root.rglob('*')):
            if path.is_file() and not _LEFT_OUT & set(path.parts):
                digest.update(f'{root.name}/{path.relative_to(root).as_posix()}\n'.encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
