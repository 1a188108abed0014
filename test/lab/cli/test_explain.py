# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab explain``: one run on a page, and the list of those that failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.lab.cli import main
from reactree_ros.lab.cli.explain import RUN_LINES, WIDTH, narrate
from reactree_ros.lab.evaluation.trace import Trace, TraceWriter, head_of
from reactree_ros.sim.tasks import task_of

Run = Callable[..., Trace]

TASK = 6
SCRIPT = {
    '': [
        'Expand: sequence ["move the wine to the coffee table",'
        ' "move the juice to the coffee table"]',
        'Act: failure',
    ],
    'move the wine to the coffee table': [
        'Think: The wine may be in the kitchen.',
        'Act: go to kitchen 1',
        'Act: go to fridge 1',
        'Act: open fridge 1',
        'Act: failure',
    ],
}


def story(trace: Trace, *, whole: bool = False) -> list[str]:
    lines = narrate(trace, task_of('household', trace.spec.task), whole=whole)
    return [line.text for line in lines]


def keep(trace: Trace, folder: Path, name: str) -> Path:
    head = head_of(trace.spec, trace.instruction, trace.settings, through_ros=False)
    path = folder / 'runs' / trace.spec.planner / f'{name}.jsonl'
    TraceWriter(path, head, list(trace.events)).close(trace.ending)
    return path


def test_a_story_has_what_was_asked_the_tree_where_it_failed_and_what_does_not_hold(
    traced: Run,
) -> None:
    trace = traced(TASK, SCRIPT)
    told = story(trace)
    text = ' '.join(' '.join(told).split())
    assert told[0] == f'"{trace.instruction}"'
    assert 'failure gave up' in text
    assert all(f'✕ {line}' in text for line in trace.ending.unsatisfied)
    tree = told[told.index('The tree') + 1 : told.index('The run') - 1]
    assert tree == [
        f'✕ {trace.instruction} (sequence of 2)',
        '  ✕ move the wine to the coffee table  <── failed here',
        '  - move the juice to the coffee table (never started)',
    ]
    run = told[told.index('The run') + 1 :]
    turns = [line for line in run if line.endswith('<── failed here')]
    assert len(turns) == 1 and 'failure' in turns[0]


def test_all_events_are_there_if_they_are_asked_for(traced: Run) -> None:
    trace = traced(TASK, SCRIPT)
    run = story(trace, whole=True)
    run = run[run.index('The run') + 1 :]
    assert len(run) == len(trace.events)
    for index, (line, event) in enumerate(zip(run, trace.events, strict=True)):
        assert line.lstrip().startswith(f'#{index} ')
        assert event.text in line


def test_a_long_run_still_fits_on_a_page(traced: Run) -> None:
    lines = [
        line
        for _ in range(40)
        for line in ('Act: go to kitchen table 1', 'Act: pick up plate 1', 'Act: put down plate 1')
    ]
    trace = traced(TASK, {'': ['Act: go to kitchen 1', *lines]}, limits=Limits(max_decisions=100))
    told = story(trace)
    run = told[told.index('The run') + 1 :]
    assert len(trace.events) > 200
    assert len(run) <= RUN_LINES + 2
    assert max(map(len, told)) <= WIDTH
    assert any('--all-events' in line for line in run)


def test_explain_tells_one_run_and_lists_many(
    traced: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = keep(traced(TASK, SCRIPT), tmp_path, 'household-6-0')
    keep(traced(1, {'': ['Act: go to kitchen 1', 'Act: failure']}), tmp_path, 'household-1-0')
    apple = ['kitchen 1', 'kitchen counter 1']
    keep(
        traced(
            1,
            {
                '': [
                    *(f'Act: go to {name}' for name in apple),
                    'Act: pick up apple 1',
                    'Act: go to fridge 1',
                    'Act: open fridge 1',
                    'Act: put down apple 1',
                    'Act: done',
                ]
            },
            planner='react',
        ),
        tmp_path,
        'household-1-0',
    )
    assert main.run(['explain', str(path)]) == 0
    assert 'failed here' in capsys.readouterr().out
    assert main.run(['explain', str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert '3 runs: 1 reached their goal, 2 did not' in shown
    (tmp_path / 'soak.jsonl').write_text('{"goal": 1}\n')
    assert main.run(['explain', str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f'left out: {tmp_path}/soak.jsonl is not a trace' in shown
    assert '3 runs: 1 reached their goal, 2 did not' in shown
    assert str(path) in shown
    # A run by its name, by every planner.
    assert main.run(['explain', str(tmp_path), 'household-1-0']) == 0
    shown = capsys.readouterr().out
    assert 'planner   react with' in shown and 'planner   reactree+wm with' in shown
    assert 'failure   none' in shown


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['/no/such/file.jsonl'], 'is not a trace of reactree-lab evaluate'),
        (['.', 'household-999-0'], 'there is no run household-999-0'),
        ([__file__, 'household-1-0'], 'is not a folder'),
    ],
)
def test_what_cannot_be_explained_is_said(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(['explain', *arguments]) == 2
    assert said in capsys.readouterr().err
