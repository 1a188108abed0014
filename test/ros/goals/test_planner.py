# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner and the household as real processes, with a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration

from reactree_interfaces.srv import SetConditions
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.ros.goals.client import CONDITIONS_SERVICE

pytestmark = pytest.mark.ros

SCRIPT = {
    'look into the fridge': [
        'Think: It is in the kitchen.',
        'Expand: sequence ["find the fridge", "find the apple"]',
    ],
    'find the fridge': ['Act: go to kitchen 1', 'Act: go to fridge 1', 'Act: done'],
    'find the apple': ['Act: open fridge 1', 'Act: done'],
    'wander about': ['Act: go to living room 1', 'Act: failure'],
    'find a drink': ['Think: any', 'Expand: sequence ["find a glass", "find a bottle"]'],
    'find a glass': ['Act: done'],
    'find a bottle': ['Act: failure'],
    'find nothing': [ENDLESS],
    'find the lime': [ENDLESS, ENDLESS],
    'see the bedroom': ['Act: go to bedroom 1', 'Act: done'],
    'find the juice': ['Act: go to bedroom 1', 'Act: done'],
}


@pytest.fixture(scope='module')
def system(start_system: Callable[..., Any]) -> Iterator[Any]:
    """One system for the tests that leave it as they found it."""
    planner = {'agent.replan_after_failure': False}
    with start_system(SCRIPT, planner, {'room': 'bathroom 1'}) as system:
        system.ready()
        yield system


def test_the_planner_starts_as_the_recorded_session_shows(system: Any) -> None:
    page = (Path(__file__).parents[3] / 'docs' / 'ros_session.md').read_text(encoding='utf-8')
    shown = [line.partition(': ')[2] for line in page.splitlines() if '[reactree_planner]' in line]
    start = [
        line
        for line in shown[: shown.index('planner is ready for goals') + 1]
        if not line.startswith('gemma-3-270m-household: ')  # here the model is scripted
    ]
    system.logs('planner is ready for goals')
    assert [line for line in start if not any(line in one for one in system.log)] == []


def test_a_goal_goes_all_the_way(system: Any) -> None:
    handle = system.send(goal='  look into\n the fridge ')
    assert handle.accepted
    # asked for the result, rclpy's client drops feedback that comes after it
    system.happens('ended')
    answer = system.result(handle)
    result = answer.result
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert (result.status, result.reason) == ('succeeded', '')
    assert (result.costs.decisions, result.costs.skills) == (7, 3)
    kinds = [event.kind for event in system.events]
    assert kinds == (
        ['goal', 'think', 'expand']
        + ['goal', 'act', 'observation', 'act', 'observation', 'done']
        + ['goal', 'act', 'observation', 'done', 'done', 'ended']
    )
    decisions = [event.run.decisions for event in system.events]
    assert decisions == sorted(decisions) and decisions[-1] == 7
    assert list(system.events[4].path) == ['look into the fridge', 'find the fridge']
    assert 'open fridge 1' in result.tree
    trees = [tree for tree in system.trees if tree]
    assert len(trees[0]) < len(trees[-1]), 'the tree grows'
    assert 'fridge 1: closed -> open' in system.check().changes
    checked = system.check('sliced apple inside fridge', 'bowl with apple on sofa')
    assert checked.known and checked.wanted == 2
    told = [event.decision.decisions for event in system.events]
    assert told == [0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]
    assert (system.events[6].node.decisions, system.events[6].run.decisions) == (2, 4)
    nodes = [
        (list(node.path)[1:], node.reason.value, node.costs.decisions) for node in result.nodes
    ]
    assert nodes == [
        ([], 'expansion', 2),
        (['find the fridge'], 'done', 3),
        (['find the apple'], 'done', 2),
    ]
    system.logs('act: go to fridge 1 (')
    system.logs(' tokens in, 0 reused, 1 out; 0.00 s queued, 0.00 s prefill, 0.00 s decode)')


def test_a_goal_that_fails_says_how(system: Any) -> None:
    answer = system.result(system.send(goal='wander about'))
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert (answer.result.status, answer.result.reason) == ('failed', 'gave_up')
    assert answer.result.message.startswith(
        'the agent gave up; node 1 failed at "wander about"; '
        'it last observed "You enter the living room (1). '
    )


