# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Data sets: files of training examples, and what must not be in them."""

from __future__ import annotations

import gzip
import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.prompt import Step
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.dataset import (
    FORMAT,
    Dataset,
    Header,
    check_dataset,
    read_dataset,
    write_dataset,
)
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.sim.household.task_sets import TEST_SETS, task_set
from reactree_ros.sim.robots.tasks import robot_tasks

ORIGIN = ExampleOrigin('wah_train 1', 'home_1', 0, 'Tidy up.', 'reactree+wm', 'solver', True)
EXAMPLE = TrainingExample(
    'You steer a robot.',
    (),
    'Goal: Tidy up.\nYou see a café\u2028table (1).\n',
    (Step('Act: done', True),),
    ORIGIN,
)
TESTED = task_set('wah_test')[1]
assert TESTED.unseen
WORDING = TESTED.instructions[2]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / 'new' / 'data.jsonl.gz'
    header = Header('reactree-lab dataset …', 'household', {'examples': 2}, 'abc')
    dataset = Dataset(header, (EXAMPLE, replace(EXAMPLE, examples=('Goal: x\nAct: done\n',))))
    write_dataset(path, dataset)
    assert read_dataset(path) == dataset
    first = path.read_bytes()
    write_dataset(path, dataset)
    assert path.read_bytes() == first, 'so that its hash names it'
    assert [one.name for one in path.parent.iterdir()] == ['data.jsonl.gz']


def lines(*objects: Any) -> bytes:
    return gzip.compress(''.join(json.dumps(one) + '\n' for one in objects).encode())


HEAD = {'format': FORMAT}


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (b'no gzip', 'line 1'),
        (lines(HEAD, EXAMPLE.to_json())[:60], 'not a data set'),
        (lines({'format': 'reactree trace 1'}), 'line 1'),
        (lines([]), 'line 1'),
        (lines(HEAD, EXAMPLE.to_json(), {'system': ''}), 'line 3'),
        (lines(HEAD, {**EXAMPLE.to_json(), 'steps': []}), 'line 2'),
        (lines({**HEAD, 'colour': 'red'}), 'line 1'),
    ],
)
def test_what_is_no_data_set_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / 'data.jsonl.gz'
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=message) as raised:
        read_dataset(path)
    assert str(path) in str(raised.value)


def test_one_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='reactree-lab dataset --out'):
        read_dataset(tmp_path / 'data.jsonl.gz')


def test_a_folder_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('in the way')
    with pytest.raises(ConfigurationError, match='cannot be written'):
        write_dataset(tmp_path / 'file' / 'data.jsonl.gz', Dataset(Header(), (EXAMPLE,)))


@pytest.mark.parametrize(
    'name', [*TEST_SETS, 'made_test', 'made_dev', 'goals_dev', 'kitchen', 'bt_arm', 'barman']
)
def test_a_test_task_is_refused(name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=f"example 2: planners are judged by the task '{name} 3'"
    ):
        check_dataset([EXAMPLE, replace(EXAMPLE, origin=replace(ORIGIN, task=f'{name} 3'))])


def test_a_household_of_tests_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=f"household '{TESTED.scene}'"):
        check_dataset([replace(EXAMPLE, origin=replace(ORIGIN, scene=TESTED.scene))])


@pytest.mark.parametrize(
    'changes',
    [
        {'origin': replace(ORIGIN, instruction=WORDING)},
        {'origin': replace(ORIGIN, instruction=f'  {WORDING.upper()[:-1]} !')},
        {'task': f'Goal: {WORDING}\nYou are in a kitchen.\n'},
        {'task': f'Primary goal: {WORDING}\nSubgoals (…): a\nGoal: a\nYou are in a kitchen.\n'},
        {
            'task': 'Primary goal: tidy up\nSubgoals (sequence, one after another; all must '
            f'succeed): pick up a cup; {WORDING.lower()}\nGoal: pick up a cup\nYou see a cup.\n'
        },
        {'steps': (Step(f'Expand: sequence {json.dumps(["find it", WORDING])}', True),)},
        {'examples': (f'Goal: {WORDING}\nYou are in a kitchen.\nAct: done\n',)},
    ],
    ids=['instruction', 'normalised', 'goal', 'parent', 'sibling', 'subgoal', 'experience'],
)
def test_a_goal_worded_like_a_test_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match='is worded like its'):
        check_dataset([replace(EXAMPLE, **changes)])


@pytest.mark.parametrize('line', ['Goal: {}\n', 'Primary goal: {}\nSubgoals (…): a\nGoal: a\n'])
def test_where_the_instruction_is_not_known_the_goals_of_the_prompt_are_compared(line: str) -> None:
    wording = robot_tasks('office')[0].instruction
    origin = replace(ORIGIN, task='', instruction='')
    with pytest.raises(ConfigurationError, match='is worded like its'):
        check_dataset(
            [replace(EXAMPLE, origin=origin, task=f'{line.format(wording)}It is late.\n')]
        )
    known = replace(ORIGIN, instruction='tidy up')
    check_dataset([replace(EXAMPLE, origin=known, task=f'{line.format(wording)}It is late.\n')])


def test_a_test_is_found_however_its_letters_are_composed() -> None:
    tasks = (task for name in TEST_SETS for task in task_set(name))
    wordings = (one for task in tasks for one in (task.instruction, *task.instructions))
    accented = next(one for one in wordings if unicodedata.normalize('NFD', one) != one)
    with pytest.raises(ConfigurationError, match='is worded like its'):
        check_dataset(
            [
                replace(
                    EXAMPLE,
                    origin=replace(ORIGIN, instruction=unicodedata.normalize('NFD', accented)),
                )
            ]
        )


def test_all_faults_are_counted_and_the_first_are_shown() -> None:
    wrong = replace(EXAMPLE, origin=replace(ORIGIN, task='wah_test 1'))
    with pytest.raises(ConfigurationError, match='and 4 more'):
        check_dataset([wrong] * 9)


def test_training_tasks_may_be_learned_from() -> None:
    check_dataset([EXAMPLE, replace(EXAMPLE, origin=replace(ORIGIN, task='', scene=''))])
