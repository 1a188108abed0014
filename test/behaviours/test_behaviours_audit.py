# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One record per decision, whatever becomes of it."""

from __future__ import annotations

from typing import Any

from reactree_ros.core.audit import DecisionRecord
from reactree_ros.models.wire import prompt_digest


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


def test_an_expansion_has_the_outcome_of_what_it_began(play: Any) -> None:
    played, records = records_of(
        play, {'root': ['Expand: sequence ["child"]'], 'child': ['Act: failure']}
    )
    played.end()
    assert [(record.path[-1], record.outcome) for record in records] == [
        ('child', 'the agent gave up'),
        ('root', 'sequence of 1 failed (child: the agent gave up)'),
    ]
