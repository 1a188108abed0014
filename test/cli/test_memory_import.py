# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree memory import``: nothing is lost, nothing comes twice, nothing is half imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.cli import main
from reactree_ros.cli.memory import importing as memory_import
from reactree_ros.memory.sqlite.store import SqliteStore

pytestmark = pytest.mark.usefixtures('store')


def text_of(goal: str) -> str:
    return f'Goal: {goal}\nYou are in the hall.\nAct: done\n'


def write(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text('\n'.join(map(json.dumps, lines)), encoding='utf-8')
    return str(path)


def listed(say: Callable[..., Any], *memory: str) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = say('list', '--limit', '0', *memory)
    return values


def test_a_part_that_is_exported_takes_nothing_away(
    say: Callable[..., Any], tmp_path: Path
) -> None:
    goals = ('wave', 'wave twice', 'bow', 'sit')
    say('import', write(tmp_path / 'a.jsonl', *({'text': text_of(g), 'run': 'r'} for g in goals)))
    part = str(tmp_path / 'part.jsonl')
    assert say('export', part, '--goal', 'wave')['experiences'] == 2
    before = listed(say)
    done = say('import', part)
    assert (done['added'], done['merged'], done['known']) == (0, 0, 2)
    assert listed(say) == before


def test_a_line_without_an_origin_takes_over_nothing(
    say: Callable[..., Any], tmp_path: Path
) -> None:
    line = {'text': text_of('wave'), 'run': 'mine', 'task': 't 1', 'verified': 'world'}
    say('import', write(tmp_path / 'mine.jsonl', line))
    (before,) = listed(say)
    done = say('import', write(tmp_path / 'foreign.jsonl', {'text': text_of('wave')}))
    assert (done['added'], done['merged']) == (0, 1)
    assert listed(say) == [{**before, 'merged': 2}]


def test_a_backup_keeps_what_counts(say: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    """Also what differs within a run: merged, retrieved, and who verified what."""
    lines = [
        {'text': text_of('wave'), 'run': 'r', 'time': 5, 'verified': 'world', 'merged': 3},
        {'text': text_of('bow'), 'run': 'r', 'time': 7, 'retrieved': 4, 'model': 'tiny'},
    ]
    say('import', write(tmp_path / 'a.jsonl', *lines))
    backup, other = str(tmp_path / 'backup.jsonl.gz'), str(tmp_path / 'other.sqlite')
    say('export', backup)
    say('import', backup, '--memory', other)
    there = listed(say, '--memory', other)
    assert there == listed(say)
    assert [(one['merged'], one['retrieved']) for one in there] == [(3, 0), (1, 4)]
    assert [one['verified'] for one in there] == ['world', 'reported']


@pytest.mark.parametrize('ending', ['jsonl', 'txt'])
def test_a_wrong_line_at_the_end_leaves_all_as_it_was(
    capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path, ending: str
) -> None:
    texts = [text_of(f'wave {number}') for number in range(1200)] + ['Goal: bow\nAct: go away\n']
    path = tmp_path / f'a.{ending}'
    if ending == 'jsonl':
        write(path, *({'text': text} for text in texts))
    else:
        path.write_text('---\n'.join(texts))
    assert main.run(['memory', 'import', str(path)]) == 2
    assert 'the experience must end with done' in capsys.readouterr().err
    assert not store.exists()


def test_what_fails_on_the_way_says_what_was_kept(
    say: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    lines = ({'text': text_of(f'wave {n}'), 'run': f'r {n}'} for n in range(6))
    path = write(tmp_path / 'a.jsonl', *lines)
    monkeypatch.setattr(memory_import, '_BATCH', 2)
    works = SqliteStore.import_experiences
    calls: list[int] = []

    def full(self: SqliteStore, experiences: Any) -> Any:
        calls.append(1)
        if len(calls) > 2:
            self._connection.execute('PRAGMA query_only = ON')
        return works(self, experiences)

    monkeypatch.setattr(SqliteStore, 'import_experiences', full)
    assert main.run(['memory', 'import', path]) == 2
    said = capsys.readouterr().err
    assert '4 runs were imported before that, and the same command imports the rest' in said
    monkeypatch.setattr(SqliteStore, 'import_experiences', works)
    done = say('import', path)
    assert (done['added'], done['known'], done['records']) == (2, 4, 6)
