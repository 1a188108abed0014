# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STEP's Algorithm 1: name a subgoal, check it, then carry it out, split it or plan again."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.strategies.step import (
    AGAIN,
    BEYOND,
    CONSISTENT,
    ELSEWHERE,
    MAPPABLE,
    NO_SKILL,
    NOT_NOW,
    REFINED,
)

DONE, FAILED = 'Act: done', 'Act: failure'
TO_FRIDGE, TO_TABLE = 'Act: go to fridge 1', 'Act: go to kitchen table 1'
FITS, IS_ONE = f'Act: {CONSISTENT}', f'Act: {MAPPABLE}'


def one(subgoal: str, skill: str) -> list[str]:
    """Return the decisions by which a subgoal is done at once."""
    return [f'Think: {subgoal}', FITS, IS_ONE, skill]


def split(subgoal: str) -> list[str]:
    """Return the decisions by which a subgoal is split."""
    return [f'Think: {subgoal}', FITS, f'Act: {REFINED}']


def unfit(subgoal: str, why: str = NOT_NOW) -> list[str]:
    """Return the decisions by which a subgoal is planned again."""
    return [f'Think: {subgoal}', f'Act: {why}']


def test_a_subgoal_that_is_one_skill_is_carried_out(play: Any) -> None:
    records: list[Any] = []
    played = play(
        {'root': [*one('walk to the fridge', TO_FRIDGE), DONE]},
        strategy='step',
        audit=records.append,
    )
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'go to fridge 1']
    checks = [event.text.rpartition(': ')[2] for event in played.events if event.kind == 'check']
    assert checks == [CONSISTENT, MAPPABLE, 'go to fridge 1']
    named, consistent, mappable, which, _ = played.model.requests
    assert named.choices.kinds == ('Think', 'Act')
    assert named.choices.endings == ('done', 'failure')
    assert named.choices.skills == ()
    assert 'apple' in named.choices.recall
    assert consistent.prompt.system == 'You check.'
    assert consistent.prompt.text().endswith('\nSubgoal: walk to the fridge\n')
    assert consistent.choices.acts == (CONSISTENT, BEYOND, ELSEWHERE, NOT_NOW)
    assert mappable.prompt.text().endswith(f'\n{FITS}\n')
    assert mappable.choices.acts == (MAPPABLE, REFINED)
    assert which.prompt.text().endswith(f'\n{FITS}\n{IS_ONE}\n')
    assert 'go to fridge 1' in which.choices.acts and which.choices.acts[-1] == NO_SKILL
    decided = [(one.decision, one.outcome) for one in records]
    assert decided[1:3] == [(FITS, CONSISTENT), (IS_ONE, MAPPABLE)]
    assert decided[3][0] == TO_FRIDGE and 'fridge' in decided[3][1]


def test_a_coarse_subgoal_is_split_below_its_parent(play: Any) -> None:
    script = {
        'root': [*split('a'), *split('b'), DONE],
        'a': [*one('walk', TO_FRIDGE), DONE],
        'b': [*split('c'), DONE],
        'c': [*one('walk back', TO_TABLE), DONE],
    }
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'a', 'go to fridge 1', 'b', 'c', 'go to kitchen table 1']


