# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ADaPT's Algorithm 1, and the baselines that its paper compares it with."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.skills.library import SkillLibrary

DONE, FAILED = 'Act: done', 'Act: failure'
GO = 'Act: go to fridge 1'


def both(*steps: str) -> str:
    return f'Expand: sequence [{", ".join(f"{chr(34)}{step}{chr(34)}" for step in steps)}]'


def either(*steps: str) -> str:
    return both(*steps).replace('sequence', 'fallback')


def test_what_succeeds_at_once_is_not_split(play: Any) -> None:
    played = play({'root': [GO, DONE]}, strategy='adapt')
    assert played.end().status == 'succeeded'
    assert played.names()[:4] == ['root', 'try or split', 'try: root', 'go to fridge 1']
    assert played.kinds('expand') == []


def test_what_fails_is_split_and_every_step_is_tried(play: Any) -> None:
    played = play(
        {'root': [FAILED, 'Think: in two', both('a', 'b')], 'a': [DONE], 'b': [GO, DONE]},
        strategy='adapt',
    )
    assert played.end().status == 'succeeded'
    assert played.asked() == ['root', 'root', 'root', 'a', 'b', 'b']
    assert played.kinds('goal', 'expand', 'done', 'failure') == [
        ('goal', 'root'), ('goal', 'root'), ('failure', 'root'),  # the root and its try
        ('goal', 'root'), ('expand', 'root'),
        ('goal', 'a'), ('done', 'a'), ('goal', 'b'), ('done', 'b'),
        ('done', 'root'), ('done', 'root'),  # the split and the root
    ]  # fmt: skip


# What each step of "sequence" or "fallback" over a, b, c does -> whom the model was asked for.
@pytest.mark.parametrize(
    ('expansion', 'ends', 'expected', 'asked'),
    [
        (both('a', 'b', 'c'), {'a': DONE, 'b': FAILED}, 'failed', 'ab'),
        (either('a', 'b', 'c'), {'a': FAILED, 'b': DONE}, 'succeeded', 'ab'),
        (either('a', 'b'), {'a': FAILED, 'b': FAILED}, 'failed', 'ab'),
        (both('a OR b', 'c'), {'a': FAILED, 'b': DONE, 'c': DONE}, 'succeeded', 'abc'),
        (both('a OR b', 'c'), {'a': DONE, 'c': DONE}, 'succeeded', 'ac'),
        (both('a OR b', 'c'), {'a': FAILED, 'b': FAILED}, 'failed', 'ab'),
        (either('a AND b', 'c'), {'a': DONE, 'b': FAILED, 'c': DONE}, 'succeeded', 'abc'),
        (either('(a OR b) AND c', 'd'), {'a': DONE, 'c': FAILED, 'd': DONE}, 'succeeded', 'acd'),
        (either('a AND b', 'c AND b'), {'a': FAILED, 'c': DONE, 'b': DONE}, 'succeeded', 'acb'),
    ],
)
def test_steps_are_joined_as_they_are_written(
    play: Any, expansion: str, ends: dict[str, str], expected: str, asked: str
) -> None:
    script = {'root': [FAILED, expansion], **{step: [end] for step, end in ends.items()}}
    played = play(script, strategy='adapt', split_depth=2)
    assert played.end().status == expected
    assert ''.join(played.asked()[2:]) == asked


def test_what_was_reached_in_its_turn_counts_in_the_next_attempt(play: Any) -> None:
    script = {
        'root': ['Act: go to bedroom 1', 'Act: go to kitchen 1', FAILED, both('a')],
        'a': [GO, DONE],
    }
    ordered = ('robot in bedroom', 'then robot at fridge')
    report = play(script, strategy='adapt', conditions=ordered).end()
    assert (report.status, report.unconfirmed) == ('succeeded', False)
    assert all(one.met for one in report.conditions)


def test_a_split_and_its_steps_are_one_subtree(play: Any) -> None:
    script = {
        'root': [FAILED, both('a')],
        'a': [FAILED, both('c', 'd')],
        'c': [GO, DONE],
        'd': [DONE],
    }
    played = play(script, strategy='adapt', limits=Limits(subtree_decisions=3))
    assert played.end().reason is Reason.SUBTREE_BUDGET
    assert played.asked() == ['root', 'root', 'a', 'a', 'c', 'c']


