# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab dataset`` as a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.lab.dataset.dataset import check_dataset, read_dataset

BY_HAND = """\
Goal: wave at the door
You are in a hall (1).
Think: I wave.
Act: done
"""


def test_it_makes_a_data_set(reactree_lab: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / 'runs.txt').write_text(BY_HAND)
    asked = [
        'dataset', '--tasks', 'wah_train:2', '--wordings', '2',
        '--memory', str(tmp_path / 'runs.txt'), '--planner', 'reactree+wm,react+wm',
        '--most-alike', '3',
    ]  # fmt: skip
    out = tmp_path / 'data' / 'data.jsonl.gz'
    command = reactree_lab(*asked, '--out', str(out), '--workers', '2')
    assert command.ends() == 0, command.lines
    told = '\n'.join(command.lines)
    for text in ('solver', 'react+wm', 'put_fridge', 'expand', 'none of a task set', 'runs 8'):
        assert text in told
    dataset = read_dataset(out)
    check_dataset(dataset.examples)
    header = dataset.header
    assert header.command.startswith('reactree-lab dataset --tasks wah_train:2')
    assert header.library == 'household'
    assert header.counts['examples'] == len(dataset.examples) > 8
    assert header.counts['source'] == {'solver': len(dataset.examples) - 1, 'unknown': 1}
    assert header.counts['made from']['goal reached'] == 8
    there = reactree_lab(*asked, '--out', str(out))
    assert there.ends() == 2
    assert 'is there already' in there.lines[-1]
    again = reactree_lab(*asked, '--out', str(out), '--force')
    assert again.ends() == 0
    assert read_dataset(out).examples == dataset.examples, 'whatever the number of workers'
    assert [one.name for one in out.parent.iterdir()] == ['data.jsonl.gz']


def test_the_examples_of_another_data_set_are_added(
    reactree_lab: Callable[..., Any], tmp_path: Path
) -> None:
    files = [str(tmp_path / f'{number}.jsonl.gz') for number in range(3)]
    for part, out in zip(('1-1', '2-2'), files, strict=False):
        made = reactree_lab(
            'dataset', '--tasks', f'wah_train:{part}', '--wordings', '1', '--out', out
        )
        assert made.ends() == 0, made.lines
    both = reactree_lab('dataset', '--add', files[0], '--add', files[1], '--out', files[2])
    assert both.ends() == 0, both.lines
    first, second, joined = (read_dataset(Path(file)) for file in files)
    assert joined.examples == first.examples + second.examples
    assert joined.header.library == 'household'
    assert joined.header.counts['examples'] == len(joined.examples)
    other = reactree_lab(
        'dataset', '--tasks', 'wah_train:1', '--planner', 'reactree+wm[facts=held]', '--add',
        files[0], '--out', str(tmp_path / 'other.jsonl.gz'),
    )  # fmt: skip
    assert other.ends() == 2
    assert 'were made with the options' in ' '.join(other.lines)


def test_nothing_is_written_after_ctrl_c(reactree_lab: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / 'data.jsonl.gz'
    command = reactree_lab('dataset', '--tasks', 'wah_train', '--workers', '2', '--out', str(out))
    command.says('runs of the solver')
    command.process.terminate()
    assert command.ends() == 130
    assert 'nothing is written' in command.lines[-1]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ((), 'say what to learn from'),
        (('--tasks', 'wah_test:5'), "nothing is learned from 'wah_test'"),
        (('--tasks', 'goals_dev:5'), "nothing is learned from 'goals_dev'"),
        (('--tasks', 'made_dev:1'), "nothing is learned from 'made_dev'"),
        (('--tasks', 'wah_train:5', '--planner', 'zsp'), 'nothing can be learned'),
        (('--tasks', 'wah_train:5', '--planner', ''), '--planner names none'),
        (('--tasks', 'wah_train:0'), 'from 1 to'),
        (('--tasks', 'wah_train:5', '--with-examples', '2'), 'not from 0 to 1'),
        (('--memory', 'nothing.sqlite'), 'no experiences in nothing.sqlite'),
        (('--tasks', 'wah_train:1', '--wordings', '0'), 'nothing is left to be learned from'),
        (
            (
                *('--tasks', 'wah_train:1', '--wordings', '1', '--with-examples', '1'),
                *('--planner', 'react+wm[example_tokens=0]'),
            ),
            'retrieves no experiences',
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    reactree_lab: Callable[..., Any], arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    out = tmp_path / 'data.jsonl.gz'
    command = reactree_lab('dataset', *arguments, '--out', str(out))
    assert command.ends() == 2
    assert message in command.lines[-1]
    assert not out.exists()
