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
SUMMARY = 'Summary: The fridge is closed. Subgoal not reached.\nMore of it'
FOLDED = 'Summary of subgoal 1: The fridge is closed. Subgoal not reached.'


def lines(prompt: Any) -> list[str]:
    return [step.text for step in prompt.steps]


def test_a_finished_subgoal_is_read_as_its_summary(play: Any) -> None:
    script = ['Think: look into the fridge', FRIDGE, 'Think: look at the table', SUMMARY, TABLE]
    played = play({'root': [*script, DONE]}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    (asked,) = (request.prompt for request in played.model.texts)
    assert asked.system == 'You sum up.'
    assert lines(asked)[:2] == ['Think: look into the fridge', FRIDGE]
    assert lines(asked)[-1] == 'Summary:'
    last = lines(played.model.requests[-1].prompt)
    assert last[:4] == ['Think: look into the fridge', FOLDED, 'Think: look at the table', TABLE]
    assert played.kinds('summary') == [('summary', 'root')]
    whole = [step.text for step in played.run.root.trajectory.steps]
    assert FRIDGE in whole
    assert FOLDED not in whole


def test_a_subgoal_comes_first_and_no_two_in_a_row(play: Any) -> None:
    played = play({'root': ['Think: a', FRIDGE, 'Think: b', SUMMARY, TABLE, DONE]},
                  strategy='hiagent')  # fmt: skip
    played.end()
    first, second, third, fourth, *_ = (request.choices for request in played.model.requests)
    assert first.kinds == ('Think',)
    assert second.kinds == ('Act',)
    assert third.kinds == ('Think', 'Act')
    assert fourth.kinds == ('Act',)
    assert all(not request.choices.control_flows for request in played.model.requests)


def test_steps_that_are_asked_for_stand_in_the_context_until_the_next_subgoal(play: Any) -> None:
    script = [
        'Think: a', FRIDGE, 'Think: b', SUMMARY, 'Act: retrieve subgoal 1', TABLE,
        'Think: c', 'Summary: second', FRIDGE, DONE,
    ]  # fmt: skip
    played = play({'root': script}, strategy='hiagent')
    assert played.end().status == 'succeeded'
    prompts = [request.prompt for request in played.model.requests]
    offered = [request.choices.skills for request in played.model.requests]
    assert [skills.count('retrieve subgoal 1') for skills in offered] == [0, 0, 0, 1, 0, 0, 1, 1]
    assert FRIDGE in lines(prompts[4])
    assert 'All of subgoal 1 stands above again.' in lines(prompts[4])
    assert lines(prompts[6])[:4] == ['Think: a', FOLDED, 'Think: b', 'Summary of subgoal 2: second']


def test_a_summary_counts_as_a_decision(play: Any) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, TABLE, DONE]
    report = play({'root': script}, strategy='hiagent').end()
    assert report.costs.decisions == 6


@pytest.mark.parametrize('decisions', [1, 2, 3, 4, 5])
def test_the_decisions_of_a_run_hold(play: Any, decisions: int) -> None:
    script = ['Think: a', FRIDGE, 'Think: b', SUMMARY, TABLE, FRIDGE, DONE]
    report = play({'root': script}, strategy='hiagent', limits=Limits(decisions)).end()
    assert report.reason is Reason.MAX_DECISIONS


def test_a_summary_under_way_is_canceled(play: Any) -> None:
    played = play({'root': ['Think: a', FRIDGE, 'Think: b', ENDLESS]}, strategy='hiagent')
    played.tick_until(lambda: bool(played.model.texts))
    played.run.cancel()
    assert played.model.canceled == 1
    assert played.end().status == 'canceled'
