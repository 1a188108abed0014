# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree memory`` with a PostgreSQL server: a fleet shares it, and offline robots catch up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.cli import main

pytestmark = pytest.mark.usefixtures('store')


def learn(say: Callable[..., Any], folder: Path, goal: str, file: Path) -> None:
    """Let the robot that has a file learn something."""
    text = folder / f'{goal}.txt'
    text.write_text(f'Goal: {goal}\nYou are in the hall.\nAct: done\n', encoding='utf-8')
    say('import', str(text), '--memory', str(file))


def test_robots_share_what_they_learned_and_forget_together(
    say: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
    database: str,
    postgres: Any,
    tmp_path: Path,
) -> None:
    ann, bob = (tmp_path / f'{name}.sqlite' for name in ('ann', 'bob'))
    learn(say, tmp_path, 'wave', ann)
    learn(say, tmp_path, 'bow', bob)
    for name, file in (('ann', ann), ('bob', bob)):
        done = say('push', database, '--memory', str(file), '--as', name)
        assert (done['added'], done['memory']) == (1, database.replace(f':{postgres.password}', ''))
    assert say('stats', '--memory', database)['counts']['robot'] == {'ann': 1, 'bob': 1}
    assert say('pull', database, '--memory', str(ann))['records'] == 2
    found = say('list', '--memory', str(ann), '--robot', 'bob')
    assert [one['goal'] for one in found] == ['bow']
    assert say('search', 'bow', '--memory', database)[0]['robot'] == 'bob'
    # Somebody finds that it was wrong.
    assert say('forget', '--goal', 'bow', '--yes', '--memory', database)['forgotten'] == 1
    assert say('push', database, '--memory', str(bob))['left_out'] == 1
    for file in (ann, bob):
        assert say('pull', database, '--memory', str(file))['deleted'] == 1
        assert [one['goal'] for one in say('list', '--memory', str(file))] == ['wave']
    assert say('index', 'hnsw', '--memory', database)['search'] == 'hnsw'
    assert say('stats', '--memory', database)['index'] == 'hnsw'
    assert main.run(['memory', 'stats', '--memory', database]) == 0
    assert postgres.password not in capsys.readouterr().out


def test_what_cannot_be_done_is_said(
    capsys: pytest.CaptureFixture[str], database: str, tmp_path: Path
) -> None:
    for arguments, words in (
        (('push', 'other.sqlite'), "'other.sqlite' is not the address of a server"),
        (('pull', database), 'there is no experience store in the database'),
        (('index', 'hnsw', '--memory', str(tmp_path / 'x')), 'there is no experience store'),
    ):
        assert main.run(['memory', *arguments]) == 2
        assert words in capsys.readouterr().err
