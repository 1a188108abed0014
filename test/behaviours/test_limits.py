# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The limits of a run: the shared decision count, the depth and the clock."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.models.scripted import ENDLESS

THINK, DONE, FAILURE = 'Think: hm', 'Act: done', 'Act: failure'


def family(flow: str, *children: list[str]) -> dict[str, list[str]]:
    goals = [f'child {letter}' for letter in 'abc'[: len(children)]]
    listed = ', '.join(f'"{goal}"' for goal in goals)
    return {
        'root': [f'Expand: {flow} [{listed}]'],
        **{goal: list(lines) for goal, lines in zip(goals, children, strict=True)},
    }


LONG, SHORT, LOST = [THINK, DONE], [DONE], [FAILURE]
SPENT = Reason.MAX_DECISIONS
# flow, children, D_max -> how root and children end, requests to the model, reason of the root
DECISIONS = [
    # the root's own expansion is the last decision: it counts, but is not carried out
    ('sequence', (LONG, LONG), 1, 'F', 1, SPENT),
    # in the middle of the first child
    ('sequence', (LONG, LONG), 2, 'FF-', 2, SPENT),
    # done at the cap still succeeds (Algorithm 1, lines 8 to 13); the next child asks nothing
    ('sequence', (LONG, LONG), 3, 'FSF', 3, SPENT),
    ('sequence', (LONG, LONG), 4, 'FSF', 4, SPENT),
    ('sequence', (LONG, LONG), 5, 'SSS', 5, Reason.EXPANSION),
    ('sequence', (LONG, LONG), 6, 'SSS', 5, Reason.EXPANSION),
    ('fallback', (LONG, LONG, SHORT), 2, 'FFFF', 2, SPENT),
    ('fallback', (LOST, SHORT), 2, 'FFF', 2, SPENT),
    ('fallback', (LOST, SHORT), 3, 'SFS', 3, Reason.EXPANSION),
    ('fallback', (SHORT, SHORT), 2, 'SS-', 2, Reason.EXPANSION),
    ('parallel', (SHORT, SHORT, SHORT), 2, 'FSFF', 2, SPENT),
    # two of three have succeeded before the cap: the vote stands
    ('parallel', (SHORT, SHORT, SHORT), 3, 'SSSF', 3, Reason.EXPANSION),
    ('parallel', (SHORT, LOST, SHORT), 3, 'FSFF', 3, SPENT),
]


@pytest.mark.parametrize(('flow', 'children', 'limit', 'ends', 'asked', 'reason'), DECISIONS)
def test_the_decision_count_is_carried_across_nodes(
    play: Any,
    flow: str,
    children: tuple[list[str], ...],
    limit: int,
    ends: str,
    asked: int,
    reason: Reason,
) -> None:
    played = play(family(flow, *children), limits=Limits(max_decisions=limit))
    report = played.end()
    assert ''.join(played.statuses().values()) == ends
    assert len(played.model.requests) == report.costs.decisions == asked
    assert report.reason is reason


@pytest.mark.parametrize(
    ('line', 'reason'),
    [(DONE, Reason.DONE), (FAILURE, Reason.GAVE_UP), (THINK, SPENT), ('Act: fly', SPENT)],
)
def test_an_ending_at_the_cap_is_an_ending(play: Any, line: str, reason: Reason) -> None:
    played = play({'root': [line, DONE]}, limits=Limits(max_decisions=1))
    assert played.end().reason is reason


def test_a_decision_has_the_time_that_the_parameter_says(play: Any) -> None:
    played = play({'root': [DONE]}, decision_timeout_sec=7.0)
    played.end()
    (request,) = played.model.requests
    assert request.time_limit_s == 7.0


def test_a_skill_decided_at_the_cap_is_not_carried_out(play: Any) -> None:
    played = play({'root': ['Act: go to fridge 1']}, limits=Limits(max_decisions=1))
    report = played.end()
    assert (report.reason, report.costs.skills, played.names()) == (SPENT, 0, ['root'])


CHAIN = {
    'root': ['Expand: sequence ["second"]'],
    'second': ['Expand: sequence ["third"]'],
    'third': [DONE],
}
DEPTHS = [
    # limit, behaviours in the tree, reason of the root, nodes asked for
    (1, ['root'], Reason.MAX_DEPTH, 1),
    (2, ['root', 'sequence of 1', 'second'], Reason.MAX_DEPTH, 2),
    (
        3,
        ['root', 'sequence of 1', 'second', 'sequence of 1', 'third'],
        Reason.EXPANSION,
        3,
    ),
]


@pytest.mark.parametrize(('limit', 'names', 'reason', 'asked'), DEPTHS)
def test_a_subgoal_below_the_depth_limit_never_joins_the_tree(
    play: Any, limit: int, names: list[str], reason: Reason, asked: int
) -> None:
    played = play(
        {goal: list(lines) for goal, lines in CHAIN.items()}, limits=Limits(max_depth=limit)
    )
    report = played.end()
    assert (played.names(), report.reason) == (names, reason)
    assert len(played.model.requests) == asked


def test_a_fallback_continues_after_a_child_that_was_too_deep(play: Any) -> None:
    played = play(
        family('fallback', ['Expand: sequence ["too deep"]'], [DONE]), limits=Limits(max_depth=2)
    )
    report = played.end()
    assert played.statuses() == {'root': 'S', 'child a': 'F', 'child b': 'S'}
    assert report.reason is Reason.EXPANSION
    assert played.agents()['child a'].outcome.reason is Reason.MAX_DEPTH


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_time_runs_out_while_the_model_thinks(play: Any) -> None:
    clock = Clock()
    played = play(
        family('sequence', [ENDLESS], [DONE]), limits=Limits(max_duration_sec=5), clock=clock
    )
    played.tick_until(lambda: len(played.model.requests) == 2)
    clock.now += 4.9
    played.run.tick()
    assert not played.run.finished
    clock.now += 0.1
    report = played.end()
    assert played.model.canceled == 1
    assert report.reason is Reason.MAX_SECONDS
    assert report.message == 'the time limit of 5 s has passed'
    assert played.statuses() == {'root': 'F', 'child a': '-', 'child b': '-'}
    assert report.costs.total_seconds == pytest.approx(5.0)


