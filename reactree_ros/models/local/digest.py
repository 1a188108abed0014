# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The SHA-256 of files that may be larger than memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from reactree_ros.errors import ModelError

_BLOCK = 1 << 20


def sha256(*paths: Path) -> str:
    """Return the SHA-256 of files, one behind the other, as hexadecimal digits.

    Raises:
        ModelError: if one cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            for block in blocks(path):
                digest.update(block)
        except OSError as error:
            raise ModelError(f'cannot read {path}: {error.strerror}') from error
    return digest.hexdigest()


def blocks(path: Path) -> Iterator[bytes]:
    """Yield what a file holds, piece by piece.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open('rb') as file:
        while block := file.read(_BLOCK):
            yield block
