# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the grammar lets a model write is what the parser reads, and nothing else."""

from __future__ import annotations

import random

import llguidance
import pytest

from reactree_ros.core.decision import (
    Act,
    Ask,
    Choices,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
    parse_decision,
    to_text,
)
from reactree_ros.core.grammar import decision_grammar
from reactree_ros.exceptions import DecisionError

TOKENS = llguidance.LLTokenizer('byte')
CHOICES = Choices(
    skills=('go to kitchen 1', 'open fridge 1', 'say "hello, you"', 'öffne Tür 1', 'a\\b'),
    recall=('apple', 'tv', 'kitchen table', "carpenter's t-square", 'Äpfel', '遥控器'),
    ask=True,
)
SEQUENCE, FALLBACK, PARALLEL = ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL


def accepts(choices: Choices, line: str) -> bool:
    """Return whether a model that is held to the grammar can write this line and stop."""
    matcher = llguidance.LLMatcher(TOKENS, decision_grammar(choices))
    assert not matcher.is_error(), matcher.get_error()
    tokens = TOKENS.tokenize_bytes(f'{line}\n'.encode())
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


def reads(choices: Choices, line: str) -> bool:
    try:
        parse_decision(line, choices)
    except DecisionError:
        return False
    return True


DECISIONS: list[Decision] = [
    Think('I need the apple first.'),
    Think('Ich brauche zuerst den Apfel – "sofort", \\ sagt er.'),
    Think('x'),
    Think('x' * 160),
    Think('먼저 사과를 찾는다' * 10),
    Think('Act: done'),
    Act('go to kitchen 1'),
    Act('say "hello, you"'),
    Act('öffne Tür 1'),
    Act('a\\b'),
    Recall('apple'),
    Recall('tv'),
    Recall('kitchen table'),
    Recall("carpenter's t-square"),
    Recall('Äpfel'),
    Recall('遥控器'),
    Ask('Which mug do you mean, the "red" one?'),
    Ask('?' * 160),
    Done(),
    Failure(),
    Expand(SEQUENCE, ('find and pick up the apple', 'put down the apple')),
    Expand(FALLBACK, ('one',)),
    Expand(PARALLEL, tuple(f'goal {n}' for n in range(8))),
    Expand(SEQUENCE, ('the apple, the pear, and the plum', 'then, at last, rest')),
    Expand(SEQUENCE, ('say "hello"', '"', '""', 'a "quoted, list"]')),
    Expand(SEQUENCE, ('a\\b', '\\', '\\\\', '\\"', 'C:\\temp')),
    Expand(FALLBACK, ('Müll wegräumen', 'Türen schließen, Öl holen', 'naïve café')),
    Expand(PARALLEL, ('把苹果放进冰箱', '找到遥控器,然后打开电视')),
    Expand(SEQUENCE, ('사과를 냉장고에 넣어', '불을 꺼 줘')),
    Expand(SEQUENCE, ('put the 🍎 in the 🧊', '👩‍🍳')),
    Expand(SEQUENCE, ('שים את התפוח', 'ضع التفاحة في الثلاجة')),
    Expand(SEQUENCE, ('[1, 2]', '{"a": 1}', 'null', ']')),
    Expand(SEQUENCE, ('x' * 90, '"' * 90, '\\' * 90, '果' * 90, '🍎' * 90)),
]


@pytest.mark.parametrize('decision', DECISIONS, ids=to_text)
def test_a_decision_comes_back_as_it_was(decision: Decision) -> None:
    line = to_text(decision)
    assert '\n' not in line
    assert accepts(CHOICES, line)
    assert parse_decision(line, CHOICES) == decision


OUTSIDE = [
    'go to kitchen 1',
    'Act: ',
    'Act: go to kitchen 2',
    'Act: go to kitchen 1 now',
    'Act: Go to kitchen 1',
    'act: done',
    'Act: done and done',
    'Act: recall location of ',
    'Act: recall location of x',
    'Act: recall location of Apple',
    'Act: recall location of apple 1',
    'Act: recall location of plum',
    'Act: recall location of apples',
    'recall location of apple',
    'Think: ',
    'Think: ' + 'x' * 161,
    'Think: ' + '果' * 161,
    'Think: a\tb',
    'Think: a\rb',
    'Think: a\x00b',
    'Think: a\x7fb',
    'Think: a\x85b',
    'Think: a\u2028b',
    'Ask: ',
    'Ask: ' + '?' * 161,
    'Ask: a\rb',
    'Expand: ',
    'Expand: sequence',
    'Expand: sequence []',
    'Expand: sequence ["a"',
    'Expand: sequence ["a",]',
    'Expand: sequence [a]',
    'Expand: sequence a, b',
    'Expand: sequence "a"',
    'Expand: sequence {"a": "b"}',
    'Expand: sequence [1]',
    'Expand: sequence ["a", null]',
    'Expand: sequence [["a"]]',
    'Expand: sequence [""]',
    'Expand: sequence [" "]',
    'Expand: sequence ["a"] or so',
    'Expand: loop ["a"]',
    'Expand: Sequence ["a"]',
    'Expand: sequence ["' + 'x' * 91 + '"]',
    'Expand: sequence ["' + '果' * 91 + '"]',
    'Expand: sequence ["' + '\\"' * 91 + '"]',
    'Expand: sequence [' + ', '.join(['"a"'] * 9) + ']',
    'Expand: sequence ["a\\nb"]',
    'Expand: sequence ["a\\tb"]',
    'Expand: sequence ["a\\u0000b"]',
    'Expand: sequence ["\\ud800"]',
    'Expand: sequence ["a\\x"]',
    'Expand: sequence ' + '[' * 100_000,
    'Expand: sequence [' + '1' * 5_000 + ']',
    'Decide: done',
    'Act: done\nAct: done',
    '',
]


