# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The default model in its own process: decisions, cancels, time limits, counts and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from reactree_ros.core.decision import Choices, parse_decision, to_text
from reactree_ros.exceptions import ModelError
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.models.embedded import DEFAULT_MODEL
from reactree_ros.models.interface import DecisionRequest, Pending
from reactree_ros.models.process import ModelProcess

pytestmark = pytest.mark.model

T = TypeVar('T')
MINUTES = 540
"""Longest wait for anything, below the limit of a whole test."""
PROMPT = (
    'You steer a household robot. Every step is one line.\n\n'
    'Goal: put the apple in the fridge\n'
    'You are in the kitchen (1). Around you: fridge (1), kitchen table (1).\n'
)
CHOICES = Choices(
    skills=('go to fridge 1', 'go to kitchen table 1'), recall=('apple',), max_thought_chars=40
)
LONG = 'The robot walks from room to room and looks into every cabinet that it finds. ' * 400


def wait(pending: Pending[T]) -> T:
    """Return an answer; a request that never ends is a failure."""
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        answer = pending.poll()
        if answer is not None:
            return answer
        clock.wait(0.05)
    raise AssertionError('no answer came')


@pytest.fixture(scope='module')
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelProcess]:
    """The default model, loaded once."""
    process = ModelProcess(log=tmp_path_factory.mktemp('model') / 'log')
    clock = threading.Event()
    assert not process.poll_ready()
    assert process.progress.startswith(f'{DEFAULT_MODEL}: ')
    for _ in range(MINUTES * 20):
        if process.poll_ready():
            break
        clock.wait(0.05)
    else:
        raise AssertionError(f'not ready: {process.progress}')
    yield process
    process.close()
    process.close()


def test_a_decision_is_one_of_the_choices_and_a_grown_prompt_is_reused(
    process: ModelProcess,
) -> None:
    first = wait(process.decide(DecisionRequest(PROMPT, CHOICES)))
    decision = parse_decision(first.text, CHOICES)
    assert to_text(decision) == first.text
    assert first.tokens_out > 0
    grown = f'{PROMPT}{first.text}\nYou are at the fridge (1). It is closed.\n'
    second = wait(process.decide(DecisionRequest(grown, CHOICES)))
    parse_decision(second.text, CHOICES)
    assert second.tokens_in > first.tokens_in
    assert 0.9 * first.tokens_in < second.tokens_reused < second.tokens_in


def test_the_same_prompt_gets_the_same_decision_whatever_came_between(
    process: ModelProcess,
) -> None:
    first = wait(process.decide(DecisionRequest(PROMPT, CHOICES)))
    wait(process.decide(DecisionRequest('Goal: sing\n', CHOICES)))
    assert wait(process.decide(DecisionRequest(PROMPT, CHOICES))).text == first.text


@pytest.mark.parametrize(
    ('choices', 'text'),
    [
        (Choices(think=False, control_flows=(), no_failure='no'), 'Act: done'),
        (Choices(think=False, control_flows=(), not_done='no'), 'Act: failure'),
        (
            Choices(('say "Grüß Gött, 你好"',), False, (), (), 'no', 'no'),
            'Act: say "Grüß Gött, 你好"',
        ),
    ],
)
def test_where_only_one_decision_is_left_it_is_made(
    process: ModelProcess, choices: Choices, text: str
) -> None:
    assert wait(process.decide(DecisionRequest(PROMPT, choices))).text == text


def test_requests_are_answered_each_with_its_own_answer(process: ModelProcess) -> None:
    only = [Choices((f'go to room {n}',), False, (), (), 'no', 'no') for n in range(4)]
    pending = [process.decide(DecisionRequest(PROMPT, choices)) for choices in only]
    assert [wait(one).text for one in pending] == [f'Act: go to room {n}' for n in range(4)]


def test_a_canceled_request_does_not_hold_up_the_next(process: ModelProcess) -> None:
    running = process.decide(DecisionRequest(LONG, CHOICES))
    waiting = process.decide(DecisionRequest(LONG, CHOICES))
    assert running.poll() is None
    for pending in (running, waiting):
        pending.cancel()
        pending.cancel()
    answer = wait(process.decide(DecisionRequest(PROMPT, CHOICES)))
    parse_decision(answer.text, CHOICES)
    # Answers come in order: those that were given up would have come before.
    assert running.poll() is None
    assert waiting.poll() is None


def test_a_request_whose_time_is_up_fails_however_often_it_is_asked(process: ModelProcess) -> None:
    pending = process.decide(DecisionRequest(LONG, CHOICES, time_limit_s=0.01))
    with pytest.raises(ModelError, match=r'no decision within 0\.01 s'):
        wait(pending)
    with pytest.raises(ModelError, match=r'no decision within 0\.01 s'):
        pending.poll()
    parse_decision(wait(process.decide(DecisionRequest(PROMPT, CHOICES))).text, CHOICES)


def test_embeddings_have_unit_length_and_like_goals_are_alike(process: ModelProcess) -> None:
    texts = ('put the apple in the fridge', 'place an apple into the refrigerator', 'sing a song')
    vectors = wait(process.embed(texts))
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert vectors[0] @ vectors[1] > 0.6 > vectors[0] @ vectors[2]
    assert wait(process.embed(texts[:1])).shape == (1, 384)


def test_tokens_are_counted_as_the_model_counts_them(process: ModelProcess) -> None:
    counts = wait(process.count(('', 'apple', 'apple apple', PROMPT)))
    assert counts[0] == 0 < counts[1] < counts[2] < counts[3]
    # A decision's prompt may begin with one token that stands for no text.
    assert wait(process.decide(DecisionRequest(PROMPT, CHOICES))).tokens_in - counts[3] in (0, 1)
    assert wait(process.count(())) == ()


def test_an_empty_episodic_memory_finds_nothing(process: ModelProcess) -> None:
    memory = EpisodicMemory((), process)
    assert wait(memory.retrieve('put the apple in the fridge', True, 500)) == ()


def is_running(pid: int) -> bool:
    state = Path(f'/proc/{pid}/stat')
    return state.exists() and state.read_text().rpartition(')')[2].split()[0] != 'Z'


def test_the_server_does_not_outlive_its_planner(tmp_path: Path) -> None:
    planner = subprocess.Popen(
        [
            sys.executable,
            '-c',
            'import time\nfrom pathlib import Path\n'
            'from reactree_ros.models.process import ModelProcess\n'
            f'print(ModelProcess(log=Path({str(tmp_path / "log")!r})).pid, flush=True)\n'
            'time.sleep(600)',
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert planner.stdout is not None
    pid = int(planner.stdout.readline())
    assert is_running(pid)
    os.kill(planner.pid, signal.SIGKILL)
    planner.wait()
    planner.stdout.close()
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        if not is_running(pid):
            return
        clock.wait(0.05)
    raise AssertionError(f'the model server {pid} outlived its planner')


def test_a_killed_server_is_told_to_whoever_asks(process: ModelProcess) -> None:
    # The last test of this module: the process is gone after it.
    pending = process.decide(DecisionRequest(LONG, CHOICES))
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ModelError, match='the model server ended with exit code -9'):
        wait(pending)
    for later in (process.decide(DecisionRequest(PROMPT, CHOICES)), process.count(('a',))):
        with pytest.raises(ModelError, match='the model server ended'):
            wait(later)
    with pytest.raises(ModelError, match='the model server ended'):
        process.poll_ready()
