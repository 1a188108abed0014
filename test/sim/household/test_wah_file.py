# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Task files in the form of Watch-And-Help: how they become tasks with a world each."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli import main
from reactree_ros.sim.household import World, check_lines
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.household.wah_file import load_wah


@pytest.fixture
def entry(flat: Callable[..., Any]) -> dict[str, Any]:
    """One task as such files have it, with two agents of whom the graph knows nothing."""
    graph = flat()
    del graph['metadata']
    return {
        'task_id': 7,
        'task_name': 'put_fridge',
        'env_id': 3,
        'level': 1,
        'task_goal': {'0': {'inside_apple_11': 1, 'turnOn_dishwasher_12': 1}, '1': {}},
        'init_graph': graph,
        'init_rooms': ['kitchen', 'bedroom'],
        'nl_instructions': ['Cool an apple and run the dishwasher', 'An apple, please'],
    }


def holds(world: World, lines: Sequence[str]) -> bool:
    found = check_lines(world, lines)
    return found is not None and found.holds


def write(folder: Path, data: Any) -> Path:
    path = folder / 'tasks.json'
    path.write_text(json.dumps(data), encoding='utf-8')
    return path


def test_a_task_has_its_goal_start_wordings_and_world(entry: Any, tmp_path: Path) -> None:
    """Ids in conditions become classes; the first agent's goal and room count."""
    (found,) = load_wah(write(tmp_path, [entry]))

    assert (found.id, found.type) == (7, 'put_fridge')
    lines = found.conditions
    assert lines == ('apple inside fridge', 'dishwasher switched on')
    assert found.wording(1) == 'An apple, please'
    world = TaskWorld(found)
    assert world.observe().room == 'kitchen 1'
    for skill, name in (
        ('go_to', 'kitchen table 1'), ('pick_up', 'apple 1'), ('go_to', 'fridge 1'),
        ('open', 'fridge 1'), ('put_down', 'apple 1'), ('go_to', 'dishwasher 1'),
        ('turn_on', 'dishwasher 1'),
    ):  # fmt: skip
        assert not holds(world, lines)
        world.execute(skill, (name,))
    assert holds(world, lines)


@pytest.mark.parametrize(
    ('goal', 'read'),
    [
        ({'on_plate_kitchentable': 1}, 'plate on kitchen table'),
        ({'inside_juice_11': 2, 'inside_apple_11': 0}, '2 juice inside fridge'),
        ({'0': {'on_plate_10': 1}}, 'plate on kitchen table'),
        ({'inside_candy_bar_box': 1}, 'candy bar inside box'),
    ],
)
def test_goals_are_read_in_each_of_their_forms(
    entry: Any, tmp_path: Path, goal: Any, read: Any
) -> None:
    """With classes or ids, by agent or not; what is wanted no times is not wanted."""
    (found,) = load_wah(write(tmp_path, {'a': {**entry, 'task_goal': goal}}))

    assert found.conditions == (read,)


def test_without_instructions_the_goal_is_told_and_without_a_room_the_graph_counts(
    entry: Any, tmp_path: Path
) -> None:
    """Files of Watch-And-Help itself have no instructions."""
    del entry['nl_instructions'], entry['init_rooms']

    (found,) = load_wah(write(tmp_path, entry))

    assert found.wording(0) == 'apple inside fridge; dishwasher switched on'
    assert TaskWorld(found).observe().room == 'living room 1'


@pytest.mark.parametrize(
    ('key', 'value', 'message'),
    [
        ('task_id', 'seven', "task_id: 'seven' is not a whole number"),
        ('task_goal', {}, 'task_goal: expected conditions'),
        ('task_goal', {'inside_apple_999': 1}, 'inside_apple_999: the graph has no node 999'),
        ('task_goal', {'sit_apple_10': 1}, 'sit_apple_kitchentable: expected inside, on, turnOn'),
        ('task_goal', {'inside_apple_fridge': -1}, 'inside_apple_fridge: the count -1'),
        ('task_goal', {'inside_unicorn_fridge': 1}, 'inside_unicorn_fridge: '),
        ('task_goal', {'inside_apple_11': [1, True, 2]}, 'inside_apple_11: the count [1, True, 2]'),
        ('init_graph', {}, 'init_graph: expected a list of nodes and one of edges'),
        ('init_graph', {'nodes': 5, 'edges': []}, 'init_graph: expected a list of nodes'),
        ('nl_instructions', 5, 'nl_instructions: expected a list of texts, not 5'),
        ('nl_instructions', ['An apple', None], 'nl_instructions: expected a list of texts'),
        ('init_rooms', ['cellar'], "'cellar' is not one of kitchen, livingroom"),
    ],
)
def test_a_wrong_task_is_named(
    entry: Any, tmp_path: Path, key: str, value: Any, message: str
) -> None:
    """With its number in the file."""
    path = write(tmp_path, [entry, {**entry, key: value}])

    with pytest.raises(ConfigurationError) as error:
        load_wah(path)

    assert f'{path}[1]' in str(error.value)
    assert message in str(error.value)


def test_two_tasks_of_one_number_are_refused(entry: Any, tmp_path: Path) -> None:
    """A trace is found again by it."""
    path = write(tmp_path, [entry, entry])
    with pytest.raises(ConfigurationError, match=r'\[1\]\.task_id: 7 is another task already'):
        load_wah(path)


def test_a_file_is_evaluated_like_a_task_set(
    entry: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listed, shown, run to its goal by a script, and reported."""
    path = str(write(tmp_path, [{**entry, 'task_id': 6}, entry]))
    acts = [
        'go to kitchen table 1', 'pick up apple 1', 'go to fridge 1', 'open fridge 1',
        'put down apple 1', 'go to dishwasher 1', 'turn on dishwasher 1', 'done',
    ]  # fmt: skip
    script = tmp_path / 'script.yaml'
    wording = entry['nl_instructions'][0]
    script.write_text(yaml.safe_dump({wording: [f'Act: {act}' for act in acts]}))

    assert main.run(['tasks', 'list', path]) == 0
    assert capsys.readouterr().out.count(wording) == 2
    assert main.run(['tasks', 'show', path, '7']) == 0
    assert 'apple inside fridge' in capsys.readouterr().out
    asked = ['evaluate', '--planners', 'reactree', '--models', f'scripted:{script}']
    where = ['--tasks', f'{path}:2-2', '--no-baselines', '--out', str(tmp_path / 'results')]
    assert main.run([*asked, *where]) == 0
    assert '7, seed 0: holds' in ''.join(capsys.readouterr())
    assert main.run(['evaluate', '--report-only', '--out', str(tmp_path / 'results')]) == 0
    data = str(tmp_path / 'data.jsonl.gz')
    assert main.run(['dataset', '--tasks', path, '--out', data]) == 2
    assert 'nothing is learned from' in capsys.readouterr().err


def test_a_pickled_file_is_not_read(entry: Any, tmp_path: Path) -> None:
    """A pickle may run any code; the message says what to do."""
    path = tmp_path / 'tasks.pik'
    path.write_bytes(pickle.dumps([entry]))

    with pytest.raises(ConfigurationError, match='must be converted to JSON first'):
        load_wah(path)


@pytest.mark.parametrize('text', ['[' * 3000, '[' + '9' * 5000 + ']', '{'])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'tasks.json'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match='is not JSON'):
        load_wah(path)
