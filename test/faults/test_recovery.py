# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a killed planner left moving is stopped by the next one, late if it cannot be at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_ros.ros.goals.recovery import Recovery
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.skills.asking import Handshake

from .conftest import PatientClock
from .endings import LIMITS
from .manners import Entry
from .pair import ACTION, BUSY_SEC, PATIENT, PHRASE, Pair

pytestmark = pytest.mark.ros
TYPE = 'reactree_interfaces/action/ExecuteSkill'
LONG_SEC = 2 * BUSY_SEC
NAME = f'"{PHRASE}" (/{ACTION})'


class Ended:
    """A journal that keeps what is over."""

    def __init__(self) -> None:
        self.goals: set[str] = set()

    def sending(self, goal: SentGoal) -> None:
        raise AssertionError('nothing is sent')

    def over(self, goal_id: str) -> None:
        self.goals.add(goal_id)


class Left:
    """A robot that moves, whose planner has been killed, and the next planner's recovery.

    Args:
        clock: of all of it.
        cancel: the server's manner when it is asked to stop.
    """

    def __init__(self, clock: PatientClock, cancel: str = 'right') -> None:
        self.pair = Pair(clock, replace(PATIENT, cancel=cancel))
        self.entry: Entry
        run, self.entry = self.pair.start()
        self._clock, self._goal_id = clock, run.goal_id
        self._recovery: Recovery | None = None
        self.journal = Ended()

    def recover(self, stop_after_sec: float = 0.0, kind: str = TYPE) -> Recovery:
        """Begin another planner."""
        goal = SentGoal('', f'/{ACTION}', kind, self._goal_id, PHRASE)
        group = MutuallyExclusiveCallbackGroup()
        self._recovery = Recovery(
            self.pair.lose_client(),
            [goal],
            self.journal,
            LIMITS,
            stop_after_sec,
            group,
            self._clock,
        )
        return self._recovery

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Go on until a condition is true."""
        recovery = self._recovery
        assert recovery is not None
        self.pair.until(lambda: (recovery.look(), condition())[1], what)

    def close(self) -> None:
        """Destroy all of it."""
        if self._recovery is not None:
            self._recovery.destroy()
        self.pair.close()


@pytest.fixture
def left(clock: PatientClock, request: pytest.FixtureRequest) -> Iterator[Left]:
    left = Left(clock, getattr(request, 'param', 'right'))
    yield left
    left.close()


def test_it_is_stopped_once(left: Left) -> None:
    recovery = left.recover()
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} was stopped',)
    assert (left.entry.cancels, left.entry.moving) == (1, False)
    assert recovery.closed and len(left.journal.goals) == 1


def test_it_is_left_to_come_to_its_end(left: Left) -> None:
    recovery = left.recover(LONG_SEC)
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} had succeeded',)
    assert (left.entry.cancels, left.entry.moving) == (0, False)


def test_it_is_stopped_when_it_has_gone_on_for_too_long(left: Left) -> None:
    recovery = left.recover(1.0)
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} was stopped',)
    assert (left.entry.cancels, left.entry.moving) == (1, False)


def test_a_person_may_have_it_stopped_meanwhile(left: Left) -> None:
    recovery = left.recover(LONG_SEC)
    left.until(lambda: left.entry.waiting != [], 'its end is waited for')
    recovery.stop()
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} was stopped',)
    assert (left.entry.cancels, left.entry.moving) == (1, False)


def test_who_leaves_asks_it_to_stop_before(left: Left) -> None:
    recovery = left.recover(LONG_SEC)
    left.until(lambda: left.entry.waiting != [], 'its end is waited for')
    recovery.destroy()
    left.pair.until(lambda: not left.entry.moving, 'it has stopped')
    assert left.entry.cancels == 1 and not left.journal.goals


def test_a_server_that_does_not_answer_the_handshake_is_asked_to_stop_all_the_same(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handshake, 'done', lambda _: False)
    recovery = left.recover()
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} was stopped',)
    assert (left.entry.cancels, left.entry.moving) == (1, False)


@pytest.mark.parametrize('left', ['too_late'], indirect=True)
def test_a_robot_that_stops_too_late_is_watched_until_it_has(left: Left) -> None:
    recovery = left.recover()
    left.until(recovery.look, 'there is a verdict')
    said = (f'{NAME} did not confirm within {LIMITS.cancel_sec:g} s that it stopped',)
    assert recovery.verdicts == said
    assert recovery.unsettled == (PHRASE,)
    assert left.entry.moving and not recovery.closed and not left.journal.goals
    left.until(lambda: recovery.closed, 'it has stopped')
    assert (left.entry.cancels, left.entry.moving) == (1, False)
    assert len(left.journal.goals) == 1 and recovery.unsettled == ()
    assert recovery.verdicts == said, 'what was said stays'


def test_a_server_that_is_found_too_late_is_told_to_stop_then(left: Left) -> None:
    left.pair.cut_off()
    recovery = left.recover()
    left.until(recovery.look, 'there is a verdict')
    limit = LIMITS.server_wait_sec
    assert recovery.verdicts == (f'no action server of {NAME} was there for {limit:g} s',)
    assert left.entry.moving and not recovery.closed
    left.pair.server.live()
    left.until(lambda: recovery.closed, 'it has stopped')
    assert (left.entry.cancels, left.entry.moving) == (1, False)


def test_a_server_that_knows_nothing_of_it_says_so(left: Left) -> None:
    left.pair.server.die()
    left.pair.server.live()
    recovery = left.recover()
    left.until(recovery.look, 'there is a verdict')
    assert recovery.verdicts == (f'{NAME} is no longer known to its server',)
    assert recovery.closed


def test_an_action_of_a_type_that_is_not_installed_is_said(left: Left) -> None:
    recovery = left.recover(kind='no_such_msgs/action/Wave')
    assert recovery.look() and recovery.closed and not recovery.unsettled
    (verdict,) = recovery.verdicts
    assert verdict.startswith(f'{NAME} cannot be queried: ')
    assert not left.journal.goals, 'the next planner may have the type'
    assert left.entry.moving
