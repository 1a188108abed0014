# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Random schedules: whatever happens, nothing is orphaned, lost, done twice or without end.

``make faults`` plays 500 of them, ``make faults SEED=17`` one; without make, REACTREE_FAULT_SEED.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus

from reactree_ros.ros.nodes.node_main import _is_of_rclpy

from .schedule import TOO_LATE_SEC, Schedule
from .stage import GOAL_BOUND_SEC, LIMITS, MACHINE_SEC, Stage

pytestmark = pytest.mark.ros

IN_THE_SUITE = 30
ENDS = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)
GOES_ON = ('deaf', 'silent', 'unknown', 'rejects', 'terminated')
"""Manners of a robot that does not stop when it is asked to."""
SETTLING_SEC = TOO_LATE_SEC + LIMITS.server_wait_sec + 0.2
"""In this time all that comes late has come."""


def seeds() -> list[int]:
    """Return the seeds that the environment asks for."""
    one = os.environ.get('REACTREE_FAULT_SEED', '')
    if one:
        return [int(one)]
    return list(range(int(os.environ.get('REACTREE_FAULT_SCHEDULES') or IN_THE_SUITE)))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stage]]:
    stages: list[Stage] = []

    def make(seed: int) -> Stage:
        stages.append(Stage(Schedule.of(seed), tmp_path, monkeypatch))
        return stages[-1]

    yield make
    for one in stages:
        one.close()


@pytest.mark.parametrize('seed', seeds())
def test_a_random_schedule_breaks_no_promise(
    stage: Any, seed: int, record_property: Callable[[str, object], None]
) -> None:
    one = stage(seed)
    one.play()
    left = one.planner.drain('the schedule is over')
    told = time.monotonic()
    one.until(one.watch, GOAL_BOUND_SEC, 'every goal has its result')
    settled = time.monotonic() + SETTLING_SEC
    one.until(lambda: time.monotonic() > settled, MACHINE_SEC, 'time passes')
    one.until(
        lambda: left.is_set() or unsettled(one),
        GOAL_BOUND_SEC,
        'the planner can leave, or says why not',
    )
    left_after = time.monotonic() - told

    broken = [*of_the_client(one), *of_the_robot(one)]
    assert not broken, '\n  '.join([f'seed {seed} (again: make faults SEED={seed}):', *broken])
    for name, number in what_happened(one).items():
        record_property(f'faults: {name}', number)
    record_property('slowest: leaving, s', left_after)
    record_property('slowest: goal, s', max(sent.ended_at - sent.at for sent in one.sent))


def of_the_client(one: Stage) -> Iterator[str]:
    """Return broken promises about the goals of the planner."""
    for number, sent in enumerate(one.sent):
        if sent.accepted and len(sent.results) != 1:
            yield f'goal {number} has {len(sent.results)} results'
        for result in sent.results:
            if result.status not in ENDS:
                yield f'goal {number} ended with the status {result.status}'
        if sent.accepted and sent.ended_at - sent.at > GOAL_BOUND_SEC:
            yield f'goal {number} took {sent.ended_at - sent.at:.1f} s'
    accepted = sum(bool(sent.accepted) for sent in one.sent)
    if sum(one.planner.counts.ended.values()) != accepted:
        yield f'{accepted} goals were accepted, but {one.planner.counts.ended} ended'
    known = one.robot.server.alive and not unsettled(one)
    if known and one.journal.read_text(encoding='utf-8'):
        yield 'the journal says that something is open'
    for error in one.stumbled:
        warnings.warn(f'rclpy stumbled: {error!r}', stacklevel=1)
        if not _is_of_rclpy(error):  # the process would end
            yield f'the planner raised {error!r}'
    if one.planner._sessions:
        yield f'{len(one.planner._sessions)} goals are forgotten in the planner'


def unsettled(one: Stage) -> str:
    """Return what diagnostics name of that the robot may still be at."""
    return str(one.planner.health.values['stops not confirmed'])


def of_the_robot(one: Stage) -> Iterator[str]:
    """Return broken promises about the goals of the robot."""
    for goal_id, entry in one.robot.server.ledger.items():
        about = f'robot goal {goal_id[:8]} {entry}'
        if entry.received != 1 or entry.begun > 1:
            yield f'it came {entry.received} times and began {entry.begun} times: {about}'
        if entry.cancels > (2 if entry.manners.cancel == 'unknown' else 1):
            yield f'it was cancelled {entry.cancels} times: {about}'
        if entry.moving and not entry.cancels:
            yield f'it moves and nobody asked it to stop: {about}'
        if entry.moving and entry.manners.cancel not in GOES_ON:
            yield f'it moves: {about}'
        if entry.moving and not unsettled(one):
            yield f'it moves, and diagnostics do not say so: {about}'


def what_happened(one: Stage) -> Counter[str]:
    """Count for the summary."""
    ledger = one.robot.server.ledger.values()
    return Counter(
        {
            'planner goals': len(one.sent),
            'of them accepted': sum(bool(sent.accepted) for sent in one.sent),
            'of them cancelled by the client': sum(bool(sent.canceled) for sent in one.sent),
            **{f'ended {status}': n for status, n in one.planner.counts.ended.items()},
            'skill goals': len(ledger),
            'of them faulty': sum(entry.manners.faulty for entry in ledger),
            'of them asked to stop': sum(entry.cancels > 0 for entry in ledger),
            'of them moving on, as told': sum(entry.moving for entry in ledger),
            'deaths of the server': one.robot.server.deaths,
            'stumbles of rclpy in the planner': len(one.stumbled),
        }
    )
