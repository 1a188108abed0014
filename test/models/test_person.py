# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A person in the place of the model: what is asked, what counts, and when it is asked again."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import Choices, ConditionLanguage
from reactree_ros.core.model import DecisionRequest, TextRequest
from reactree_ros.core.operator import Reply, ReplyStatus
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.person import PersonModel, options_of, question_of
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.models.start import start_model

from ..person import DECLINED, Person

PROMPT = Prompt('', (), 'Goal: wave\nYou are in the hall.\n')
CHOICES = Choices(('wave', 'go to kitchen 1'), recall=('cup',), ask=True, explain=True)


def test_what_may_be_decided_is_offered_and_nothing_else() -> None:
    assert options_of(CHOICES) == (
        'Act: wave',
        'Act: go to kitchen 1',
        'Act: done',
        'Act: recall location of cup',
        'Act: done: …',
        'Act: failure: …',
        'Think: …',
        'Expand: sequence …',
        'Expand: fallback …',
        'Expand: parallel …',
        'Ask: …',
    )
    language = Choices(conditions=ConditionLanguage('', ''))
    assert options_of(language) == ('Conditions: none', 'Conditions: …')


def test_a_person_reads_the_goal_and_what_was_seen_last() -> None:
    assert question_of(PROMPT, CHOICES) == 'Goal: wave\nSeen: You are in the hall.'
    steps = (Step('Act: wave', True), Step('You wave.', False), Step('Think: so', True))
    task = 'Primary goal: greet\nSubgoals (sequence, …): wave; leave\nGoal: wave\nYou are here.\n'
    prompt = Prompt('', (), task, steps)
    assert question_of(prompt, CHOICES, 'no such skill') == (
        'Not possible: no such skill\nGoal: wave (part of "greet")\nSeen: You wave.'
    )


def test_a_decision_that_is_not_possible_is_asked_for_again_with_why() -> None:
    person = Person('Act: fly')
    pending = PersonModel(ScriptedModel({}), person).decide(DecisionRequest(PROMPT, CHOICES))
    assert [pending.poll() for _ in range(3)] == [None] * 3
    assert person.asked[1].startswith("Not possible: 'fly' cannot be done now\n")
    person.reply = 'Act: wave'
    answer = next(filter(None, (pending.poll() for _ in range(3))))
    assert (answer.text, answer.model) == ('Act: wave', 'person')


@pytest.mark.parametrize('nothing', [DECLINED, Reply(ReplyStatus.UNANSWERED)])
def test_a_question_without_an_answer_is_put_again(nothing: Reply) -> None:
    person = Person(nothing)
    pending = PersonModel(ScriptedModel({}), person).decide(DecisionRequest(PROMPT, CHOICES))
    for _ in range(4):
        assert pending.poll() is None
    assert len(person.asked) == 2


def test_the_decision_waits_while_nobody_is_there_and_can_be_taken_back() -> None:
    person = Person(present=False)
    pending = PersonModel(ScriptedModel({}), person).decide(DecisionRequest(PROMPT, CHOICES))
    assert pending.poll() is None and not person.asked
    person.present = person.assistant = True
    assert pending.poll() is None and not person.asked, 'an assistant is no person'
    person.assistant = False
    pending.poll()
    pending.cancel()
    assert person.asked and person.canceled == 1


def test_a_person_writes_no_whole_plan() -> None:
    with pytest.raises(ModelError, match='step by step'):
        PersonModel(ScriptedModel({}), Person()).write(TextRequest(PROMPT)).poll()


def test_without_an_operator_a_person_cannot_decide() -> None:
    with pytest.raises(ConfigurationError, match='no operator'):
        start_model(ModelOptions(name='person'))