def test_a_thought_before_a_plan_is_no_invalid_decision(play: Any) -> None:
    script = {'root': [FAILED, 'bad', 'bad', 'Think: in one', 'bad', both('a')], 'a': [DONE]}
    assert play(script, strategy='adapt').end().status == 'succeeded'


@pytest.mark.parametrize('depth', [1, 2, 3])
def test_steps_are_split_down_to_the_depth(play: Any, depth: int) -> None:
    script = {
        'root': [FAILED, both('a')],
        'a': [FAILED, both('b')],
        'b': [FAILED, both('c')],
        'c': [DONE],
    }
    played = play(script, strategy='adapt', split_depth=depth)
    assert played.end().status == 'failed'
    assert played.asked() == ['root', 'root', 'a', 'a', 'b', 'b'][: 2 * depth - 1]


def test_the_depth_of_a_run_holds_too(play: Any) -> None:
    script = {'root': [FAILED, both('a')], 'a': [FAILED, both('b')], 'b': [DONE]}
    report = play(script, strategy='adapt', limits=Limits(max_depth=2)).end()
    assert report.reason is Reason.MAX_DEPTH


def test_a_try_has_decisions_of_its_own(play: Any) -> None:
    script = {'root': ['Think: hm', GO, both('a')], 'a': ['Think: so', 'Think: or so']}
    played = play(script, strategy='adapt', split_depth=2, attempt_decisions=2)
    report = played.end()
    assert report.status == 'failed'
    assert 'try: a: not reached with 2 decisions' in report.message
    assert len(played.asked()) == 5


def test_the_last_success_is_handed_on_and_a_failure_is_not(play: Any) -> None:
    script = {
        'root': [FAILED, both('a', 'b OR c', 'd')],
        'a': ['Think: first', GO, 'Think: there', DONE],
        'b': ['Act: go to kitchen table 1', FAILED],
        'c': [DONE],
        'd': [DONE],
    }
    played = play(script, strategy='adapt', split_depth=2)
    assert played.end().status == 'succeeded'
    told = {
        request.prompt.goal: request.prompt.task.partition('\n')[0]
        for request in played.model.requests
    }
    assert told['root'].startswith('Goal: ')
    assert told['a'].startswith('Goal: ')
    assert told['b'].startswith('Done before: a. Last: go to fridge 1. You are at the fridge')
    assert told['c'] == told['b']
    assert told['d'] == 'Done before: c.'


def test_each_branch_of_a_fallback_is_told_the_same(play: Any) -> None:
    script = {
        'root': [FAILED, both('a', '(b AND c) OR d')],
        'a': [GO, DONE],
        'b': ['Act: go to kitchen table 1', DONE],
        'c': [FAILED],
        'd': [DONE],
    }
    played = play(script, strategy='adapt', split_depth=2)
    assert played.end().status == 'succeeded'
    told = {one.prompt.goal: one.prompt.task.partition('\n')[0] for one in played.model.requests}
    assert told['b'].startswith('Done before: a. Last: go to fridge 1.')
    assert told['c'].startswith('Done before: b. Last: go to kitchen table 1.')
    assert told['d'] == told['b']


@pytest.mark.parametrize('depth', [2, 3])
def test_each_of_three_branches_is_told_the_same(play: Any, depth: int) -> None:
    script = {
        'root': [FAILED, both('a', '(b AND c) OR d OR e')],
        'a': [GO, DONE],
        'b': ['Act: go to kitchen table 1', DONE],
        'c': [FAILED, both('f')],
        'd': [FAILED, both('g')],
        'e': [DONE],
        'f': [FAILED],
        'g': [FAILED],
    }
    played = play(script, strategy='adapt', split_depth=depth)
    assert played.end().status == 'succeeded'
    attempts = reversed(played.model.requests)  # before the splits
    told = {one.prompt.goal: one.prompt.task.partition('\n')[0] for one in attempts}
    assert told['d'] == told['e'] == told['b']
    assert told['b'].startswith('Done before: a. Last: go to fridge 1.')
    if depth == 3:
        assert told['g'] == told['d']


