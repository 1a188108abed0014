# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Before another goal begins the robot puts down what it holds; a stop ends that."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.models.scripted import ENDLESS

PICK_UP = ['Act: go to kitchen counter 1', 'Act: pick up apple 1']
SCRIPT = {'root': [*PICK_UP, 'Act: go to bathroom 1', ENDLESS]}


def finished_within(run: Any, ticks: int = 20) -> bool:
    return any(run.finished for _ in range(ticks))


class Tidying:
    """A run that gave way to another goal: its robot is on its first way to put something down."""

    def __init__(self, play: Any, robot: Any, limits: Limits | None = None) -> None:
        self.now = 0.0
        self.robot = robot
        self.played = play(SCRIPT, robot=robot, limits=limits, clock=lambda: self.now)
        self.run = self.played.run
        while len(self.played.model.requests) < len(SCRIPT['root']):
            self.run.tick()
            for one in robot.running:
                one.finish()
        self.before = len(robot.running)
        self.run.cancel('another goal', tidy_up=True)
        assert not finished_within(self.run)
        assert self.begun == 1

    @property
    def begun(self) -> int:
        """How many skills it has begun for tidying up."""
        return len(self.robot.running) - self.before

    @property
    def faults(self) -> list[str]:
        """What went wrong, in words."""
        return [event.text for event in self.played.events if event.kind == 'fault']


@pytest.fixture
def tidying(play: Any, robot: Any) -> Tidying:
    return Tidying(play, robot)


def test_a_run_that_gives_way_puts_down_what_it_holds(tidying: Tidying) -> None:
    while not tidying.run.finished:
        tidying.robot.running[-1].finish()
    assert tidying.run.report().status == 'canceled'
    assert tidying.run.situation().held == ()
    acts = [event.text for event in tidying.played.events if event.kind == 'act']
    assert acts[-1] == 'put down apple 1'
    assert acts[-2].startswith('go to bathroom')
    assert tidying.faults == []


def test_without_tidying_up_it_goes_on_holding_it(play: Any) -> None:
    played = play({'root': [*PICK_UP, ENDLESS]})
    played.tick_until(lambda: len(played.model.requests) == 3)
    played.run.cancel()
    assert played.run.finished
    assert len(played.run.situation().held) == 1


def test_a_stop_while_it_tidies_up_ends_that(tidying: Tidying) -> None:
    way = tidying.robot.running[-1]
    for _ in range(3):  # a client's cancel is seen on every tick
        tidying.run.cancel('all goals were stopped')
        assert not tidying.run.finished, 'the robot has not stopped'
    assert way.cancels == 1
    way.come_to_rest()
    assert tidying.run.finished
    assert tidying.begun == 1
    assert len(tidying.run.situation().held) == 1
    assert tidying.faults == ['not tidied up: all goals were stopped']
    report = tidying.run.report()
    assert (report.status, report.message) == ('canceled', 'another goal')


def test_a_robot_that_does_its_skill_in_spite_of_the_stop_begins_no_further_one(
    tidying: Tidying,
) -> None:
    tidying.run.cancel('all goals were stopped')
    tidying.robot.running[-1].finish()
    assert finished_within(tidying.run)
    assert tidying.begun == 1


def test_a_stop_between_two_skills_of_tidying_up_begins_no_further_one(play: Any) -> None:
    played = play(SCRIPT)
    played.tick_until(lambda: len(played.model.requests) == len(SCRIPT['root']))
    played.run.cancel('another goal', tidy_up=True)
    played.run.cancel('all goals were stopped')
    assert played.run.finished
    assert len(played.run.situation().held) == 1


def test_a_further_goal_that_preempts_lets_tidying_up_go_on(tidying: Tidying) -> None:
    tidying.run.cancel('yet another goal', tidy_up=True)
    assert not finished_within(tidying.run)
    assert (tidying.robot.running[-1].cancels, tidying.begun) == (0, 1)


def test_the_seconds_of_the_goal_end_tidying_up(play: Any, robot: Any) -> None:
    tidying = Tidying(play, robot, Limits(max_duration_sec=60.0))
    tidying.now = 61.0
    assert not tidying.run.finished
    way = robot.running[-1]
    assert way.cancels == 1
    way.come_to_rest()
    assert finished_within(tidying.run)
    assert tidying.begun == 1
    assert tidying.faults == ['not tidied up: the time limit of 60 s has passed']


@pytest.fixture
def session(tidying: Tidying) -> Any:
    """A goal whose run tidies up, as the planner keeps it."""
    sessions = pytest.importorskip('reactree_ros.ros.goals.session')
    handle = SimpleNamespace(goal_id=None, is_cancel_requested=False)
    host = SimpleNamespace(tick=lambda: None)
    publisher = SimpleNamespace(look=lambda run: None, events=lambda events: None)
    session = sessions.GoalSession(handle, None, None, publisher)
    session._run, session._host, session.client = tidying.run, host, handle
    session._stopped = 'a newer goal preempted this one'
    return session


def test_the_clients_cancel_of_a_goal_that_tidies_up_stops_the_robot_once(
    tidying: Tidying, session: Any
) -> None:
    session.tick()
    assert tidying.robot.running[-1].cancels == 0
    session.client.is_cancel_requested = True
    for _ in range(3):
        session.tick()
    assert (tidying.robot.running[-1].cancels, tidying.begun) == (1, 1)
    assert session._stopped == 'a newer goal preempted this one'
