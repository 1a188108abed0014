# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts as chats, prompts that are too long, and prompts on the wire."""

from __future__ import annotations

import json

import pytest

from reactree_ros.core.decision import Choices, ControlFlow
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.core.wire import (
    choices_from_json,
    choices_to_json,
    prompt_from_json,
    prompt_to_json,
)
from reactree_ros.errors import ModelError
from reactree_ros.models.context import BLOCK, fit
from reactree_ros.models.prompt_text import to_messages

ACT, SEEN = Step('Act: sing', True), Step('You sing.', False)
THOUGHT = Step('Think: louder', True)
PROMPT = Prompt('Steer.', ('far example\n', 'near example\n'), 'Goal: sing\nYou see nothing.\n')


def with_steps(*steps: Step) -> Prompt:
    return Prompt(PROMPT.system, PROMPT.examples, PROMPT.task, steps)


def test_a_chat_is_the_system_prompt_and_the_rest() -> None:
    system, user = to_messages(with_steps(ACT, SEEN))
    assert system == {'role': 'system', 'content': 'Steer.'}
    assert user['role'] == 'user'
    assert user['content'].startswith('Examples of earlier work:\n\nfar example\n\nnear example')
    assert user['content'].endswith('Goal: sing\nYou see nothing.\nAct: sing\nYou sing.')


def test_a_chat_grows_at_its_end() -> None:
    before = to_messages(with_steps(ACT, SEEN))
    after = to_messages(with_steps(ACT, SEEN, THOUGHT, ACT, SEEN))
    assert after[0] == before[0]
    assert after[1]['content'].startswith(before[1]['content'])


def words(prompt: Prompt) -> int:
    return len(prompt.text().split())


def test_what_fits_is_left_as_it_is() -> None:
    prompt = with_steps(ACT, SEEN)
    assert fit(prompt, words(prompt), words) == (prompt, 0)


def test_experiences_go_first_the_least_similar_before_the_others() -> None:
    prompt = with_steps(ACT, SEEN)
    fitted, dropped = fit(prompt, words(prompt) - 1, words)
    assert (fitted.examples, fitted.steps, dropped) == (PROMPT.examples[1:], prompt.steps, 1)


def test_then_the_oldest_steps_with_a_note_and_by_the_block() -> None:
    steps = tuple(Step(f'step {n}', False) for n in range(3 * BLOCK))
    prompt = with_steps(*steps)
    fitted, dropped = fit(prompt, words(PROMPT) + 2 * BLOCK, words)
    assert fitted.examples == ()
    assert fitted.task == PROMPT.task and fitted.system == PROMPT.system
    note, *kept = fitted.steps
    left_out = len(steps) - len(kept)
    assert left_out % BLOCK == 0
    assert note == Step(f'({left_out} earlier steps are left out.)', False)
    assert tuple(kept) == steps[left_out:]
    assert dropped == 2 + left_out
    # The next prompt begins as this one does, or its cache would be of no use.
    longer, _ = fit(with_steps(*steps, ACT, SEEN), words(PROMPT) + 2 * BLOCK + 4, words)
    assert longer.text().startswith(fitted.text())


def test_the_goal_is_never_cut() -> None:
    with pytest.raises(ModelError, match='the context holds 3'):
        fit(with_steps(ACT, SEEN), 3, words)


def test_the_goal_of_a_prompt_is_the_nodes_own() -> None:
    message = 'Primary goal: Goal: a trap\nSubgoals (sequence): x; y\nGoal: x\nYou see y.\n'
    assert Prompt('s', ('Goal: no\n',), message, (Step('Goal: not this', False),)).goal == 'x'


def test_prompts_and_choices_survive_the_wire() -> None:
    prompt = with_steps(ACT, SEEN)
    assert prompt_from_json(json.loads(json.dumps(prompt_to_json(prompt)))) == prompt
    choices = Choices(('go "there"', 'öffne'), False, ('apple',), (ControlFlow.PARALLEL,), ask=True)
    assert choices_from_json(json.loads(json.dumps(choices_to_json(choices)))) == choices
