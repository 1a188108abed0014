# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments: of the planner, of the model's process, of the robot's bridge.

A few of each in the suite; ``make kills`` kills each 50 times. A moment is drawn by its seed, so
that it can be tried again: ``REACTREE_KILL_SEED=17 pytest -k planner``.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String

from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import processes_of
from reactree_ros.lab.bench.soak import children_of
from reactree_ros.models.kind import check_options
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.models.options import ModelOptions
from reactree_ros.ros.goals.journal import Found, read_journal
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.recording.run_file import RunFile

from ...thorough import thorough

pytestmark = pytest.mark.ros

KILLS = int(os.environ.get('REACTREE_KILLS') or thorough(2, 1))
SEED = os.environ.get('REACTREE_KILL_SEED')
SEEDS = [int(SEED)] if SEED else [*range(KILLS)]
OF_A_MODEL = 3
"""A planner starts its model again up to three times within ten minutes."""
READY_SEC = 150.0
END_SEC = 90.0

GOAL, NEXT = 'walk through the house', 'look around'
ROOMS = ('bathroom 1', 'bedroom 1', 'living room 1', 'kitchen 1')
SCRIPT = {
    GOAL: ['Think: four rooms', 'Expand: sequence ["two rooms", "two more"]'],
    'two rooms': [*(f'Act: go to {room}' for room in ROOMS[:2]), 'Act: done'],
    'two more': [*(f'Act: go to {room}' for room in ROOMS[2:]), 'Act: done'],
    NEXT: ['Act: done'],
}
AFTER = {goal: ['Act: done'] * 9 for goal in SCRIPT}
"""What the model says after a restart: nothing is begun anew, so a skill done twice stands out."""
LIMITS = {'robot.cancel_sec': 2.0}
PLANNER = {
    'robot.check_service': '',
    **LIMITS,
}
SKILL_SEC = 0.4


def process_of(system: Any, word: str) -> Any:
    (one,) = [one for one in system.group._running if word in one.spec.name]
    return one.process


