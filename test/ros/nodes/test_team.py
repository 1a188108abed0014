# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots that work for one goal as real processes: they know together, and one is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.cli import main
from reactree_ros.cli.processes import STARTER
from reactree_ros.paths import share

pytestmark = pytest.mark.ros

FETCH = {
    'bring both': ['Expand: parallel ["bring the apple", "bring the bananas"]'],
    'bring the apple': [
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        'Act: go to coffee table 1',
        'Act: put down apple 1',
        'Act: done',
    ],
    'bring the bananas': [
        'Act: go to kitchen 1',
        'Act: go to kitchen table 1',
        'Act: pick up bananas 1',
        'Act: go to coffee table 1',
        'Act: put down bananas 1',
        'Act: done',
    ],
}
"""Each needs what the other has seen: it goes to places of rooms that it has not been in."""
KILLED_SEC = 90.0
"""A killed process is missed after the 20 s that DDS takes, and ``robot.server_wait_sec``."""


def test_two_robots_work_in_one_household(start_system: Callable[..., Any]) -> None:
    script = {**FETCH, 'bring the apple': ['Act: go to living room 1', 'Act: go to kitchen 1'] +
              FETCH['bring the apple']}  # fmt: skip
    bridge = {'room': 'bathroom 1', 'skill_duration_sec': 0.3}
    with start_system(script, {}, bridge, robots='anna,bert') as system:
        system.ready(bridge=False)
        result = system.result(system.send(goal='bring both')).result
        assert result.status == 'succeeded', (result.message, result.tree)
        found = system.check('apple on coffee table', 'bananas on coffee table')
        assert found.holds, found.unsatisfied
        assert len(found.changes) == 2
        by = {one.path[-1]: one.robot for one in system.events if one.kind == 'act'}
        assert by == {'bring the apple': 'anna', 'bring the bananas': 'bert'}


def test_robots_with_different_skills(
    start_system: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = yaml.safe_load(share('behaviors', 'household.yaml').read_text(encoding='utf-8'))
    base = {**library, 'name': 'base', 'agent': 'a base without an arm'}
    base['skills'] = {'go_to': library['skills']['go_to']}
    for unused in ('examples', 'prompts', 'safe_state'):
        base.pop(unused, None)
    (tmp_path / 'base.yaml').write_text(yaml.safe_dump(base), encoding='utf-8')
    script = {
        'bring it': [
            'Expand: sequence ["bert: look in the kitchen", "bring the apple", "tidy up"]'
        ],
        'look in the kitchen': [
            'Act: go to kitchen 1',
            'Act: go to kitchen counter 1',
            'Act: done',
        ],
        'bring the apple': ['Act: go to living room 1', *FETCH['bring the apple']],
        'tidy up': ['Expand: parallel ["anna: rest", "bring the bananas"]'],
        'rest': ['Act: go to bedroom 1', 'Act: go to bathroom 1', 'Act: done'],
        'bring the bananas': ['Act: failure', *FETCH['bring the bananas']],
    }
    planner = {'skills_of_robots': ['', str(tmp_path / 'base.yaml')]}
    bridge = {'room': 'bathroom 1', 'skill_duration_sec': 0.1}
    runs = tmp_path / 'runs'
    with start_system(script, planner, bridge, runs=str(runs), robots='anna,bert') as system:
        system.ready(bridge=False)
        result = system.result(system.send(goal='bring it')).result
        assert result.status == 'succeeded', (result.message, result.tree)
        found = system.check('apple on coffee table', 'bananas on coffee table')
        assert found.holds, found.unsatisfied
        began = [(one.path[-1], one.robot) for one in system.events if one.kind == 'goal']
        system.logs('recorded in')
    assert began[1:3] == [('look in the kitchen', 'bert'), ('bring the apple', 'anna')]
    assert [robot for goal, robot in began if goal == 'bring the bananas'] == ['bert', 'anna']
    assert main.run(['replay', '--recompute', *map(str, runs.glob('*.mcap'))]) == 0
    assert capsys.readouterr().out.startswith('the same: ')


def test_the_subgoal_of_a_killed_robot_goes_to_another(
    start_system: Callable[..., Any],
) -> None:
    rooms = [f'Act: go to {name} 1' for name in ('bedroom', 'bathroom', 'kitchen', 'living room')]
    script = {
        'walk': ['Expand: parallel ["short", "long"]'],
        'short': [*rooms[:2], 'Act: done'],
        'long': [*rooms, *rooms, 'Act: done'],
    }
    planner = {'robot.server_wait_sec': 5.0}
    with ExitStack() as stack:
        system = stack.enter_context(
            start_system(script, planner, sim='none', skills='household', robots='anna,bert')
        )
        robots = {}
        for name in ('anna', 'bert'):
            line = [sys.executable, '-m', STARTER, 'reactree_ros.ros.nodes.household_bridge']
            given = ['--ros-args', '-r', f'__ns:=/{name}', '-p', 'skill_duration_sec:=1.0']
            robots[name] = subprocess.Popen(
                [*line, *given, '-p', 'room:=kitchen 1'], stderr=subprocess.DEVNULL
            )
            stack.callback(robots[name].wait)
            stack.callback(robots[name].kill)
        system.ready(bridge=False)
        system.logs('planner is ready for goals')
        handle = system.send(goal='walk')
        system.spinner.until(
            lambda: (
                sum((one.kind, one.robot) == ('observation', 'bert') for one in system.events) > 1
            ),
            'bert is on its way',
        )
        robots['bert'].send_signal(signal.SIGKILL)
        result = system.result(handle, KILLED_SEC).result
        assert result.status == 'succeeded', (result.message, result.tree)
        tried = [one.robot for one in system.events if (one.kind, one.path[-1]) == ('goal', 'long')]
        assert tried == ['bert', 'anna']
        ended = {one.robot: one.kind for one in system.events if one.path[-1] == 'long'}
        assert ended == {'bert': 'failure', 'anna': 'done'}
        assert robots['anna'].poll() is None
