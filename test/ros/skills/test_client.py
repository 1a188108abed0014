# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every ending of a skill, each with a server made for it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_interfaces.srv import Observe
from reactree_ros.core.futures import Promise
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import LookingRun, Timeouts
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.executor import EndedSkill
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.reader import parse_library

pytestmark = pytest.mark.ros
SHORT = Timeouts(server_wait_sec=0.3, goal_response_sec=0.3, cancel_sec=0.3)
KNOWN = Situation()
LONG = Timeouts(server_wait_sec=20.0, goal_response_sec=20.0, cancel_sec=20.0)


def skill(server: str, result_sec: float = 20.0) -> GroundedSkill:
    call = Call(Kind.ACTION, server, limit_sec=result_sec)
    return GroundedSkill('go_to', ('kitchen 1',), 'go to kitchen 1', call)


def library(*servers: str) -> SkillLibrary:
    skills = {f'skill_{n}': {'phrase': f'do {n}', 'action': name} for n, name in enumerate(servers)}
    return parse_library(yaml.safe_dump({'name': 'robot', 'skills': skills}), 'here')


def executor(spinner: Any, server: str, timeouts: Timeouts) -> RosSkillExecutor:
    group = MutuallyExclusiveCallbackGroup()
    made = RosSkillExecutor(spinner.node, library(server), f'{server}/observe', timeouts, group)
    return made


def client_of(robot: RosSkillExecutor) -> Any:
    ((client, _),) = robot._clients.values()
    return client


def outcome(spinner: Any, run: Any) -> Any:
    return spinner.until(run.poll, 'the skill has ended')


@pytest.mark.parametrize(
    ('manner', 'status', 'text'),
    [
        ('succeed', SkillStatus.SUCCEEDED, 'succeed: told'),
        ('refuse', SkillStatus.REFUSED, 'refuse: told'),
        ('abort', SkillStatus.FAILED, 'abort: told'),
        (
            'abort_empty',
            SkillStatus.FAILED,
            '"go to kitchen 1" failed: the robot aborted it, and the server did not set the '
            'outcome in its result.',
        ),
        (
            'reject',
            SkillStatus.FAILED,
            '"go to kitchen 1" failed: the action server robot/reject rejected it.',
        ),
    ],
)
def test_the_servers_answer_becomes_the_result(
    spinner: Any, serve: Any, manner: str, status: SkillStatus, text: str
) -> None:
    serve(f'robot/{manner}', manner)
    robot = executor(spinner, f'robot/{manner}', LONG)
    run = robot.start(skill(f'robot/{manner}'), KNOWN)
    result = outcome(spinner, run)
    assert (result.status, result.observation.text) == (status, text)
    run.cancel()
    assert run.poll() is result, 'a result stays the same, also after a late cancel'


def test_a_server_that_is_not_there_fails(spinner: Any) -> None:
    run = executor(spinner, 'robot/nobody', SHORT).start(skill('robot/nobody'), KNOWN)
    result = outcome(spinner, run)
    assert result.status is SkillStatus.FAILED
    assert 'no action server robot/nobody was there for 0.3 s' in result.observation.text


def test_a_cancel_before_the_server_is_there_sends_nothing(spinner: Any, serve: Any) -> None:
    run = executor(spinner, 'robot/slow_to_come', LONG).start(
        skill('robot/slow_to_come'), Situation()
    )
    run.cancel()
    assert outcome(spinner, run).status is SkillStatus.CANCELED
    server = serve('robot/slow_to_come', 'succeed')
    probe = executor(spinner, 'robot/slow_to_come', LONG)
    spinner.until(client_of(probe).server_is_ready)
    assert run.poll().status is SkillStatus.CANCELED
    assert not server.asked.is_set()
    assert outcome(spinner, probe.start(skill('robot/slow_to_come'), KNOWN)).status is (
        SkillStatus.SUCCEEDED
    )


def test_a_cancel_stops_the_robot(spinner: Any, serve: Any) -> None:
    server = serve('robot/hold', 'hold')
    run = executor(spinner, 'robot/hold', LONG).start(skill('robot/hold'), KNOWN)
    spinner.until(lambda: run.poll() or server.started.is_set())
    run.cancel()
    run.cancel()
    result = outcome(spinner, run)
    assert result.status is SkillStatus.CANCELED
    assert server.canceled.is_set() and server.ended.is_set()


def test_a_result_that_does_not_come_cancels_the_goal(spinner: Any, serve: Any) -> None:
    server = serve('robot/endless', 'hold')
    run = executor(spinner, 'robot/endless', LONG).start(
        skill('robot/endless', result_sec=0.2), Situation()
    )
    result = outcome(spinner, run)
    assert result.status is SkillStatus.FAILED
    assert 'there was no result for 0.2 s; the robot stopped' in result.observation.text
    assert server.canceled.is_set()


