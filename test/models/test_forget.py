# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a model answers after it was told to forget does not depend on what it did before."""

from __future__ import annotations

import random
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future
from reactree_ros.core.model import DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.models.backend import Watch
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess

from ..thorough import thorough

pytest.importorskip('torch')
pytest.importorskip('llguidance')

from reactree_ros.models.local.decoder import Reading
from reactree_ros.models.local.transformers_model import TransformersModel

T = TypeVar('T')
MINUTES = 300
REAL = 30
SYSTEM = (
    'You steer a household robot. Every step is one line that begins with Think, Act or Expand.'
)
THINGS = 'apple pear mug plate fridge table shelf cabinet sofa lamp book box'.split()


def requests(seed: int, count: int) -> list[tuple[Prompt, Choices]]:
    """Return decisions of three nodes in turn, which retrieved some of the same experiences."""
    generator = random.Random(seed)

    def thing() -> str:
        return generator.choice(THINGS)

    experiences = [
        f'Goal: find the {one}\n' + f'Act: go to {one} 1\nYou are at the {one} (1).\n' * 3
        for one in THINGS[:6]
    ]
    nodes = [
        Prompt(SYSTEM, tuple(generator.sample(experiences, 3)), f'Goal: bring the {thing()}\n')
        for _ in range(3)
    ]
    asked = []
    for _ in range(count):
        which = generator.randrange(len(nodes))
        skills = tuple({f'go to {thing()} {n}' for n in range(6)})
        limits = {'max_thought_chars': 20, 'max_subgoals': 2, 'max_subgoal_chars': 12}
        asked.append((nodes[which], Choices(skills, **limits)))
        seen = f'You are at the {thing()} (1). On it: {thing()} (2).'
        steps = (Step(f'Act: go to {thing()} 1', True), Step(seen, False))
        nodes[which] = replace(nodes[which], steps=(*nodes[which].steps, *steps))
    return asked


def plans(seed: int) -> TextRequest:
    prompt = requests(seed, 1)[0][0]
    return TextRequest(prompt, max_tokens=8, samples=3, temperature=0.8, seed=seed)


def test_not_a_bit_of_a_state_depends_on_what_was_read_before(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states: list[bytes] = []
    last = Reading.last

    def noted(self: Reading, *args: Any) -> Any:
        state = last(self, *args)
        states.append(state.float().numpy().tobytes())
        return state

    monkeypatch.setattr(Reading, 'last', noted)
    model = TransformersModel(tiny_model, ModelOptions('tiny', dtype='bfloat16', threads=1))

    def work(seed: int, count: int) -> tuple[list[str], list[bytes]]:
        states.clear()
        answers = [
            model.decide(prompt, choices, Watch(MINUTES)).text
            for prompt, choices in requests(seed, count)
        ]
        answers += [answer.text for answer in model.write(plans(seed), Watch(MINUTES))]
        return answers, list(states)

    count = thorough(30, 10)
    fresh = work(0, count)
    for other in (1, 2):
        work(other, count // 3)
        model.forget()
        assert work(0, count) == fresh


def wait(pending: Future[T]) -> T:
    clock = threading.Event()
    for _ in range(MINUTES * 50):
        answer = pending.poll()
        if answer is not None:
            return answer
        clock.wait(0.02)
    raise AssertionError('no answer came')


def work(process: ModelProcess, seed: int, count: int) -> list[str]:
    answers = [
        wait(process.decide(DecisionRequest(prompt, choices, MINUTES))).text
        for prompt, choices in requests(seed, count)
    ]
    texts = wait(process.write(replace(plans(seed), time_limit_s=MINUTES)))
    return answers + [answer.text for answer in texts]


@pytest.mark.thorough
@pytest.mark.model
def test_a_real_model_that_forgot_answers_as_a_fresh_process_does() -> None:
    options = ModelOptions('gemma-3-270m')
    with closing(ModelProcess(options)) as process:
        fresh = work(process, 0, REAL)
    with closing(ModelProcess(options)) as process:
        work(process, 1, 3)
        process.forget()
        assert work(process, 0, REAL) == fresh
