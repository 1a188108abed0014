# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The report of an evaluation as files.

================  ==========================================
``report.md``     the tables
``summary.csv``   a line a planner, model and task set
``runs.csv``      a line a run
``summary.json``  both, and the tests of pairs
================  ==========================================
"""

from __future__ import annotations

from pathlib import Path

from reactree_ros.lab.report.formats import runs_to_csv, to_csv, to_json, to_markdown
from reactree_ros.lab.report.metrics import Summary


def write_report(summary: Summary, folder: Path) -> list[Path]:
    """Write the report of an evaluation.

    Args:
        summary: of its runs.
        folder: where the files are written; made if need be.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        'report.md': to_markdown(summary),
        'summary.csv': to_csv(summary),
        'runs.csv': runs_to_csv(summary),
        'summary.json': to_json(summary),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding='utf-8')
    return [folder / name for name in texts]
