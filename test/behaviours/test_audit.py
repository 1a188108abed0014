# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One record per decision, whatever becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.wire import prompt_digest


def records_of(play: Any, script: dict[str, list[str]], **given: Any) -> tuple[Any, list[Any]]:
    records: list[DecisionRecord] = []
    played = play(script, audit=records.append, **given)
    return played, records


def test_each_decision_has_one_record_with_its_outcome(play: Any) -> None:
    played, records = records_of(
        play, {'root': ['Act: fly', 'Think: hm', 'Act: go to fridge 1', 'Act: done']}
    )
    report = played.end()
    assert [record.index for record in records] == [1, 2, 3, 4]
    assert report.costs.decisions == 4
    wrong, thought, went, done = records
    assert not wrong.accepted
    assert wrong.outcome == "'fly' cannot be done now"
    assert (thought.accepted, thought.outcome) == (True, 'the agent went on')
    assert 'fridge (1)' in went.outcome
    assert done.outcome == 'the agent said done'
    assert [record.prompt_sha256 for record in records] == [
        prompt_digest(request.prompt) for request in played.model.requests
    ]
    assert len({record.prompt_sha256 for record in records}) == 4
    assert all(record.seconds_ago >= 0 for record in records)


def test_what_is_cut_short_has_a_record_too(play: Any, robot: Any) -> None:
    played, records = records_of(play, {'root': ['Act: go to fridge 1']}, robot=robot)
    played.tick_until(lambda: bool(robot.running))
    robot.running[0].goal_id = 'ab' * 16
    played.run.cancel()
    robot.running[0].come_to_rest()
    assert played.run.finished
    (record,) = records
    assert (record.outcome, record.robot_goal_id) == ('it was interrupted', 'ab' * 16)


@pytest.mark.parametrize('how', ['cancel', 'time'])
def test_a_stop_that_the_robot_did_not_confirm_is_told_everywhere(
    play: Any, robot: Any, how: str
) -> None:
    clock = [0.0]
    limits = Limits(max_duration_sec=5.0)
    script = {'root': ['Act: go to fridge 1']}
    played, records = records_of(play, script, robot=robot, limits=limits, clock=lambda: clock[0])
    played.tick_until(lambda: bool(robot.running))
    if how == 'cancel':
        why, outcome = 'the goal was canceled', 'it was interrupted'
        played.run.cancel()
    else:
        why = outcome = 'the time limit of 5 s has passed'
        clock[0] = 5.0
        played.run.tick()
    assert not played.run.finished
    robot.running[0].confirmed = False
    robot.running[0].come_to_rest()
    assert played.run.finished
    told = 'It did not confirm that it stopped'
    report = played.run.report()
    assert report.message == f'{why}; {told}'
    assert f'interrupted; {told}.' in report.tree
    events = [(one.kind, one.text) for one in played.events]
    assert events[-2:] == [
        ('fault', f'{told}.'),
        ('ended', f'{report.status}: {report.message}'),
    ]
    assert [record.outcome for record in records] == [f'{outcome}; {told}.']


def test_an_expansion_has_the_outcome_of_what_it_began(play: Any) -> None:
    played, records = records_of(
        play, {'root': ['Expand: sequence ["child"]'], 'child': ['Act: failure']}
    )
    played.end()
    assert [(record.path[-1], record.outcome) for record in records] == [
        ('child', 'the agent gave up'),
        ('root', 'sequence of 1 failed (child: the agent gave up)'),
    ]