def test_a_skill_that_did_not_succeed_is_not_handed_on(play: Any, dancing: SkillLibrary) -> None:
    script = {
        'root': [FAILED, both('a', 'b')],
        'a': [GO, 'Act: dance', DONE],
        'b': [DONE],
    }
    played = play(script, library=dancing, strategy='adapt', split_depth=2)
    assert played.end().status == 'succeeded'
    told = played.model.requests[-1].prompt.task.partition('\n')[0]
    assert told.startswith('Done before: a. Last: go to fridge 1. You are at the fridge')


def test_steps_that_cannot_be_read_are_asked_for_again(play: Any) -> None:
    script = {'root': [FAILED, both('(a OR b', 'c'), both('root'), both('a')], 'a': [DONE]}
    played = play(script, strategy='adapt')
    assert played.end().status == 'succeeded'
    rejected = [event.text for event in played.events if event.kind == 'rejected']
    assert 'a bracket for each bracket' in rejected[0]
    assert 'is a goal that is being worked on already' in rejected[1]
    assert 'Not possible: ' in played.model.requests[-2].prompt.text()


def test_a_model_that_cannot_split_ends_the_task(play: Any) -> None:
    script = {'root': [FAILED, 'Act: done', 'Expand: parallel ["a"]', 'nothing']}
    report = play(script, strategy='adapt', max_invalid_answers=3).end()
    assert (report.status, report.reason) == ('failed', Reason.MODEL)


@pytest.mark.parametrize('decisions', [1, 2, 3, 4])
def test_the_decisions_of_the_run_are_for_all(play: Any, decisions: int) -> None:
    script = {'root': ['Think: hm', FAILED, both('a')], 'a': [GO, FAILED, both('b')], 'b': [DONE]}
    played = play(script, strategy='adapt', limits=Limits(max_decisions=decisions))
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.MAX_DECISIONS)
    assert len(played.asked()) == decisions


def test_a_canceled_split_cancels_what_runs_below(play: Any, robot: Any) -> None:
    script = {'root': [FAILED, both('a', 'b')], 'a': [GO, ENDLESS]}
    played = play(script, robot=robot, strategy='adapt')
    played.tick_until(lambda: bool(robot.running))
    played.run.cancel()
    assert robot.running[0].cancels == 1
    assert not played.run.finished
    robot.running[0].come_to_rest()
    assert played.end().status == 'canceled'


def test_plan_and_execute_splits_once_and_first(play: Any) -> None:
    script = {'root': [both('a', 'b')], 'a': [DONE], 'b': [FAILED]}
    played = play(script, strategy='plan_and_execute')
    assert played.end().status == 'failed'
    assert played.asked() == ['root', 'a', 'b']


def test_a_plan_that_is_not_made_says_why(play: Any) -> None:
    report = play(
        {'root': ['nothing'] * 3}, strategy='plan_and_execute', max_invalid_answers=3
    ).end()
    assert report.reason is Reason.MODEL
    assert report.message.startswith('3 invalid decisions in a row: ')


def test_try_again_begins_anew_each_time(play: Any) -> None:
    script = {'root': [GO, FAILED, 'Think: again', FAILED, DONE]}
    played = play(script, strategy='try_again', max_attempts=3)
    assert played.end().status == 'succeeded'
    lengths = [len(request.prompt.steps) for request in played.model.requests]
    assert lengths == [0, 2, 0, 1, 0]


def test_try_again_ends_after_its_tries(play: Any) -> None:
    played = play({'root': [FAILED, FAILED, DONE]}, strategy='try_again', max_attempts=2)
    assert played.end().status == 'failed'
    assert len(played.asked()) == 2


def test_reflexion_tells_the_next_try_what_was_learned(play: Any) -> None:
    script = {
        'root': [
            GO, FAILED, 'Lesson: Open the fridge.\nMore', 'Act: open fridge 1', FAILED, '', DONE,
        ]
    }  # fmt: skip
    played = play(script, strategy='reflexion', max_attempts=3)
    assert played.end().status == 'succeeded'
    first, second = (request.prompt for request in played.model.texts)
    assert first.system == 'You decide otherwise.'
    assert [step.text for step in first.steps][0] == GO
    assert first.text().endswith('Failed: the agent gave up\nLesson:\n')
    tries = [request.prompt.task.partition('\n')[0] for request in played.model.requests]
    learned = 'Learned from earlier tries: Open the fridge.'
    assert tries == ['Goal: root', 'Goal: root', learned, learned, learned]
    assert second.task.startswith(learned)
