# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a learner: what was asked, and the traces of every round.

===================================  =============================================================
``learning.json``                    what was asked
``round_N``                          the round as an evaluation: ``reactree-lab explain`` reads it
``round_N/memory.sqlite``            the store as it was when the round began
``data_N.jsonl.gz``, ``adapter_N``   what was trained on after the round, and the adapter
===================================  =============================================================
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.folder_lock import FolderLock
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.learning.plan import LearningPlan

FORMAT = 'reactree learning 2'
PLAN = 'learning.json'


class LearningFolder(FolderLock):
    """The folder of one learner; ``lock`` makes it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 'learner')

    def plan(self) -> LearningPlan | None:
        """Return what was asked here; None if nothing was.

        Raises:
            ConfigurationError: if it cannot be read.
        """
        raw = self.read_json(PLAN, FORMAT)
        try:
            return None if raw is None else LearningPlan.from_json(raw)
        except (KeyError, TypeError) as error:
            raise ConfigurationError(f'{self.folder / PLAN} cannot be read: {error!r}') from error

    def keep(self, asked: LearningPlan) -> LearningPlan:
        """Write down what is asked and return all that is to be done here.

        Raises:
            ConfigurationError: if something else was asked here before.
        """
        known = self.plan()
        if known is not None:
            differs = known.differs(asked)
            if differs:
                raise ConfigurationError(
                    f'{self.folder} was made for other settings: {differs}. Take another folder, '
                    'or ask for the same or for more rounds'
                )
            if asked.rounds <= known.rounds:
                return known
        elif (self.folder / 'plan.json').exists():
            raise ConfigurationError(f'{self.folder} holds an evaluation: take another folder')
        plan = asked.named() if known is None else replace(known, rounds=asked.rounds)
        self.write_json(PLAN, FORMAT, asdict(plan))
        return plan

    def round(self, number: int) -> Store:
        """Return the folder with the traces of a round."""
        return Store(self.folder / f'round_{number}')

    def traces(self, plan: LearningPlan, number: int) -> Iterator[Trace]:
        """Yield the traces of those runs of a round that have ended.

        Raises:
            ConfigurationError: if a file is not a trace, or that of another run.
        """
        yield from self.round(number).traces(plan.round(number).runs())

    def memory_before(self, number: int) -> Path:
        """Return the path of the store as it was when a round began."""
        return self.round(number).folder / 'memory.sqlite'

    def begin(self, plan: LearningPlan, number: int) -> Store:
        """Return the folder with the traces of a round, ready for them.

        What the round may read is copied once, so that after an interruption it reads
        the same, and never what it has learned itself.

        Raises:
            ConfigurationError: if the copy cannot be made.
        """
        store = self.round(number)
        copy = self.memory_before(number)
        try:
            store.folder.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                _copy(Path(plan.memory), copy)
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(
                f'{plan.memory} cannot be copied to {copy}: {error}'
            ) from error
        store.keep(plan.round(number), extend=False)
        return store


def _copy(store: Path, target: Path) -> None:
    """Copy a store that others may be writing to; the copy is there as a whole or not at all."""
    part = target.with_suffix('.part')
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(f'{store.as_uri()}?mode=ro', uri=True)) as source:
        with closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
    part.replace(target)
