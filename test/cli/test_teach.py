# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree teach`` as a person uses it: processes, a household, and lines that are typed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.cli.processes import STARTER

from ..command import PATIENCE_SEC, Command

pytestmark = [pytest.mark.ros, pytest.mark.model]

GOAL = 'Put the apple in the fridge'
FETCH = ['none', 'go to living room 1', 'go to coffee table 1', 'pick up apple 2']
BRING = ['go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'put down apple 2', 'done']
Start = Callable[..., Command]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))
    return tmp_path / 'reactree_ros'


def typed(*lines: str) -> str:
    return ''.join(f'{line}\n' for line in lines)


def test_a_shown_run_is_learned_and_corrected_where_it_went_wrong(
    reactree: Start, home: Path, say: Callable[..., Any]
) -> None:
    lines = typed(*FETCH, 'put down apple 2', 'done', 'n')
    first = reactree('teach', GOAL, typed=lines)
    assert first.ends() == 1, first.lines
    assert not any(line.startswith('kept') for line in first.lines)
    (path,) = (home / 'runs').iterdir()

    listing = reactree('teach', '--run', str(path), '--at')
    assert listing.ends() == 0
    assert ['   4 Act: pick up apple 2', '   5 Act: put down apple 2'] == [
        line.partition('    (')[0] for line in listing.lines[4:6]
    ]
    second = reactree('teach', '--run', str(path), '--at', '5', typed=typed(*BRING, 'y'))
    assert second.ends() == 0, second.lines
    assert '4 decisions of' in '\n'.join(second.lines)
    (record,) = say('list')
    assert (record['model'], record['verified']) == ('person', 'person')
    (shown,) = say('show', str(record['number']))
    assert shown['text'].count('Act: put down apple 2') == 1

    over = reactree('teach', '--resume')
    assert over.ends() == 2
    assert 'came to its end; correct it with --run' in over.lines[-1]


def planner_of(command: Command) -> int:
    """Return the process id of a command's planner."""
    children = f'/proc/{command.process.pid}/task/{command.process.pid}/children'
    for pid in Path(children).read_text().split():
        if 'planner_node' in Path(f'/proc/{pid}/cmdline').read_text():
            return int(pid)
    raise AssertionError('there is no planner')


@pytest.mark.parametrize('killed', ['teach', pytest.param('planner', marks=pytest.mark.thorough)])
def test_what_was_shown_outlives_a_kill(
    killed: str, reactree: Start, home: Path, say: Callable[..., Any]
) -> None:
    first = reactree('teach', GOAL, silent=True)
    assert first.process.stdin is not None
    for line in FETCH:
        first.says('Decide:')
        first.process.stdin.write(f'{line}\n')
        first.process.stdin.flush()
    first.says('Decide:')
    os.kill(first.process.pid if killed == 'teach' else planner_of(first), signal.SIGKILL)
    if killed == 'planner':
        assert first.ends() == 1
        assert 'teach --resume' in first.lines[-1]
    else:
        first.ends()

    second = reactree('teach', '--resume', typed=typed(*BRING, 'y'))
    assert second.ends() == 0, second.lines
    (record,) = say('list')
    assert record['model'] == 'person'


def test_ctrl_c_twice_ends_the_goal_and_keeps_it(reactree: Start, home: Path) -> None:
    command = reactree('teach', GOAL, silent=True)
    assert command.process.stdin is not None
    command.says('Decide:')
    command.process.stdin.write('none\n')
    command.process.stdin.flush()
    command.says('Decide:')
    command.process.send_signal(signal.SIGINT)
    command.says('Ctrl-C again ends the goal')
    command.process.send_signal(signal.SIGINT)
    assert command.ends() == 130
    listing = reactree('teach', '--resume', '--at')
    assert listing.ends() == 0
    assert 'Conditions: none' in listing.lines[1]


@pytest.mark.parametrize(
    ('arguments', 'why'),
    [
        ([], 'say what the robot should do'),
        (['--resume'], 'nothing was shown yet'),
        (['wave', '--at', '3'], '--at goes with --run or --resume'),
        (['wave', '--resume'], 'leave the goal away'),
        (['--run', 'no.mcap'], 'cannot read the run'),
    ],
)
def test_wrong_use_is_one_sentence(
    arguments: list[str], why: str, reactree: Start, home: Path
) -> None:
    command = reactree('teach', *arguments)
    assert command.ends() == 2
    assert why in command.lines[-1]


@pytest.fixture
def robot() -> Iterator[list[str]]:
    """A household that runs by itself, as a robot does; the arguments of a start without one."""
    module = 'reactree_ros.ros.nodes.household_bridge'
    bridge = subprocess.Popen([sys.executable, '-m', STARTER, module], stdout=subprocess.DEVNULL)
    services = ['--observe-service', 'household/observe', '--check-service', 'household/check_goal']
    yield ['--sim', 'none', '--skills', 'household', *services]
    bridge.terminate()
    bridge.wait(timeout=PATIENCE_SEC)


@pytest.mark.thorough
def test_a_robot_continues_from_where_it_stands(
    reactree: Start, home: Path, robot: list[str], say: Callable[..., Any]
) -> None:
    first = reactree('teach', GOAL, *robot, typed=typed(*FETCH))  # then the input ends
    assert first.ends() == 130, first.lines
    second = reactree('teach', '--resume', typed=typed(*BRING, 'y'))
    assert second.ends() == 0, second.lines
    (record,) = say('list')
    (shown,) = say('show', str(record['number']))
    assert shown['text'].count('Act: pick up apple 2') == 1


@pytest.mark.thorough
def test_another_world_ends_the_run_with_a_word(reactree: Start, home: Path) -> None:
    reactree('teach', GOAL, typed=typed(*FETCH)).ends()
    (path,) = (home / 'runs').iterdir()
    other = reactree('teach', '--run', str(path), '--scene', 'apartment_2', typed='')
    assert other.ends() == 1
    assert any('the run cannot be resumed' in line for line in other.lines), other.lines


def test_a_run_of_a_model_is_corrected(
    reactree: Start, home: Path, scripted: Callable[..., list[str]], say: Callable[..., Any]
) -> None:
    acts = [*FETCH[1:3], 'pick up magazine 2', 'done']
    script = scripted({GOAL: [f'Act: {act}' for act in acts]})
    assert reactree('demo', '--goal', GOAL, *script).ends() == 0
    (path,) = (home / 'runs').iterdir()
    lines = typed('pick up apple 2', *BRING, 'y')
    second = reactree('teach', '--run', str(path), '--at', '3', typed=lines)
    assert second.ends() == 0, second.lines
    (record,) = say('list')
    text = say('show', str(record['number']))[0]['text']
    assert 'magazine 2\n' not in text and 'Act: put down apple 2' in text
