# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recording answers what was asked before, and fails loudly where a run leaves it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest, Vectors
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.recorded import FORMAT, RecordedModel, RecordingModel
from reactree_ros.models.scripted import ENDLESS, ScriptedModel

CHOICES = Choices(('go to kitchen 1', 'sing'))


class Model(ScriptedModel):
    """A scripted model that embeds, counts and is closed."""

    progress = 'loading'
    closed = False

    def poll_ready(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        return ready(np.array([[len(text), 0.1] for text in texts], dtype=np.float32))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready(tuple(len(text) for text in texts))


TEXT = TextRequest(
    Prompt('Steer.', (), 'Goal: plan\n'), ('\n\n',), 90, 2, 0.8, 0.95, seed=3, time_limit_s=7.0
)


def request(goal: str, *steps: str, choices: Choices = CHOICES) -> DecisionRequest:
    task = f'Goal: {goal}\nYou see nothing.\n'
    return DecisionRequest(
        Prompt('Steer.', (), task, tuple(Step(text, False) for text in steps)), choices
    )


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedModel:
    """A recording of two goals, embeddings, counts, a failure and a cancelled request."""
    path = tmp_path / 'new' / 'run.jsonl'
    model = Model(
        {'sing': ['Act: sing', 'Act: done'], 'wait': [ENDLESS], 'plan': ['open\nclose', 'sing']}
    )
    recording = RecordingModel(model, path)
    assert recording.poll_ready() and recording.progress == 'loading'
    for steps in ((), ('La.',)):
        assert recording.decide(request('sing', *steps)).poll() is not None
    recording.embed(('a', 'bcd')).poll()
    recording.count(('a', 'bcd')).poll()
    recording.write(TEXT).poll()
    recording.forget()
    with pytest.raises(ModelError):
        recording.decide(request('dance')).poll()
    waiting = recording.decide(request('wait'))
    assert waiting.poll() is None
    waiting.cancel()
    waiting.cancel()
    recording.close()
    assert model.closed
    assert len(path.read_text(encoding='utf-8').splitlines()) == 8
    return RecordedModel.read(path)


def test_the_same_requests_get_the_same_answers_in_any_order(recorded: RecordedModel) -> None:
    assert recorded.poll_ready()
    later, first = (recorded.decide(request('sing', *steps)) for steps in (('La.',), ()))
    assert first.poll() == Answer('Act: sing', tokens_in=6, tokens_out=1)
    answer = later.poll()
    assert answer is not None and answer.text == 'Act: done'
    vectors = recorded.embed(('a', 'bcd')).poll()
    assert vectors is not None
    assert vectors.tolist() == np.array([[1, 0.1], [3, 0.1]], dtype=np.float32).tolist()
    assert recorded.count(('a', 'bcd')).poll() == (1, 3)


def test_texts_are_replayed_whatever_the_time_limit(recorded: RecordedModel) -> None:
    recorded.forget()
    answers = recorded.write(replace(TEXT, time_limit_s=70.0)).poll()
    assert answers is not None
    assert [answer.text for answer in answers] == ['open\nclose', 'sing']
    with pytest.raises(ModelError, match="left the recording .* the text after the goal 'plan'"):
        recorded.write(replace(TEXT, seed=4)).poll()


def test_failures_and_cancels_are_replayed_too(recorded: RecordedModel) -> None:
    with pytest.raises(ModelError, match="no further line for 'dance'"):
        recorded.decide(request('dance')).poll()
    waiting = recorded.decide(request('wait'))
    assert waiting.poll() is None
    waiting.cancel()
    assert recorded.poll_ready()


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
    for later in (recorded.decide(request('sing')).poll, recorded.poll_ready):
        with pytest.raises(ModelError) as again:
            later()
        assert str(again.value) == str(caught.value)


def test_asking_once_more_than_recorded_is_leaving(recorded: RecordedModel) -> None:
    recorded.decide(request('sing'))
    with pytest.raises(ModelError, match='more often than it was recorded'):
        recorded.decide(request('sing')).poll()


def test_other_texts_to_embed_or_count_are_leaving(recorded: RecordedModel) -> None:
    with pytest.raises(ModelError, match='embeddings of'):
        recorded.embed(('a',)).poll()


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'is not a recording'),
        ('{"format": "another"}\n', 'is not a recording'),
        (json.dumps({'format': FORMAT}) + '\n{"op": "decide"}\n', 'incomplete'),
        (json.dumps({'format': FORMAT}) + '\nrubbish\n{"op": "x"}\n', 'line 2'),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigurationError, match=message):
        RecordedModel.read(path)
    with pytest.raises(ConfigurationError, match='cannot read'):
        RecordedModel.read(tmp_path / 'missing')


def test_a_recording_cut_off_in_its_last_line_is_read(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(json.dumps({'format': FORMAT}) + '\n{"op": "dec', encoding='utf-8')
    assert RecordedModel.read(path).poll_ready()


def test_a_recording_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    model: Any = Model({})
    with pytest.raises(ConfigurationError, match='cannot write'):
        RecordingModel(model, tmp_path)
