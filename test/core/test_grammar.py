# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the grammar lets a model write is what the parser reads, and nothing else."""

from __future__ import annotations

import random

import pytest

from reactree_ros.core.decision import (
    DONE,
    FAILURE,
    Act,
    Ask,
    Choices,
    ConditionLanguage,
    Conditions,
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
from reactree_ros.core.grammars.gbnf import decision_gbnf
from reactree_ros.core.grammars.lark import decision_grammar
from reactree_ros.errors import DecisionError

llguidance = pytest.importorskip('llguidance')
any_to_lark = pytest.importorskip('llguidance.gbnf_to_lark').any_to_lark

TOKENS = llguidance.LLTokenizer('byte')
CHOICES = Choices(
    skills=('go to kitchen 1', 'open fridge 1', 'say "hello, you"', 'öffne Tür 1', 'a\\b'),
    recall=('apple', 'tv', 'kitchen table', "carpenter's t-square", 'Äpfel', '遥控器'),
    ask=True,
)
LAMPS = Choices(
    ('go',),
    conditions=ConditionLanguage(
        'CONDITION_LINE: LAMP ("; " LAMP)*\nLAMP: "lamp" / [1-9]/? " on"',
        'condition-line ::= lamp ("; " lamp)*\nlamp ::= "lamp" (" " [1-9])? " on"',
    ),
)
EXPLAINING = Choices(('done it', 'failure analysis'), explain=True)
SEQUENCE, FALLBACK, PARALLEL = ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL


def accepts(choices: Choices, line: str) -> bool:
    """Return whether a model that is held to the grammar can write this line and stop.

    Both forms of the grammar have to agree.
    """
    answers = set()
    for grammar in (decision_grammar(choices), any_to_lark(decision_gbnf(choices))):
        matcher = llguidance.LLMatcher(TOKENS, grammar)
        assert not matcher.is_error(), matcher.get_error()
        tokens = TOKENS.tokenize_bytes(f'{line}\n'.encode())
        answers.add(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())
    (answer,) = answers
    return bool(answer)


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
    Think('x' * 265),
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
    Expand(PARALLEL, tuple(f'goal {n}' for n in range(16))),
    Expand(SEQUENCE, ('the apple, the pear, and the plum', 'then, at last, rest')),
    Expand(SEQUENCE, ('say "hello"', '"', '""', 'a "quoted, list"]')),
    Expand(SEQUENCE, ('a\\b', '\\', '\\\\', '\\"', 'C:\\temp')),
    Expand(FALLBACK, ('Müll wegräumen', 'Türen schließen, Öl holen', 'naïve café')),
    Expand(PARALLEL, ('把苹果放进冰箱', '找到遥控器,然后打开电视')),
    Expand(SEQUENCE, ('사과를 냉장고에 넣어', '불을 꺼 줘')),
    Expand(SEQUENCE, ('put the 🍎 in the 🧊', '👩‍🍳')),
    Expand(SEQUENCE, ('שים את התפוח', 'ضع التفاحة في الثلاجة')),
    Expand(SEQUENCE, ('[1, 2]', '{"a": 1}', 'null', ']')),
    Expand(SEQUENCE, ('x' * 120, '"' * 120, '\\' * 120, '果' * 120, '🍎' * 120)),
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
    'Think: ' + 'x' * 266,
    'Think: ' + '果' * 266,
    'Think: a\tb',
    'Think: a\rb',
    'Think: a\x00b',
    'Think: a\x7fb',
    'Think: a\x85b',
    'Think: a\u2028b',
    'Think: a\u202eb',
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
    'Expand: sequence ["' + 'x' * 121 + '"]',
    'Expand: sequence ["' + '果' * 121 + '"]',
    'Expand: sequence ["' + '\\"' * 121 + '"]',
    'Expand: sequence [' + ', '.join(['"a"'] * 17) + ']',
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


@pytest.mark.parametrize(
    ('choices', 'decision'),
    [
        (LAMPS, Conditions('lamp on')),
        (LAMPS, Conditions('lamp 1 on; lamp 2 on')),
        (EXPLAINING, Done()),
        (EXPLAINING, Done('yes, milk (1) is in the fridge')),
        (EXPLAINING, Failure('there is no "elephant": I looked in every room')),
        (EXPLAINING, Failure('x' * 265)),
        (EXPLAINING, Failure('ここにはありません')),
        (EXPLAINING, Act('done it')),
        (EXPLAINING, Act('failure analysis')),
        (EXPLAINING, Think('why not?')),
    ],
    ids=lambda value: to_text(value) if not isinstance(value, Choices) else '',
)
def test_conditions_and_explained_endings_come_back(choices: Choices, decision: Decision) -> None:
    line = to_text(decision)
    assert accepts(choices, line)
    assert parse_decision(line, choices) == decision


NARROWED = [
    # choices, line that they do not allow
    (Choices(think=False), 'Think: hm'),
    (Choices(recall=('plum',)), 'Act: recall location of apple'),
    (Choices(control_flows=()), 'Expand: sequence ["a"]'),
    (Choices(control_flows=(SEQUENCE,)), 'Expand: parallel ["a"]'),
    (Choices(endings=(FAILURE,)), 'Act: done'),
    (Choices(endings=(DONE,)), 'Act: failure'),
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
        (Choices(think=False, control_flows=(), endings=(DONE,)), 'Act: done'),
        (Choices(think=False, control_flows=(), endings=(FAILURE,)), 'Act: failure'),
    ],
)
def test_the_edge_of_what_is_on_offer_is_allowed_on_both_sides(choices: Choices, line: str) -> None:
    assert accepts(choices, line)
    assert reads(choices, line)


