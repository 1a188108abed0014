# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of made-up runs, against numbers computed by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.report.statistics import wilson
from reactree_ros.lab.report.summary import GROUPS, Summary

Maker = Callable[..., Trace]
Summer = Callable[..., Summary]


def test_figures_of_a_row(a_trace: Maker, summary_of: Summer) -> None:
    (row,) = summary_of(
        a_trace('react', 1, 2, tokens=[(100, 10), (300, 20)]),
        a_trace('react', 2, 1, 4, tokens=[(200, 30)], status='succeeded'),
        a_trace('react', 4, 2, status='failed'),
        a_trace('react', 5, 0, tokens=[]),
    ).rows
    assert (row.spec.task_set, row.spec.model, row.spec.planner) == ('wah_test', 'gemma', 'react')
    assert (row.gsr.hits, row.gsr.of) == (2, 4)
    assert (row.ssr.hits, row.ssr.of) == (5, 10)
    figures = row.figures
    # The goal of the third run holds although the planner says otherwise.
    assert (figures['false_done'], figures['false_failure']) == (1, 1)
    assert (figures['decisions'], figures['skills']) == (1.0, 3.0)
    # Four decisions: 100, 300, 200 and 100 tokens in; 10, 20, 30 and 10 out.
    assert [figures[f'tokens_in_{name}'] for name in ('n', 'mean', 'max')] == [4, 175.0, 300]
    assert figures['tokens_in_sd'] == pytest.approx((27500 / 3) ** 0.5)
    assert (figures['tokens_out_mean'], figures['tokens_out_max']) == (17.5, 30)
    assert figures['reused'] == 0.5
    assert (figures['seconds'], figures['median_seconds']) == (1.75, 1.75)
    assert (figures['model_seconds'], figures['skill_seconds']) == (1.0, 0.5)
    assert figures['overhead_seconds'] == pytest.approx(0.25)
    assert [run.ending.reason.value for run in row.runs] == ['done', 'gave_up', 'done', 'gave_up']
    assert row.failures == {'false done': 1, 'gave up': 1}


def test_intervals_and_p_values_count_tasks(a_trace: Maker, summary_of: Summer) -> None:
    met = {('react', 1): 0, ('react', 2): 0, ('reactree', 1): 5, ('reactree', 2): 0}
    summary = summary_of(
        *(a_trace(name, n, met[name, n], 5, seed=seed) for name, n in met for seed in range(3))
    )
    row = summary.rows[1]
    assert (row.gsr.hits, row.gsr.of, row.ssr.of) == (3, 6, 30)
    assert (row.gsr.low, row.gsr.high) == pytest.approx(wilson(1, 2))
    assert (row.ssr.low, row.ssr.high) == pytest.approx(wilson(1, 2))
    (pair,) = summary.pairs
    assert (pair.second_only, pair.p) == (3, 1.0), 'three seeds of one task are one task'


def test_groups_are_by_type_apartment_and_wording(a_trace: Maker, summary_of: Summer) -> None:
    (row,) = summary_of(
        *(a_trace('react', number, 2 * (number < 3)) for number in range(1, 6))
    ).rows
    assert [
        (by, name, group.gsr.hits, group.gsr.of)
        for by in GROUPS
        for name, group in row.groups(by).items()
    ] == [
        ('type', 'prepare_snack', 0, 2),
        ('type', 'put_fridge', 2, 3),
        ('apartment', 'seen', 1, 3),
        ('apartment', 'unseen', 1, 2),
        ('wording', 'ambiguous', 0, 2),
        ('wording', 'clear', 2, 3),
    ]


def test_pairs_are_made_on_the_common_runs(a_trace: Maker, summary_of: Summer) -> None:
    # React did tasks 1 to 8 and reached none but 1; ReAcTree did 1 to 6 and 9, and failed 6.
    summary = summary_of(
        *(a_trace('react', n, 2 * (n == 1)) for n in range(1, 9)),
        *(a_trace('reactree', n, 2 * (n != 6)) for n in (1, 2, 3, 4, 5, 6, 9)),
    )
    (pair,) = summary.pairs
    assert (pair.first.spec.planner, pair.second.spec.planner, pair.runs) == (
        'react',
        'reactree',
        6,
    )
    assert (pair.both, pair.first_only, pair.second_only, pair.neither) == (1, 0, 4, 1)
    assert pair.p == pair.p_holm == 2 / 16


def test_seeds_are_paired_with_their_own(a_trace: Maker, summary_of: Summer) -> None:
    summary = summary_of(a_trace('react', 1, 2, seed=0), a_trace('reactree', 1, 2, seed=1))
    assert summary.pairs == ()


def test_settings_are_compared_with_their_planner_only(a_trace: Maker, summary_of: Summer) -> None:
    names = ('reactree+wm[b=1]', 'reactree+wm', 'react', 'reactree+wm[a=1]', 'zsp')
    summary = summary_of(
        *(a_trace(name, 1, 0) for name in names), a_trace('react', 1, 0, task_set='wah_train')
    )
    order = ('zsp', 'react', 'reactree+wm', 'reactree+wm[a=1]', 'reactree+wm[b=1]')
    assert [row.spec.planner for row in summary.rows] == [*order, 'react']
    assert [(pair.first.spec.planner, pair.second.spec.planner) for pair in summary.pairs] == [
        ('zsp', 'react'),
        ('zsp', 'reactree+wm'),
        ('react', 'reactree+wm'),
        ('reactree+wm', 'reactree+wm[a=1]'),
        ('reactree+wm', 'reactree+wm[b=1]'),
    ]


def test_p_values_are_corrected_by_model_and_task_set(a_trace: Maker, summary_of: Summer) -> None:
    better = [a_trace(name, n, 2) for name in ('react', 'reactree') for n in range(1, 7)]
    worse = [a_trace('zsp', n, 0) for n in range(1, 7)]
    elsewhere = [a_trace(name, 1, 2, model='qwen') for name in ('react', 'zsp')]
    pairs = summary_of(*better, *worse, *elsewhere).pairs
    assert [pair.p for pair in pairs] == pytest.approx([2 / 64, 2 / 64, 1.0, 1.0])
    assert [pair.p_holm for pair in pairs] == pytest.approx([6 / 64, 6 / 64, 1.0, 1.0])


def test_no_runs_and_twice_the_same_run(a_trace: Maker, summary_of: Summer) -> None:
    assert summary_of() == Summary((), ())
    with pytest.raises(ConfigurationError, match='two traces'):
        summary_of(a_trace('react', 1, 0), a_trace('react', 1, 2))


def test_a_run_that_broke_is_counted_and_its_planner_said_nothing(
    a_trace: Maker, summary_of: Summer
) -> None:
    (row,) = summary_of(
        a_trace('react', 1, 2, status='error'), a_trace('react', 2, 0, status='error')
    ).rows
    assert (len(row.errors), row.gsr.hits, row.gsr.of) == (2, 1, 2)
    assert (row.figures['false_done'], row.figures['false_failure']) == (0, 0)
