# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A training example is what the model read and wrote, to the letter."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import runs_of, teach
from reactree_ros.lab.dataset.dagger import DaggerModel
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.memory.experience import Termination

ORIGIN = ExampleOrigin('wah_train 1', 'home_1', 0, 'Tidy up.', 'reactree+wm', 'solver', False)
TASK = 'Primary goal: tidy up\nSubgoals (…): a; b\nGoal: put the cup away\nYou are in a kitchen.\n'
STEPS = (Step('Act: go to shelf 1', True), Step('You are there.', False), Step('Act: done', True))


@pytest.mark.parametrize('planner', ['reactree+wm', 'react', 'react+wm'])
def test_it_is_the_last_request_and_its_answer(
    planner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    decide = DaggerModel.decide

    def recording(teacher: DaggerModel, request: Any) -> Any:
        answer = decide(teacher, request)
        told = answer.poll()
        assert told is not None
        read.append(f'{request.prompt.text()}{told.text}\n')
        return answer

    monkeypatch.setattr(DaggerModel, 'decide', recording)
    (run,) = runs_of([planner], ['wah_train:1'], wordings=1)
    collected = teach(run)
    assert collected.reached
    texts = [node.text() for node in collected.nodes]
    assert texts
    for text in texts:
        assert text in read
        longer = [other for other in read if other.startswith(text) and other != text]
        assert not longer, 'it is the last of the node'
    # Every request was one of these nodes' on its way: nothing that was decided is missing.
    assert all(any(text.startswith(one) for text in texts) for one in read)


def test_its_text_is_the_head_and_a_line_for_each_step() -> None:
    example = TrainingExample('You steer.', ('Goal: old\n…\nAct: done\n',), TASK, STEPS, ORIGIN)
    head = example.prompt.text()
    assert head == Prompt('You steer.', example.examples, TASK).text()
    assert example.text() == head + 'Act: go to shelf 1\nYou are there.\nAct: done\n'
    assert example.goal == 'put the cup away'


def test_json_keeps_all_of_it() -> None:
    example = TrainingExample('You steer.', ('Goal: x\nAct: done\n',), TASK, STEPS, ORIGIN)
    assert TrainingExample.from_json(example.to_json()) == example


@pytest.mark.parametrize(
    ('last', 'termination'),
    [
        ('Act: done', Termination.SUCCESS),
        ('Act: failure', Termination.FAILURE),
        ('Expand: sequence ["a", "b"]', Termination.EXPAND),
    ],
)
def test_its_last_decision_says_how_it_ended(last: str, termination: Termination) -> None:
    steps = (*STEPS[:2], Step(last, True))
    assert TrainingExample('', (), TASK, steps, ORIGIN).termination is termination


@pytest.mark.parametrize('steps', [(), STEPS[:2]])
def test_without_a_decision_at_its_end_there_is_nothing_to_learn(steps: tuple[Step, ...]) -> None:
    with pytest.raises(ConfigurationError, match='does not end with a decision'):
        TrainingExample('', (), TASK, steps, ORIGIN)