def test_llama_cpp_is_given_no_long_repetition() -> None:
    assert '{0,999}' in decision_gbnf(Choices(max_thought_chars=1000))
    assert '{0,1000}' not in decision_gbnf(Choices(max_thought_chars=1001))


LETTERS = 'abz AZ09 ,;:.!?\'"\\[]{}()/-–äöüßéñçøłþ果冰箱사과りんごسيب🍎👩‍🍳 '


def random_text(generator: random.Random, longest: int) -> str:
    length = generator.randint(1, longest)
    return ''.join(generator.choice(LETTERS) for _ in range(length)).strip() or 'x'


@pytest.mark.parametrize('seed', range(20))
def test_random_decisions_come_back_as_they_were(seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(20):
        subgoals = tuple(random_text(generator, 120) for _ in range(generator.randint(1, 16)))
        decisions = (
            Think(random_text(generator, 265)),
            Expand(generator.choice(tuple(ControlFlow)), subgoals),
        )
        for decision in decisions:
            line = to_text(decision)
            assert accepts(CHOICES, line), line
            assert parse_decision(line, CHOICES) == decision


AWKWARD = (
    *('go to kitchen 1', 'go to kitchen 10', 'go to kitchen', 'go', 'go to  kitchen 1', 'g'),
    *('/', '//', 'a/b', '/a|b/', '(a|b)*', 'x{1,3} [^a-z]+ $', '\\', 'a\\ b', '\\"', '"', '#', "'"),
    *(
        '<eos>',
        '%json',
        '::=',
        'root',
        'a\u00a0b',
        'e\u0301',
        '👩\u200d🍳 1',
        '👩\u200d🍳 12',
        '遥控器 3',
        '遥控器',
    ),
)


@pytest.mark.parametrize('phrase', AWKWARD)
def test_an_awkward_phrase_is_taken_literally(phrase: str) -> None:
    choices = Choices(AWKWARD, think=False, control_flows=(), endings=())
    assert accepts(choices, f'Act: {phrase}')
    assert parse_decision(f'Act: {phrase}', choices) == Act(phrase)
    without = Choices(
        tuple(other for other in AWKWARD if other != phrase),
        **{'think': False, 'control_flows': (), 'endings': ()},
    )
    assert not accepts(without, f'Act: {phrase}')
    assert not reads(without, f'Act: {phrase}')


def test_five_thousand_skills_that_share_nothing() -> None:
    choices = Choices(tuple(f'{n:x}{n} do' for n in range(5_000)))
    assert accepts(choices, 'Act: f4240 do') is False
    assert accepts(choices, f'Act: {4_999:x}4999 do')


@pytest.mark.parametrize(
    ('choices', 'line'),
    [
        (EXPLAINING, 'Act: failure'),
        (EXPLAINING, 'Act: failure: '),
        (EXPLAINING, 'Act: failure: ' + 'x' * 266),
        (EXPLAINING, 'Act: done: a\rb'),
        (Choices(), 'Act: failure: no ice'),
        (Choices(), 'Act: done: yes'),
        (LAMPS, 'Act: go'),
        (LAMPS, 'Act: done'),
        (LAMPS, 'Think: hm'),
        (Choices(), 'Conditions: lamp on'),
    ],
)
def test_what_was_not_asked_for_is_refused_on_both_sides(choices: Choices, line: str) -> None:
    assert not accepts(choices, line)
    assert not reads(choices, line)


def test_a_limit_of_0_is_none_on_both_sides() -> None:
    free = Choices(
        ask=True, max_thought_chars=0, max_subgoals=0, max_subgoal_chars=0, max_question_chars=0
    )
    for line in ('Think: ', 'Ask: '):
        assert accepts(free, line + 'x' * 3000) and not accepts(free, line)
    for listed in ([], ['x' * 3000], ['a'] * 300):
        line = f'Expand: sequence {listed}'.replace("'", '"')
        assert accepts(free, line) == reads(free, line) == bool(listed)


@pytest.mark.parametrize('most', [1, 2])
def test_the_smallest_limits(most: int) -> None:
    choices = Choices(
        ask=True,
        max_thought_chars=most,
        max_subgoals=most,
        max_subgoal_chars=most,
        max_question_chars=most,
    )
    inside, beyond = 'é' * most, 'é' * (most + 1)
    for line in ('Think: {}', 'Ask: {}', 'Expand: sequence ["{}"]'):
        assert accepts(choices, line.format(inside)) and reads(choices, line.format(inside))
        assert not accepts(choices, line.format(beyond)) and not reads(choices, line.format(beyond))
    full = ', '.join(['"a"'] * most)
    assert accepts(choices, f'Expand: sequence [{full}]')
    assert not accepts(choices, f'Expand: sequence [{full}, "a"]')
