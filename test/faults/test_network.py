# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A server that was cut off and comes back is asked what became of its goal, and to stop it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from reactree_ros.core.observation import SkillStatus

from .conftest import PatientClock
from .endings import LIMITS
from .pair import PATIENT, Pair

pytestmark = pytest.mark.ros


@pytest.fixture
def pair(clock: PatientClock) -> Iterator[Pair]:
    pair = Pair(clock)
    yield pair
    pair.close()


def test_a_goal_that_continues_behind_a_cut_is_stopped_once_when_the_server_is_back(
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


def test_a_stop_that_a_cut_has_swallowed_is_asked_for_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, entry = pair.start()
    pair.server.hide()
    with monkeypatch.context() as unnoticed:
        unnoticed.setattr(run._goal._channel, 'server_is_ready', lambda: True)
        run.cancel()
    pair.until(run.poll, 'the skill has ended')
    assert entry.moving and not entry.cancels
    pair.until(lambda: run._goal._absent_since is not None, 'it is missed')
    pair.server.live()
    pair.until(lambda: run.closed, 'the client knows that it has stopped')
    assert (entry.cancels, entry.moving) == (1, False)


def test_a_server_that_dies_on_the_cancel_and_is_started_again_settles_it(pair: Pair) -> None:
    run, entry = pair.start()
    run.cancel()
    pair.server.die()
    pair.until(lambda: run.poll() and run._goal._absent_since is not None, 'it is missed')
    pair.server.live()
    pair.until(lambda: run.closed, 'the new one has said that it knows nothing')
    assert not entry.moving and pair.robot.unsettled == ()


def test_a_goal_that_was_never_acknowledged_is_settled_by_a_server_that_is_back(
    pair: Pair,
) -> None:
    pair.manners = replace(PATIENT, goal='dead')
    run = pair.send()
    pair.until(lambda: run.poll() and run._goal._absent_since is not None, 'it is missed')
    pair.server.live()
    pair.until(lambda: run.closed, 'the new one has said that it knows nothing')
    assert not pair.server.ledger[run.goal_id].moving and pair.robot.unsettled == ()
