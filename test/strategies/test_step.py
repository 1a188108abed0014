# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STEP's Algorithm 1: name a subgoal, check it, then carry it out, split it or name another."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.strategies.step import AGAIN, SPLIT

DONE, FAILED = 'Act: done', 'Act: failure'
TO_FRIDGE, TO_TABLE = 'Act: go to fridge 1', 'Act: go to kitchen table 1'
SPLIT_IT, PLAN_AGAIN = f'Act: {SPLIT}', f'Act: {AGAIN}'


def test_a_subgoal_that_is_one_skill_is_carried_out(play: Any) -> None:
    played = play({'root': ['Think: walk to the fridge', TO_FRIDGE, DONE]}, strategy='step')
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'go to fridge 1']
    assert played.kinds('think', 'check', 'act', 'done') == [
        ('think', 'root'), ('check', 'root'), ('act', 'root'), ('done', 'root'),
    ]  # fmt: skip
    named, checked, _ = played.model.requests
    assert named.choices.kinds == ('Think', 'Act')
    assert named.choices.acts == ('done', 'failure')
    assert checked.prompt.system == 'You check.'
    assert checked.prompt.text().endswith('\nSubgoal: walk to the fridge\n')
    assert 'go to fridge 1' in checked.choices.skills
    assert checked.choices.acts[-2:] == (SPLIT, AGAIN)


def test_a_coarse_subgoal_is_split_below_its_parent(play: Any) -> None:
    script = {
        'root': ['Think: a', SPLIT_IT, 'Think: b', SPLIT_IT, DONE],
        'a': ['Think: walk', TO_FRIDGE, DONE],
        'b': ['Think: c', SPLIT_IT, DONE],
        'c': ['Think: walk back', TO_TABLE, DONE],
    }
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'a', 'go to fridge 1', 'b', 'c', 'go to kitchen table 1']


def test_a_node_reads_its_parent_the_subgoal_before_and_no_other_branch(play: Any) -> None:
    script = {
        'root': ['Think: a', SPLIT_IT, 'Think: b', SPLIT_IT, 'Think: d', SPLIT_IT, DONE],
        'a': ['Think: walk', TO_FRIDGE, DONE],
        'b': [DONE],
        'd': [DONE],
    }
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    told = {
        request.prompt.goal: request.prompt.task.partition('\n')[0]
        for request in played.model.requests
    }
    assert told['a'] == 'Part of: root.'
    assert told['b'] == 'Part of: root. Before: a.'
    assert told['d'] == 'Part of: root. Before: b.'
    prompts = [request.prompt for request in played.model.requests]
    third = [prompt for prompt in prompts if prompt.goal == 'root'][4]
    assert [step.text for step in third.steps] == ['Think: b', '"b" is reached.']


def test_an_unfit_subgoal_is_named_anew(play: Any) -> None:
    script = {'root': ['Think: fly', PLAN_AGAIN, 'Think: walk', TO_FRIDGE, DONE]}
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    (told,) = [event.text for event in played.events if event.kind == 'rejected']
    assert told == 'fly: "fly" does not fit here; name another subgoal'
    assert '"fly" does not fit here' in played.model.requests[2].prompt.text()


def test_a_subgoal_that_fails_is_planned_again(play: Any) -> None:
    script = {
        'root': ['Think: a', SPLIT_IT, 'Think: b', SPLIT_IT, DONE],
        'a': [FAILED],
        'b': [DONE],
    }
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    assert played.statuses() == {}
    assert '"a" failed: the agent gave up.' in played.model.requests[3].prompt.text()


def test_it_is_not_planned_again_for_ever(play: Any) -> None:
    script = {'root': ['Think: a', SPLIT_IT] * 3, 'a': [FAILED] * 3}
    report = play(script, strategy='step', max_invalid_answers=3).end()
    assert (report.status, report.reason) == ('failed', Reason.GAVE_UP)
    assert report.message == '"a" failed: the agent gave up'


@pytest.mark.parametrize(
    ('lines', 'reason'),
    [
        ([FAILED], Reason.GAVE_UP),
        (['Think: x', PLAN_AGAIN] * 3, Reason.MODEL),
        (['Think: root'] * 3, Reason.MODEL),
        (['Think: x', 'nothing', DONE, 'Think: y'], Reason.MODEL),
    ],
)
def test_other_ends(play: Any, lines: list[str], reason: Reason) -> None:
    report = play({'root': lines}, strategy='step', max_invalid_answers=3).end()
    assert (report.status, report.reason) == ('failed', reason)


def test_at_the_greatest_depth_nothing_is_split(play: Any) -> None:
    script = {'root': ['Think: a', SPLIT_IT], 'a': ['Think: b', TO_FRIDGE, DONE]}
    script['root'].append(DONE)
    played = play(script, strategy='step', limits=Limits(max_depth=2))
    assert played.end().status == 'succeeded'
    checks = [request for request in played.model.requests if not request.choices.think]
    assert [SPLIT in request.choices.skills for request in checks] == [True, False]


@pytest.mark.parametrize('decisions', [1, 2, 3])
def test_the_decisions_of_a_run_hold(play: Any, decisions: int) -> None:
    script = {'root': ['Think: a', TO_FRIDGE, 'Think: b', TO_TABLE, DONE]}
    report = play(script, strategy='step', limits=Limits(decisions)).end()
    assert report.reason is Reason.MAX_DECISIONS
    assert report.costs.decisions == decisions


def test_a_check_under_way_is_canceled(play: Any) -> None:
    played = play({'root': ['Think: a', ENDLESS]}, strategy='step')
    played.tick_until(lambda: len(played.model.requests) == 2)
    played.run.cancel()
    assert played.model.canceled == 1
    assert played.end().status == 'canceled'
