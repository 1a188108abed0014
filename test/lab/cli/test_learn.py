# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab learn`` as a process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.memory.sqlite.store import SqliteStore

SCRIPT = {
    'Put the apple in the fridge.': [
        'Expand: sequence ["find and pick up the apple", "put down the apple in the fridge"]'
    ],
    'find and pick up the apple': [
        'Act: go to kitchen 1', 'Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done',
    ],
    'put down the apple in the fridge': [
        'Act: go to fridge 1', 'Act: open fridge 1', 'Act: put down apple 1', 'Act: done',
    ],
    'Please put the pudding on the coffee table.': ['Act: failure'],
}  # fmt: skip


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(SCRIPT))
    return [
        'learn', '--planner', 'reactree+wm',
        '--model', f'scripted:{tmp_path / "script.yaml"}', '--tasks', 'household:2',
    ]  # fmt: skip


def test_it_learns_and_goes_on(
    reactree_lab: Callable[..., Any], asked: list[str], tmp_path: Path
) -> None:
    out = str(tmp_path / 'out')
    command = reactree_lab(*asked, '--out', out, '--rounds', '2', '--workers', '2')
    assert command.ends() == 0, command.lines
    told = '\n'.join(command.lines)
    assert 'household 1, seed 0: holds; planner: succeeded; 9 decisions' in told
    assert 'kept 3 experiences' in told
    assert 'kept 0 experiences, 3 merged' in told, 'the second round did the same'
    assert '4 of 4 runs' in told
    assert '50 [9–91]' in told, 'the table of rounds'
    with closing(SqliteStore(tmp_path / 'out' / 'memory.sqlite', create=False)) as store:
        assert store.stats().counts['termination'] == {'success': 2, 'expand': 1}
    again = reactree_lab('learn', '--out', out)
    assert again.ends() == 0
    assert not any('seed' in line and 'holds' in line for line in again.lines), 'nothing is left'
    assert again.lines == command.lines[-len(again.lines) :], 'the same table'
    (tmp_path / 'out' / 'memory.sqlite').unlink()
    lost = reactree_lab('learn', '--out', out, '--rounds', '3', *asked[1:])
    assert lost.ends() == 2
    assert 'memory.sqlite is missing' in lost.lines[-1]


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ((), 'nothing was learned in'),
        (('--rounds', '2'), '--tasks is missing'),
        (('--tasks', 'wah_test:5'), "'wah_test:5' has test tasks"),
        (('--tasks', 'wah_train:5', '--planner', 'zsp'), 'learns nothing'),
        (('--tasks', 'wah_train:5', '--model', 'gema'), "no model 'gema'"),
        (('--tasks', 'wah_train:0'), 'from 1 to'),
        (('--tasks', 'wah_train:5', '--memory', 'none'), 'cannot do without an experience store'),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    reactree_lab: Callable[..., Any], arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    command = reactree_lab('learn', *arguments, '--out', str(tmp_path / 'out'))
    assert command.ends() == 2
    assert message in command.lines[-1]
    assert not (tmp_path / 'out').exists(), 'the folder is free for what was meant'
