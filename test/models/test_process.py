# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A small model in its own process: decisions, cancels, time limits, counts and its end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from reactree_ros.core.decision import DONE, FAILURE, Choices, parse_decision, to_text
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ModelError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess

pytestmark = pytest.mark.model

T = TypeVar('T')
MINUTES = 540
"""Longest wait for anything, below the limit of a whole test."""
PROMPT = Prompt(
    'You steer a household robot. Every step is one line.',
    (),
    'Goal: put the apple in the fridge\n'
    'You are in the kitchen (1). Around you: fridge (1), kitchen table (1).\n',
)
CHOICES = Choices(
    skills=('go to fridge 1', 'go to kitchen table 1'),
    recall=('apple',),
    max_thought_chars=40,
    max_subgoals=2,
    max_subgoal_chars=20,
)
LONG = Prompt('Look into every cabinet. ' * 300, (), 'Goal: sing\n')


def wait(pending: Future[T]) -> T:
    """Return an answer; a request that never ends is a failure."""
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        answer = pending.poll()
        if answer is not None:
            return answer
        clock.wait(0.05)
    raise AssertionError('no answer came')


def wait_until_ready(process: ModelProcess) -> None:
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        if process.poll_ready():
            return
        clock.wait(0.05)
    raise AssertionError(f'not ready: {process.progress}')


@pytest.fixture(scope='module')
def process(tiny_model: Path) -> Iterator[ModelProcess]:
    """A model with random weights and the real sentence encoder, loaded once."""
    process = ModelProcess(ModelOptions(str(tiny_model), dtype='float32', threads=1))
    assert not process.poll_ready()
    assert process.progress.startswith(f'{tiny_model}: ')
    wait_until_ready(process)
    yield process
    process.close()
    process.close()


def decided(process: ModelProcess, prompt: Prompt, choices: Choices = CHOICES) -> Answer:
    return wait(process.decide(DecisionRequest(prompt, choices, MINUTES)))


def test_a_decision_is_one_of_the_choices_and_a_grown_prompt_is_reused(
    process: ModelProcess,
) -> None:
    first = decided(process, PROMPT)
    decision = parse_decision(first.text, CHOICES)
    assert to_text(decision) == first.text
    assert first.tokens_out > 0
    assert first.queued_seconds > 0.0 < first.prefill_seconds
    steps = (Step(first.text, True), Step('You are at the fridge (1). It is closed.', False))
    second = decided(process, replace(PROMPT, steps=steps))
    parse_decision(second.text, CHOICES)
    assert second.tokens_in > first.tokens_in
    assert 0.9 * first.tokens_in < second.tokens_reused < second.tokens_in


def test_the_same_prompt_gets_the_same_decision_whatever_came_between(
    process: ModelProcess,
) -> None:
    first = decided(process, PROMPT)
    decided(process, Prompt('', (), 'Goal: sing\n'))
    assert decided(process, PROMPT).text == first.text


def test_three_nodes_at_once_get_the_answers_that_each_gets_alone(process: ModelProcess) -> None:
    prompts = [replace(PROMPT, task=f'Goal: look for plum {n}\nYou see.\n') for n in range(3)]
    steps = [Step('Act: go to fridge 1', True), Step('You are at the fridge (1).', False)]
    rounds = [[replace(one, steps=tuple(steps * n)) for one in prompts] for n in range(3)]
    alone = [[decided(process, one).text for one in prompts] for prompts in rounds]
    pending = [
        [process.decide(DecisionRequest(one, CHOICES, MINUTES)) for one in prompts]
        for prompts in rounds
    ]
    assert [[wait(one).text for one in several] for several in pending] == alone


@pytest.mark.parametrize(
    ('choices', 'text'),
    [
        (Choices(think=False, control_flows=(), endings=(DONE,)), 'Act: done'),
        (Choices(think=False, control_flows=(), endings=(FAILURE,)), 'Act: failure'),
        (
            Choices(('say "Grüß Gött, 你好"',), False, (), (), ()),
            'Act: say "Grüß Gött, 你好"',
        ),
    ],
)
def test_where_only_one_decision_is_left_it_is_made(
    process: ModelProcess, choices: Choices, text: str
) -> None:
    assert decided(process, PROMPT, choices).text == text


