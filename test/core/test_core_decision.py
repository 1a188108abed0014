# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of decisions are sentences that a model, or a person, can repair its answer from."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.decision import Choices, ControlFlow, Done, Think, parse_decision
from reactree_ros.exceptions import DecisionError

CHOICES = Choices(skills=('go to kitchen 1',), not_done='you hold nothing', no_failure='look first')
ERRORS = [
    # answer, error
    ('', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Hello', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Act:done', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Plan: go', "'Plan' is no kind of decision: begin with Think, Act or Expand"),
    ('Think: a\nAct: done', 'answer with a single line'),
    ('Think:  ', 'begin with "Think: ", "Act: " or "Expand: "'),
    ('Think: ' + 'x' * 161, 'a thought may have 160 characters'),
    ('Act: fly', "'fly' cannot be done now"),
    ('Act: done', 'not done yet: you hold nothing'),
    ('Act: failure', 'too early to give up: look first'),
    ('Act: recall location of mug', "'recall location of mug' cannot be done now"),
    ('Think: a\tb', 'a thought must be one line of plain text'),
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
