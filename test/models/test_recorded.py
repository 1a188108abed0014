# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recording answers what was asked before, and fails loudly where a run leaves it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ModelError
from reactree_ros.models.recorded import RecordedModel, RecordingDecisions
from reactree_ros.models.scripted import ENDLESS, ScriptedModel

CHOICES = Choices(('go to kitchen 1', 'sing'))


TEXT = TextRequest(
    Prompt('Steer.', (), 'Goal: plan\n'), ('\n\n',), 90, 2, 0.8, 0.95, seed=3, time_limit_s=7.0
)


def request(goal: str, *steps: str, choices: Choices = CHOICES) -> DecisionRequest:
    task = f'Goal: {goal}\nYou see nothing.\n'
    return DecisionRequest(
        Prompt('Steer.', (), task, tuple(Step(text, False) for text in steps)), choices
    )


@pytest.fixture
def recorded() -> RecordedModel:
    """A recording of two goals, a failure and a cancelled request."""
    entries: list[dict[str, Any]] = []
    model = ScriptedModel(
        {'sing': ['Act: sing', 'Act: done'], 'wait': [ENDLESS], 'plan': ['open\nclose', 'sing']}
    )
    recording = RecordingDecisions(model, entries.append)
    for steps in ((), ('La.',)):
        assert recording.decide(request('sing', *steps)).poll() is not None
    recording.write(TEXT).poll()
    with pytest.raises(ModelError):
        recording.decide(request('dance')).poll()
    waiting = recording.decide(request('wait'))
    assert waiting.poll() is None
    waiting.cancel()
    waiting.cancel()
    assert len(entries) == 5
    return RecordedModel(json.loads(json.dumps(entries)), 'run')


def test_the_same_requests_get_the_same_answers_in_any_order(recorded: RecordedModel) -> None:
    later, first = (recorded.decide(request('sing', *steps)) for steps in (('La.',), ()))
    assert first.poll() == Answer('Act: sing', tokens_in=6, tokens_out=1)
    answer = later.poll()
    assert answer is not None and answer.text == 'Act: done'
    assert not recorded.diverged


def test_texts_are_replayed_whatever_the_time_limit(recorded: RecordedModel) -> None:
    answers = recorded.write(replace(TEXT, time_limit_s=70.0)).poll()
    assert answers is not None
    assert [answer.text for answer in answers] == ['open\nclose', 'sing']
    with pytest.raises(
        ModelError, match="differs from the recording .* the text after the goal 'plan'"
    ):
        recorded.write(replace(TEXT, seed=4)).poll()


def test_failures_and_cancels_are_replayed_too(recorded: RecordedModel) -> None:
    with pytest.raises(ModelError, match="no further line for 'dance'"):
        recorded.decide(request('dance')).poll()
    waiting = recorded.decide(request('wait'))
    assert waiting.poll() is None
    waiting.cancel()
    assert not recorded.diverged


@pytest.mark.parametrize(
    ('asked', 'where'),
    [
        (request('sing', 'Lo.'), r"line 5 of the prompt: recorded 'La\.', now 'Lo\.'"),
        (request('sing', 'La.', 'La.'), r"line 6 .*recorded '\(end\)', now 'La\.'"),
        (
            request('sing', choices=Choices(('sing', 'open door 1'))),
            r"no longer on offer \['go to kitchen 1'\], new on offer \['open door 1'\]",
        ),
        (request('sing', choices=Choices(CHOICES.skills, think=False)), r'other choices \(think\)'),
    ],
)
def test_a_run_that_leaves_the_recording_is_told_where(
    recorded: RecordedModel, asked: DecisionRequest, where: str
) -> None:
    with pytest.raises(ModelError, match=f"at decision 1, of 'sing'.*{where}") as caught:
        recorded.decide(asked).poll()
    with pytest.raises(ModelError) as again:
        recorded.decide(request('sing')).poll()
    assert str(again.value) == str(caught.value) == recorded.diverged


def test_asking_once_more_than_recorded_is_leaving(recorded: RecordedModel) -> None:
    recorded.decide(request('sing'))
    with pytest.raises(ModelError, match='more often than it was recorded'):
        recorded.decide(request('sing')).poll()
