# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of ``reactree memory`` can be read on narrow terminals."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from reactree_ros.cli.memory.view import print_records

GOAL = 'Robot, fetch a coffee pot, a bottle of juice and a pudding and set them down on the table.'
RUN = 'learn-53711e29-wah_train-197-seed-0'


def row(number: int, goal: str, root: bool) -> dict[str, Any]:
    return {
        'number': number,
        'termination': 'success',
        'verified': 'world',
        'model': 'person',
        'time': 0.0,
        'strategy': 'reactree',
        'merged': 1,
        'retrieved': 12,
        'task': '',
        'run': RUN,
        'goal': goal,
        'root': root,
    }


def shown(width: int) -> list[str]:
    output = io.StringIO()
    print_records([row(7, GOAL, True), row(1234, 'wave', False)], Console(file=output, width=width))
    lines = output.getvalue().splitlines()
    assert all(cell_len(line) <= width for line in lines)
    return lines


def test_a_wide_table_shows_all() -> None:
    head, first, second = shown(1000)
    assert (
        head.split() == 'no. ended verified model when strategy merged shown task run goal'.split()
    )
    assert first.split()[:7] == '7 success world person reactree 1 12'.split()
    assert first.index(GOAL) == second.index('  wave') == head.index('goal'), 'subgoals are set in'


@pytest.mark.parametrize(
    ('width', 'columns'),
    [
        (125, 'no. ended verified when shown task run goal'),
        (115, 'no. ended verified when shown run goal'),
        (80, 'no. ended verified when goal'),
        (70, 'no. ended verified goal'),
    ],
)
def test_columns_make_room_for_the_goal(width: int, columns: str) -> None:
    head, first, second = shown(width)
    assert head.split() == columns.split()
    assert first.rstrip().endswith('…') and second.rstrip().endswith('  wave')
    assert len(first.rstrip()) - first.index(GOAL[:30]) >= 38
    assert 'run' not in columns or RUN in first
