# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A server that was cut off and comes back is asked what became of its goal, and to stop it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.ros.skill_client import RosSkillExecutor
from reactree_ros.skills.reader import parse_library

from .conftest import PatientClock, PatientExecutor
from .endings import LIMITS
from .faulty_server import FaultyServer
from .manners import Entry, Manners

pytestmark = pytest.mark.ros
BUSY_SEC = 30.0
SKILLS = {'wave': {'phrase': 'wave', 'action': 'cut/off', 'result_sec': 5.0}}


class Stage:
    """One client and one server, on one thread and one clock."""

    def __init__(self, clock: PatientClock) -> None:
        self._nodes = Node('faulty'), Node('client')
        self._spinner = PatientExecutor(clock)
        for node in self._nodes:
            self._spinner.add_node(node)
        self._library = parse_library(yaml.safe_dump({'name': 'robot', 'skills': SKILLS}), 'here')
        self.server = FaultyServer(
            self._nodes[0], 'cut/off', lambda: Manners(work_sec=BUSY_SEC), clock
        )
        group = MutuallyExclusiveCallbackGroup()
        self.robot = RosSkillExecutor(
            self._nodes[1], self._library, 'nobody/observe', LIMITS, group, clock
        )

    def start(self) -> tuple[Any, Entry]:
        """Start the skill and return its run and what the server knows of it."""
        run = self.robot.start(self._library.skills[0].ground(), Situation())
        self.until(lambda: run._goal.accepted, 'the goal is accepted')
        return run, self.server.ledger[run.goal_id]

    def until(self, condition: Callable[[], Any], what: str) -> None:
        end = time.monotonic() + BUSY_SEC
        while not condition():
            assert time.monotonic() < end, f'it hangs: {what}'
            self._spinner.spin_step()
            self.server.step()

    def close(self) -> None:
        self.robot.destroy()
        self._spinner.shutdown()
        for node in self._nodes:
            node.destroy_node()


@pytest.fixture
def stage(clock: PatientClock) -> Iterator[Stage]:
    stage = Stage(clock)
    yield stage
    stage.close()


def test_a_goal_that_goes_on_behind_a_cut_is_stopped_once_when_the_server_is_back(
    stage: Stage,
) -> None:
    run, entry = stage.start()
    stage.server.hide()
    stage.until(run.poll, 'the skill has ended')
    result = run.poll()
    assert result.status is SkillStatus.FAILED
    assert 'went away while it ran' in result.observation.text
    assert run.settled and entry.moving and not entry.cancels
    stage.server.live()
    stage.until(lambda: not entry.moving, 'the robot has stopped')
    stage.until(lambda: run.closed, 'the client knows that it has')
    assert (entry.cancels, entry.begun, run.poll() is result) == (1, 1, True)


def test_a_short_cut_is_waited_for(stage: Stage, clock: PatientClock) -> None:
    run, entry = stage.start()
    stage.server.hide()
    end = clock() + LIMITS.server_wait_sec / 2
    stage.until(lambda: run.poll() or clock() >= end, 'time passes')
    stage.server.live()
    end = clock() + 2 * LIMITS.server_wait_sec
    stage.until(lambda: run.poll() or clock() >= end, 'time passes')
    assert run.poll() is None and entry.moving
    run.cancel()
    stage.until(run.poll, 'the skill has ended')
    assert run.poll().observation.text == '"wave" was canceled.'
    assert entry.cancels == 1 and not entry.moving


def test_a_server_that_was_started_again_says_that_it_knows_nothing(stage: Stage) -> None:
    run, entry = stage.start()
    stage.server.die()
    stage.until(lambda: run.poll() or run._goal._absent_since, 'it is missed')
    stage.server.live()
    stage.until(run.poll, 'the skill has ended')
    assert 'does not know the goal any more' in run.poll().observation.text
    stage.until(lambda: run.closed, 'the server has said so twice')
    assert not entry.moving and stage.robot.unsettled == ()
