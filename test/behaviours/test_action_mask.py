# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at each moment: only what is valid and can change something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.outcome import Reason
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import parse_library

DONE = 'Act: done'


def test_recall_is_answered_from_working_memory_without_the_robot(play: Any, robot: Any) -> None:
    played = play(
        {
            'root': [
                'Act: recall location of apple',
                'Act: go to kitchen counter 1',
                'Act: recall location of cutlery knife',
                DONE,
            ]
        },
        robot=robot,
    )
    played.tick_until(lambda: bool(robot.running))
    robot.running[0].finish()
    report = played.end()
    steps = [step.text for step in played.agents()['root'].trajectory.steps]
    assert steps[1] == 'apple: not seen so far.'
    assert steps[5] == ('cutlery knife: cutlery knife 1 on kitchen counter 1 in kitchen 1.')
    assert (len(robot.running), report.costs.skills, report.costs.decisions) == (1, 1, 4)


def test_each_class_is_asked_for_once_and_no_two_in_a_row(play: Any) -> None:
    question = 'Act: recall location of mug'
    played = play({'root': [question, 'Act: go to fridge 1', question, DONE]})
    assert played.end().reason is Reason.DONE
    offered = ['mug' in request.choices.recall for request in played.model.requests]
    assert offered == [True, False, False, False]
    others = ['apple' in request.choices.recall for request in played.model.requests]
    assert others == [True, False, True, True]
    assert [text for _, text in played.kinds('rejected')] == ['root']


RECALLABLE = [
    # goal, working memory on, what may be asked for
    ('find the mug and the plum', True, ('mug', 'plum')),
    ('find the mug and the plum', False, ()),
    ('go to the fridge', True, None),
    ('tidy up', True, None),
]


@pytest.mark.parametrize(('goal', 'on', 'expected'), RECALLABLE)
def test_a_node_may_ask_for_what_its_goal_names_or_for_all(
    play: Any, household: SkillLibrary, goal: str, on: bool, expected: tuple[str, ...] | None
) -> None:
    played = play({goal: [DONE]}, memory__working=on)
    played.end()
    offered = played.model.requests[0].choices.recall
    if expected is None:
        assert set(offered) == household.objects
    else:
        assert offered == expected


@pytest.mark.parametrize(
    ('think_twice', 'offered'), [(False, [True, False, True]), (True, [True, True, True])]
)
def test_no_thought_right_after_a_thought(
    play: Any, think_twice: bool, offered: list[bool]
) -> None:
    played = play(
        {'root': ['Think: hm', 'Act: go to fridge 1', DONE]}, allow_consecutive_thoughts=think_twice
    )
    played.end()
    assert [request.choices.think for request in played.model.requests] == offered


def test_a_second_thought_in_a_row_is_rejected_and_the_node_goes_on(play: Any) -> None:
    played = play({'root': ['Think: hm', 'Think: hm hm', DONE]}, allow_consecutive_thoughts=False)
    assert played.end().reason is Reason.DONE
    (rejected,) = [event for event in played.events if event.kind == 'rejected']
    assert 'no thought is allowed now' in rejected.text


# The household knows no such skill and refuses it.
DANCER = parse_library('{name: odd, action: act, skills: {dance: {phrase: dance}}}', 'test')


def test_a_refused_skill_is_not_offered_again_until_something_changed(
    play: Any, household: SkillLibrary
) -> None:
    library = replace(household, skills=(*DANCER.skills, *household.skills))
    played = play(
        {'root': ['Act: dance', 'Think: no', 'Act: go to fridge 1', 'Act: dance', DONE]},
        library=library,
    )
    report = played.end()
    offered = ['dance' in request.choices.skills for request in played.model.requests]
    assert offered == [True, False, False, True, False]
    steps = [step.text for step in played.agents()['root'].trajectory.steps]
    assert steps[1].startswith('You cannot dance')
    assert report.costs.skills == 3