def kill(process: Any) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def pause(system: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    system.spinner.until(lambda: time.monotonic() >= end, 'time passes')


def done_in(log: list[str], room: str) -> int:
    """Return how often the bridge says that the robot has gone to a room."""
    return sum(f'go to {room}: You' in line for line in log)


@pytest.mark.parametrize('seed', SEEDS)
def test_after_the_death_of_the_planner_the_next_one_is_clean(
    start_system: Callable[..., Any], tmp_path: Path, seed: int
) -> None:
    draw = random.Random(f'planner {seed}')
    then = {
        'restart.goals': draw.choice(['report', 'resume']),
        'restart.skills': draw.choice(['stop', 'attach']),
    }
    moment = draw.uniform(0.0, 5 * SKILL_SEC)
    journal = tmp_path / 'journal'
    planner = {**PLANNER, 'restart.journal': str(journal)}
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': SKILL_SEC}
    runs = {'runs': str(tmp_path / 'runs')}
    with start_system(SCRIPT, planner, bridge, **runs) as first:
        first.ready(seconds=READY_SEC)
        first.send(goal=GOAL)
        pause(first, moment)
        kill(process_of(first, 'planner'))
        found = read_journal(journal)
        with start_system(AFTER, {**planner, **then}, sim='none', **runs) as second:
            reports: list[str] = []
            second.spinner.node.create_subscription(
                String, 'reactree/restart_report', lambda told: reports.append(told.data), LATEST
            )
            second.ready(bridge=False, seconds=READY_SEC)
            second.spinner.until(
                lambda: not journal.read_text(), 'nothing is open', END_SEC, seen=second.log
            )
            if found:
                second.spinner.until(lambda: reports, 'a report', seen=second.log)
                check_report(reports[0], found, then)
            assert first.send_skill('go_to', 'bedroom 1').accepted, 'the robot is free'
            pause(second, 2 * SKILL_SEC)
            answer = second.result(second.send(goal=NEXT))
            assert answer.result.status == 'succeeded'
            for room in ROOMS:
                assert done_in(first.log, room) <= 1 + (room == 'bedroom 1'), 'nothing twice'
            if then['restart.goals'] == 'resume' and found.goals and found.goals[0].begun:
                files = [RunFile(path) for path in (tmp_path / 'runs').glob('*.mcap')]
                ends = [file.ended for file in files if file.began['goal'] == GOAL]
                assert any(end.get('status') == 'succeeded' for end in ends), ends


def check_report(report: str, found: Found, then: dict[str, str]) -> None:
    """Hold what a planner says that it found against the journal that it read."""
    for goal in found.goals:
        assert f'"{goal.request["goal"]}"' in report or not goal.begun
        if then['restart.goals'] == 'report':
            assert 'is not resumed' in report
        else:
            assert 'is resumed' in report
    for sent in found.sent:
        assert f'the robot may still be executing "{sent.phrase}"' in report


@pytest.mark.parametrize('seed', SEEDS)
def test_after_the_death_of_the_bridge_the_planner_continues(
    start_system: Callable[..., Any], seed: int
) -> None:
    draw = random.Random(f'bridge {seed}')
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': SKILL_SEC}
    script = {**SCRIPT, NEXT: [f'Act: go to {ROOMS[0]}', 'Act: done']}
    for goal in ('two rooms', 'two more'):
        script[goal] = [*script[goal][:-1], 'Act: failure']
    with start_system(script, PLANNER, bridge) as system:
        system.ready(seconds=READY_SEC)
        handle = system.send(goal=GOAL)
        pause(system, draw.uniform(0.0, 5 * SKILL_SEC))
        kill(process_of(system, 'bridge'))
        answer = system.result(handle, END_SEC)
        assert answer.result.status == 'failed'
        bridges = tuple(one for one in processes_of() if one.name == 'household_bridge')
        with ProcessGroup(
            system.group._given, lambda name, line: system.log.append(line), bridges
        ) as again:
            system.group._running[0] = again._running[0]
            system.spinner.until(
                lambda: sum('bridge is ready' in line for line in system.log) == 2, 'it is there'
            )
            pause(system, 1.0)  # the planner discovers it
            answer = system.result(system.send(goal=NEXT), END_SEC)
            assert answer.result.status == 'succeeded', answer.result.message
            system.group._running.pop(0)


@pytest.fixture
def real_model() -> Iterator[str]:
    try:
        check_options(ModelOptions(name=DEFAULT_MODEL))
    except Exception as error:
        pytest.skip(f'the default model is not here: {error}')
    yield DEFAULT_MODEL


@pytest.mark.thorough
@pytest.mark.parametrize('seed', SEEDS[: -(-len(SEEDS) // OF_A_MODEL)] if not SEED else SEEDS)
def test_after_the_death_of_the_model_the_planner_starts_it_again(
    start_system: Callable[..., Any], real_model: str, seed: int
) -> None:
    draw = random.Random(f'model {seed}')
    bridge = {'skill_duration_sec': 0.05}
    planner = {'limits.max_duration_sec': 120.0, 'limits.max_decisions': 2}
    with start_system({}, planner, bridge, model=real_model) as system:
        system.ready(seconds=READY_SEC)
        for _ in range(OF_A_MODEL):
            handle = system.send(goal='put the apple in the fridge')
            pause(system, draw.uniform(0.0, 4.0))
            servers = children_of(process_of(system, 'planner').pid)
            assert len(servers) == 1, 'one process of the model'
            before = sum('starting again' in line for line in system.log)
            os.kill(servers[0], signal.SIGKILL)
            system.spinner.until(
                lambda known=before: sum('starting again' in line for line in system.log) > known,
                'it says so',
                seen=system.log,
            )
            answer = system.result(handle, END_SEC + 60.0)
            assert answer.result.status in ('succeeded', 'failed')
            assert answer.result.reason != 'model', answer.result.message
            assert len(children_of(process_of(system, 'planner').pid)) == 1