def test_time_runs_out_while_the_robot_works_and_the_run_waits_for_it(
    play: Any, robot: Any
) -> None:
    clock = Clock()
    played = play(
        family('parallel', ['Act: go to fridge 1'], [DONE]),
        robot=robot,
        limits=Limits(max_duration_sec=5),
        clock=clock,
    )
    played.tick_until(lambda: bool(robot.running))
    clock.now += 5
    played.run.tick()
    assert played.statuses()['root'] == 'F'
    assert not played.run.finished
    assert robot.running[0].cancels == 1
    clock.now += 2
    robot.running[0].come_to_rest()
    assert played.run.finished
    report = played.run.report()
    assert (report.status, report.reason) == ('failed', Reason.MAX_SECONDS)
    assert report.costs.total_seconds == pytest.approx(7.0)
    assert robot.running[0].cancels == 1


def test_what_was_awaited_is_counted_in_its_own_seconds(play: Any, robot: Any) -> None:
    clock = Clock()
    played = play({'root': ['Act: go to fridge 1', DONE]}, robot=robot, clock=clock)
    played.tick_until(lambda: bool(robot.running))
    clock.now += 3
    robot.running[0].finish()
    report = played.end()
    assert (report.costs.skills, report.costs.skill_seconds) == (1, pytest.approx(3.0))
    assert report.costs.model_seconds == pytest.approx(0.0)
    assert report.costs.total_seconds == pytest.approx(3.0)


def test_a_subtree_that_spent_its_decisions_fails_and_the_next_one_has_its_own(play: Any) -> None:
    played = play(
        family('fallback', [THINK, 'Act: go to fridge 1', DONE], [THINK, DONE]),
        limits=Limits(subtree_decisions=2),
    )
    report = played.end()
    assert played.statuses() == {'root': 'S', 'child a': 'F', 'child b': 'S'}
    outcome = played.agents()['child a'].outcome
    assert (outcome.reason, outcome.detail) == (
        Reason.SUBTREE_BUDGET,
        'all 2 decisions of a subtree are spent',
    )
    assert report.costs.decisions == 5
    lefts = {event.path[-1]: event.node_remaining.decisions for event in played.events}
    assert lefts == {'child a': 0, 'child b': 0, 'root': 195}
    assert played.events[-1].remaining.decisions == 195


def test_a_run_that_failed_for_the_budget_of_a_subtree_says_so(play: Any) -> None:
    played = play(
        family('sequence', [THINK, 'Act: go to fridge 1']), limits=Limits(subtree_decisions=1)
    )
    assert played.end().reason is Reason.SUBTREE_BUDGET


def test_after_the_time_of_a_subtree_the_next_node_waits_until_the_robot_has_stopped(
    play: Any, robot: Any
) -> None:
    clock = Clock()
    played = play(
        family('fallback', ['Act: go to fridge 1'], ['Act: open fridge 1', DONE]),
        robot=robot,
        limits=Limits(subtree_duration_sec=5),
        clock=clock,
    )
    played.tick_until(lambda: bool(robot.running))
    clock.now += 5
    played.tick_until(lambda: 'child b' in played.agents())
    for _ in range(3):
        played.run.tick()
    assert [run.cancels for run in robot.running] == [1]
    assert played.agents()['child b'].trajectory.first_observation == '', 'it still moves'
    robot.running[0].come_to_rest()
    played.tick_until(lambda: len(robot.running) == 2)
    robot.running[1].finish()
    assert played.end().status == 'succeeded'


def test_a_node_that_waits_for_the_robot_to_stop_can_be_canceled(play: Any, robot: Any) -> None:
    clock = Clock()
    played = play(
        family('fallback', ['Act: go to fridge 1'], ['Act: open fridge 1', DONE]),
        robot=robot,
        limits=Limits(subtree_duration_sec=5),
        clock=clock,
    )
    played.tick_until(lambda: bool(robot.running))
    clock.now += 5
    played.tick_until(lambda: 'child b' in played.agents())
    played.run.tick()
    played.run.cancel()
    assert not played.run.finished
    robot.running[0].come_to_rest()
    assert played.run.finished
    assert len(robot.running) == 1, 'what was canceled before it began never begins'


def test_memory_knows_what_a_stopped_skill_has_done(play: Any, robot: Any) -> None:
    now = [0.0]
    script = {
        'root': ['Expand: fallback ["one"]', 'Act: recall location of apple', DONE],
        'one': ['Act: go to kitchen counter 1', 'Act: pick up apple 1'],
    }
    played = play(
        script,
        robot=robot,
        limits=Limits(subtree_duration_sec=10.0),
        clock=lambda: now[0],
        replan_after_failure=True,
    )
    played.tick_until(lambda: len(robot.running) == 1)
    robot.running[0].finish()
    played.tick_until(lambda: len(robot.running) == 2)
    now[0] = 11.0
    played.run.tick()
    robot.running[1].finish()
    assert played.end().status == 'succeeded'
    told = [event.text for event in played.events if event.kind == 'observation']
    assert 'apple: apple 1 in your hand.' in told