@pytest.mark.parametrize('line', OUTSIDE, ids=lambda line: repr(line[:40]))
def test_what_is_no_decision_is_refused_on_both_sides(line: str) -> None:
    assert not accepts(CHOICES, line)
    assert not reads(CHOICES, line)


NARROWED = [
    # choices, line that they do not allow
    (Choices(think=False), 'Think: hm'),
    (Choices(recall=('plum',)), 'Act: recall location of apple'),
    (Choices(control_flows=()), 'Expand: sequence ["a"]'),
    (Choices(control_flows=(SEQUENCE,)), 'Expand: parallel ["a"]'),
    (Choices(not_done='you hold nothing'), 'Act: done'),
    (Choices(no_failure='you have not looked'), 'Act: failure'),
    (Choices(skills=()), 'Act: go to kitchen 1'),
    (Choices(), 'Ask: which?'),
    (Choices(max_question_chars=5, ask=True), 'Ask: sixsix'),
    (Choices(max_thought_chars=5), 'Think: sixsix'),
    (Choices(max_subgoals=1), 'Expand: sequence ["a", "b"]'),
    (Choices(max_subgoal_chars=5), 'Expand: sequence ["sixsix"]'),
]


@pytest.mark.parametrize(('choices', 'line'), NARROWED)
def test_what_is_not_on_offer_is_refused_on_both_sides(choices: Choices, line: str) -> None:
    wide = Choices(skills=('go to kitchen 1',), recall=('apple',), ask=True)
    assert accepts(wide, line) and reads(wide, line)
    assert not accepts(choices, line)
    assert not reads(choices, line)


@pytest.mark.parametrize(
    ('choices', 'line'),
    [
        (Choices(max_thought_chars=5), 'Think: fünf!'),
        (Choices(max_subgoals=2), 'Expand: sequence ["a", "b"]'),
        (Choices(max_subgoal_chars=5), 'Expand: sequence ["\\"\\\\\\"果x"]'),
        (Choices(think=False, control_flows=(), no_failure='x'), 'Act: done'),
        (Choices(think=False, control_flows=(), not_done='x'), 'Act: failure'),
    ],
)
def test_the_edge_of_what_is_on_offer_is_allowed_on_both_sides(choices: Choices, line: str) -> None:
    assert accepts(choices, line)
    assert reads(choices, line)


LETTERS = 'abz AZ09 ,;:.!?\'"\\[]{}()/-–äöüßéñçøłþ果冰箱사과りんごسيب🍎👩‍🍳 '


def random_text(generator: random.Random, longest: int) -> str:
    length = generator.randint(1, longest)
    return ''.join(generator.choice(LETTERS) for _ in range(length)).strip() or 'x'


@pytest.mark.parametrize('seed', range(20))
def test_random_decisions_come_back_as_they_were(seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(20):
        subgoals = tuple(random_text(generator, 90) for _ in range(generator.randint(1, 8)))
        decisions = (
            Think(random_text(generator, 160)),
            Expand(generator.choice(tuple(ControlFlow)), subgoals),
        )
        for decision in decisions:
            line = to_text(decision)
            assert accepts(CHOICES, line), line
            assert parse_decision(line, CHOICES) == decision


@pytest.mark.parametrize('seed', range(10))
def test_whatever_the_grammar_lets_through_the_parser_reads(seed: int) -> None:
    """Walk through the grammar at random, as a model without any sense would."""
    generator = random.Random(seed)
    short = Choices(CHOICES.skills, max_thought_chars=6, max_subgoals=3, max_subgoal_chars=4)
    written = 0
    for _ in range(10):
        matcher = llguidance.LLMatcher(TOKENS, decision_grammar(short))
        line = bytearray()
        while not matcher.is_stopped():
            mask = matcher.compute_logit_bias()
            allowed = [token for token in range(256) if mask[token]]
            if not allowed:
                break
            # Mostly plain letters: random bytes would hardly ever end a character.
            plain = [token for token in allowed if token < 0x80] or allowed
            token = generator.choice(plain if generator.random() < 0.8 else allowed)
            matcher.consume_token(token)
            line.append(token)
        assert line.endswith(b'\n')
        parse_decision(line.decode(), short)
        written += 1
    assert written == 10
