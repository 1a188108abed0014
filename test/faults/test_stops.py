# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner is stopped in every way while its robot has not even acknowledged the goal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from action_msgs.msg import GoalStatus

from reactree_ros.cli.processes import PLANNER, STARTER
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.ros.skills.run import Timeouts

from .manners import Entry, Manners
from .schedule import ENDLESS_SEC, Errand, Moods, Schedule
from .stage import MACHINE_SEC, Stage

pytestmark = pytest.mark.ros

UNHURRIED = Timeouts(server_wait_sec=10.0, goal_response_sec=10.0, cancel_sec=10.0)
ASLEEP_SEC = 0.5
"""So long the robot's server takes no note of a goal."""
SCRIPT = {f'do as you like {number}': ['Act: wave', 'Act: done'] for number in range(2)}
STARTING_SEC = 60.0
"""No limit that is tested: a process that hangs would otherwise hang the test."""


class Sleepy(Moods):
    """A robot that takes note of its goals late, then begins them, and stops when it is asked."""

    def __init__(self) -> None:
        super().__init__(0)

    def __call__(self) -> Manners:
        return Manners(goal='asleep', late_sec=ASLEEP_SEC, work_sec=ENDLESS_SEC)

    def observation_is_silent(self) -> bool:
        return False


class ProcessStage(Stage):
    """A stage on which the planner is a process of its own, as robots have it."""

    log: Any

    def _start_planner(self, values: dict[str, Any]) -> Any:
        script = Path(values['skills']).parent / 'script.yaml'
        script.write_text(yaml.safe_dump(SCRIPT))
        values = {**values, 'model.name': f'scripted:{script}', 'limits.max_duration_sec': 60.0}
        given = [
            part
            for name, value in values.items()
            for part in ('-p', f'{name}:={json.dumps(value)}')
        ]
        self.log = script.with_suffix('.log').open('w+')
        process = subprocess.Popen(
            [sys.executable, '-m', STARTER, PLANNER.module, '--ros-args', *given],
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self._made.callback(self.log.close)
        self._made.callback(process.kill)
        return process


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    stages: list[Stage] = []

    def make(kind: type[Stage] = Stage) -> Stage:
        plan = Schedule(0, 'preempt', (), 0.0)
        one = kind(plan, tmp_path, monkeypatch, Sleepy(), ScriptedModel(SCRIPT), UNHURRIED)
        stages.append(one)
        return one

    yield make
    for one in stages:
        one.close()


def asleep(one: Stage) -> tuple[str, Entry]:
    """Wait until a goal has come to the robot's server, which is asleep, and return its entry."""
    ledger = one.robot.server.ledger
    one.until(lambda: ledger, MACHINE_SEC, 'the robot has got a goal')
    ((goal_id, entry),) = ledger.items()
    assert not entry.known
    return goal_id, entry


def stopped_once(entry: Entry) -> bool:
    return (entry.received, entry.begun, entry.cancels, entry.moving) == (1, 1, 1, False)


def test_a_cancel(stage: Any) -> None:
    one = stage()
    sent = one.send(Errand(0.0, ()))
    _, entry = asleep(one)
    sent.handle.cancel_goal_async()
    one.until(one.watch, MACHINE_SEC, 'the goal has its result')
    (answer,) = sent.results
    assert (answer.status, answer.result.status) == (GoalStatus.STATUS_CANCELED, 'canceled')
    assert stopped_once(entry), entry
    assert entry.early_cancels == 1, 'it was asked at once, before it knew the goal'


def test_a_newer_goal(stage: Any) -> None:
    one = stage()
    first = one.send(Errand(0.0, ()))
    _, entry = asleep(one)
    second = one.send(Errand(0.0, ()))
    one.until(lambda: one.watch() or first.over, MACHINE_SEC, 'the first has its result')
    assert first.results[0].result.message == 'a newer goal preempted this one'
    assert stopped_once(entry), entry
    one.until(lambda: len(one.robot.server.ledger) == 2, MACHINE_SEC, 'the second goal begins')
    second.handle.cancel_goal_async()
    one.until(one.watch, MACHINE_SEC, 'the second has its result')
    assert all(stopped_once(one) for one in one.robot.server.ledger.values())


def test_a_planner_that_leaves(stage: Any) -> None:
    one = stage()
    sent = one.send(Errand(0.0, ()))
    _, entry = asleep(one)
    left = one.planner.drain('the planner is shutting down')
    one.until(lambda: one.watch() and left.is_set(), MACHINE_SEC, 'it is at rest')
    assert sent.results[0].result.message == 'the planner is shutting down'
    assert stopped_once(entry), entry


def test_a_planner_that_cannot_wait_for_the_robot(stage: Any) -> None:
    one = stage()
    sent = one.send(Errand(0.0, ()))
    _, entry = asleep(one)
    one.planner.drain('the planner is shutting down', 0.0)
    one.until(lambda: one.watch() or sent.over, MACHINE_SEC, 'the goal has its result')
    assert sent.results[0].result.status == 'canceled'
    assert 'the robot has not confirmed that it stopped' in sent.results[0].result.message
    one.until(lambda: stopped_once(entry), MACHINE_SEC, 'the robot stops once it is awake')


@pytest.mark.parametrize(
    'numbers',
    [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT, signal.SIGTERM)],
    ids=['SIGINT twice', 'SIGTERM, SIGINT, SIGTERM'],
)
def test_signals(stage: Any, numbers: tuple[signal.Signals, ...]) -> None:
    one = stage(ProcessStage)
    sent = one.send(Errand(0.0, ()))
    _, entry = asleep(one)
    for number in numbers:
        one.planner.send_signal(number)
    one.until(one.watch, STARTING_SEC, 'the goal has its result')
    one.planner.wait(timeout=STARTING_SEC)
    one.log.seek(0)
    log = one.log.read()
    assert one.planner.returncode == 0, log
    assert sent.results[0].result.message == 'the planner is shutting down'
    assert stopped_once(entry), entry
    assert 'Traceback' not in log
