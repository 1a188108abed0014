# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""HiAgent: subgoals first, finished ones as summaries, and their steps when they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.models.scripted import ENDLESS

DONE = 'Act: done'
FRIDGE, TABLE = 'Act: go to fridge 1', 'Act: go to kitchen table 1'
SUMMARY = 'Summary: The fridge is closed.\nMore of it'
REACHED, NOT_REACHED = 'Act: subgoal reached', 'Act: subgoal not reached'
FOLDED = 'Summary of subgoal 1: The fridge is closed. Subgoal not reached.'


def lines(prompt: Any) -> list[str]:
    return [step.text for step in prompt.steps]


def test_a_finished_subgoal_is_read_as_its_summary(play: Any) -> None:
    begin = ['Think: look into the fridge', FRIDGE, 'Think: look at the table']
    script = [*begin, SUMMARY, NOT_REACHED, TABLE]
    played = play({'root': [*script, DONE]}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    (asked,) = (request.prompt for request in played.model.texts)
    assert asked.system == 'You sum up.'
    assert lines(asked)[:2] == ['Think: look into the fridge', FRIDGE]
    assert lines(asked)[-1] == 'Summary:'
    judged = next(one for one in played.model.requests if 'subgoal reached' in one.choices.acts)
    assert judged.prompt.system == 'You sum up.'
    assert lines(judged.prompt)[-2:] == ['Summary:', 'The fridge is closed.']
    assert judged.choices.acts == ('subgoal reached', 'subgoal not reached')
    last = lines(played.model.requests[-1].prompt)
    assert last[:4] == ['Think: look into the fridge', FOLDED, 'Think: look at the table', TABLE]
    (said,) = [event.text for event in played.events if event.kind == 'summary']
    assert said == '1: The fridge is closed.'
    (verdict,) = [event.text for event in played.events if event.kind == 'check']
    assert verdict == 'look into the fridge: subgoal not reached'
    whole = [step.text for step in played.run.root.trajectory.steps]
    assert FRIDGE in whole
    assert FOLDED not in whole


def test_a_subgoal_comes_first_and_no_two_in_a_row(play: Any) -> None:
    played = play({'root': ['Think: a', FRIDGE, 'Think: b', SUMMARY, REACHED, TABLE, DONE]},
                  strategy='hiagent')  # fmt: skip
    played.end()
    first, second, third, _, fourth, *_ = (request.choices for request in played.model.requests)
    assert first.kinds == ('Think',)
    assert second.kinds == ('Act',)
    assert third.kinds == ('Think', 'Act')
    assert fourth.kinds == ('Act',)
    assert all(not request.choices.control_flows for request in played.model.requests)


def test_steps_that_are_asked_for_stand_in_the_context_until_the_next_subgoal(play: Any) -> None:
    script = [
        'Think: a', FRIDGE, 'Think: b', SUMMARY, NOT_REACHED, 'Act: retrieve subgoal 1', TABLE,
        'Think: c', 'Summary: second', REACHED, FRIDGE, DONE,
    ]  # fmt: skip
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    prompts = [request.prompt for request in played.model.requests]
    offered = [request.choices.skills for request in played.model.requests]
    folded = [number for number, skills in enumerate(offered) if 'retrieve subgoal 1' in skills]
    assert folded == [4, 8, 9], 'not before its summary, and not while its steps stand there'
    assert FRIDGE in lines(prompts[5])
    assert 'All of subgoal 1 stands above again.' in lines(prompts[5])
    second = 'Summary of subgoal 2: second Subgoal reached.'
    assert lines(prompts[8])[:4] == ['Think: a', FOLDED, 'Think: b', second]
    story = played.run.root.story.splitlines()
    assert story.index(FOLDED) == story.index('Think: b') - 1
    assert story.index(FRIDGE) < story.index(FOLDED), 'an example shows the steps, too'


@pytest.mark.parametrize('written', [f'{FRIDGE}', 'Think: the fridge', 'Summary:', ''])
def test_what_is_no_summary_gives_way_to_the_last_observation(play: Any, written: str) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', written, REACHED, TABLE, DONE]
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    assert played.kinds('summary') == []
    (why,) = [event.text for event in played.events if event.kind == 'rejected']
    assert 'not a summary' in why
    (folded,) = [one for one in lines(played.model.requests[-1].prompt) if 'Summary' in one]
    assert folded.startswith('Summary of subgoal 1: You are at the fridge (1).')
    assert folded.endswith('Subgoal reached.')


def test_only_an_observation_of_an_act_stands_in_for_a_summary(play: Any) -> None:
    script = [
        'Think: a', FRIDGE, 'Think: b', SUMMARY, REACHED, TABLE, 'Act: retrieve subgoal 1',
        'Think: c', 'Summary:', REACHED, FRIDGE, DONE,
    ]  # fmt: skip
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    folded = [one for one in lines(played.model.requests[-1].prompt) if 'Summary of' in one]
    assert folded[1].startswith('Summary of subgoal 2: You are at the kitchen table (1).')


def test_what_a_person_corrects_stands_beside_the_summary(play: Any) -> None:
    script = ['Conditions: mug held', 'Think: a', FRIDGE, TABLE, 'Think: b', SUMMARY, REACHED,
              FRIDGE, DONE]  # fmt: skip
    played = play({'root': script}, strategy='hiagent', read_conditions=True, max_rejected_done=0)
    while len(played.model.requests) < 3:
        played.run.tick()
    played.run.conditions.correct(['apple held'])
    played.end()
    last = lines(played.model.requests[-1].prompt)
    assert 'A person corrects what must hold in the end: apple held.' in last
    assert FOLDED.replace('not reached', 'reached') in last


def test_a_summary_stands_without_a_verdict_that_cannot_be_read(play: Any) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, 'perhaps', TABLE, DONE]
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    assert 'Summary of subgoal 1: The fridge is closed.' in lines(played.model.requests[-1].prompt)
    assert played.kinds('check') == []


def test_a_summary_and_a_verdict_count_as_decisions(play: Any) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, REACHED, TABLE, DONE]
    report = play({'root': script}, strategy='hiagent').end()
    assert report.costs.decisions == 7


@pytest.mark.parametrize('decisions', [1, 2, 3, 4, 5, 6])
def test_the_decisions_of_a_run_hold(play: Any, decisions: int) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, REACHED, TABLE, FRIDGE, DONE]
    report = play({'root': script}, strategy='hiagent', limits=Limits(decisions)).end()
    assert report.reason is Reason.MAX_DECISIONS
    assert report.costs.decisions == decisions


@pytest.mark.parametrize('decisions', [3, 4, 5])
def test_nothing_is_asked_after_the_end(play: Any, decisions: int) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, REACHED, TABLE, DONE]
    limits = Limits(max_decisions=decisions)
    played = play({'root': script}, strategy='hiagent', limits=limits)
    played.end()
    assert len(played.model.requests) + len(played.model.texts) == decisions


def test_an_objection_is_no_work_on_a_subgoal(play: Any) -> None:
    script = ['Think: a', 'Act: fly', FRIDGE, DONE]
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    _, act, again, last = (request.choices for request in played.model.requests)
    assert not (act.think or again.think) and last.think


def test_a_summary_under_way_is_canceled(play: Any) -> None:
    played = play({'root': ['Think: a', FRIDGE, 'Think: b', ENDLESS]}, strategy='hiagent')
    played.tick_until(lambda: bool(played.model.texts))
    played.run.cancel()
    assert played.model.canceled == 1
    assert played.end().status == 'canceled'
