# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Two models for one decision: who decides what, from which choices, at whose cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.core.decision import FAILURE, Choices, ControlFlow
from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.paired import PairedModel
from reactree_ros.models.scripted import ENDLESS, ScriptedModel

CHOICES = Choices(skills=('go to kitchen 1', 'open fridge 1'), recall=('mug',), ask=True)
REQUEST = DecisionRequest(Prompt('You steer.', (), 'Goal: root\nYou see nothing.\n'), CHOICES, 30.0)


class Model(ScriptedModel):
    """A script with a name, costs and a process's life."""

    def __init__(self, name: str, *lines: str) -> None:
        super().__init__({'root': lines})
        self.name = name
        self.progress = ''
        self.ready: bool | str = True
        self.closed = 0
        self.embedded: list[tuple[str, ...]] = []
        self.forgotten = 0

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        return mapped(
            super().decide(request),
            lambda answer: Answer(answer.text, 100, 80, 7, 0.5, 1.0, 2.0, 3, self.name),
        )

    def embed(self, texts: tuple[str, ...]) -> Any:
        self.embedded.append(texts)
        return ready(texts)

    def count(self, texts: tuple[str, ...]) -> Any:
        return self.embed(texts)

    def poll_ready(self) -> bool:
        if isinstance(self.ready, str):
            raise ModelError(self.ready)
        return self.ready

    def forget(self) -> None:
        self.forgotten += 1

    def close(self) -> None:
        self.closed += 1


class Clock:
    """Time that passes when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pair() -> Callable[..., tuple[Model, Model, PairedModel, Clock]]:
    def make(thought: str, act: str = 'Act: done') -> tuple[Model, Model, PairedModel, Clock]:
        thinker, actor, clock = Model('thinker', thought), Model('actor', act), Clock()
        return thinker, actor, PairedModel(thinker, actor, clock), clock

    return make


def answer_of(pending: Future[Answer]) -> Answer:
    answers = [pending.poll() for _ in range(3)]
    found = [answer for answer in answers if answer is not None]
    assert found
    return found[0]


STANDS = [
    'Think: in the kitchen',
    'Expand: sequence ["a", "b"]',
    'Ask: which one?',
    # what is not a valid decision is for the agent node to refuse
    'open the fridge',
    'Act: fly to the moon',
]


@pytest.mark.parametrize('line', STANDS)
def test_a_thought_an_expansion_and_a_question_stand(pair: Any, line: str) -> None:
    _, actor, model, _ = pair(line)
    assert answer_of(model.decide(REQUEST)) == Answer(line, 100, 80, 7, 0.5, 1.0, 2.0, 3, 'thinker')
    assert actor.requests == []


ACTS = ['Act: go to kitchen 1', 'Act: recall location of mug', 'Act: done', 'Act: failure']


@pytest.mark.parametrize('line', ACTS)
def test_an_act_of_any_kind_is_decided_by_the_actor(pair: Any, line: str) -> None:
    thinker, actor, model, clock = pair(line, 'Act: open fridge 1')
    pending = model.decide(REQUEST)
    clock.now += 12.0
    answer = answer_of(pending)
    assert answer == Answer('Act: open fridge 1', 200, 160, 14, 1.0, 2.0, 4.0, 6, 'actor')
    assert thinker.requests == [REQUEST]
    (asked,) = actor.requests
    assert asked.prompt == REQUEST.prompt
    assert asked.time_limit_s == 18.0, 'the time limit is for both'
    assert asked.choices.kinds == ('Act',)
    assert asked.choices.acts == CHOICES.acts


def test_endings_that_are_not_allowed_are_none_of_the_actors(pair: Any) -> None:
    _, actor, model, _ = pair('Act: open fridge 1')
    choices = Choices(
        skills=('open fridge 1',), endings=(FAILURE,), control_flows=(ControlFlow.SEQUENCE,)
    )
    answer_of(model.decide(DecisionRequest(REQUEST.prompt, choices)))
    assert actor.requests[0].choices.acts == ('open fridge 1', 'failure')


def test_the_actor_is_not_asked_when_the_thinker_took_all_the_time(pair: Any) -> None:
    _, actor, model, clock = pair('Act: done')
    pending = model.decide(REQUEST)
    clock.now += 30.0
    with pytest.raises(ModelError, match='no decision within 30 s'):
        pending.poll()
    assert actor.requests == []


@pytest.mark.parametrize(('thought', 'act'), [(ENDLESS, 'Act: done'), ('Act: done', ENDLESS)])
def test_a_cancel_reaches_the_model_that_is_at_it(pair: Any, thought: str, act: str) -> None:
    thinker, actor, model, _ = pair(thought, act)
    pending = model.decide(REQUEST)
    assert [pending.poll() for _ in range(3)] == [None] * 3
    pending.cancel()
    assert (thinker.canceled, actor.canceled) == (int(thought == ENDLESS), int(act == ENDLESS))


@pytest.mark.parametrize('lost', [0, 1])
def test_a_model_that_fails_fails_the_decision(lost: int) -> None:
    models = [Model('thinker', 'Act: done'), Model('actor', 'Act: done')]
    models[lost] = Model('lost')
    pending = PairedModel(*models).decide(REQUEST)
    with pytest.raises(ModelError, match='no further line'):
        for _ in range(3):
            pending.poll()


def test_both_must_be_ready_and_both_are_told_of_and_ended(pair: Any) -> None:
    thinker, actor, model, _ = pair('Act: done')
    for thinker.ready, actor.ready, expected in [
        (False, False, False),
        (True, False, False),
        (False, True, False),
        (True, True, True),
    ]:
        assert model.poll_ready() is expected
    thinker.ready, actor.ready = False, 'no such model'
    with pytest.raises(ModelError, match='no such model'):
        model.poll_ready()
    assert model.progress == ''
    actor.progress = 'small: loading'
    assert model.progress == 'small: loading'
    thinker.progress = 'large: loading'
    assert model.progress == 'large: loading; small: loading'
    model.close()
    assert (thinker.closed, actor.closed) == (1, 1)


def test_free_text_is_the_thinkers_and_both_forget(pair: Any) -> None:
    thinker, actor, model, _ = pair('go\ndone')
    text = TextRequest(REQUEST.prompt)
    (answer,) = model.write(text).poll()
    assert answer.text == 'go'
    assert (thinker.texts, actor.texts) == ([text], [])
    model.forget()
    assert (thinker.forgotten, actor.forgotten) == (1, 1)


def test_embeddings_and_counts_are_the_actors(pair: Any) -> None:
    thinker, actor, model, _ = pair('Act: done')
    model.embed(('a',))
    model.count(('b',))
    assert (thinker.embedded, actor.embedded) == ([], [('a',), ('b',)])
