# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand decisions of a model that has no sense at all: every one is valid.

Its logits are random. The sets of skills, the flags and the limits are random as well.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip('llguidance')

from reactree_ros.core.decision import (
    DONE,
    ENDINGS,
    Choices,
    ConditionLanguage,
    ControlFlow,
    is_own_word,
    parse_decision,
    to_text,
)
from reactree_ros.models.local.constraint import Constraint, Vocabulary
from reactree_ros.models.local.embedded import MODELS

from ..thorough import thorough

DECISIONS = thorough(10_000, 400)
FULL_LIMITS = 0.1
"""Share of decisions with the limits that a run has; the others are short, for speed."""
SIZES = [0, 1, 2, 3, 10, 10, 30, 30, 100, 300]
MANY = 1_000
"""A hundredth of the decisions has that many skills."""
WORDS = [
    *('go to', 'open', 'pick up', 'put', 'kitchen', 'kitchen cabinet', 'water glass', 'öffne'),
    *('say "hello, you"', "carpenter's t-square", 'a\\b', '\\', '"', "'", '/', '//', '#', '[a-z]'),
    *('(a|b)*', 'x{1,3}', '$', '^', '~', '&', '%', '<eos>', '<|im_end|>', '<end_of_turn>'),
    *('遥控器', '冰箱', '사과', 'ضع', 'תפוח', 'e\u0301', '👩\u200d🍳', '🍎', '\u00a0'),
    *('\ufeff', '\ufffd', '\U0010ffff'),
]
LAMPS = ConditionLanguage(
    'CONDITION_LINE: LAMP ("; " LAMP){0,5}\nLAMP: "lamp" / [1-9]/? (" on" | " öffen")', 'not read'
)


@dataclass(frozen=True)
class Senseless:
    """A model whose logits are random, over some vocabulary.

    Its logits are a fixed order of the tokens that begins somewhere else each time.
    """

    vocabulary: Vocabulary
    order: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]

    @classmethod
    def over(cls, vocabulary: Vocabulary, seed: int) -> Senseless:
        order = np.random.default_rng(seed).permutation(vocabulary.size)
        return cls(vocabulary, order, np.argsort(order))

    def decide(self, constraint: Constraint, generator: random.Random) -> str:
        """Write one decision greedily."""
        written: list[int] = []
        while not constraint.finished:
            forced = constraint.forced()
            if forced:
                constraint.write(forced)
                written += forced
                continue
            offset = generator.randrange(self.vocabulary.size)
            token = self._first_allowed_of_four(constraint, offset)
            if token is None:
                token = self._best(constraint, offset)
                assert constraint.take(token)
            elif generator.random() < 0.01:
                constraint.undo(1)
                assert token == self._best(constraint, offset), 'the mask says something else'
                assert constraint.take(token)
            written.append(token)
        return self.vocabulary.text(written)

    def _first_allowed_of_four(self, constraint: Constraint, offset: int) -> int | None:
        for step in range(4):
            token = int(self.order[(offset + step) % self.vocabulary.size])
            if constraint.take(token):
                return token
        return None

    def _best(self, constraint: Constraint, offset: int) -> int:
        allowed = constraint.allowed()
        return int(allowed[np.argmin((self.rank[allowed] - offset) % self.vocabulary.size)])


def vocabularies() -> list[str]:
    """Return the names of vocabularies to test with: real ones where models are installed."""
    ready = [name for name, model in MODELS.items() if model.ready]
    families = {name.partition('-')[0]: name for name in ready}
    return ['bytes', *families.values()]


@pytest.fixture(scope='module', params=vocabularies())
def model(request: pytest.FixtureRequest) -> Senseless:
    name = request.param
    source = 'byte' if name == 'bytes' else str(MODELS[name].folder / 'tokenizer.json')
    return Senseless.over(Vocabulary(source), seed=1)


def random_phrases(generator: random.Random, count: int) -> tuple[str, ...]:
    phrases: dict[str, None] = {}
    known: list[str] = []
    while len(phrases) < count:
        kind = generator.random()
        if known and kind < 0.3:  # one that another is the beginning of
            phrase = generator.choice(known) + generator.choice('0123456789 ab"\\é🍎')
        elif known and kind < 0.5:
            phrase = generator.choice(known)[: generator.randint(1, 20)]
        else:
            words = generator.choices(WORDS, k=generator.randint(1, 3))
            phrase = ' '.join((*words, str(generator.randint(1, 60))))
        phrase = phrase.strip()
        if phrase and phrase not in phrases and not is_own_word(phrase):
            phrases[phrase] = None
            known.append(phrase)
    return tuple(phrases)


def random_choices(generator: random.Random) -> Choices:
    flows = tuple(flow for flow in ControlFlow if generator.random() < 0.7)
    size = MANY if generator.random() < 0.01 else generator.choice(SIZES)
    full = generator.random() < FULL_LIMITS
    limits = (
        {}
        if full
        else {
            'max_thought_chars': generator.choice((1, 2, 3, 10, 40)),
            'max_subgoals': generator.choice((1, 1, 2, 3)),
            'max_subgoal_chars': generator.choice((1, 2, 3, 10, 30)),
            'max_question_chars': generator.choice((1, 2, 3, 10, 40)),
        }
    )
    endings = tuple(one for one in ENDINGS if generator.random() < 0.5)
    think, ask = generator.random() < 0.7, generator.random() < 0.3
    if not (size or think or ask or flows):
        endings = (DONE,)
    return Choices(
        random_phrases(generator, size),
        think=think,
        recall=random_phrases(generator, generator.choice((0, 0, 1, 5))),
        control_flows=flows,
        endings=endings,
        ask=ask,
        conditions=LAMPS if generator.random() < 0.05 else None,
        explain=generator.random() < 0.5,
        **limits,
    )


def test_every_decision_of_a_senseless_model_is_valid(model: Senseless) -> None:
    generator = random.Random(2026)
    seen: Counter[str] = Counter()
    for number in range(DECISIONS // len(vocabularies())):
        choices = random_choices(generator)
        constraint = model.vocabulary.constrain(choices)
        line = model.decide(constraint, generator)
        assert line.endswith('\n') and line.count('\n') == 1, (number, line)
        decision = parse_decision(line, choices)
        seen[type(decision).__name__] += 1
        # What the planner makes of it is in the grammar again: it stands in later prompts.
        clean = model.vocabulary.tokenize(f'{to_text(decision)}\n')
        again = model.vocabulary.constrain(choices) if number % 10 == 0 else None
        if again:
            again.write(clean)
            assert again.finished, (number, line)
    assert {*seen} == {
        'Think',
        'Act',
        'Recall',
        'Expand',
        'Ask',
        'Conditions',
        'Done',
        'Failure',
    }, seen
