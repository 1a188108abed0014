# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar in tokens: what is forced, allowed, taken back; and errors that say why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip('llguidance')

from reactree_ros.core.decision import Choices
from reactree_ros.errors import ModelError
from reactree_ros.models.local.constraint import Constraint, Vocabulary

BYTES = Vocabulary('byte')
CHOICES = Choices(('go to kitchen 1', 'go to kitchen 10', 'open fridge'))
ACTING = Choices(CHOICES.skills, think=False, control_flows=(), endings=())


def begun(choices: Choices, text: str) -> Constraint:
    constraint = BYTES.constrain(choices)
    constraint.write(BYTES.tokenize(text))
    return constraint


def next_letters(constraint: Constraint) -> str:
    return ''.join(chr(token) for token in constraint.allowed())


@pytest.mark.parametrize(
    ('text', 'letters'),
    [('', 'AET'), ('Act: ', 'dfgo'), ('Act: go to kitchen 1', '\n0'), ('Expand: ', 'fps')],
)
def test_what_may_come_next(text: str, letters: str) -> None:
    constraint = begun(CHOICES, text)
    assert next_letters(constraint) == letters
    words = constraint.mask()
    assert [t for t in range(BYTES.size) if words[t // 32] >> t % 32 & 1] == [*map(ord, letters)]


def test_what_leaves_no_choice_is_forced() -> None:
    constraint = BYTES.constrain(ACTING)
    assert BYTES.text(constraint.forced()) == 'Act: '
    constraint.write(constraint.forced())
    assert constraint.forced() == []
    assert constraint.take(ord('o')) and not constraint.finished
    constraint.write(constraint.forced())
    assert constraint.finished


def test_a_refused_token_changes_nothing() -> None:
    constraint = begun(CHOICES, 'Act: ')
    assert not constraint.take(ord('x'))
    assert constraint.valid(BYTES.tokenize('open window')) == len('open ')
    assert next_letters(constraint) == 'dfgo'


def test_tokens_are_taken_back() -> None:
    constraint = begun(CHOICES, 'Act: ')
    guess = BYTES.tokenize('open fridge\n')
    assert constraint.valid(guess) == len(guess)
    constraint.write(guess)
    assert constraint.finished
    constraint.undo(len(guess))
    assert not constraint.finished
    assert next_letters(constraint) == 'dfgo'


@pytest.mark.parametrize(
    ('text', 'free'),
    [
        ('Think: ', True),
        ('Think: hm', True),
        ('Expand: sequence ["a', True),
        ('Act: ', False),
        ('Act: go', False),
        ('', False),
    ],
)
def test_free_text_is_told_from_a_choice(text: str, free: bool) -> None:
    assert begun(CHOICES, text).is_free() is free


def test_writing_what_is_not_allowed_is_an_error() -> None:
    constraint = begun(CHOICES, 'Act: ')
    with pytest.raises(ModelError, match='^the grammar engine failed: .*$') as caught:
        constraint.write(BYTES.tokenize('fly'))
    assert '\n' not in str(caught.value)
    with pytest.raises(ModelError):
        constraint.allowed()


def test_a_tokenizer_that_is_none_is_an_error(tmp_path: Path) -> None:
    for source in (str(tmp_path / 'tokenizer.json'), '{}'):
        with pytest.raises(ModelError, match='the grammar engine cannot use the tokenizer'):
            Vocabulary(source)


def test_the_name_of_a_special_token_in_a_skill_stays_text(tokenizer_json: str) -> None:
    vocabulary = Vocabulary(tokenizer_json)
    line = 'Act: say <end> 1\n'
    assert vocabulary.text(vocabulary.tokenize(line)) == line
    constraint = vocabulary.constrain(
        Choices(('say <end> 1',), think=False, control_flows=(), endings=())
    )
    written: list[int] = []
    while not constraint.finished:
        tokens = constraint.forced() or constraint.allowed().tolist()[:1]
        constraint.write(tokens)
        written += tokens
    assert vocabulary.text(written) == line


@pytest.mark.parametrize('form', ['NFC', 'NFD', 'NFKC', 'NFKD'])
def test_an_accent_stays_as_the_skill_writes_it(tokenizer_json: str, form: str) -> None:
    content = json.loads(tokenizer_json)
    vocabulary = Vocabulary(json.dumps({**content, 'normalizer': {'type': form}}))
    for skill in ('say \u00e9', 'say e\u0301', 'say \ufb01'):
        constraint = vocabulary.constrain(
            Choices((skill,), think=False, control_flows=(), endings=())
        )
        line = f'Act: {skill}\n'
        constraint.write(vocabulary.tokenize(line))
        assert constraint.finished
        assert vocabulary.text(vocabulary.tokenize(line)) == line


@pytest.fixture
def tokenizer_json() -> str:
    """A tokenizer of letters that knows a special token, ``<end>``."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: n for n, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken('<end>', special=True)])
    return str(tokenizer.to_str())
