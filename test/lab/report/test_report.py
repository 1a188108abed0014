# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader gets to see: tables and files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.report.report import runs_to_csv, to_csv, write_report
from reactree_ros.lab.report.summary import Summary
from reactree_ros.lab.report.tables import to_markdown

Maker = Callable[..., Trace]
Summer = Callable[..., Summary]
LONG = 'reactree+wm[control_flows=sequence+fallback,reject_recursion=false]'


def markdown(summary: Summary) -> str:
    """Return the tables without the spaces that align their columns."""
    return re.sub(' +', ' ', to_markdown(summary))


@pytest.fixture
def summary(a_trace: Maker, summary_of: Summer) -> Summary:
    """Return a summary of three planners, one with settings, on five tasks."""
    return summary_of(
        *(a_trace('react', n, 2 * (n == 1)) for n in range(1, 6)),
        *(
            a_trace(planner, n, 2 * (n < 5), tokens=[(1000 + n, 10), (2000, 30)])
            for planner in ('reactree+wm', LONG)
            for n in range(1, 6)
        ),
    )


def test_markdown_says_the_figures(summary: Summary) -> None:
    lines = markdown(summary).splitlines()
    assert '### Success, gemma, wah_test' in lines
    # Wilson's intervals of 1 and of 4 in 5.
    assert '| react | few-shot | 5 | 20 (4–62) | 20 (4–62) | 20 | 0 | 0 |' in lines
    assert '| reactree+wm | few-shot | 5 | 80 (38–96) | 80 (38–96) | 80 | 0 | 0 |' in lines
    assert '| reactree+wm | 10 | 1502 ± 525 | 2000 | 50% | 20 ± 11 | 30 |' in lines
    assert '| reactree+wm | 2.0 | 3.0 | 2.8 | 2.8 | 2.0 | 0.50 | 0.25 |' in lines
    assert '| react | 4 | 4 |' in lines  # all that failed gave up
    assert '| planner | prepare snack | put fridge |' in lines
    assert '| reactree+wm | 1/2 (50) | 3/3 (100) |' in lines
    assert '| react | reactree+wm | 5 | 1 | 0 | 3 | 0.250 | 0.250 |' in lines


def test_settings_are_priced_on_the_runs_that_both_made(a_trace: Maker, summary_of: Summer) -> None:
    planner = 'reactree+wm[chunk_acts=6]'
    text = markdown(
        summary_of(
            a_trace('react', 1, 2),
            a_trace('reactree+wm', 1, 1, tokens=[(100, 10), (300, 10)]),
            a_trace('reactree+wm', 2, 2, tokens=[(5000, 10)]),
            a_trace(planner, 1, 2, tokens=[(100, 10), (150, 30), (100, 10)]),
        )
    )
    priced = text.partition('### Price of settings')[2].partition('###')[0]
    assert (
        f'| reactree+wm | {planner} | 0 → 100 | 50 → 100 | 2 → 3 | 400 → 350 | 300 → 150 | 20 → 50 '
        '| 2.8 → 3.8 |'
    ) in priced
    assert priced.count('→') == 7, 'only planners that differ in settings'


def test_model_and_tasks_have_columns_where_they_differ(a_trace: Maker, summary_of: Summer) -> None:
    text = markdown(
        summary_of(a_trace('react', 1, 0), a_trace('react', 1, 0, task_set='alfred_test'))
    )
    assert '### Success, gemma\n' in text
    assert '| planner | tasks | model is | runs |' in text


def test_errors_are_named_with_their_reason(a_trace: Maker, summary_of: Summer) -> None:
    text = markdown(summary_of(*(a_trace('zsp', n, 0, status='error') for n in range(1, 8))))
    assert '| zsp | few-shot | 7 | 0 (0–35) | 0 (0–35) | 0 | 0 | 0 | 7 |' in text
    assert 'zsp, gemma, wah_test 1, seed 0: it broke' in text
    assert 'and 2 more.' in text


def test_trained_models_are_told_from_few_shot_ones(a_trace: Maker, summary_of: Summer) -> None:
    made_of = 'gemma-3-270m + adapter 1f2e3d4c5b6a'
    few = a_trace('react', 1, 2)
    none = replace(a_trace('react', 1, 0), settings={'memory.example_tokens': 0})
    tidy = replace(a_trace('react', 1, 2, model='tidy'), trained=made_of)
    summary = summary_of(few, tidy)
    text = markdown(summary)
    assert '| react | gemma | few-shot | 1 | 100' in text
    assert '| react | tidy (trained) | trained, few-shot | 1 | 100' in text
    assert f'tidy is {made_of}.' in text
    assert '### Success, tidy (trained), wah_test' in markdown(summary_of(tidy))
    assert 'trained' not in markdown(summary_of(few))
    assert '| react | zero-shot | 1 | 0' in markdown(summary_of(none))
    alone = replace(tidy, settings={'memory.example_tokens': 0})
    assert '| react | trained | 1 | 100' in markdown(summary_of(alone))
    rows = list(csv.DictReader(io.StringIO(to_csv(summary))))
    assert [row['learning'] for row in rows] == ['few-shot', 'trained, few-shot']
    assert rows[1]['trained'] == made_of


def test_several_seeds_come_with_a_note(a_trace: Maker, summary_of: Summer) -> None:
    one, other = a_trace('zsp', 1, 0), a_trace('zsp', 1, 0, seed=1)
    assert 'the seeds of one task' in markdown(summary_of(one, other))
    assert 'the seeds of one task' not in markdown(summary_of(one))


def test_runs_of_several_versions_come_with_a_warning(a_trace: Maker, summary_of: Summer) -> None:
    one, other = a_trace('zsp', 1, 0), a_trace('zsp', 2, 0)
    assert 'several versions' not in markdown(summary_of(one, other))
    newer = replace(other, made_with=made_with())
    shown = markdown(summary_of(one, newer))
    assert f'several versions of this package ({made_with()}, unknown)' in shown


def test_csv_has_the_figures(summary: Summary) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(summary))))
    assert [row['planner'] for row in rows] == ['react', 'reactree+wm', LONG]
    assert (rows[1]['gsr'], rows[1]['gsr_hits'], rows[1]['gsr_of']) == ('0.8', '4', '5')
    assert rows[1]['gsr_low'] == '0.375535'
    # No run of this planner ended for that reason; that is a count, too.
    assert (rows[0]['failed_gave_up'], rows[1]['failed_gave_up']) == ('4', '1')
    runs = list(csv.DictReader(io.StringIO(runs_to_csv(summary))))
    assert len(runs) == 15
    assert (runs[0]['task'], runs[0]['type'], runs[0]['holds']) == ('1', 'put_fridge', 'True')


def test_the_report_has_its_files(summary: Summary, tmp_path: Path) -> None:
    files = write_report(summary, tmp_path / 'a')
    assert [file.name for file in files] == [*('report.md', 'summary.csv', 'runs.csv')]
    assert all(file.read_text(encoding='utf-8') for file in files)


def test_the_report_of_no_runs_says_so(summary_of: Summer, tmp_path: Path) -> None:
    write_report(summary_of(), tmp_path)
    assert (tmp_path / 'report.md').read_text(encoding='utf-8') == 'No run has ended yet.\n'
