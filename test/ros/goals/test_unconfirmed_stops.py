# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal whose robot does not confirm that it stopped says so wherever its end is told."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_interfaces.msg import DecisionRecord, Event
from reactree_ros.ros.qos import EVENTS
from reactree_ros.ros.recording.run_file import RunFile

pytestmark = pytest.mark.ros

LIBRARY = """
name: driver
action: robot/execute_skill
result_sec: 3600.0
world: {start: dock, places: {dock: {pose: {x: 1, y: 2}}}}
skills:
  drive: {phrase: drive on}
"""
TOLD = '"drive on" was canceled; the robot did not confirm within 0.5 s that it stopped'


@pytest.mark.parametrize('how', ['cancel', 'SIGINT'])
def test_a_stop_that_was_not_confirmed_is_told_everywhere(
    start_system: Callable[..., Any], serve: Any, tmp_path: Path, how: str
) -> None:
    (tmp_path / 'driver.yaml').write_text(LIBRARY)
    robot = serve('robot/execute_skill', 'deaf')
    planner = {'robot.cancel_sec': 0.5}
    heard: dict[str, list[Any]] = {'events': [], 'audit': []}
    runs = tmp_path / 'runs'
    given = {'skills': str(tmp_path / 'driver.yaml'), 'runs': str(runs), 'sim': 'none'}
    with start_system({'go': ['Act: drive on']}, planner, **given) as system:
        node = system.spinner.node
        for topic, kind in (('events', Event), ('audit', DecisionRecord)):
            node.create_subscription(kind, f'reactree/{topic}', heard[topic].append, EVENTS)
        system.ready(bridge=False)
        handle = system.send(goal='go')
        system.spinner.until(robot.started.is_set, 'the robot drives', seen=system.log)
        if how == 'cancel':
            why = 'the goal was canceled'
            system.cancel(handle)
        else:
            why = 'the planner is shutting down'
            system.group._running[0].process.send_signal(signal.SIGINT)
        result = system.result(handle).result
        assert (result.status, result.message) == ('canceled', f'{why}; {TOLD}')
        assert f'interrupted; {TOLD}.' in result.tree
        system.happens('fault', f'{TOLD}.')
        system.spinner.until(lambda: heard['audit'], 'the audit has it')
        (record,) = heard['audit']
        assert record.outcome == f'it was interrupted; {TOLD}.'
        system.spinner.until(
            lambda: heard['events'][-1].kind == Event.KIND_ENDED, 'the end is told'
        )
        assert [one.text for one in heard['events'] if one.kind == Event.KIND_FAULT] == [f'{TOLD}.']
        system.logs(f'[WARN] fault: {TOLD}.')
        system.logs('recorded in')
        (path,) = runs.glob('*.mcap')
        assert RunFile(path).ended['message'] == result.message
        robot.release.set()


BREAKS = """
import pathlib, sys, threading, time

def fail(server):
    raise ZeroDivisionError('a fault of the planner')

def wait():
    while not pathlib.Path({file!r}).exists():
        time.sleep(0.05)
    if server := sys.modules.get('reactree_ros.ros.goals.goal_server'):
        server.GoalServer._look_for_model = fail

threading.Thread(target=wait, daemon=True).start()
"""


def test_a_fault_of_the_planner_stops_the_robot(
    start_system: Callable[..., Any], serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'driver.yaml').write_text(LIBRARY)
    (tmp_path / 'sitecustomize.py').write_text(BREAKS.format(file=str(tmp_path / 'now')))
    monkeypatch.setenv('PYTHONPATH', f'{tmp_path}{os.pathsep}{os.environ.get("PYTHONPATH", "")}')
    robot = serve('robot/execute_skill', 'hold')
    given = {'skills': str(tmp_path / 'driver.yaml'), 'sim': 'none'}
    with start_system({'go': ['Act: drive on']}, {}, **given) as system:
        system.ready(bridge=False)
        system.send(goal='go')
        system.spinner.until(robot.started.is_set, 'the robot drives', seen=system.log)
        (tmp_path / 'now').touch()
        system.spinner.until(robot.canceled.is_set, 'the robot is stopped', seen=system.log)
        planner = system.group._running[0].process
        system.spinner.until(lambda: planner.poll() is not None, 'the planner has ended')
        assert planner.returncode == 1
        system.logs('a fault of the planner')
