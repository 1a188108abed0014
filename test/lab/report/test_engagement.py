# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the mechanism of a method ran is counted from what happened, and said in the tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.lab.evaluation.trace import Trace, TraceEvent
from reactree_ros.lab.report.engagement import engagement_of, mechanisms_of
from reactree_ros.lab.report.report import runs_to_csv, to_csv
from reactree_ros.lab.report.summary import Summary
from reactree_ros.lab.report.tables import to_markdown
from reactree_ros.strategies.registry import strategy, strategy_names

Maker = Callable[..., Trace]
Summer = Callable[..., Summary]
DONE, FAILED, GO = 'Act: done', 'Act: failure', 'Act: go to fridge 1'
BACK = 'Act: go to kitchen table 1'
HIAGENT = [
    'Think: a', GO, 'Think: b', 'It is closed.', 'Act: subgoal not reached',
    'Act: retrieve subgoal 1', BACK, 'Think: c', GO, 'Act: subgoal reached', DONE,
]  # fmt: skip
STEP = [
    'Think: fly', 'Act: beyond the robot', 'Think: a', 'Act: consistent', 'Act: split the subgoal',
    DONE,
]  # fmt: skip
SPLIT = 'Expand: sequence ["a"]'


@pytest.mark.parametrize(
    ('name', 'script', 'expected'),
    [
        ('react', {'root': [GO, DONE]}, {'depth': 1}),
        ('reactree', {'root': [SPLIT], 'a': [DONE]}, {'expansions': 1, 'depth': 2}),
        (
            'reactree',
            {'root': [SPLIT, 'Expand: sequence ["b"]'], 'a': [FAILED], 'b': [DONE]},
            {'expansions': 2, 'replans': 1, 'depth': 2},
        ),
        ('adapt', {'root': [DONE]}, {'depth': 1}),
        ('adapt', {'root': [FAILED, SPLIT], 'a': [DONE]}, {'expansions': 1, 'depth': 2}),
        ('adapt', {'root': [FAILED, FAILED, FAILED, FAILED]}, {'depth': 1}),
        ('plan_and_execute', {'root': [SPLIT], 'a': [DONE]}, {'expansions': 1, 'depth': 2}),
        ('try_again', {'root': [FAILED, FAILED, DONE]}, {'retries': 2, 'depth': 1}),
        ('try_again', {'root': [FAILED] * 3}, {'retries': 2, 'depth': 1}),
        (
            'reflexion',
            {'root': [FAILED, 'Look.', FAILED, 'Go.', DONE]},
            {'retries': 2, 'summaries': 2, 'depth': 1},
        ),
        ('reflexion', {'root': [FAILED, GO, FAILED, '', DONE]}, {'retries': 2, 'depth': 1}),
        # the summary of b is a copied act, which is none
        (
            'hiagent',
            {'root': HIAGENT},
            {'summaries': 1, 'verdicts': 2, 'retrievals': 1, 'depth': 1},
        ),
        (
            'step',
            {'root': STEP, 'a': ['Think: walk', 'Act: consistent', 'Act: one skill', GO, DONE]},
            {'checks': 3, 'expansions': 1, 'replans': 1, 'depth': 2},
        ),
    ],
)
def test_mechanisms_are_counted(
    play: Any, name: str, script: dict[str, list[str]], expected: dict[str, int]
) -> None:
    played = play(script, strategy=name, replan_after_failure=name == 'reactree')
    played.end()
    counts = engagement_of(
        name.replace('_', '-'), [TraceEvent.of(event) for event in played.events]
    )
    assert {key: count for key, count in counts.items() if count} == expected


@pytest.mark.parametrize(
    ('name', 'script', 'limits'),
    [
        ('reactree', {'root': [SPLIT]}, Limits(max_depth=1)),
        ('try_again', {'root': [FAILED]}, Limits(max_decisions=1)),
    ],
)
def test_what_a_limit_keeps_from_beginning_does_not_count(
    play: Any, name: str, script: dict[str, list[str]], limits: Limits
) -> None:
    played = play(script, strategy=name, limits=limits)
    played.end()
    counts = engagement_of(
        name.replace('_', '-'), [TraceEvent.of(event) for event in played.events]
    )
    assert {key for key, count in counts.items() if count} == {'depth'}


@pytest.mark.parametrize('name', strategy_names())
def test_every_method_but_the_flat_agent_has_a_mechanism(name: str) -> None:
    assert bool(strategy(name).mechanisms) == (name != 'react')
    planner = name.replace('_', '-')
    assert mechanisms_of(f'{planner}[seed=1]') == strategy(name).mechanisms


def markdown(summary: Summary) -> str:
    return re.sub(' +', ' ', to_markdown(summary))


def with_events(trace: Trace, *events: tuple[str, str]) -> Trace:
    more = (TraceEvent(kind, text, ('g',), 2.0) for kind, text in events)
    return replace(trace, events=(*trace.events, *more))


def test_a_method_whose_mechanism_never_ran_says_so(a_trace: Maker, summary_of: Summer) -> None:
    summary = summary_of(
        *(a_trace('react', n, 2) for n in (1, 2)),
        *(a_trace('step', n, 0) for n in (1, 2)),
        with_events(a_trace('hiagent', 1, 2), ('summary', '1: It is open.')),
        a_trace('hiagent', 2, 0),
        with_events(a_trace('reactree', 1, 2), ('expand', 'sequence: a')),
        a_trace('none such', 1, 2),
    )
    text = markdown(summary)
    said = (
        ' Never ran, in any run of a row: hiagent: no verdicts, no retrievals; '
        'step: no checks, no expansions, no replans, so its row says nothing of what makes the '
        'method.'
    )
    success, _, rest = text.partition('### Engagement')
    assert said in success
    table = rest.partition('### ')[0]
    assert said in table
    assert '| planner | GSR % | expansions | summaries | verdicts | retrievals |' in table
    assert '| hiagent | 50 | 0.0 (0) | 0.5 (1) | 0.0 (0) | 0.0 (0) |' in table
    assert '| retries' not in table, 'no planner has it, and it did not happen'
    rows = {row['planner']: row for row in csv.DictReader(io.StringIO(to_csv(summary)))}
    assert (rows['hiagent']['summaries'], rows['reactree']['expansions']) == ('0.5', '1.0')
    runs = list(csv.DictReader(io.StringIO(runs_to_csv(summary))))
    assert sum(int(run['expansions']) for run in runs) == 1


def test_nothing_is_said_where_all_ran(a_trace: Maker, summary_of: Summer) -> None:
    ran = with_events(a_trace('reactree', 1, 2), ('expand', 'sequence: a'))
    assert 'Never ran' not in markdown(summary_of(ran, a_trace('react', 1, 2)))
