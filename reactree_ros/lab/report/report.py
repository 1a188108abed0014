# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The report of an evaluation as files.

===============  ==========================================
``report.md``    the tables
``summary.csv``  a line a planner, model and task set
``runs.csv``     a line a run
===============  ==========================================

In CSV shares are from 0 to 1 and times in seconds.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reactree_ros.lab.report.summary import Row, Run, Summary
from reactree_ros.lab.report.tables import to_markdown


def write_report(summary: Summary, folder: Path) -> list[Path]:
    """Write the report of an evaluation.

    Args:
        summary: of its runs.
        folder: where the files are written; created if missing.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        'report.md': to_markdown(summary),
        'summary.csv': to_csv(summary),
        'runs.csv': runs_to_csv(summary),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding='utf-8')
    return [folder / name for name in texts]


def to_csv(summary: Summary) -> str:
    """Return the rows of a summary as CSV."""
    return _csv([_row(row) for row in summary.rows])


def runs_to_csv(summary: Summary) -> str:
    """Return every run of a summary as CSV."""
    return _csv([_run(run) for run in summary.runs])


def _row(row: Row) -> dict[str, Any]:
    reasons = Counter(run.ending.reason.value for run in row.runs)
    return {
        'planner': row.spec.planner,
        'model': row.spec.model,
        'task_set': row.spec.task_set,
        'learning': row.learning,
        'trained': row.trained,
        **row.figures,
        **{f'ended_{reason}': reasons[reason] for reason in sorted(reasons)},
        **{
            f'failed_{kind.replace(": ", "_").replace(" ", "_")}': count
            for kind, count in sorted(row.failures.items())
        },
    }


def _run(run: Run) -> dict[str, Any]:
    task, ending = run.task, run.ending
    return {
        **asdict(run.spec),
        'learning': run.learning,
        'trained': run.trained,
        'type': task.type,
        'unseen': task.unseen,
        'ambiguous': task.ambiguous,
        'steps': task.steps,
        'holds': ending.holds,
        'met': ending.met,
        'wanted': ending.wanted,
        'status': ending.status,
        'reason': ending.reason.value,
        'message': ending.message,
        'failure': run.failure,
        **run.engagement,
        **asdict(ending.costs),
        'overhead_seconds': run.overhead_seconds,
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; a column missing in a row is a count of 0 there."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, restval=0, lineterminator='\n')
    writer.writeheader()
    writer.writerows(
        {name: round(v, 6) if isinstance(v, float) else v for name, v in row.items()}
        for row in rows
    )
    return file.getvalue() if columns else ''