def test_requests_are_answered_each_with_its_own_answer(process: ModelProcess) -> None:
    only = [Choices((f'go to room {n}',), False, (), (), ()) for n in range(4)]
    pending = [process.decide(DecisionRequest(PROMPT, choices, MINUTES)) for choices in only]
    assert [wait(one).text for one in pending] == [f'Act: go to room {n}' for n in range(4)]


def test_a_canceled_request_does_not_hold_up_the_next(process: ModelProcess) -> None:
    running = process.decide(DecisionRequest(LONG, CHOICES))
    waiting = process.decide(DecisionRequest(LONG, CHOICES))
    assert running.poll() is None
    for pending in (running, waiting):
        pending.cancel()
        pending.cancel()
    parse_decision(decided(process, PROMPT).text, CHOICES)
    assert running.poll() is None
    assert waiting.poll() is None


def test_a_request_whose_time_is_up_fails_however_often_it_is_asked(process: ModelProcess) -> None:
    pending = process.decide(DecisionRequest(LONG, CHOICES, 0.01))
    with pytest.raises(ModelError, match=r'no decision within 0\.01 s'):
        wait(pending)
    with pytest.raises(ModelError, match=r'no decision within 0\.01 s'):
        pending.poll()
    parse_decision(decided(process, PROMPT).text, CHOICES)


def test_embeddings_have_unit_length_and_like_goals_are_alike(process: ModelProcess) -> None:
    texts = ('put the apple in the fridge', 'place an apple into the refrigerator', 'sing a song')
    vectors = wait(process.embed(texts))
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert vectors[0] @ vectors[1] > 0.6 > vectors[0] @ vectors[2]
    assert wait(process.embed(texts[:1])).shape == (1, 384)


def test_tokens_are_counted_as_the_model_counts_them(process: ModelProcess) -> None:
    counts = wait(process.count(('', 'apple', 'apple apple', PROMPT.text())))
    assert counts[0] == 0 < counts[1] < counts[2] < counts[3]
    # A decision's prompt may begin with one token that stands for no text.
    assert decided(process, PROMPT).tokens_in - counts[3] in (0, 1)
    assert wait(process.count(())) == ()


def test_an_empty_episodic_memory_finds_nothing(process: ModelProcess) -> None:
    memory = EpisodicMemory((), CachedEncoder(process))
    assert wait(memory.retrieve('put the apple in the fridge', True, 500)) == ()


def test_tokens_are_counted_while_a_decision_is_made(process: ModelProcess) -> None:
    text = PROMPT.text()
    decisions = [
        process.decide(DecisionRequest(replace(PROMPT, system=f'{n}'), CHOICES, MINUTES))
        for n in range(20)
    ]
    counts = [process.count((text,) * 20) for _ in range(20)]
    assert {wait(one) for one in counts} == {(len(text.encode()),) * 20}
    for one in decisions:
        parse_decision(wait(one).text, CHOICES)


def test_the_server_lets_the_planner_go_first(process: ModelProcess) -> None:
    niceness = os.nice(0) + ModelOptions().niceness
    threads = [int(one.name) for one in Path(f'/proc/{process.pid}/task').iterdir()]
    assert {os.getpriority(os.PRIO_PROCESS, one) for one in threads} == {niceness}
    assert {os.sched_getscheduler(one) for one in threads} == {os.SCHED_BATCH}


def test_a_server_that_is_killed_while_it_decides_is_loaded_again(process: ModelProcess) -> None:
    same = decided(process, PROMPT).text
    pid = process.pid
    pending = [process.decide(DecisionRequest(one, CHOICES, MINUTES)) for one in (LONG, PROMPT)]
    os.kill(pid, signal.SIGKILL)
    long, short = (wait(one).text for one in pending)
    assert short == same
    parse_decision(long, CHOICES)
    assert process.pid != pid
    assert process.poll_ready()