def test_a_node_to_which_nothing_is_left_ends_as_a_failure(play: Any) -> None:
    # The only skill was refused, a thought was had, and both endings are contradicted.
    played = play(
        {'find and pick up the apple in kitchen 1': ['Act: dance', 'Think: what now', DONE]},
        library=DANCER,
        control_flows=(),
        memory__working=False,
        allow_consecutive_thoughts=False,
        check_decisions=True,
    )
    assert played.end().status == 'failed'


def test_endings_that_are_contradicted_are_not_on_offer(play: Any) -> None:
    goal = 'pick up the pudding'
    played = play(
        {goal: [DONE, 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: pick up pudding 1', DONE]},
        check_decisions=True,
    )
    report = played.end()
    objections = [request.choices.not_done for request in played.model.requests]
    assert objections == ['you hold nothing'] * 4 + ['']
    assert report.reason is Reason.DONE
    assert played.agents()[goal].trajectory.steps[0].text == (
        'Not possible: not done yet: you hold nothing.'
    )


def test_a_node_may_not_be_done_before_it_did_anything(play: Any) -> None:
    played = play(
        {'dance a little': ['Think: hm', 'Act: go to fridge 1', DONE]}, check_decisions=True
    )
    played.end()
    assert [request.choices.not_done for request in played.model.requests] == [
        'nothing was done for it yet',
        'nothing was done for it yet',
        '',
    ]


@pytest.mark.parametrize(
    ('point_out', 'shown'), [(False, ['', '', '']), (True, ['', 'pudding 1.', ''])]
)
def test_what_a_goal_names_is_pointed_out_within_reach(
    play: Any, point_out: bool, shown: list[str]
) -> None:
    goal = 'find and pick up the pudding'
    lines = ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: pick up pudding 1', DONE]
    played = play({goal: lines}, hint_reachable=point_out)
    played.end()
    steps = [step.text for step in played.agents()[goal].trajectory.steps]
    assert [step.partition(' In reach: ')[2] for step in steps[1:6:2]] == shown


def test_only_what_can_matter_is_offered_until_a_skill_was_refused(
    play: Any, household: SkillLibrary
) -> None:
    library = replace(household, skills=(*DANCER.skills, *household.skills))
    goal = 'pick up the apple'
    lines = ['Act: go to kitchen counter 1', 'Act: dance', DONE]
    played = play({goal: lines}, library=library, filter_irrelevant_skills=True)
    played.end()
    knife = 'pick up cutlery knife 1'
    assert [knife in request.choices.skills for request in played.model.requests] == [
        False,
        False,
        True,
    ]
    assert 'pick up apple 1' in played.model.requests[1].choices.skills


def test_a_goal_in_wider_words_may_be_split_into_what_they_mean(play: Any) -> None:
    goal = 'Put a piece of crockery on the counter.'
    find, put = 'find and pick up the mug', 'put down the mug on the kitchen counter'
    played = play({goal: [f'Expand: sequence ["{find}", "{put}"]']}, check_decisions=True)
    played.end()
    assert {goal, find, put} <= set(played.agents())


def test_what_was_reached_is_not_undone(play: Any) -> None:
    goal = 'find and pick up the apple'
    lines = ['Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: put down apple 1', DONE]
    played = play({goal: lines}, check_decisions=True)
    assert played.end().status == 'succeeded'
    before, after = (played.model.requests[number].choices for number in (1, 2))
    assert 'pick up apple 1' in before.skills and before.not_done
    assert 'put down apple 1' not in after.skills and not after.not_done
    assert any(skill.startswith('go to') for skill in after.skills)


def test_what_is_reached_already_is_taken_out_of_a_parallel_and_told(play: Any) -> None:
    goal = 'put the apple and the mug on the kitchen table'
    apple, mug = 'move the apple to the kitchen table', 'move the mug to the kitchen table'
    lines = [
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        'Act: go to kitchen table 1',
        'Act: put down apple 1',
        f'Expand: parallel ["{apple}", "{mug}"]',
    ]
    played = play({goal: lines, mug: []}, check_decisions=True)
    played.end()
    assert list(played.agents()) == [goal, mug]
    (told,) = [event.text for event in played.events if event.kind == 'adjusted']
    assert told == f'"{apple}" is reached already; the other subgoals stay'
