# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every back end promises the model server, held against each of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_ros.core.decision import DONE, FAILURE, Act, Choices, parse_decision, to_text
from reactree_ros.core.model import TextRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Backend, Interrupted, Watch
from reactree_ros.models.options import ModelOptions

LIMIT = 300.0
PROMPT = Prompt(
    'You steer a household robot. Every step is one line.',
    (),
    'Goal: put the apple in the fridge\n'
    'You are in the kitchen (1). Around you: fridge (1), kitchen table (1).\n',
)
LONG = Prompt(
    PROMPT.system,
    tuple(f'Goal: find plum {n}\n' + 'Act: go to the shelf\n' * 12 for n in range(24)),
    PROMPT.task,
)
CHOICES = Choices(
    skills=('go to fridge 1', 'go to kitchen table 1'),
    recall=('apple',),
    ask=True,
    max_thought_chars=40,
    max_question_chars=40,
    max_subgoals=2,
    max_subgoal_chars=20,
)
TEXT = TextRequest(PROMPT, ('\n\n',), max_tokens=12)
SIGNS = 'say "Grüß Gött, 你好" to C:\\new | (x) # 🙂'
Make = Callable[[int], Backend]


def only(phrase: str) -> Choices:
    """Return choices that leave a single decision."""
    return Choices((phrase,), think=False, control_flows=(), endings=())


@pytest.fixture(
    scope='module',
    params=[
        'transformers',
        pytest.param('llama.cpp server, text', marks=pytest.mark.model),
        pytest.param('llama.cpp server, chat', marks=pytest.mark.model),
    ],
)
def make(request: pytest.FixtureRequest) -> Make:
    """Return what makes a back end with a context of so many tokens; 0 is all it has."""
    if request.param == 'transformers':
        pytest.importorskip('torch')
        from reactree_ros.models.local.transformers_model import TransformersModel

        folder: Path = request.getfixturevalue('tiny_model')
        return lambda context: TransformersModel(
            folder, ModelOptions('tiny', dtype='float32', threads=1, context_tokens=context)
        )
    from reactree_ros.models.openai.model import OpenAIModel

    address: str = request.getfixturevalue('llama_server')
    chat = 'always' if request.param.endswith('chat') else 'never'
    return lambda context: OpenAIModel(
        ModelOptions(address, chat_template=chat, context_tokens=context)
    )


@pytest.fixture(scope='module')
def backend(make: Make) -> Iterator[Backend]:
    backend = make(0)
    with closing(backend) if hasattr(backend, 'close') else nullcontext():
        yield backend


def test_an_answer_is_one_of_the_choices_and_is_written_as_decisions_are(backend: Backend) -> None:
    answer = backend.decide(PROMPT, CHOICES, Watch(LIMIT))
    assert to_text(parse_decision(answer.text, CHOICES)) == answer.text


@pytest.mark.parametrize(
    ('choices', 'text'),
    [
        (Choices(think=False, control_flows=(), endings=(DONE,)), 'Act: done'),
        (Choices(think=False, control_flows=(), endings=(FAILURE,)), 'Act: failure'),
        (Choices((), False, ('apple',), (), ()), 'Act: recall location of apple'),
        (only(SIGNS), f'Act: {SIGNS}'),
    ],
    ids=['done', 'failure', 'recall', 'signs'],
)
def test_where_one_decision_is_left_it_is_made(
    backend: Backend, choices: Choices, text: str
) -> None:
    assert backend.decide(PROMPT, choices, Watch(LIMIT)).text == text


def test_a_thousand_skills_are_offered(backend: Backend) -> None:
    skills = tuple(f'go to kitchen cabinet {n}' for n in range(1000))
    choices = Choices(skills, think=False, control_flows=(), endings=())
    answer = backend.decide(PROMPT, choices, Watch(LIMIT))
    assert isinstance(parse_decision(answer.text, choices), Act)


def test_what_is_read_and_written_is_counted(backend: Backend) -> None:
    first = backend.decide(PROMPT, CHOICES, Watch(LIMIT))
    steps = (Step(first.text, True), Step('You are at the fridge (1). It is closed.', False))
    grown = Prompt(PROMPT.system, PROMPT.examples, PROMPT.task, steps)
    second = backend.decide(grown, CHOICES, Watch(LIMIT))
    third = backend.decide(grown, CHOICES, Watch(LIMIT))
    assert 0 < first.tokens_in < second.tokens_in == third.tokens_in
    assert third.text == second.text
    for answer in (first, second, third):
        assert answer.tokens_out > 0
        assert 0 <= answer.tokens_reused <= answer.tokens_in
        assert answer.prefill_seconds >= 0.0
        assert answer.decode_seconds > 0.0
        assert answer.dropped == 0
        assert answer.model
    assert second.tokens_reused > 0
    assert third.tokens_reused >= second.tokens_reused


