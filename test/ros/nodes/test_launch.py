# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What users of a full ROS 2 installation type: ros2 launch, the other verbs, and the watchers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

for needed in ('ros2launch', 'ros2action', 'ros2lifecycle', 'ros2param', 'py_trees_ros'):
    pytest.importorskip(needed)
Event = pytest.importorskip('reactree_interfaces.msg').Event

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(shutil.which('ros2') is None, reason='the program ros2 is not in the path'),
]

PATIENCE_SEC = 60.0
GOAL = 'put an apple in the fridge'
FIND, STORE = 'find and pick up an apple', 'put the apple in the fridge'
SCRIPT = {
    GOAL: ['Think: It is closed.', f'Expand: sequence ["{FIND}", "{STORE}"]', 'Act: done'],
    FIND: [
        'Act: go to kitchen 1',
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        'Act: done',
    ],
    STORE: ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: put down apple 1', 'Act: done'],
}


class Program:
    """A program that runs, and all that it has printed."""

    def __init__(self, *line: str) -> None:
        self._process = subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, 'PYTHONUNBUFFERED': '1', 'RCUTILS_COLORIZED_OUTPUT': '0'},
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        return '\n'.join(self.lines)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def prints(self, spinner: Any, text: str) -> None:
        spinner.until(lambda: text in self.text, f'{text!r} among {self.text}', PATIENCE_SEC)

    def ends(self, number: int | None = None) -> int:
        """Send it a signal, if one is given, as Ctrl-C does, and return its exit code."""
        if number is not None:
            self._process.send_signal(number)
        code = self._process.wait(PATIENCE_SEC)
        self._reader.join(PATIENCE_SEC)
        return code

    def kill(self) -> None:
        if self.running:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(PATIENCE_SEC)

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(line.rstrip() for line in self._process.stdout)


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    started: list[Program] = []

    def start(*line: str) -> Program:
        started.append(Program(*line))
        return started[-1]

    yield start
    for one in reversed(started):
        one.kill()


@pytest.fixture
def launched(program: Any, spinner: Any, tmp_path: Path) -> Program:
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(SCRIPT))
    (tmp_path / 'params.yaml').write_text(
        yaml.safe_dump({'/**/household_bridge': {'ros__parameters': {'skill_duration_sec': 0.5}}})
    )
    launch: Program = program(
        'ros2', 'launch', 'reactree_ros', 'planner.launch.py',
        f'model:=scripted:{tmp_path / "script.yaml"}', f'params_file:={tmp_path / "params.yaml"}',
        'memory:=none', 'runs:=none', 'viewer:=true', 'viewer_port:=0',
    )  # fmt: skip
    launch.prints(spinner, 'planner is ready for goals')
    launch.prints(spinner, 'the viewer is at http://localhost:')
    return launch


def asked(verb: str, act: str, *words: str) -> str:
    """Return what ros2 says of the planner; without a daemon, which would outlive the test."""
    line = ('ros2', verb, act, '--no-daemon', '--spin-time', '3', '/reactree_planner', *words)
    for _ in range(5):
        done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_SEC)
        if 'ode not found' not in done.stderr:  # discovery takes longer on a busy machine
            break
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def watcher(program: Any, spinner: Any, sign: str, *line: str) -> Program:
    """Start a watcher; it gives up if it does not discover the planner within two seconds."""
    for _ in range(10):
        one: Program = program(*line)
        spinner.until(
            lambda one=one: sign in one.text or not one.running,
            f'{line[0]} watches or ends',
            PATIENCE_SEC,
        )
        if one.running:
            return one
    raise AssertionError(one.text)


def test_the_system_is_launched_asked_watched_and_ended(
    launched: Program, program: Any, spinner: Any
) -> None:
    assert 'active' in asked('lifecycle', 'get')
    assert 'tick_hz' in asked('param', 'list')
    described = asked('param', 'describe', 'tick_hz')
    assert 'Description: ' in described
    assert 'Max value: 200.0' in described

    line = ('py-trees-tree-watcher', '--blackboard-data', '--statistics')
    tree = watcher(program, spinner, 'waiting for a goal', *line)
    board = watcher(program, spinner, 'creating subscription', 'py-trees-blackboard-watcher')
    goal = program(
        'ros2', 'action', 'send_goal', '--feedback', '/reactree/execute_goal',
        'reactree_interfaces/action/ExecuteGoal', yaml.safe_dump({'goal': GOAL}),
    )  # fmt: skip
    assert goal.ends() == 0
    assert 'Goal finished with status: SUCCEEDED' in goal.text
    assert f'kind: {Event.KIND_OBSERVATION}\n' in goal.text
    for shown in (GOAL, 'sequence of 2', FIND, STORE, 'open fridge 1'):
        tree.prints(spinner, shown)
    tree.prints(spinner, '/working_memory/apple')
    board.prints(spinner, '/working_memory/room')
    assert tree.ends(signal.SIGINT) == 0
    assert board.ends(signal.SIGINT) == 0

    assert launched.ends(signal.SIGINT) == 0
    assert 'Traceback' not in launched.text
    assert launched.text.count('process has finished cleanly') == 3
    assert '[ERROR]' not in launched.text


def test_the_planner_goes_through_its_states_by_the_command_line(
    launched: Program, spinner: Any
) -> None:
    def change(transition: str) -> None:
        assert 'Transitioning successful' in asked('lifecycle', 'set', transition)

    change('deactivate')
    launched.prints(spinner, 'deactivated: goals are rejected')
    change('cleanup')
    launched.prints(spinner, 'the model is unloaded')
    assert 'Set parameter successful' in asked('param', 'set', 'tick_hz', '25.0')
    change('configure')
    change('activate')
    assert launched.text.count('planner is ready for goals') == 2
