# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to the operator: when they are on offer, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest
from py_trees.common import Status

from reactree_ros.behaviours.ask_leaf import MAX_ANSWER_CHARS
from reactree_ros.core.outcome import Reason
from reactree_ros.core.prompt import Step

from ..person import DECLINED, Person

DONE, LOOK = 'Act: done', 'Act: go to fridge 1'
WHICH = 'Ask: Which apple do you mean?'


def offered(played: Any) -> list[bool]:
    return [request.choices.ask for request in played.model.requests]


def steps(played: Any, goal: str = 'root') -> list[str]:
    return [step.text for step in played.agents()[goal].trajectory.steps]


def test_an_answer_is_awaited_and_becomes_an_observation(play: Any) -> None:
    # 1. R - [R], again and again, until the person has answered; then R - [S].
    person = Person()
    played = play({'root': [WHICH, DONE]}, operator=person, operator__ask=True)
    played.tick_until(lambda: bool(person.asked))
    for _ in range(3):
        played.run.tick()
        assert played.run.root.status is Status.RUNNING
        assert played.run.root.children[0].status is Status.RUNNING
    person.reply = '  the red one,\nin the kitchen '
    report = played.end()
    assert report.status == 'succeeded'
    assert person.asked == ['Which apple do you mean?']
    assert played.names() == ['root', 'ask: Which apple do you mean?']
    assert played.run.root.children[0].status is Status.SUCCESS
    assert played.agents()['root'].trajectory.steps[:2] == [
        Step(WHICH, decided=True),
        Step('The operator answers: the red one, in the kitchen', decided=False),
    ]
    assert [kind for kind, _ in played.kinds('ask', 'observation')] == ['ask', 'observation']
    assert report.costs.questions == 1


def test_a_node_reads_that_the_operator_declined(play: Any) -> None:
    played = play({'root': [WHICH, LOOK, DONE]}, operator=Person(DECLINED), operator__ask=True)
    assert played.end().status == 'succeeded'
    assert steps(played)[1] == 'The operator declined to answer.'
    leaf = played.run.root.children[0]
    assert (leaf.status, leaf.feedback_message) == (Status.FAILURE, 'declined')


def test_a_node_continues_when_nobody_answers_and_asks_no_more(play: Any) -> None:
    played = play(
        {'root': [WHICH, LOOK, 'Ask: Hello?', DONE]}, operator=Person(''), operator__ask=True
    )
    assert played.end().status == 'succeeded'
    assert steps(played)[1] == 'Nobody answered.'
    assert played.run.root.children[0].status is Status.FAILURE
    assert offered(played) == [True, False, False, False]
    (rejected,) = [event for event in played.events if event.kind == 'rejected']
    assert 'no question is allowed now' in rejected.text


OFFERED = [
    # on, who is there, on offer
    (False, Person('yes'), False),
    (True, None, False),
    (True, Person('yes', present=False), False),
    (True, Person('yes'), True),
]


@pytest.mark.parametrize(('on', 'operator', 'expected'), OFFERED)
def test_a_question_is_on_offer_only_where_it_can_be_answered(
    play: Any, on: bool, operator: Any, expected: bool
) -> None:
    played = play({'root': [DONE]}, operator=operator, operator__ask=on)
    played.end()
    assert offered(played) == [expected]


def test_nothing_is_asked_twice_in_a_row_and_not_too_often(play: Any) -> None:
    lines = ['Ask: one?', 'Think: hm', 'Ask: two?', LOOK, 'Act: open fridge 1', DONE]
    played = play({'root': lines}, operator=Person('yes'), operator__ask=True, max_questions=2)
    assert played.end().costs.questions == 2
    assert offered(played) == [True, False, True, False, False, False]


def test_the_same_question_gets_the_same_answer_without_the_operator(play: Any) -> None:
    person = Person('the red one')
    played = play(
        {
            'root': [WHICH, 'Expand: sequence ["a"]'],
            'a': ['Ask: which apple  do you MEAN', LOOK, DONE],
        },
        operator=person,
        operator__ask=True,
    )
    report = played.end()
    assert (report.status, report.costs.questions, len(person.asked)) == ('succeeded', 1, 1)
    assert steps(played, 'a')[0] == (
        'Not possible: that was asked before; the answer was: the red one.'
    )
    assert offered(played) == [True, False, True, False, True]


def test_a_question_is_taken_back_with_the_goal(play: Any) -> None:
    clock = [0.0]
    person = Person()
    played = play({'root': [WHICH]}, operator=person, operator__ask=True, clock=lambda: clock[0])
    played.tick_until(lambda: bool(person.asked))
    clock[0] = 6.0
    played.run.cancel()
    assert person.canceled == 1
    report = played.run.report()
    assert report.reason is Reason.CANCELED
    assert (report.costs.questions, report.costs.operator_seconds) == (1, 6.0)
    assert report.costs.skill_seconds == report.costs.model_seconds == 0.0


def test_the_operators_time_is_counted_apart(play: Any) -> None:
    clock = [0.0]
    person = Person()
    played = play(
        {'root': [WHICH, DONE]}, operator=person, operator__ask=True, clock=lambda: clock[0]
    )
    played.tick_until(lambda: bool(person.asked))
    clock[0], person.reply = 30.0, 'yes'
    costs = played.end().costs
    assert (costs.operator_seconds, costs.model_seconds, costs.total_seconds) == (30.0, 0.0, 30.0)


def test_a_long_answer_is_cut(play: Any) -> None:
    played = play({'root': [WHICH, DONE]}, operator=Person('x' * 10_000), operator__ask=True)
    played.end()
    assert len(steps(played)[1]) < MAX_ANSWER_CHARS + 40
    assert steps(played)[1].endswith('x …')