def test_tokens_of_a_text_are_counted(backend: Backend) -> None:
    one, two = backend.count('an apple'), backend.count('an apple and another apple')
    assert backend.count('') == 0
    assert 0 < one < two
    assert 0 <= backend.new_tokens(PROMPT) <= backend.count(PROMPT.text()) + 10


def test_a_request_without_time_left_is_interrupted_and_the_next_is_not(backend: Backend) -> None:
    with pytest.raises(Interrupted):
        backend.decide(LONG, CHOICES, Watch(0.0))
    assert backend.decide(PROMPT, only('wait'), Watch(LIMIT)).text == 'Act: wait'


def test_a_request_that_is_canceled_while_it_is_worked_on_is_interrupted(backend: Backend) -> None:
    looks = itertools.count()
    with pytest.raises(Interrupted):
        backend.decide(LONG, CHOICES, Watch(LIMIT, lambda: next(looks) >= 2))
    assert backend.decide(PROMPT, only('wait'), Watch(LIMIT)).text == 'Act: wait'


def test_each_of_several_requests_gets_its_own_answer(backend: Backend) -> None:
    phrases = [f'go to room {n}' for n in range(4)]
    with ThreadPoolExecutor(backend.workers) as threads:
        answers = threads.map(
            lambda phrase: backend.decide(PROMPT, only(phrase), Watch(LIMIT)).text, phrases
        )
        assert list(answers) == [f'Act: {phrase}' for phrase in phrases]


def test_a_prompt_that_is_too_long_is_cut_openly_but_not_its_goal(make: Make) -> None:
    backend = make(1024)
    with closing(backend) if hasattr(backend, 'close') else nullcontext():
        answer = backend.decide(LONG, CHOICES, Watch(LIMIT))
        parse_decision(answer.text, CHOICES)
        assert answer.dropped > 0
        assert answer.tokens_in <= 1024
        endless = Prompt(PROMPT.system, (), f'Goal: {"find the apple and " * 400}sing\n')
        with pytest.raises(ModelError, match=r'the goal and its first observation need \d+'):
            backend.decide(endless, CHOICES, Watch(LIMIT))


def test_a_text_ends_before_its_stop_and_is_counted(backend: Backend) -> None:
    (whole,) = backend.write(replace(TEXT, stop=('\0',)), Watch(LIMIT))
    assert len(whole.text) > 4
    assert 0 < whole.tokens_out <= TEXT.max_tokens
    assert whole.tokens_in > 0
    assert whole.prefill_seconds >= 0.0
    assert whole.decode_seconds > 0.0
    assert whole.model
    stop = whole.text[3:5]
    (cut,) = backend.write(replace(TEXT, stop=('\0', stop)), Watch(LIMIT))
    assert cut.text == whole.text[: whole.text.index(stop)]


def test_samples_come_in_the_number_that_is_asked_and_again_with_the_same_seed(
    backend: Backend,
) -> None:
    asked = replace(TEXT, samples=4, temperature=1.5, seed=5)
    answers = backend.write(asked, Watch(LIMIT))
    assert len(answers) == 4
    assert len({answer.text for answer in answers}) > 1
    assert [answer.tokens_in > 0 for answer in answers] == [True, False, False, False]
    assert [answer.prefill_seconds for answer in answers[1:]] == [0.0] * 3
    assert [answer.decode_seconds for answer in answers[1:]] == [0.0] * 3
    again = backend.write(asked, Watch(LIMIT))
    assert [answer.text for answer in again] == [answer.text for answer in answers]


def test_without_temperature_all_samples_are_the_greedy_text(backend: Backend) -> None:
    (greedy,) = backend.write(TEXT, Watch(LIMIT))
    answers = backend.write(replace(TEXT, samples=3, seed=9), Watch(LIMIT))
    assert [answer.text for answer in answers] == [greedy.text] * 3


def test_a_text_without_time_left_is_interrupted_and_the_next_is_not(backend: Backend) -> None:
    for samples in (1, 3):
        some = replace(TEXT, prompt=LONG, samples=samples, temperature=float(samples > 1))
        with pytest.raises(Interrupted):
            backend.write(some, Watch(0.0))
        looks = itertools.count()
        with pytest.raises(Interrupted):
            backend.write(some, Watch(LIMIT, lambda looks=looks: next(looks) >= 2))
    assert backend.decide(PROMPT, only('wait'), Watch(LIMIT)).text == 'Act: wait'


def test_after_it_was_told_to_forget_the_answers_are_the_same(backend: Backend) -> None:
    first = backend.decide(PROMPT, CHOICES, Watch(LIMIT))
    backend.forget()
    assert backend.decide(PROMPT, CHOICES, Watch(LIMIT)).text == first.text
