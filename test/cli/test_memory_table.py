# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of ``reactree memory`` can be read on narrow terminals."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.text import Text

from reactree_ros.cli.memory.table import lines_of

GOAL = 'Robot, fetch a coffee pot, a bottle of juice and a pudding and set them down on the table.'
RUN = 'learn-53711e29-wah_train-197-seed-0'
NAMES = ('run', 'no.', 'when', 'model', 'goal')
ROWS = (
    (RUN, '7', '2026-11-21 16:33', 'solver', GOAL),
    ('short', '1234', '', 'gemma', '  wave'),
)


def shown(width: int) -> list[str]:
    rows = [[Text(cell) for cell in row] for row in ROWS]
    lines = lines_of(NAMES, rows, width, spare=('model', 'when'), right=('no.',))
    assert all(cell_len(line.plain) <= width for line in lines)
    return [line.plain for line in lines]


def test_a_wide_table_shows_all() -> None:
    head, first, second = shown(1000)
    assert head.split() == list(NAMES)
    assert first == f'{RUN}     7  2026-11-21 16:33  solver  {GOAL}'
    assert second.split() == ['short', '1234', 'gemma', 'wave']
    assert head.index('goal') == first.index(GOAL) == second.index('  wave'), 'subgoals are set in'


@pytest.mark.parametrize(('width', 'columns'), [(105, 'run no. when goal'), (92, 'run no. goal')])
def test_columns_make_room_for_the_goal(width: int, columns: str) -> None:
    head, first, _ = shown(width)
    assert head.split() == columns.split()
    assert first.startswith(RUN) and first.endswith('…')
    assert len(first) - first.index(GOAL[:30]) >= 40


@pytest.mark.parametrize(
    ('width', 'columns'), [(80, 'run no. when model'), (62, 'run no. when'), (48, 'run no.')]
)
def test_a_goal_without_room_gets_a_line_of_its_own(width: int, columns: str) -> None:
    head, goal_head, first, goal, second, subgoal = shown(width)
    assert head.split() == columns.split()
    assert goal_head == '  goal'
    assert first.startswith(RUN) and '…' not in first
    assert goal.startswith('  Robot, ') and goal.endswith('…') and len(goal) == width
    assert second.startswith('short') and subgoal == '    wave'


def test_a_short_goal_needs_little_room() -> None:
    rows = [[Text('1'), Text('solver'), Text('wave')]]
    (head, row) = lines_of(('no.', 'model', 'goal'), rows, 20, spare=('model',))
    assert head.plain.split() == ['no.', 'model', 'goal']
    assert row.plain == '1    solver  wave'
