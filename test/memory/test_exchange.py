# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences leave in files and come back as they were."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.decision import ControlFlow
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.exchange import ImportedRun, read_runs, write_records
from reactree_ros.memory.experience import (
    Experience,
    Origin,
    Termination,
    Verification,
    read_experiences,
)
from reactree_ros.memory.store import Record
from reactree_ros.paths import share

GIVEN = Origin(run='not looked at', task='a 1', skills='household', model='me', time=7.0)
ROOT = 'Goal: Tidy up\nYou are in the hall.\nExpand: sequence ["take the cup", "wash the cup"]\n'
CHILD = (
    'Primary goal: Tidy up\n'
    'Subgoals (sequence, one after another; all must succeed): take the cup; wash the cup\n'
    'Goal: take the cup\nYou are in the hall.\nAct: failure\n'
)


def records(number: int, runs: int = 3) -> list[Record]:
    """Records with every field drawn, texts of all scripts, runs mixed."""
    draw = random.Random(number)
    made = []
    origins = [
        Origin(
            run=f'run {name}',
            task=draw.choice(['', 'wah_train 3']),
            skills='household',
            strategy=draw.choice(['react', 'reactree']),
            model='gemma "q"\t4',
            time=draw.random() * 2e9,
            verified=draw.choice(list(Verification)),
        )
        for name in range(runs)
    ]
    for count in range(number):
        goal = draw.choice(['Räum auf', '片付けて', 'put the "cup"\\away', 'x' * 300])
        flows = frozenset(draw.sample(list(ControlFlow), draw.randrange(4)))
        experience = Experience(
            goal,
            f'Goal: {goal}\nA hall, {count}.\nAct: done\n',
            draw.choice(list(Termination)),
            draw.random() < 0.5,
        )
        made.append(
            Record(count + 4, experience, draw.choice(origins), f'key {count}', 'act: x',
                   flows, 1 + count, count * 2)
        )  # fmt: skip
    return made


def runs_of(path: Path) -> list[ImportedRun]:
    return read_runs(path, GIVEN)


