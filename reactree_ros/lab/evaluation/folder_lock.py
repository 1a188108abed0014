# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A folder of results: one process writes to it, and its files are complete or absent."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from reactree_ros.errors import ConfigurationError


class FolderLock:
    """A folder and the lock of its writer; the kernel releases it however the process ends.

    Args:
        folder: created by ``lock``.
        who: what writes there, such as ``evaluation``; named in messages.
    """

    def __init__(self, folder: Path, who: str) -> None:
        self.folder = folder
        self._who = who
        self._file: IO[str] | None = None

    def lock(self) -> None:
        """Lock the folder until ``unlock`` or the end of this process.

        Raises:
            ConfigurationError: if another process has locked it, or it cannot be created.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = (self.folder / 'lock').open('a+', encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(f'the folder {self.folder} cannot be used: {error}') from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            holder = file.read().strip() or 'unknown'
            file.close()
            raise ConfigurationError(
                f'another {self._who} writes to {self.folder} (process {holder}): wait for its '
                'end or use another folder'
            ) from error
        file.truncate(0)
        file.write(f'{os.getpid()}\n')
        file.flush()
        self._file = file

    def unlock(self) -> None:
        """Unlock the folder; calling it again does nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def read_json(self, name: str, file_format: str) -> dict[str, Any] | None:
        """Return what ``write_json`` wrote; None if there is no such file.

        Raises:
            ConfigurationError: if it cannot be read or has another format.
        """
        path = self.folder / name
        if not path.exists():
            return None
        try:
            raw: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
            if raw.pop('format', None) != file_format:
                raise ValueError(f'its format is not {file_format!r}')
        except (OSError, ValueError, AttributeError) as error:
            raise ConfigurationError(f'{path} cannot be read: {error}') from error
        return raw

    def write_json(self, name: str, file_format: str, raw: Mapping[str, Any]) -> None:
        """Write a mapping, with its format."""
        text = json.dumps({'format': file_format, **raw}, indent=1, ensure_ascii=False)
        self.write(name, f'{text}\n'.encode())

    def write(self, name: str, content: bytes) -> None:
        """Write a file aside and rename it: it is there as a whole or not at all."""
        part = self.folder / f'{name}.part'
        with part.open('wb') as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.folder / name)
