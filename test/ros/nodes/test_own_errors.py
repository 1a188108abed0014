# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An error of the planner itself ends the goal, says so, and leaves no robot moving."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import Reason as ReasonMsg
from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.ros.goals.session import AcceptedGoal, GoalSession
from reactree_ros.ros.nodes.tree_host import TreeHost

GOAL_ID = 'ab' * 16


class Handle:
    """The handle of a goal whose client only listens."""

    is_cancel_requested = False

    def __init__(self) -> None:
        self.request = ExecuteGoal.Goal(goal='root')
        self.goal_id = type('Id', (), {'uuid': bytes.fromhex(GOAL_ID)})
        self.executed = 0
        self.ended = ''

    def execute(self) -> None:
        self.executed += 1

    def publish_feedback(self, feedback: Any) -> None:
        pass

    def abort(self) -> None:
        self.ended = 'aborted'


class Quiet:
    """Takes all that is told."""

    checking = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def error(self, line: str) -> None:
        self.lines.append(line)

    info = warning = error

    def begin(self, *_: Any) -> None:
        pass

    look = end = begin

    def event(self, event: Any) -> EventMsg:
        return EventMsg()


@pytest.fixture
def session(play: Any, robot: Any) -> tuple[GoalSession, Any, Handle, Quiet]:
    played = play({'root': ['Act: go to fridge 1', 'Act: done']}, robot=robot)
    handle, quiet = Handle(), Quiet()
    one: Any = GoalSession(handle, quiet, quiet, quiet)  # type: ignore[arg-type]
    one.start(
        AcceptedGoal('root', Limits(), 'reactree'), lambda order, listen: played.run, TreeHost()
    )
    while not robot.running:
        one.tick()
    return one, played, handle, quiet


def test_an_error_of_the_planner_stops_the_robot_and_ends_the_goal(
    session: Any, robot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, played, handle, quiet = session

    def broken() -> None:
        raise ZeroDivisionError('a bug')

    monkeypatch.setattr(played.run.root, 'tick_once', broken)
    one.tick()
    assert robot.running[0].cancels == 1
    assert 'ZeroDivisionError: a bug' in quiet.lines[0]
    one.tick()
    assert not one.ended, 'the robot has not stopped yet'
    robot.running[0].come_to_rest()
    one.tick()
    assert one.ended
    assert (one.report.status, one.report.reason) == ('failed', Reason.ERROR)
    assert 'internal error of the planner: ZeroDivisionError: a bug' in one.report.message
    threading.Thread(target=one.conclude).start()
    assert handle.executed == 1


def test_where_stopping_fails_too_the_goal_ends_all_the_same(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, played, handle, _ = session

    def broken(*_: Any) -> None:
        raise ZeroDivisionError('a bug')

    monkeypatch.setattr(played.run.root, 'tick_once', broken)
    monkeypatch.setattr(played.run, 'cancel', broken)
    one.tick()
    assert one.ended
    one._host.tick()  # the tree would raise again
    assert one.conclude().reason == ReasonMsg.ERROR
    assert handle.ended == 'aborted'