def test_a_robot_that_ignores_the_cancel_is_not_waited_for_without_end(
    spinner: Any, serve: Any
) -> None:
    server = serve('robot/deaf', 'deaf')
    limits = Timeouts(server_wait_sec=20.0, goal_response_sec=20.0, cancel_sec=0.3)
    run = executor(spinner, 'robot/deaf', limits).start(skill('robot/deaf'), KNOWN)
    spinner.until(lambda: run.poll() or server.started.is_set())
    run.cancel()
    result = outcome(spinner, run)
    assert result.status is SkillStatus.CANCELED
    assert 'did not confirm within 0.3 s that it stopped' in result.observation.text
    server.release.set()
    spinner.until(server.ended.is_set)
    assert run.poll() is result, 'the late reply is dropped'


def test_a_goal_accepted_after_the_cancel_is_cancelled_then(spinner: Any, serve: Any) -> None:
    server = serve('robot/late', 'late')
    run = executor(spinner, 'robot/late', LONG).start(skill('robot/late'), KNOWN)
    spinner.until(lambda: run.poll() or server.asked.is_set())
    run.cancel()
    assert run.poll() is None, 'the robot has not answered yet'
    server.release.set()
    assert outcome(spinner, run).status is SkillStatus.CANCELED
    assert server.canceled.is_set()


def test_a_goal_accepted_after_its_time_limit_is_cancelled_then(spinner: Any, serve: Any) -> None:
    server = serve('robot/too_late', 'late')
    # discovery may take longer than the short limit
    limits = Timeouts(server_wait_sec=20.0, goal_response_sec=0.3, cancel_sec=20.0)
    run = executor(spinner, 'robot/too_late', limits).start(skill('robot/too_late'), KNOWN)
    result = outcome(spinner, run)
    assert result.status is SkillStatus.FAILED
    assert 'neither accepted nor rejected it for 0.3 s' in result.observation.text
    assert not server.started.is_set()
    server.release.set()
    spinner.until(server.canceled.is_set, 'the late goal is cancelled')
    assert run.poll() is result


def test_a_server_that_goes_away_fails(spinner: Any, serve: Any) -> None:
    server = serve('robot/leaves', 'hold')
    limits = Timeouts(server_wait_sec=0.5, goal_response_sec=20.0, cancel_sec=20.0)
    robot = executor(spinner, 'robot/leaves', limits)
    spinner.until(client_of(robot).server_is_ready)
    run = robot.start(skill('robot/leaves'), KNOWN)
    spinner.until(lambda: run.poll() or server.started.is_set())
    spinner.until(lambda: run._goal.accepted or run.poll())
    server.vanish()
    result = outcome(spinner, run)
    assert result.status is SkillStatus.FAILED
    assert 'went away while it ran' in result.observation.text


def test_there_is_one_client_for_each_server_and_none_is_left(spinner: Any) -> None:
    before = (len(list(spinner.node.waitables)), len(list(spinner.node.clients)))
    robot = RosSkillExecutor(
        spinner.node,
        library('robot/arm', 'robot/base', 'robot/arm'),
        'robot/observe',
        SHORT,
        MutuallyExclusiveCallbackGroup(),
    )
    assert len(list(spinner.node.waitables)) == before[0] + 2
    robot.destroy()
    assert (len(list(spinner.node.waitables)), len(list(spinner.node.clients))) == before


def test_an_observation_is_given(spinner: Any) -> None:
    def observe(_: Observe.Request, response: Observe.Response) -> Observe.Response:
        response.observation.text = 'You are in the kitchen (1).'
        return response

    spinner.node.create_service(Observe, 'robot/sees/observe', observe)
    pending = executor(spinner, 'robot/sees', LONG).observe()
    assert spinner.until(pending.poll).text == 'You are in the kitchen (1).'


def test_an_observation_service_that_is_not_there_is_named(spinner: Any) -> None:
    pending = executor(spinner, 'robot/blind', SHORT).observe()
    with pytest.raises(WorldError, match=r'robot/blind/observe was not available for 0\.3 s'):
        spinner.until(pending.poll)


def test_a_canceled_observation_says_so(spinner: Any) -> None:
    pending = executor(spinner, 'robot/blind_too', LONG).observe()
    pending.cancel()
    with pytest.raises(WorldError, match='canceled'):
        pending.poll()


def test_a_cancel_ends_the_look_that_follows_a_skill() -> None:
    canceled: list[bool] = []

    class Hanging(Promise[Observation]):
        def cancel(self) -> None:
            canceled.append(True)
            self.fail(WorldError('it was canceled'))

    moved = EndedSkill(SkillResult(SkillStatus.SUCCEEDED, Observation('You are there.')))
    run = LookingRun(moved, lambda result: Hanging())
    assert run.poll() is None and run.doing == 'looking'
    run.cancel()
    result = run.poll()
    assert canceled and result is not None
    unknown = 'What is there now is not known: it was canceled.'
    assert result.observation.text == f'You are there. {unknown}'