def test_a_goal_that_fails_below_names_the_node_its_subgoal_and_what_it_saw(system: Any) -> None:
    handle = system.send(goal='find a drink')
    system.happens('ended')
    answer = system.result(handle).result
    (behaviour,) = {
        one.behaviour for one in system.events if list(one.path)[1:] == ['find a bottle']
    }
    assert answer.message.startswith(
        'sequence of 2 failed (find a bottle: the agent gave up); '
        f'node {behaviour} failed at "find a bottle"; it last observed "The house has '
    )


@pytest.mark.parametrize(
    ('goal', 'message'),
    [
        ({'goal': ''}, 'the goal is empty'),
        ({'goal': ' \n\t '}, 'the goal is empty'),
        ({'goal': 'x' * 100_000}, 'the goal has 100000 characters, at most 2000 are allowed'),
        ({'goal': 'find it', 'strategy': 'magic'}, "unknown strategy 'magic'"),
        ({'goal': 'find it', 'max_decisions': -1}, 'max_decisions is -1'),
        ({'goal': 'find it', 'max_duration': Duration(sec=-1)}, 'max_duration_sec is -1'),
    ],
)
def test_a_goal_that_cannot_be_taken_is_aborted_with_the_reason(
    system: Any, goal: dict[str, Any], message: str
) -> None:
    answer = system.result(system.send(**goal))
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert (answer.result.status, answer.result.reason) == ('failed', 'bad_goal')
    assert message in answer.result.message
    assert system.events == []


def test_a_second_goal_is_rejected_and_the_first_continues(system: Any) -> None:
    first = system.send(goal='find nothing')
    assert not system.send(goal='find the pudding').accepted
    system.logs("rejected the goal 'find the pudding'")
    bad = system.result(system.send(goal=''))
    assert bad.result.reason == 'bad_goal', 'a bad goal is told so even now'
    assert first.status != GoalStatus.STATUS_ABORTED
    system.cancel(first)
    assert system.result(first).status == GoalStatus.STATUS_CANCELED


def test_conditions_go_with_the_goal_and_come_back_with_its_result(system: Any) -> None:
    handle = system.send(goal='see the bedroom', conditions=['robot in bedroom', 'no tv sliced'])
    system.happens('ended')
    result = system.result(handle).result
    assert (result.status, result.unconfirmed) == ('failed', False), result.message
    assert 'cannot be read' in result.message
    handle = system.send(goal='see the bedroom', conditions=['robot in bedroom'])
    system.happens('ended')
    result = system.result(handle).result
    assert (result.status, result.unconfirmed) == ('succeeded', False), result.message
    assert [(one.text, one.met) for one in result.conditions] == [('robot in bedroom', True)]
    told = [event.conditions for event in system.events if event.kind == 'conditions']
    assert [one.met for (one,) in told] == [False, True]


def test_a_person_corrects_what_must_hold(system: Any) -> None:
    service = system.spinner.node.create_client(SetConditions, CONDITIONS_SERVICE)

    def correct(*conditions: str) -> Any:
        asked = service.call_async(SetConditions.Request(conditions=conditions))
        system.spinner.until(asked.done, 'the planner has answered')
        return asked.result()

    system.spinner.until(service.service_is_ready, 'the service is there')
    assert (correct('fridge open').accepted, correct().message) == (
        False,
        'no goal with this id is running',
    )
    handle = system.send(goal='find the lime')
    system.happens('goal')
    assert 'moon' in correct('moon on').message
    reply = correct('no fridge  open', 'robot in kitchen 1')
    assert (reply.accepted, reply.message) == (True, 'no fridge open; robot in kitchen 1')
    system.cancel(handle)
    system.result(handle)


def test_a_cancel_in_the_middle_of_a_model_request(system: Any) -> None:
    handle = system.send(goal='find the lime')
    system.happens('goal')
    system.cancel(handle)
    answer = system.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert (answer.result.status, answer.result.reason) == ('canceled', 'canceled')
    after = system.result(system.send(goal='find the juice'))
    assert after.result.status == 'succeeded', 'the planner takes the next goal'