def test_a_node_reads_its_parent_the_subgoal_before_and_no_other_branch(play: Any) -> None:
    script = {
        'root': [*split('a'), *split('b'), *split('d'), DONE],
        'a': [*one('walk', TO_FRIDGE), DONE],
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
    prompts = [one.prompt for one in played.model.requests if one.choices.think]
    third = [prompt for prompt in prompts if prompt.goal == 'root'][2]
    assert [step.text for step in third.steps] == [
        'Think: b',
        '"b" is reached. You are at the fridge (1). It is closed. You see nothing there.',
    ]


def test_a_check_reads_all_that_was_reached_before(play: Any) -> None:
    script = {
        'root': [*split('a'), *split('b'), *split('c'), *split('d'), DONE],
        **{'a': [DONE], 'b': ['Act: failure'], 'c': [DONE], 'd': [DONE]},
    }
    played = play(script, strategy='step')
    assert played.end().status == 'succeeded'
    checks = [
        one.prompt
        for one in played.model.requests
        if one.prompt.goal == 'root' and not one.choices.think
    ]
    read = [step.text for step in checks[-1].steps]
    assert read[:2] == ['Think: a', 'Think: c'], 'b has failed'
    assert [line for line in read if line.startswith('Subgoal: ')] == ['Subgoal: d']


@pytest.mark.parametrize(
    ('said', 'told'),
    [
        ([BEYOND], 'no skill can do it'),
        ([ELSEWHERE], 'does not serve the goal'),
        ([NOT_NOW], 'not possible here'),
        ([CONSISTENT, MAPPABLE, NO_SKILL], 'no skill that can be done now'),
    ],
)
def test_an_unfit_subgoal_has_its_parent_planned_again(
    play: Any, said: list[str], told: str
) -> None:
    lines = ['Think: fly', *(f'Act: {one}' for one in said), *one('walk', TO_FRIDGE), DONE]
    played = play({'root': lines}, strategy='step')
    assert played.end().status == 'succeeded'
    asked = played.model.requests[1 + len(said)]
    assert asked.choices.think
    assert told in asked.prompt.steps[-1].text
    assert '"fly"' in asked.prompt.steps[-1].text


def test_a_goal_without_fitting_parts_is_replaced_by_the_one_above(play: Any) -> None:
    script = {
        'root': [*split('a'), *split('b'), DONE],
        'a': [*unfit('x'), *unfit('y', BEYOND)],
        'b': [*one('walk', TO_FRIDGE), DONE],
    }
    played = play(script, strategy='step', replans=2)
    assert played.end().status == 'succeeded'
    checks = [event.text for event in played.events if event.kind == 'check']
    assert f'a: {AGAIN}' in checks
    named = [one.prompt for one in played.model.requests if one.choices.think]
    (again,) = [one for one in named if '"a" failed' in one.text()]
    assert again.goal == 'root'
    assert '"a" failed: "y": no skill can do it' in again.text()
    (other,) = {one.task.partition('\n')[0] for one in named if one.goal == 'b'}
    assert other == 'Part of: root. Before: a, which failed.'


def test_a_part_without_a_valid_decision_is_replaced_too(play: Any) -> None:
    script = {'root': [*split('a'), *split('b'), DONE], 'a': ['bad'] * 3, 'b': [DONE]}
    assert play(script, strategy='step').end().status == 'succeeded'


def test_a_subgoal_between_two_invalid_decisions_begins_their_count_anew(play: Any) -> None:
    lines = ['bad', 'bad', 'Think: walk', 'bad', *one('walk', TO_FRIDGE)[1:], DONE]
    assert play({'root': lines}, strategy='step').end().status == 'succeeded'


def test_what_was_refused_is_on_offer_after_a_part(play: Any, dancing: SkillLibrary) -> None:
    refused = [*one('dance', 'Act: dance'), *split('a'), *one('dance', 'Act: dance'), FAILED]
    script = {'root': refused, 'a': [*one('walk', TO_FRIDGE), DONE]}
    played = play(script, strategy='step', library=dancing)
    played.end()
    which = [one for one in played.model.requests if NO_SKILL in one.choices.skills]
    offered = [(one.prompt.goal, 'dance' in one.choices.skills) for one in which]
    assert offered == [('root', True), ('a', True), ('root', True)]
    told = {one.prompt.task.partition('\n')[0] for one in which if one.prompt.goal == 'a'}
    assert told == {'Part of: root. Before: dance, which failed.'}


def test_what_fits_begins_the_count_anew(play: Any) -> None:
    lines = [*unfit('x'), *one('walk', TO_FRIDGE), *unfit('y'), *one('back', TO_TABLE), DONE]
    assert play({'root': lines}, strategy='step', replans=2).end().status == 'succeeded'


def test_it_is_not_planned_again_for_ever(play: Any) -> None:
    script = {'root': split('a') * 3, 'a': [FAILED] * 3}
    report = play(script, strategy='step', replans=3).end()
    assert (report.status, report.reason) == ('failed', Reason.PLAN)
    assert report.message == '"a" failed: the agent gave up'


@pytest.mark.parametrize(
    ('lines', 'reason'),
    [
        ([FAILED], Reason.GAVE_UP),
        (unfit('x') * 5, Reason.PLAN),
        (['Think: root'] * 3, Reason.MODEL),
        (['Think: x', 'nothing', DONE, 'Think: y'], Reason.MODEL),
    ],
)
def test_other_ends(play: Any, lines: list[str], reason: Reason) -> None:
    report = play({'root': lines}, strategy='step', max_invalid_answers=3).end()
    assert (report.status, report.reason) == ('failed', reason)


def test_memory_is_asked_before_a_subgoal_is_named(play: Any) -> None:
    lines = [*one('walk', TO_TABLE), 'Act: recall location of apple', *one('walk', TO_FRIDGE), DONE]
    played = play({'root': lines}, strategy='step')
    assert played.end().status == 'succeeded'
    check = played.model.requests[6].prompt
    asked, answer, subgoal = (step.text for step in check.steps[-3:])
    assert (asked, subgoal) == ('Act: recall location of apple', 'Subgoal: walk')
    assert answer.startswith('apple: ')


def test_facts_are_stated_with_every_observation(play: Any) -> None:
    lines = [*one('walk', TO_FRIDGE), *one('back', TO_TABLE), DONE]
    played = play({'root': lines}, strategy='step', facts=('unexplored',))
    assert played.end().status == 'succeeded'
    told = [event.text for event in played.events if event.kind == 'observation']
    assert all('Not looked into here: ' in text for text in told)


def test_refused_skills_in_a_row_end_a_goal(play: Any, dancing: SkillLibrary) -> None:
    turn = one('dance', 'Act: dance')
    settings = {'strategy': 'step', 'replans': 2, 'mask_refused_skills': False}
    report = play({'root': turn * 3}, library=dancing, **settings).end()
    assert (report.status, report.reason) == ('failed', Reason.PLAN)
    assert report.message.startswith('dance: You cannot dance')


def test_the_goal_itself_is_no_subgoal_whatever_its_capitals_and_end(play: Any) -> None:
    played = play({'root': ['Think: Root.', *one('walk', TO_FRIDGE), DONE]}, strategy='step')
    assert played.end().status == 'succeeded'
    rejected = [event.text for event in played.events if event.kind == 'rejected']
    assert len(rejected) == 1 and 'is being worked on already' in rejected[0]


def test_at_the_greatest_depth_nothing_is_split(play: Any) -> None:
    script = {
        'root': [*split('a'), DONE],
        'a': ['Think: b', FITS, TO_FRIDGE, DONE],
    }
    played = play(script, strategy='step', limits=Limits(max_depth=2))
    assert played.end().status == 'succeeded'
    offered = [REFINED in request.choices.skills for request in played.model.requests]
    assert offered.count(True) == 1


@pytest.mark.parametrize('decisions', range(1, 8))
def test_the_decisions_of_a_run_hold(play: Any, decisions: int) -> None:
    script = {
        'root': [*split('a'), *one('walk', TO_FRIDGE), DONE],
        'a': [*one('back', TO_TABLE), DONE],
    }
    report = play(script, strategy='step', limits=Limits(decisions)).end()
    assert report.reason is Reason.MAX_DECISIONS
    assert report.costs.decisions == decisions


def test_done_that_does_not_count_is_not_read_again(play: Any) -> None:
    lines = [DONE, *one('walk', TO_FRIDGE), DONE]
    played = play({'root': lines}, strategy='step', conditions=('robot at fridge',))
    assert played.end().status == 'succeeded'
    seen = [step.text for step in played.model.requests[1].prompt.steps]
    assert DONE not in seen
    assert '"done" does not count' in seen[-1]


def test_a_check_under_way_is_canceled(play: Any) -> None:
    played = play({'root': ['Think: a', ENDLESS]}, strategy='step')
    played.tick_until(lambda: len(played.model.requests) == 2)
    played.run.cancel()
    assert played.model.canceled == 1
    assert played.end().status == 'canceled'