@pytest.mark.parametrize('ending', ['jsonl', 'jsonl.gz'])
def test_json_lines_lose_nothing(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f'memory.{ending}'
    written = records(60)
    assert write_records(path, iter(written)) == 60
    read = [one for run in runs_of(path) for one in run.records]
    assert sorted(read, key=lambda one: one.number) == written


def test_a_run_is_whole_though_its_experiences_are_apart(tmp_path: Path) -> None:
    path = tmp_path / 'memory.jsonl'
    written = records(60)
    write_records(path, written)
    runs = runs_of(path)
    assert sorted(run.origin.run for run in runs) == ['run 0', 'run 1', 'run 2']
    for run in runs:
        its = [one for one in written if one.origin.run == run.origin.run]
        assert list(run.records) == its
        assert run.origin == its[0].origin


def test_equal_experiences_make_equal_files(tmp_path: Path) -> None:
    for name in ('a.jsonl.gz', 'b.jsonl.gz'):
        write_records(tmp_path / name, records(20))
    assert (tmp_path / 'a.jsonl.gz').read_bytes() == (tmp_path / 'b.jsonl.gz').read_bytes()
    assert gzip.decompress((tmp_path / 'a.jsonl.gz').read_bytes()).count(b'\n') == 20


@pytest.mark.parametrize('ending', ['txt', 'txt.gz'])
def test_text_is_the_shipped_form(tmp_path: Path, ending: str) -> None:
    shipped = share('resource', 'experiences', 'household.txt')
    runs = runs_of(shipped)
    assert all(run.records[0].experience.root for run in runs)
    assert not any(one.experience.root for run in runs for one in run.records[1:])
    experiences = [one.experience for run in runs for one in run.records]
    assert tuple(experiences) == read_experiences(shipped)
    path = tmp_path / f'copy.{ending}'
    write_records(path, (one for run in runs for one in run.records))
    assert [one.experience for run in runs_of(path) for one in run.records] == experiences


def test_what_a_text_does_not_say_is_taken_as_given(tmp_path: Path) -> None:
    path = tmp_path / 'mine.txt'
    path.write_text(f'# a remark\n{ROOT}---\n{CHILD}---\n{ROOT.replace("Tidy", "Clean")}')
    first, second = runs_of(path)
    assert [one.experience.goal for one in first.records] == ['Tidy up', 'take the cup']
    assert first.records[1].experience.termination is Termination.FAILURE
    origin = first.origin
    assert (origin.task, origin.skills, origin.model, origin.time) == ('a 1', 'household', 'me', 7)
    assert origin.run.startswith('mine-') and second.origin.run.startswith('mine-')
    assert origin.run != second.origin.run
    again = tmp_path / 'other' / 'mine.txt'
    again.parent.mkdir()
    again.write_text(f'{ROOT}---\n{CHILD}')
    assert [run.origin for run in runs_of(again)] == [origin]


def test_json_lines_need_nothing_but_a_text(tmp_path: Path) -> None:
    path = tmp_path / 'mine.jsonl'
    lines = [{'text': ROOT}, {'text': CHILD.strip()}, {'text': ROOT, 'verified': 'person'}]
    path.write_text('\n\n'.join(map(json.dumps, lines)))
    first, second = runs_of(path)
    assert [one.experience.text for one in first.records] == [ROOT, CHILD]
    assert first.records[1].experience.goal == 'take the cup'
    assert first.origin.verified is Verification.REPORTED
    assert second.origin.verified is Verification.PERSON


def test_a_run_is_verified_as_its_least_verified_experience(tmp_path: Path) -> None:
    path = tmp_path / 'mine.jsonl'
    lines = [{'text': ROOT, 'run': 'r', 'verified': how} for how in ('person', 'world')]
    path.write_text('\n'.join(map(json.dumps, lines)))
    (run,) = runs_of(path)
    assert run.origin.verified is Verification.WORLD


@pytest.mark.parametrize(
    ('line', 'named'),
    [
        ('{', 'line 2: no JSON'),
        ('[]', 'line 2: .* not an object'),
        ('{"goal": "x"}', 'line 2: the experience has no "text"'),
        ('{"text": "Goal: x\\nAct: go to hall\\n"}', 'line 2: the experience must end with done'),
        ('{"text": 3}', '"text" is 3, but must be a text'),
        ({'verified': 'god'}, '"verified" is \'god\', but must be one of reported, world, person'),
        ({'time': 'noon'}, '"time" is \'noon\', but must be seconds since 1970'),
        ({'control_flows': 'sequence'}, '"control_flows" is \'sequence\', but must be a list'),
        ({'control_flows': ['loop']}, "'loop', but must be one of sequence, "),
        ({'merged': 0}, '"merged" is 0, but must be a whole number from 1 to '),
        ({'retrieved': -1}, '"retrieved" is -1, but must be a whole number from 0 to '),
        ({'retrieved': 10**30}, '"retrieved" is 10+, but must be a whole number from 0 to '),
        ({'time': float('nan')}, '"time" is nan, but must be seconds'),
        ({'model': 'a \ud800'}, '"model" is .* half characters'),
    ],
)
def test_a_fault_is_named(tmp_path: Path, line: str | dict[str, Any], named: str) -> None:
    path = tmp_path / 'mine.jsonl'
    text = line if isinstance(line, str) else json.dumps({'text': ROOT, **line})
    path.write_text(f'\n{text}\n')
    with pytest.raises(ConfigurationError, match=named):
        runs_of(path)


def test_a_fault_at_the_end_of_a_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / 'mine.txt'
    path.write_text(f'{ROOT}---\n{CHILD}---\nGoal: wave\nAct: go to hall\n')
    with pytest.raises(ConfigurationError, match='mine.txt, line 11.*must end with done'):
        runs_of(path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / 'none'
    with pytest.raises(ConfigurationError) as caught:
        write_records(folder / 'memory.jsonl', records(1))
    assert str(caught.value).endswith(f'{folder}/memory.jsonl: there is no folder {folder}')


@pytest.mark.parametrize(
    ('name', 'content', 'named'),
    [
        ('mine.csv', b'', 'no ending that names its form'),
        ('none.jsonl', None, 'cannot read the experiences'),
        ('mine.txt', b'\xff\xfe', 'cannot read the experiences'),
        ('mine.jsonl.gz', b'{}', 'cannot read the experiences'),
        ('cut.jsonl.gz', gzip.compress(b'{"text": "x"}')[:-9], 'cannot read the experiences'),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes | None, named: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=named):
        runs_of(tmp_path / name)


def test_what_fails_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / 'memory.jsonl'
    write_records(path, records(5))
    before = path.read_bytes()

    def broken() -> Any:
        yield from records(3)
        raise OSError('the store has gone')

    with pytest.raises(ConfigurationError, match='the store has gone'):
        write_records(path, broken())
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ['memory.jsonl']
