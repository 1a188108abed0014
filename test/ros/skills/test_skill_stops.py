# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot is asked exactly once to stop, and watched until it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.reader import parse_library

pytestmark = pytest.mark.ros
PHRASE = 'go to kitchen 1'
UNHURRIED = Timeouts(server_wait_sec=20.0, goal_response_sec=20.0, cancel_sec=20.0)


class Journal:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.sent: list[SentGoal] = []
        self.ended: list[str] = []
        self.on_sending: Callable[[], None] = lambda: None

    def sending(self, goal: SentGoal) -> None:
        self.sent.append(goal)
        self.on_sending()

    def over(self, goal_id: str) -> None:
        self.ended.append(goal_id)


class Robot:
    """An executor with one skill, and the journal of its goals."""

    def __init__(self, spinner: Any, server: str, timeouts: Timeouts) -> None:
        self.journal = Journal()
        self._server = server
        self._closed = False
        text = yaml.safe_dump(
            {'name': 'robot', 'skills': {'go_to': {'phrase': 'go', 'action': server}}}
        )
        group = MutuallyExclusiveCallbackGroup()
        self.executor = RosSkillExecutor(
            spinner.node,
            parse_library(text, 'here'),
            f'{server}/observe',
            timeouts,
            group,
            journal=self.journal,
        )

    def start(self, result_sec: float = 20.0) -> Any:
        call = Call(Kind.ACTION, self._server, limit_sec=result_sec)
        return self.executor.start(
            GroundedSkill('go_to', ('kitchen 1',), PHRASE, call), Situation()
        )

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.executor.destroy()


@pytest.fixture
def robot(spinner: Any) -> Iterator[Callable[..., Robot]]:
    robots: list[Robot] = []

    def make(server: str, timeouts: Timeouts = UNHURRIED) -> Robot:
        robots.append(Robot(spinner, server, timeouts))
        return robots[-1]

    yield make
    for one in robots:
        one.close()


def test_the_journal_hears_of_a_goal_before_it_is_sent_and_once_when_it_is_over(
    spinner: Any, serve: Any, robot: Any
) -> None:
    server = serve('stops/journal', 'succeed')
    one = robot('stops/journal')
    asked_before: list[bool] = []
    one.journal.on_sending = lambda: asked_before.append(server.asked.is_set())
    run = one.start()
    spinner.until(run.poll)
    for _ in range(3):
        run.poll()
    goal = SentGoal(
        '', '/stops/journal', 'reactree_interfaces/action/ExecuteSkill', run.goal_id, PHRASE
    )
    assert (one.journal.sent, one.journal.ended) == ([goal], [run.goal_id])
    assert asked_before == [False] and len(run.goal_id) == 32
    assert run.settled and not server.cancels


def test_a_rejected_goal_is_over(spinner: Any, serve: Any, robot: Any) -> None:
    serve('stops/rejects', 'reject')
    one = robot('stops/rejects')
    run = one.start()
    spinner.until(run.poll)
    assert one.journal.ended == [run.goal_id]
    assert run.settled and one.executor.unsettled == ()


def test_a_goal_that_the_server_has_not_answered_yet_is_cancelled_at_once_and_once(
    spinner: Any, serve: Any, robot: Any
) -> None:
    server = serve('stops/late', 'late')
    run = robot('stops/late').start()
    spinner.until(lambda: run.poll() or server.asked.is_set())
    run.cancel()
    run.cancel()
    assert run.poll() is None, 'the robot has not confirmed'
    server.release.set()
    result = spinner.until(run.poll)
    assert result.status is SkillStatus.CANCELED
    assert server.cancels == [run.goal_id]
    assert server.ended.is_set() and run.settled


def test_a_stop_that_was_not_confirmed_is_watched_until_it_is(
    spinner: Any, serve: Any, robot: Any
) -> None:
    server = serve('stops/deaf', 'deaf')
    one = robot('stops/deaf', Timeouts(20.0, 20.0, cancel_sec=0.2))
    run = one.start()
    spinner.until(lambda: run.poll() or server.started.is_set())
    run.cancel()
    result = spinner.until(run.poll)
    assert 'did not confirm within 0.2 s' in result.observation.text
    assert not run.settled and one.executor.unsettled == (PHRASE,)
    assert one.journal.ended == []
    server.release.set()
    spinner.until(lambda: run.settled)  # nobody polls the run: the executor looks by itself
    assert one.executor.unsettled == () and one.journal.ended == [run.goal_id]
    assert run.poll() is result and server.cancels == [run.goal_id]


def test_a_server_that_has_gone_settles_what_it_did_not_confirm(
    spinner: Any, serve: Any, robot: Any
) -> None:
    server = serve('stops/dies', 'deaf')
    one = robot('stops/dies', Timeouts(server_wait_sec=0.5, goal_response_sec=20, cancel_sec=0.2))
    run = one.start()
    spinner.until(lambda: run.poll() or server.started.is_set())
    run.cancel()
    spinner.until(run.poll)
    assert one.executor.unsettled == (PHRASE,)
    server.vanish()
    spinner.until(lambda: run.settled)
    assert one.executor.unsettled == ()
    assert one.journal.ended == [], 'it may have been cut off, and come back'


@pytest.mark.parametrize('canceled', [False, True], ids=['running', 'canceled'])
def test_destroying_the_client_stops_the_robot_once(
    spinner: Any, serve: Any, robot: Any, canceled: bool
) -> None:
    server = serve(f'stops/destroyed_{canceled}', 'hold' if not canceled else 'deaf')
    one = robot(f'stops/destroyed_{canceled}')
    run = one.start()
    spinner.until(lambda: run.poll() or server.started.is_set())
    if canceled:
        run.cancel()
        spinner.until(lambda: server.cancels or run.poll())
    one.close()
    spinner.until(server.canceled.is_set, 'the robot has heard it')
    assert server.cancels == [run.goal_id]
    assert run.poll().status is SkillStatus.FAILED
    assert 'the planner left while it ran' in run.poll().observation.text
    assert one.journal.ended == [], 'nobody knows that it is over'


class Unreadable:
    """A response that is not as its type says."""

    status = 4  # succeeded

    @property
    def result(self) -> None:
        return None


@pytest.mark.parametrize(
    ('broken', 'text'),
    [
        (Unreadable(), 'its answer cannot be read'),
        (RuntimeError('the client is gone'), 'gave no answer: the client is gone'),
        (None, 'gave no answer: nothing came'),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure_and_stops_the_robot(
    spinner: Any, serve: Any, robot: Any, broken: Any, text: str
) -> None:
    name = f'stops/broken_{type(broken).__name__}'
    server = serve(name, 'hold')
    run = robot(name).start()
    spinner.until(lambda: run.poll() or run._goal._results)
    ((future, _),) = run._goal._results
    if isinstance(broken, Exception):
        future.set_exception(broken)
    else:
        future.set_result(broken)
    result = spinner.until(run.poll)
    assert result.status is SkillStatus.FAILED
    assert text in result.observation.text
    if not isinstance(broken, Unreadable):  # that one said that it was done
        spinner.until(server.canceled.is_set, 'the robot is asked to stop')
        assert server.cancels == [run.goal_id]
