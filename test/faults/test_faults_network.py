# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A server that was cut off and comes back is asked what became of its goal, and to stop it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reactree_ros.core.observation import SkillStatus

from .conftest import PatientClock
from .endings import LIMITS
from .pair import Pair

pytestmark = pytest.mark.ros


@pytest.fixture
def pair(clock: PatientClock) -> Iterator[Pair]:
    pair = Pair(clock)
    yield pair
    pair.close()


def test_a_goal_that_goes_on_behind_a_cut_is_stopped_once_when_the_server_is_back(
    pair: Pair,
) -> None:
    run, entry = pair.start()
    pair.server.hide()
    pair.until(run.poll, 'the skill has ended')
    result = run.poll()
    assert result.status is SkillStatus.FAILED
    assert 'went away while it ran' in result.observation.text
    assert run.settled and entry.moving and not entry.cancels
    pair.server.live()
    pair.until(lambda: not entry.moving, 'the robot has stopped')
    pair.until(lambda: run.closed, 'the client knows that it has')
    assert (entry.cancels, entry.begun, run.poll() is result) == (1, 1, True)


def test_a_short_cut_is_waited_for(pair: Pair, clock: PatientClock) -> None:
    run, entry = pair.start()
    pair.server.hide()
    end = clock() + LIMITS.server_wait_sec / 2
    pair.until(lambda: run.poll() or clock() >= end, 'time passes')
    pair.server.live()
    end = clock() + 2 * LIMITS.server_wait_sec
    pair.until(lambda: run.poll() or clock() >= end, 'time passes')
    assert run.poll() is None and entry.moving
    run.cancel()
    pair.until(run.poll, 'the skill has ended')
    assert run.poll().observation.text == '"wave" was canceled.'
    assert entry.cancels == 1 and not entry.moving


def test_a_server_that_was_started_again_says_that_it_knows_nothing(pair: Pair) -> None:
    run, entry = pair.start()
    pair.server.die()
    pair.until(lambda: run.poll() or run._goal._absent_since, 'it is missed')
    pair.server.live()
    pair.until(run.poll, 'the skill has ended')
    assert 'does not know the goal any more' in run.poll().observation.text
    pair.until(lambda: run.closed, 'the server has said so twice')
    assert not entry.moving and pair.robot.unsettled == ()
