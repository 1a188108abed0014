# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of decisions are sentences that a model, or a person, can repair its answer from."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.decision import (
    DONE,
    Ask,
    Choices,
    ConditionLanguage,
    Conditions,
    ControlFlow,
    Done,
    Failure,
    Think,
    ending_of,
    parse_decision,
    to_text,
)
from reactree_ros.errors import DecisionError

CHOICES = Choices(skills=('go to kitchen 1',), endings=())
ERRORS = [
    # answer, error
    ('', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Hello', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Act:done', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Plan: go', "'Plan' is not a kind of decision: begin with "),
    ('Think: a\nAct: done', 'answer with a single line'),
    ('Think:  ', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Think: ' + 'x' * 266, 'a thought may have 265 characters'),
    ('Act: fly', "'fly' cannot be done now"),
    ('Act: done', "'done' cannot be done now"),
    ('Act: failure', "'failure' cannot be done now"),
    ('Act: recall location of mug', "'recall location of mug' cannot be done now"),
    ('Think: a\tb', 'a thought must be one line of plain text'),
    ('Think: a\x7fb', 'a thought must be one line of plain text'),
    ('Think: a\u2028b', 'a thought must be one line of plain text'),
    ('Think: a\u202eb', 'a thought must be one line of plain text'),
    ('Think: a\ud800b', 'a thought must be one line of plain text'),
    ('Ask: which mug?', 'no question is allowed now: begin with "Think: ", "Act: " or "Expand: "'),
    (
        'Expand: loop ["a"]',
        "control flow 'loop' is not allowed now (allowed: sequence, fallback, parallel)",
    ),
    ('Expand: sequence a, b', 'subgoals must be a JSON list of strings: '),
    ('Expand: sequence [1]', 'subgoals must be a JSON list of strings'),
    ('Expand: sequence []', 'give 1 to 16 subgoals, not 0'),
    ('Expand: sequence ["a", " "]', 'a subgoal must be one line of plain text, not empty'),
    ('Expand: sequence ["' + 'x' * 121 + '"]', 'a subgoal may have 120 characters'),
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
    (Choices(endings=()), '"Think: " or "Expand: "'),
    (Choices(('go',), think=False, control_flows=(), endings=()), '"Act: "'),
    (Choices(think=False, control_flows=(), endings=(), ask=True), '"Ask: "'),
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
    ({'max_thought_chars': -1}, 'max_thought_chars is -1; give 0 or more'),
    ({'max_subgoals': -1}, 'max_subgoals is -1'),
    ({'max_subgoal_chars': -1}, 'max_subgoal_chars is -1'),
    ({'max_question_chars': -1}, 'max_question_chars is -1'),
    ({'skills': ('go\nto',)}, 'line break'),
    ({'skills': ('done',)}, "'done'"),
    ({'skills': ('failure',)}, "'failure'"),
    ({'skills': ('done: yes',)}, "'done: yes'"),
    ({'skills': ('recall location of apple',)}, 'recall location of apple'),
    ({'skills': ('open fridge 1', 'open fridge 1')}, 'given twice'),
    ({'recall': ('mug', 'mug')}, 'given twice'),
    ({'recall': ('',)}, "''"),
    (
        {
            'think': False,
            'control_flows': (),
            'endings': (),
        },
        'the choices are empty',
    ),
]


@pytest.mark.parametrize(('values', 'error'), BAD_CHOICES)
def test_choices_that_make_no_sense_are_refused(values: dict[str, Any], error: str) -> None:
    with pytest.raises(DecisionError, match=error):
        Choices(**values)


def test_one_way_out_is_enough() -> None:
    only = Choices(think=False, control_flows=(), endings=(DONE,))
    assert parse_decision('Act: done', only) == Done()
    assert Choices().control_flows == tuple(ControlFlow)


EXPLAINING = Choices(explain=True, max_thought_chars=20)


@pytest.mark.parametrize(
    ('line', 'decision'),
    [
        ('Act: done', Done()),
        ('Act: done: yes, there is milk', Done('yes, there is milk')),
        ('Act: failure: there is: no ice', Failure('there is: no ice')),
    ],
)
def test_an_ending_may_carry_a_sentence(line: str, decision: Done | Failure) -> None:
    assert parse_decision(line, EXPLAINING) == decision
    assert to_text(decision) == line
    assert ending_of(line) == ('done' if isinstance(decision, Done) else 'failure')


@pytest.mark.parametrize(
    ('answer', 'choices', 'error'),
    [
        ('Act: failure', EXPLAINING, 'say why: "failure: " and one sentence'),
        ('Act: failure: ', EXPLAINING, "'failure:' cannot be done now"),
        ('Act: failure: ' + 'x' * 21, EXPLAINING, 'what follows it may have 20 characters'),
        ('Act: failure: no ice', Choices(), "'failure: no ice' cannot be done now"),
        ('Act: done: yes', Choices(), "'done: yes' cannot be done now"),
    ],
)
def test_a_bad_ending_is_told_what_was_wrong(answer: str, choices: Choices, error: str) -> None:
    with pytest.raises(DecisionError) as caught:
        parse_decision(answer, choices)
    assert str(caught.value) == error


@pytest.mark.parametrize('line', ['Act: doner', 'Think: Act: done', 'done', 'Act: go to done: 1'])
def test_what_is_no_ending(line: str) -> None:
    assert ending_of(line) == ''


def _parsed(line: str) -> str:
    if line != 'lamp on':
        raise DecisionError(f'no condition: {line}')
    return 'lamp 1 on'


def test_where_conditions_are_asked_for_there_is_nothing_else() -> None:
    choices = Choices(('go',), conditions=ConditionLanguage('', '', _parsed))
    assert parse_decision('Conditions: lamp on', choices) == Conditions('lamp 1 on')
    assert to_text(Conditions('lamp 1 on')) == 'Conditions: lamp 1 on'
    with pytest.raises(DecisionError, match='no condition: moon on'):
        parse_decision('Conditions: moon on', choices)
    with pytest.raises(DecisionError, match='say first what must hold in the end: begin with "Con'):
        parse_decision('Act: go', choices)
    with pytest.raises(DecisionError, match="'Conditions' is not a kind of decision"):
        parse_decision('Conditions: lamp on', Choices())


def test_a_limit_of_0_is_none() -> None:
    free = Choices(max_thought_chars=0, max_subgoals=0, max_subgoal_chars=0)
    assert parse_decision('Think: ' + 'x' * 9999, free) == Think('x' * 9999)
    expand = f'Expand: sequence [{", ".join([chr(34) + "x" * 999 + chr(34)] * 99)}]'
    assert to_text(parse_decision(expand, free)) == expand
    with pytest.raises(DecisionError, match='give at least 1 subgoal, not 0'):
        parse_decision('Expand: sequence []', free)
