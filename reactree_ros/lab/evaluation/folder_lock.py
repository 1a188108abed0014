# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps all but one process from writing to a folder of results."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from reactree_ros.errors import ConfigurationError


class FolderLock:
    """Lock of the writer of a folder; the kernel releases it however the process ends.

    Args:
        folder: made by ``lock`` if it is not there.
        who: what writes there, such as ``evaluation``; named in messages.
    """

    def __init__(self, folder: Path, who: str) -> None:
        self.folder = folder
        self._who = who
        self._file: IO[str] | None = None

    def lock(self) -> None:
        """Keep every other one out until ``unlock`` or the end of this process.

        Raises:
            ConfigurationError: if another one is at work here, or the folder cannot be made.
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
                'end or take another folder'
            ) from error
        file.truncate(0)
        file.write(f'{os.getpid()}\n')
        file.flush()
        self._file = file

    def unlock(self) -> None:
        """Let others in; calling it again does nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None
