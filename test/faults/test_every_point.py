# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every point of the action protocol, every manner, and a cancel at every time: how it ends.

The table is in endings.py; docs/faults.md tells it in words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.core.situation import Situation
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.reader import parse_library

from .conftest import PatientClock, PatientExecutor
from .endings import LIMITS, RESULT_SEC, TABLE, TIMES, Row
from .faulty_server import FaultyServer
from .manners import POINTS, Entry, Manners

pytestmark = pytest.mark.ros

BUSY_SEC = 30.0
"""A machine that needs longer for a few seconds of the clock hangs."""


class Journal:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.ended: list[str] = []

    def sending(self, goal: SentGoal) -> None:
        self.sent.append(goal.goal_id)

    def over(self, goal_id: str) -> None:
        self.ended.append(goal_id)


@dataclass
class Trial:
    """One goal of one combination."""

    word: str
    row: Row
    cancel_at: str
    server: FaultyServer
    run: Any = None
    result: Any = None
    canceled: bool = False
    begun_at: float = 0.0

    @property
    def entry(self) -> Entry | None:
        return self.server.ledger.get(self.run.goal_id)

    def look(self, now: float) -> None:
        """Cancel if it is time for it, and see that a result stays as it was."""
        moves = self.entry is not None and self.entry.moving
        if (
            self.cancel_at == TIMES[2]
            and not self.canceled
            and (moves or now > self.begun_at + 0.1)
        ):
            self.canceled = True
            self.run.cancel()
        result = self.run.poll()
        assert self.result is None or result is self.result, f'{self.word}: the result changed'
        self.result = result

    @property
    def over(self) -> bool:
        return self.result is not None and (self.run.settled or self.row.open)

    def found(self) -> list[str]:
        """Return what is not as the table says."""
        entry, row, result = self.entry, self.row, self.result
        unlike = {
            'status': (result.status, row.end.status),
            'its text': (row.end.text in result.observation.text or result.observation.text, True),
            'received': (entry.received if entry else 0, 1),
            'begun more than once': (entry is not None and entry.begun > 1, False),
            'cancels': (entry.cancels if entry else 0, row.cancels),
            'unsettled': (self.run.unsettled, row.open),
            'moving': (entry is not None and entry.moving, row.moves),
        }
        return [
            f'{self.word}: {name} is {is_!r}, not {expected!r}'
            for name, (is_, expected) in unlike.items()
            if is_ != expected
        ]


class Stage:
    """One client and many servers, on one thread and one clock."""

    def __init__(self, point: str, clock: PatientClock) -> None:
        self.clock, self.journal = clock, Journal()
        self.nodes = [Node(f'{name}_{point}') for name in ('faulty', 'client')]
        self._executor = PatientExecutor(clock)
        for node in self.nodes:
            self._executor.add_node(node)
        self.trials = [
            self._trial(f'{point}/{manner}', Manners(**{point: manner}), row, cancel_at)
            for manner, rows in TABLE[point].items()
            for cancel_at, row in zip(TIMES, rows, strict=True)
        ]
        skills = {
            f'skill_{number:03}': {'phrase': f'do {number}', 'action': trial.server.name}
            for number, trial in enumerate(self.trials)
        }
        for one in skills.values():
            one['result_sec'] = RESULT_SEC
        self.library = parse_library(yaml.safe_dump({'name': 'robot', 'skills': skills}), 'here')
        self.robot = RosSkillExecutor(
            self.nodes[1],
            self.library,
            'nobody/observe',
            LIMITS,
            MutuallyExclusiveCallbackGroup(),
            clock,
            journal=self.journal,
        )

    def _trial(self, word: str, manners: Manners, row: Row, cancel_at: str) -> Trial:
        if cancel_at != TIMES[0] or word.startswith('cancel/'):
            manners = replace(manners, work_sec=BUSY_SEC)
        name = f'{word}/{cancel_at.replace(" ", "_")}'
        server = FaultyServer(self.nodes[0], name, lambda: manners, self.clock)
        return Trial(f'{word}, {cancel_at}', row, cancel_at, server)

    def until(self, condition: Callable[[], bool], what: Callable[[], object]) -> None:
        end = time.monotonic() + BUSY_SEC
        while not condition():
            assert time.monotonic() < end, f'it hangs: {what()}'
            self._executor.spin_step()
            for trial in self.trials:
                trial.server.step()
                if trial.run is not None:
                    trial.look(self.clock())

    def begin(self) -> None:
        for trial, skill in zip(self.trials, self.library.skills, strict=True):
            grounded = GroundedSkill(skill.name, (), skill.phrase, skill.call)
            trial.run, trial.begun_at = self.robot.start(grounded, Situation()), self.clock()
            if trial.cancel_at == TIMES[1]:
                trial.run.cancel()

    def close(self) -> None:
        self.robot.destroy()
        self._executor.shutdown()
        for node in self.nodes:
            node.destroy_node()


@contextmanager
def staged(point: str, clock: PatientClock) -> Iterator[Stage]:
    stage = Stage(point, clock)
    try:
        yield stage
    finally:
        stage.close()


def test_the_table_has_every_manner_of_every_point() -> None:
    assert {point: set(rows) for point, rows in TABLE.items()} == {
        point: set(manners) for point, manners in POINTS.items()
    }


@pytest.mark.parametrize('point', TABLE)
def test_every_manner_ends_as_the_table_says(point: str, clock: PatientClock) -> None:
    with staged(point, clock) as stage:
        channels = [channel for channel, _ in stage.robot._clients.values()]
        stage.until(lambda: all(one.server_is_ready() for one in channels), lambda: 'discovery')
        stage.begin()
        stage.until(
            lambda: all(trial.over for trial in stage.trials),
            lambda: [trial.word for trial in stage.trials if not trial.over],
        )
        quiet_from = clock() + 1.0  # what comes late now changes nothing
        stage.until(lambda: clock() > quiet_from, lambda: 'the clock')
        wrong = [one for trial in stage.trials for one in trial.found()]
        assert not wrong, '\n'.join(['', *wrong])
        over = {
            trial.run.goal_id for trial in stage.trials if trial.server.alive and not trial.row.open
        }
        assert sorted(stage.journal.ended) == sorted(over), 'each is told of once'
