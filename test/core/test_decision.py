# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of decisions are sentences that a model, or a person, can repair its answer from."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.decision import (
    Ask,
    Choices,
    ControlFlow,
    Done,
    Think,
    parse_decision,
    to_text,
)
from reactree_ros.errors import DecisionError

CHOICES = Choices(skills=('go to kitchen 1',), not_done='you hold nothing', no_failure='look first')
ERRORS = [
    # answer, error
    ('', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Hello', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Act:done', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Plan: go', "'Plan' is not a kind of decision: begin with "),
    ('Think: a\nAct: done', 'answer with a single line'),
    ('Think:  ', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Think: ' + 'x' * 161, 'a thought may have 160 characters'),
    ('Act: fly', "'fly' cannot be done now"),
    ('Act: done', 'not done yet: you hold nothing'),
    ('Act: failure', 'too early to give up: look first'),
    ('Act: recall location of mug', "'recall location of mug' cannot be done now"),
    ('Think: a\tb', 'a thought must be one line of plain text'),
    ('Think: a\x7fb', 'a thought must be one line of plain text'),
    ('Think: a\u2028b', 'a thought must be one line of plain text'),
    ('Think: a\ud800b', 'a thought must be one line of plain text'),
    ('Ask: which mug?', 'no question is allowed now: begin with "Think: ", "Act: " or "Expand: "'),
    (
        'Expand: loop ["a"]',
        "control flow 'loop' is not allowed now (allowed: sequence, fallback, parallel)",
    ),
    ('Expand: sequence a, b', 'subgoals must be a JSON list of strings: '),
    ('Expand: sequence [1]', 'subgoals must be a JSON list of strings'),
    ('Expand: sequence []', 'give 1 to 8 subgoals, not 0'),
    ('Expand: sequence ["a", " "]', 'a subgoal must be one line of plain text, not empty'),
    ('Expand: sequence ["' + 'x' * 91 + '"]', 'a subgoal may have 90 characters'),
]


@pytest.mark.parametrize(('answer', 'error'), ERRORS)
def test_a_bad_answer_is_told_what_was_wrong(answer: str, error: str) -> None:
    with pytest.raises(DecisionError) as caught:
        parse_decision(answer, CHOICES)
    assert str(caught.value).startswith(error)
    assert '\n' not in str(caught.value)


BEGINNINGS = [
    # choices, what the answer may begin with
    (Choices(), '"Think: ", "Act: " or "Expand: "'),
    (Choices(ask=True), '"Think: ", "Act: ", "Expand: " or "Ask: "'),
    (Choices(think=False, control_flows=()), '"Act: "'),
    (Choices(not_done='no', no_failure='no'), '"Think: " or "Expand: "'),
    (Choices(('go',), think=False, control_flows=(), not_done='no', no_failure='no'), '"Act: "'),
    (Choices(think=False, control_flows=(), not_done='a', no_failure='b', ask=True), '"Ask: "'),
]


@pytest.mark.parametrize(('choices', 'beginnings'), BEGINNINGS)
def test_the_error_tells_what_an_answer_may_begin_with(choices: Choices, beginnings: str) -> None:
    with pytest.raises(DecisionError) as caught:
        parse_decision('hm', choices)
    assert str(caught.value) == f'begin with {beginnings}'


ASKING = Choices(ask=True, max_question_chars=20)


@pytest.mark.parametrize(
    ('answer', 'error'),
    [
        ('Ask: ' + 'x' * 21, 'a question may have 20 characters'),
        ('Ask: a\tb', 'a question must be one line of plain text, not empty'),
        ('Ask:  ', 'begin with'),
    ],
)
def test_a_bad_question_is_told_what_was_wrong(answer: str, error: str) -> None:
    with pytest.raises(DecisionError, match=error):
        parse_decision(answer, ASKING)


def test_a_question_is_read_and_written() -> None:
    assert parse_decision('Ask:  which mug? ', ASKING) == Ask('which mug?')
    assert to_text(Ask('which mug?')) == 'Ask: which mug?'


def test_without_control_flows_the_error_says_so() -> None:
    with pytest.raises(DecisionError, match=r'\(allowed: none\)'):
        parse_decision('Expand: sequence ["a"]', Choices(control_flows=()))


@pytest.mark.parametrize(
    ('answer', 'decision'),
    [('  Act: done \n', Done()), ('Think:  hm  ', Think('hm')), ('Think: a: b', Think('a: b'))],
)
def test_space_around_an_answer_is_ignored(answer: str, decision: Any) -> None:
    assert parse_decision(answer, Choices()) == decision


BAD_CHOICES = [
    ({'skills': ('',)}, "''"),
    ({'skills': ('  ',)}, "'  '"),
    ({'skills': ('go ',)}, 'space around it'),
    ({'skills': ('\u3000go',)}, 'space around it'),
    ({'skills': ('go\u2028to',)}, 'line break'),
    ({'skills': ('go\x00',)}, 'control character'),
    ({'recall': (' mug',)}, 'space around it'),
    ({'max_thought_chars': 0}, 'max_thought_chars is 0; give 1 or more'),
    ({'max_subgoals': 0}, 'max_subgoals is 0'),
    ({'max_subgoal_chars': -1}, 'max_subgoal_chars is -1'),
    ({'max_question_chars': 0}, 'max_question_chars is 0'),
    ({'skills': ('go\nto',)}, 'line break'),
    ({'skills': ('done',)}, "'done'"),
    ({'skills': ('failure',)}, "'failure'"),
    ({'skills': ('recall location of apple',)}, 'recall location of apple'),
    ({'skills': ('open fridge 1', 'open fridge 1')}, 'given twice'),
    ({'recall': ('mug', 'mug')}, 'given twice'),
    ({'recall': ('',)}, "''"),
    (
        {
            'think': False,
            'control_flows': (),
            'not_done': 'no',
            'no_failure': 'no',
        },
        'the choices are empty',
    ),
]


@pytest.mark.parametrize(('values', 'error'), BAD_CHOICES)
def test_choices_that_make_no_sense_are_refused(values: dict[str, Any], error: str) -> None:
    with pytest.raises(DecisionError, match=error):
        Choices(**values)


def test_one_way_out_is_enough() -> None:
    only = Choices(think=False, control_flows=(), no_failure='no')
    assert parse_decision('Act: done', only) == Done()
    assert Choices().control_flows == tuple(ControlFlow)
