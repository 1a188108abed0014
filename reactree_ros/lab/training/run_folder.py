# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a training.

=============================  ==================================================================
``log.csv``                    loss and speed, a line a step
``checkpoint.pt``              where to resume after an interruption; removed at the end
``adapter_model.safetensors``  what was learned, in peft's format
``adapter_config.json``        peft's: the base model, and how the adapter is added to it
``card.json``, ``README.md``   what it was trained with; the last files to be written
=============================  ==================================================================

Every file is written aside and renamed, so a process may end at any moment.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.folder_lock import FolderLock
from reactree_ros.lab.training.card import FORMAT, write_card
from reactree_ros.lab.training.progress import LogLine
from reactree_ros.models.local.adapter import CARD

LOG = 'log.csv'
CHECKPOINT = 'checkpoint.pt'
_MAKING = '.adapter.part'


class RunFolder(FolderLock):
    """The folder of one training; ``lock`` makes it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 'training')

    def card(self) -> dict[str, Any] | None:
        """Return the card of a training that was completed here; None if none was.

        Raises:
            ConfigurationError: if it cannot be read.
        """
        return self.read_json(CARD, FORMAT)

    def checkpoint(self) -> dict[str, Any] | None:
        """Return the last checkpoint; None if there is none.

        Raises:
            ConfigurationError: if it cannot be read.
        """
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        try:
            state: dict[str, Any] = torch.load(path, map_location='cpu', weights_only=True)
        except Exception as error:
            # A damaged file can be wrong in so many ways that torch raises nearly anything.
            raise ConfigurationError(
                f'{path} cannot be read: {error}; remove it to begin again'
            ) from error
        return state

    def keep_checkpoint(self, state: dict[str, Any]) -> None:
        """Write a checkpoint in the place of the one before."""
        file = io.BytesIO()
        torch.save(state, file)
        self.write(CHECKPOINT, file.getvalue())

    def keep_log(self, lines: Sequence[LogLine]) -> None:
        """Write the whole log."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(field.name for field in fields(LogLine))
        for line in lines:
            values = asdict(line).values()
            writer.writerow(f'{one:.6g}' if isinstance(one, float) else one for one in values)
        self.write(LOG, file.getvalue().encode())

    def complete(self, save: Callable[[Path], None], card: dict[str, Any]) -> None:
        """Write the adapter with ``save`` and its card, and drop the checkpoint."""
        making = self.folder / _MAKING
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir()
        save(making)
        write_card(making, card)
        # Whoever finds the card finds all the rest.
        for file in sorted(making.iterdir(), key=lambda path: path.name == CARD):
            os.replace(file, self.folder / file.name)
        making.rmdir()
        (self.folder / CHECKPOINT).unlink(missing_ok=True)
