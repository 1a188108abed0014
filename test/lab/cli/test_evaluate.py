# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab evaluate`` as a process: killed, interrupted, asked for something else."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.lab.evaluation.store import Store
from reactree_ros.sim.household import shipped_tasks
from reactree_ros.sim.robots.tasks import robot_tasks

KILLS = 10
PLANNERS = (
    'reactree+wm[mask_refused_skills=false,reject_recursion=false],react[mask_refused_skills=false]'
)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Walks of different lengths through the kitchen, one of which wins."""
    script: dict[str, list[str]] = {}
    for task in shipped_tasks():
        for index, wording in enumerate(task.instructions or (task.instruction,)):
            walk = ['Act: go to kitchen 1', 'Act: go to fridge 1', 'Act: open fridge 1']
            script[wording] = [*walk[: 1 + (task.id + index) % 3], 'Act: done']
    path = tmp_path / 'script.yaml'
    path.write_text(yaml.safe_dump(script))
    return f'scripted:{path}'


@pytest.fixture
def asked(model: str) -> list[str]:
    return [
        'evaluate', '--no-baselines', '--planners', PLANNERS, '--models', model,
        '--tasks', 'household', '--seeds', '0,1,2,3,4,5,6,7,8,9',
    ]  # fmt: skip


def table(folder: Path) -> list[dict[str, str]]:
    """Return the table without what the clock said."""
    with (folder / 'summary.csv').open(encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    return [{k: v for k, v in row.items() if 'seconds' not in k} for row in rows]


def traces(folder: Path) -> dict[str, Any]:
    """Return all traces without what the clock said, by their place."""
    found = {}
    for path in (folder / 'runs').rglob('*.jsonl'):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found[str(path.relative_to(folder))] = _timeless(lines)
    return found


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k != 'at' and 'seconds' not in k}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


@pytest.mark.thorough
def test_killed_several_times_it_gives_the_same_table(
    reactree_lab: Callable[..., Any], asked: list[str], tmp_path: Path
) -> None:
    whole, parts = tmp_path / 'whole', tmp_path / 'parts'
    assert reactree_lab(*asked, '--out', str(whole)).ends() == 0
    ended = [0]
    for _ in range(KILLS):
        command = reactree_lab(*asked, '--out', str(parts))
        command.says(f'{ended[-1] + 5} of 200 runs')
        command.process.send_signal(signal.SIGKILL)
        assert command.ends() == -signal.SIGKILL
        ended.append(len(traces(parts)))
    assert ended == sorted(set(ended)), 'no run was lost'
    assert ended[-1] < 200, 'it was killed before the end each time'
    assert reactree_lab(*asked, '--out', str(parts)).ends() == 0
    assert traces(parts) == traces(whole)
    assert len(traces(whole)) == 200
    assert table(parts) == table(whole)
    assert len(table(whole)) == 2


@pytest.mark.thorough
def test_an_interrupted_one_says_how_to_go_on(
    reactree_lab: Callable[..., Any], asked: list[str], tmp_path: Path
) -> None:
    command = reactree_lab(*asked, '--out', str(tmp_path / 'out'))
    command.says('3 of 200 runs')
    command.process.send_signal(signal.SIGINT)
    assert command.ends() == 130
    told = '\n'.join(command.lines)
    assert 'of 200 runs have ended and are kept' in told
    assert f'--out {tmp_path / "out"}' in told
    again = reactree_lab('evaluate', '--out', str(tmp_path / 'out'))
    assert again.ends() == 0, again.lines
    store = Store(tmp_path / 'out')
    plan = store.plan()
    assert plan is not None and all(store.path(spec).exists() for spec in plan.runs())


def test_a_second_writer_and_another_plan_are_refused(
    reactree_lab: Callable[..., Any], asked: list[str], tmp_path: Path
) -> None:
    first = reactree_lab(*asked, '--out', str(tmp_path / 'out'))
    first.says('1 of 200 runs')
    os.kill(first.process.pid, signal.SIGSTOP)
    second = reactree_lab(*asked, '--out', str(tmp_path / 'out'))
    assert second.ends() == 2
    assert f'another evaluation writes to {tmp_path / "out"}' in second.lines[-1]
    first.process.kill()
    other = reactree_lab(*asked, '--seeds', '0', '--out', str(tmp_path / 'out'))
    assert other.ends() == 2
    assert '180 of its 200 runs are not asked for now' in other.lines[-1]
    through_ros = reactree_lab('evaluate', '--out', str(tmp_path / 'out'), '--ros')
    assert through_ros.ends() == 2
    assert 'through_ros was False and is True' in through_ros.lines[-1]


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ((), 'arguments are required: --out'),
        (('--out', 'nothing_there', '--report-only'), 'holds no evaluation'),
        (('--planners', 'react', '--out', 'a'), 'both --planners (or --strategies) and --tasks'),
        (
            ('--planners', 'react', '--plan', 'a.yaml', '--out', 'a'),
            '--plan replaces --planners',
        ),
        (('--planners', 'reakt', '--tasks', 'household', '--out', 'a'), 'no planner'),
        (('--planners', 'react', '--tasks', 'home', '--out', 'a'), 'no task set'),
        (
            ('--planners', 'react', '--tasks', 'household', '--models', 'gema', '--out', 'a'),
            "no model 'gema'",
        ),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    reactree_lab: Callable[..., Any], arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    given = [str(tmp_path / one) if one == 'a' else one for one in arguments]
    command = reactree_lab('evaluate', *given)
    assert command.ends() == 2
    assert message in command.lines[-1]
    assert not (tmp_path / 'a').exists(), 'the folder is free for what was meant'


def test_through_ros_the_results_are_the_same(
    reactree_lab: Callable[..., Any], tmp_path: Path
) -> None:
    script = {
        'Put the apple in the fridge.': [
            'Think: first the kitchen',
            'Expand: fallback ["find and pick up the apple in kitchen 1", "put the apple away"]',
        ],
        'find and pick up the apple in kitchen 1': [
            'Act: go to kitchen 1',
            'Act: recall location of apple',
            'Act: failure',
        ],
        'put the apple away': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: done'],
        'Please put the pudding on the coffee table.': ['Act: go to kitchen 1', 'Act: failure'],
    }
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script))
    asked = [
        'evaluate', '--no-baselines',
        '--planners', 'reactree+wm[mask_refused_skills=false,reject_recursion=false]',
        '--models', f'scripted:{tmp_path / "script.yaml"}', '--tasks', 'household:2',
    ]  # fmt: skip
    here, ros = tmp_path / 'here', tmp_path / 'ros'
    assert reactree_lab(*asked, '--out', str(here)).ends() == 0
    command = reactree_lab(*asked, '--out', str(ros), '--ros')
    assert command.ends() == 0, command.lines
    found, expected = traces(ros), traces(here)
    assert [lines[0].pop('through_ros') for lines in found.values()] == [True, True]
    assert [lines[0].pop('through_ros') for lines in expected.values()] == [False, False]
    assert found == expected
    assert sum(len(lines) for lines in found.values()) > 20
    assert table(ros) == table(here)


@pytest.mark.thorough
def test_through_ros_a_task_of_the_arm_goes_the_same_and_is_recorded(
    reactree_lab: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip('mujoco')
    pytest.importorskip('ompl')
    acts = ['go to kitchen counter 1', 'pick up apple 1', 'pick up apple 1', 'done']
    script = {'Pick up the apple.': [f'Act: {act}' for act in acts]}
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script))
    asked = [
        'evaluate', '--no-baselines', '--planners', 'reactree+wm[read_conditions=false]',
        '--models', f'scripted:{tmp_path / "script.yaml"}', '--tasks', 'kitchen_knock:1',
    ]  # fmt: skip
    here, ros = tmp_path / 'here', tmp_path / 'ros'
    assert reactree_lab(*asked, '--out', str(here)).ends() == 0
    command = reactree_lab(*asked, '--out', str(ros), '--ros')
    assert command.ends() == 0, command.lines
    found, expected = traces(ros), traces(here)
    for lines in (*found.values(), *expected.values()):
        lines[0].pop('through_ros')
    assert found == expected
    (lines,) = found.values()
    assert any('could not pick up apple' in str(line) for line in lines)
    assert any('You pick up apple' in str(line) for line in lines)
    kept = sorted(path.suffix for path in (ros / 'recordings').iterdir())
    assert kept == ['.jsonl', '.mcap']


def test_through_ros_a_declared_world_is_as_it_was_at_first_in_every_run(
    reactree_lab: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip('nav2_msgs')
    first, second = (task.instruction for task in robot_tasks('bt_office')[:2])
    script = {
        first: ['Act: go to reception 1', 'Act: load visitor badge 1', 'Act: done'],
        second: ['Act: go to reception 1', 'Act: load visitor badge 1', 'Act: done'],
    }
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script))
    command = reactree_lab(
        *('evaluate', '--ros', '--no-baselines', '--planners', 'react[read_conditions=false]'),
        *('--models', f'scripted:{tmp_path / "script.yaml"}', '--tasks', 'bt_office:2'),
        *('--out', str(tmp_path / 'out')),
    )
    assert command.ends() == 0, command.lines
    seen = [
        [line['text'] for line in lines if line.get('kind') == 'observation']
        for lines in traces(tmp_path / 'out').values()
    ]
    assert len(seen) == 2 and len(seen[0]) == 2 and seen[0] == seen[1]
