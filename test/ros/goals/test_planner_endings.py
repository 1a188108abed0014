# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Systems that are interrupted, preempted or incomplete: each test starts its own processes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from std_srvs.srv import Trigger

from reactree_ros.models.scripted import ENDLESS

pytestmark = pytest.mark.ros

SCRIPT = {
    'find the pudding': ['Act: go to kitchen 1', 'Act: failure'],
    'find nothing': [ENDLESS],
    'find the juice': ['Act: go to bedroom 1', 'Act: done'],
}


def test_a_cancel_in_the_middle_of_a_skill_changes_nothing(
    start_system: Callable[..., Any],
) -> None:
    with start_system(SCRIPT, {}, {'room': 'bathroom 1', 'skill_duration_sec': 3600.0}) as system:
        system.ready()
        before = system.observe()
        handle = system.send(goal='find the pudding')
        system.happens('act', 'go to kitchen 1')
        assert not system.send_skill('go_to', 'bedroom 1').accepted, 'one skill at a time'
        system.cancel(handle)
        answer = system.result(handle)
        assert answer.status == GoalStatus.STATUS_CANCELED
        assert answer.result.status == 'canceled'
        assert 'go to kitchen 1' in answer.result.tree
        assert system.observe() == before
        system.logs('go to kitchen 1: canceled')
        assert system.send_skill('go_to', 'bedroom 1').accepted, 'the robot is free'


def test_one_call_stops_all_goals(start_system: Callable[..., Any]) -> None:
    planner = {'goals.policy': 'queue', 'goals.max_queued': 1}
    bridge = {'room': 'bathroom 1', 'skill_duration_sec': 3600.0}
    with start_system(SCRIPT, planner, bridge) as system:
        system.ready()
        first = system.send(goal='find the pudding')
        system.happens('act', 'go to kitchen 1')
        second = system.send(goal='find the juice')
        assert not system.send(goal='find nothing').accepted, 'one may wait'
        stop = system.spinner.node.create_client(Trigger, 'reactree/stop')
        system.spinner.until(stop.service_is_ready, 'the service is there')
        future = stop.call_async(Trigger.Request())
        system.spinner.until(future.done, 'the call is answered')
        assert future.result().message == '2 goals canceled'
        for handle in (first, second):
            answer = system.result(handle)
            assert answer.result.status == 'canceled'
            assert 'all goals were stopped' in answer.result.message
        system.logs('go to kitchen 1: canceled')


def test_a_newer_goal_preempts(start_system: Callable[..., Any]) -> None:
    planner = {'goals.policy': 'preempt'}
    with start_system(SCRIPT, planner) as system:
        system.ready()
        first = system.send(goal='find nothing')
        system.happens('goal')
        second = system.send(goal='find the juice')
        told = system.result(first)
        assert told.status == GoalStatus.STATUS_ABORTED
        assert (told.result.status, told.result.message) == (
            'canceled',
            'a newer goal preempted this one',
        )
        assert system.result(second).result.status == 'succeeded'


def test_a_robot_that_is_not_there_is_named(start_system: Callable[..., Any]) -> None:
    with start_system(SCRIPT, {'robot.server_wait_sec': 0.3}, sim='none') as system:
        system.ready(bridge=False)
        answer = system.result(system.send(goal='find the pudding'))
        assert answer.result.status == 'failed'
        assert 'household/observe was not available' in answer.result.message


def test_a_skill_server_that_is_not_there_becomes_an_observation(
    start_system: Callable[..., Any], tmp_path: Any
) -> None:
    library = tmp_path / 'other.yaml'
    library.write_text(
        'name: other\nhands: 1\naction: other/execute_skill\nresult_sec: 30.0\nobjects: [pudding]\n'
        'skills:\n  go_to:\n    phrase: go to {place}\n    arguments:\n      place:\n'
        '        - {kind: room, here: false}\n'
    )
    planner = {'robot.server_wait_sec': 3.0}
    with start_system(SCRIPT, planner, skills=str(library)) as system:
        system.ready()
        handle = system.send(goal='find the pudding')
        system.happens('observation', 'no action server other/execute_skill was there for 3 s')
        assert system.result(handle).result.status == 'failed'


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_goal_and_ends_the_process(
    start_system: Callable[..., Any], number: signal.Signals
) -> None:
    with start_system(SCRIPT, {}, {'skill_duration_sec': 3600.0, 'room': 'bathroom 1'}) as system:
        system.ready()
        handle = system.send(goal='find the pudding')
        system.happens('act', 'go to kitchen 1')
        planner = next(
            one.process for one in system.group._running if one.spec.name == 'reactree_planner'
        )
        planner.send_signal(number)
        answer = system.result(handle)
        assert answer.result.status == 'canceled'
        assert 'shutting down' in answer.result.message
        system.spinner.until(lambda: planner.poll() is not None, 'the planner has shut down')
        assert planner.returncode == 0
        system.logs('go to kitchen 1: canceled')
        assert not any('Traceback' in line for line in system.log), system.log
