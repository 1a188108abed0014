# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The scripted model: what a script may be, and which line a prompt gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.scripted import ENDLESS, ScriptedModel


def request(goal: str) -> DecisionRequest:
    prompt = Prompt('', ('Goal: example\n',), f'Goal: {goal}\nYou see nothing.\n')
    return DecisionRequest(prompt, Choices())


def test_each_goal_gets_its_lines_in_order() -> None:
    model = ScriptedModel({'a': ['Act: done', 'Act: failure'], 'b': ['Think: hm']})
    answers = [model.decide(request(goal)).poll() for goal in ('a', 'b', 'a')]
    assert [answer.text if answer else None for answer in answers] == [
        'Act: done',
        'Think: hm',
        'Act: failure',
    ]


@pytest.mark.parametrize('goal', ['c', 'a'])
def test_a_goal_without_a_further_line_fails_and_is_named(goal: str) -> None:
    model = ScriptedModel({'a': []})
    with pytest.raises(ModelError, match=f"no further line for '{goal}'"):
        model.decide(request(goal)).poll()


def test_each_sample_of_a_text_is_a_line_up_to_where_it_must_stop() -> None:
    model = ScriptedModel({'a': ['open it\nclose it\ndone', 'sing', 'Act: done']})
    asked = TextRequest(request('a').prompt, stop=('done', 'close'), samples=2)
    answers = model.write(asked).poll()
    assert answers is not None
    assert [answer.text for answer in answers] == ['open it\n', 'sing']
    assert [answer.tokens_in > 0 for answer in answers] == [True, False]
    assert model.texts == [asked]
    with pytest.raises(ModelError, match="no further line for 'a'"):
        model.write(asked).poll()


def test_an_endless_answer_never_comes_and_counts_its_cancels() -> None:
    model = ScriptedModel({'a': [ENDLESS]})
    pending = model.decide(request('a'))
    assert [pending.poll() for _ in range(3)] == [None] * 3
    pending.cancel()
    assert model.canceled == 1
    text = ScriptedModel({'a': ['sing', ENDLESS]}).write(
        TextRequest(request('a').prompt, samples=2)
    )
    assert text.poll() is None


def test_a_script_is_read_from_yaml(tmp_path: Path) -> None:
    path = tmp_path / 'script.yaml'
    path.write_text('put the mug away:\n- "Act: done"\n', encoding='utf-8')
    answer = ScriptedModel.read(path).decide(request('put the mug away')).poll()
    assert answer is not None
    assert (answer.text, answer.tokens_in) == ('Act: done', 19)


FAULTS = [
    'just words',
    '[a, b]',
    'goal: "Act: done"',
    'goal: [',
    # without quotes this is a mapping, an easy mistake to make
    'goal:\n- Act: done\n',
    'goal: [1]',
]


@pytest.mark.parametrize('text', FAULTS)
def test_a_script_that_is_none_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'script.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigurationError, match=r'script\.yaml'):
        ScriptedModel.read(path)


def test_a_script_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r'nothing\.yaml'):
        ScriptedModel.read(tmp_path / 'nothing.yaml')
    (tmp_path / 'bytes.yaml').write_bytes(b'goal: [\xff]')
    with pytest.raises(ConfigurationError, match=r'bytes\.yaml'):
        ScriptedModel.read(tmp_path / 'bytes.yaml')
