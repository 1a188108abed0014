# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The report of an evaluation as files.

=====================  ===========================================================================
``report.md``          the tables, and the pictures if there are any
``summary.csv``        a line a planner, model and task set
``runs.csv``           a line a run
``summary.json``       both, and the tests of pairs
``gsr.png``            goal success rate by planner and model
``ssr_by_length.png``  subgoal success rate by the length of the task
``context.png``        tokens of the prompt by the number of the decision
=====================  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reactree_ros.evaluation.metrics import Summary
from reactree_ros.evaluation.plots import draw_plots
from reactree_ros.evaluation.report_formats import runs_to_csv, to_csv, to_json, to_markdown
from reactree_ros.exceptions import ConfigurationError

_CAPTIONS = {
    'gsr.png': 'Goal success rate by planner and model',
    'ssr_by_length.png': 'Subgoal success rate by the length of the task',
    'context.png': 'Tokens of the prompt by the number of the decision',
}


def write_report(summary: Summary, folder: Path, say: Callable[[str], None] = print) -> list[Path]:
    """Write the report of an evaluation.

    Args:
        summary: of its runs.
        folder: where the files are written; made if need be.
        say: is told in one line if there are no pictures for want of matplotlib.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        pictures = draw_plots(summary, folder)
    except ConfigurationError as error:
        say(f'no pictures: {error}')
        pictures = []
    shown = [f'![{_CAPTIONS[path.name]}]({path.name})\n' for path in pictures]
    texts = {
        'report.md': '\n'.join([to_markdown(summary), *shown]),
        'summary.csv': to_csv(summary),
        'runs.csv': runs_to_csv(summary),
        'summary.json': to_json(summary),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding='utf-8')
    return [*(folder / name for name in texts), *pictures]
