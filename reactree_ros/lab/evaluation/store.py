# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of an evaluation: its plan, and a trace for every run that has ended.

=============================================  ===================================================
``plan.json``                                  the plan
``runs/PLANNER/MODEL/SET-TASK-SEED.jsonl``     a trace, complete or absent
``lock``                                       locked while an evaluation writes here
=============================================  ===================================================
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.folder_lock import FolderLock
from reactree_ros.lab.evaluation.plan import Plan
from reactree_ros.lab.evaluation.trace import RunSpec, Trace, read_trace

FORMAT = 'reactree evaluation 1'
PLAN = 'plan.json'
_MOST_CHARS = 100
_UNSAFE = re.compile(r'[^\w.+=,\[\]-]+')


class Store(FolderLock):
    """The folder of one evaluation.

    Args:
        folder: where it is; made by ``lock``.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 'evaluation')

    def plan(self) -> Plan | None:
        """Return the plan of the folder; None if there is none.

        Raises:
            ConfigurationError: if the plan cannot be read.
        """
        raw = self.read_json(PLAN, FORMAT)
        return None if raw is None else Plan.from_json(raw, str(self.folder / PLAN))

    def keep(self, asked: Plan, *, extend: bool) -> Plan:
        """Write a plan and return the whole plan of the folder.

        Args:
            asked: the plan.
            extend: its runs may be added to those of the folder's plan.

        Raises:
            ConfigurationError: if the folder has another plan.
        """
        known = self.plan()
        if known is None:
            self.write_json(PLAN, FORMAT, asked.to_json())
            return asked
        frame = known.differs(asked)
        if frame:
            raise ConfigurationError(
                f'{self.folder} holds an evaluation under other conditions: {frame}. Use '
                'another folder, or the same conditions'
            )
        before, now = set(known.runs()), set(asked.runs())
        if before == now or now < before and extend:
            return known
        if not extend:
            raise ConfigurationError(
                f'{self.folder} holds another evaluation: {len(before - now)} of its '
                f'{len(before)} runs are not asked for now, and {len(now - before)} runs are '
                'new. Use another folder, ask for the same, or add to it with --extend'
            )
        both = known.extended(asked)
        self.write_json(PLAN, FORMAT, both.to_json())
        return both

    def path(self, spec: RunSpec) -> Path:
        """Return the file of the trace of a run."""
        name = f'{_safe(spec.task_set)}-{spec.task}-{spec.seed}.jsonl'
        return self.folder / 'runs' / _safe(spec.planner) / _safe(spec.model) / name

    def traces(self, specs: Iterable[RunSpec]) -> Iterator[Trace]:
        """Yield the traces of those runs that have ended.

        Raises:
            ConfigurationError: if a file is not a trace, or that of another run.
        """
        for spec in specs:
            path = self.path(spec)
            if not path.exists():
                continue
            trace = read_trace(path)
            if trace.spec != spec:
                raise ConfigurationError(f'{path} is the trace of another run: {trace.spec}')
            yield trace


def _safe(text: str) -> str:
    """Return a file name for a text; different texts have different names.

    >>> _safe('reactree+wm'), _safe('a/b').startswith('a_b-')
    ('reactree+wm', True)
    """
    name = _UNSAFE.sub('_', text)[:_MOST_CHARS]
    if name == text and name.strip('.'):
        return name
    return f'{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}'
