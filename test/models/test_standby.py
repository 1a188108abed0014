# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A second model answers while the first does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import ready
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.models.standby import AGAIN_SEC, StandbyModel
from reactree_ros.models.start import start_model


class Frail(ScriptedModel):
    """A script whose process may be gone."""

    gone = ''
    kind = ModelError.kind
    loaded = True

    def poll_ready(self) -> bool:
        if self.gone:
            error = ModelError(self.gone)
            error.kind = self.kind
            raise error
        return self.loaded


def request(goal: str = 'tidy up') -> DecisionRequest:
    return DecisionRequest(Prompt('system', (), f'Goal: {goal}\n'), Choices(skills=('wave',)))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def both() -> tuple[Any, Any, StandbyModel, Clock]:
    first = Frail({'tidy up': ['Think: first']})
    second = ScriptedModel({'tidy up': ['Think: second', 'Think: again']})
    started: list[Any] = []

    def start() -> Any:
        started.append(second)
        return second

    clock = Clock()
    return first, started, StandbyModel(lambda: first, start, clock), clock


def test_the_second_is_not_started_as_long_as_the_first_answers(both: Any) -> None:
    _, started, model, _ = both
    assert model.poll_ready()
    assert model.decide(request()).poll().text == 'Think: first'
    assert (started, model.fault) == ([], '')


def test_what_the_first_does_not_answer_the_second_does(both: Any) -> None:
    first, started, model, clock = both
    model.decide(request()).poll()
    assert model.decide(request()).poll().text == 'Think: second'
    assert len(started) == 1
    assert "no further line for 'tidy up'" in model.fault
    assert 'the standby model answers' in model.progress
    asked = len(first.requests)
    assert model.decide(request()).poll().text == 'Think: again'
    assert len(first.requests) == asked, 'the first is left alone for a while'
    clock.now = AGAIN_SEC + 1
    first._lines['tidy up'] = ['Think: I am back']
    assert model.decide(request()).poll().text == 'Think: I am back'
    assert model.fault == ''


def test_a_first_that_is_gone_for_good_is_not_asked_any_more(both: Any) -> None:
    first, _, model, clock = both
    first.gone = 'its process ended too often'
    assert model.poll_ready(), 'the second is ready'
    clock.now = 10 * AGAIN_SEC
    assert model.decide(request()).poll().text == 'Think: second'
    assert first.requests == []


def test_where_neither_answers_the_second_says_why(both: Any) -> None:
    _, _, model, _ = both
    pending = model.decide(request('another goal'))
    with pytest.raises(ModelError, match='no further line'):
        pending.poll()


def test_saying_what_it_does_starts_no_second() -> None:
    def start() -> Any:
        raise ModelError('there is no such file')

    model = StandbyModel(lambda: Frail({'tidy up': []}), start)
    with pytest.raises(ModelError, match=r'no further line .* cannot be started: there is no such'):
        model.decide(request()).poll()
    assert model.progress.startswith('the standby model answers (starting), because')


def test_a_first_whose_server_was_not_there_is_started_again(both: Any) -> None:
    _, _, model, clock = both
    model._first.gone, model._first.kind = 'no answer', 'unavailable'
    later = Frail({'tidy up': ['Think: I am there']})
    later.loaded = False
    model._start_first = lambda: later
    assert model.poll_ready(), 'the second is ready'
    clock.now = AGAIN_SEC + 1
    assert model.decide(request()).poll().text == 'Think: second', 'the first is loading'
    later.loaded = True
    assert model.decide(request()).poll().text == 'Think: I am there'
    assert model.fault == ''


def test_a_first_that_cannot_be_started_again_is_tried_later(both: Any) -> None:
    """Such as without memory for one more process."""
    _, _, model, clock = both
    model._first.gone, model._first.kind = 'no answer', 'unavailable'

    def no_process() -> Any:
        raise OSError('no process can be started')

    start, model._start_first = model._start_first, no_process
    assert model.poll_ready(), 'the second is ready'
    clock.now = AGAIN_SEC + 1
    assert model.decide(request()).poll().text == 'Think: second'
    assert model.fault == 'no process can be started'
    model._first.gone, model._start_first = '', start
    clock.now = 2 * AGAIN_SEC + 2
    assert model.decide(request()).poll().text == 'Think: first'


def test_what_is_embedded_does_not_say_that_the_first_decides_again(both: Any) -> None:
    first, _, model, clock = both
    first.embed = lambda texts: ready(texts)
    model.decide(request()).poll()
    model.decide(request()).poll()
    clock.now = AGAIN_SEC + 1
    assert model.embed(('a',)).poll() == ('a',)
    assert model.fault


def test_a_standby_that_is_not_there_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / 'first.yaml').write_text('tidy up: []\n')
    first = ModelOptions(name=f'scripted:{tmp_path / "first.yaml"}')
    with pytest.raises(ModelError, match='missing'):
        start_model(first, ModelOptions(name=str(tmp_path / 'missing')))


def test_a_model_and_its_standby_are_started_by_their_names(tmp_path: Path) -> None:
    for name, line in (('first', []), ('second', ['Think: second'])):
        (tmp_path / f'{name}.yaml').write_text(f'tidy up: {line}\n')
    options = [
        ModelOptions(name=f'scripted:{tmp_path / name}.yaml') for name in ('first', 'second')
    ]
    model = start_model(*options)
    answer = model.decide(request()).poll()
    assert answer is not None
    assert answer.text == 'Think: second'
    model.close()
