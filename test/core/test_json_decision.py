# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A decision as JSON: the schema allows what the parser reads, and the answer becomes its line."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from reactree_ros.core.decision import (
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
)
from reactree_ros.core.grammars.json import decision_line, decision_schema
from reactree_ros.errors import DecisionError

llguidance = pytest.importorskip('llguidance')

TOKENS = llguidance.LLTokenizer('byte')
CHOICES = Choices(
    skills=('go to kitchen 1', 'say "hello"', 'a\\b', 'öffne  Tür 1'), recall=('Äpfel',), ask=True
)
NARROW = Choices(('go',), think=False, control_flows=(), endings=())


def accepts(schema: dict[str, Any], answer: Any) -> bool:
    """Return whether a server that is held to the schema can give this answer."""
    matcher = llguidance.LLMatcher(TOKENS, llguidance.LLMatcher.grammar_from_json_schema(schema))
    assert not matcher.is_error(), matcher.get_error()
    tokens = TOKENS.tokenize_bytes(json.dumps(answer, ensure_ascii=False).encode())
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


ANSWERS: list[tuple[dict[str, Any], Decision]] = [
    ({'Think': 'I need the "red" mug.'}, Think('I need the "red" mug.')),
    ({'Think': ' two\nlines,\ttabs '}, Think('two lines, tabs')),
    ({'Act': 'go to kitchen 1'}, Act('go to kitchen 1')),
    ({'Act': 'say "hello"'}, Act('say "hello"')),
    ({'Act': 'a\\b'}, Act('a\\b')),
    ({'Act': 'öffne  Tür 1'}, Act('öffne  Tür 1')),
    ({'Act': 'recall location of Äpfel'}, Recall('Äpfel')),
    ({'Act': 'done'}, Done()),
    ({'Act': 'failure'}, Failure()),
    ({'Ask': 'Which mug?'}, Ask('Which mug?')),
    (
        {'Expand': {'control_flow': 'fallback', 'subgoals': ['find "it"', 'a\\b\nc']}},
        Expand(ControlFlow.FALLBACK, ('find "it"', 'a\\b c')),
    ),
]


@pytest.mark.parametrize('limits', [True, False])
@pytest.mark.parametrize(('content', 'decision'), ANSWERS)
def test_an_answer_in_the_schema_is_read(
    content: dict[str, Any], decision: Decision, limits: bool
) -> None:
    answer = {'decision': content}
    assert accepts(decision_schema(CHOICES, limits=limits), answer)
    assert parse_decision(decision_line(json.dumps(answer)), CHOICES) == decision


@pytest.mark.parametrize('limits', [True, False])
def test_endings_with_a_sentence_are_kinds_of_their_own(limits: bool) -> None:
    explaining = Choices(explain=True, max_thought_chars=9)
    for content, decision in (
        ({'Act': 'done'}, Done()),
        ({'done': 'yes,\n1'}, Done('yes, 1')),
        ({'failure': 'no ice'}, Failure('no ice')),
    ):
        answer = {'decision': content}
        assert accepts(decision_schema(explaining, limits=limits), answer)
        assert parse_decision(decision_line(json.dumps(answer)), explaining) == decision
    assert not accepts(decision_schema(explaining, limits=limits), {'decision': {'Act': 'failure'}})


def test_conditions_are_a_text_that_the_parser_checks() -> None:
    choices = Choices(('go',), explain=True, conditions=ConditionLanguage('', ''))
    answer = {'decision': {'Conditions': 'lamp on'}}
    for limits in (True, False):
        assert accepts(decision_schema(choices, limits=limits), answer)
        assert not accepts(decision_schema(choices, limits=limits), {'decision': {'Act': 'go'}})
    assert parse_decision(decision_line(json.dumps(answer)), choices) == Conditions('lamp on')


OUTSIDE: list[Any] = [
    {'Act': 'done'},
    {'decision': 'done'},
    {'decision': {}},
    {'decision': {'Act': 'fly'}},
    {'decision': {'Act': 'go', 'Think': 'hm'}},
    {'decision': {'Act': 'go'}, 'why': 'so'},
    {'decision': {'Think': 'hm'}},
    {'decision': {'Ask': 'what?'}},
    {'decision': {'Act': 'done'}},
    {'decision': {'Act': ['go']}},
    {'decision': {'Expand': {'control_flow': 'sequence', 'subgoals': ['a']}}},
]


@pytest.mark.parametrize('answer', OUTSIDE, ids=json.dumps)
def test_what_is_not_on_offer_is_refused_by_the_schema(answer: Any) -> None:
    schema = decision_schema(NARROW, limits=False)
    assert accepts(schema, {'decision': {'Act': 'go'}})
    assert not accepts(schema, answer)


def test_limits_are_in_the_schema_where_the_server_knows_them() -> None:
    tight = Choices(
        ask=True,
        max_thought_chars=3,
        max_question_chars=3,
        max_subgoals=1,
        max_subgoal_chars=3,
    )
    beyond: list[dict[str, Any]] = [
        {'Think': 'four'},
        {'Ask': 'four'},
        {'Expand': {'control_flow': 'sequence', 'subgoals': ['a', 'b']}},
        {'Expand': {'control_flow': 'sequence', 'subgoals': ['four']}},
        {'Expand': {'control_flow': 'sequence', 'subgoals': []}},
    ]
    for content in beyond:
        answer = {'decision': content}
        assert accepts(decision_schema(tight, limits=False), answer)
        assert not accepts(decision_schema(tight, limits=True), answer)
        with pytest.raises(DecisionError):
            parse_decision(decision_line(json.dumps(answer)), tight)


def test_the_schema_keeps_to_what_strict_mode_takes() -> None:
    def check(schema: dict[str, Any]) -> None:
        known = {'type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf'}
        assert {*schema} <= known
        if schema.get('type') == 'object':
            assert schema['required'] == list(schema['properties'])
            assert schema['additionalProperties'] is False
            for inner in schema['properties'].values():
                check(inner)
        first_keys = [next(iter(inner['properties'])) for inner in schema.get('anyOf', ())]
        assert len({*first_keys}) == len(first_keys)
        for inner in schema.get('anyOf', ()):
            check(inner)
        if 'items' in schema:
            check(schema['items'])

    for choices in (
        CHOICES,
        NARROW,
        Choices(explain=True),
        Choices(tuple(f'go to {n}' for n in range(998))),
    ):
        schema = decision_schema(choices, limits=False)
        assert schema['type'] == 'object' and 'anyOf' not in schema
        check(schema)


GARBAGE = [
    # answer, error
    (
        '',
        'the answer is not JSON (Expecting value: line 1 column 1 (char 0)): answer with one JSON',
    ),
    ('{"decision": {"Act": "go', 'the answer is not JSON (Unterminated string'),
    ('[' * 100_000, 'the answer is not JSON ('),
    ('Act: go', 'the answer is not JSON ('),
    ('[]', 'answer with one JSON object such as {"decision": {"Act": "done"}}'),
    ('{"Act": "go"}', 'answer with one JSON object such as'),
    ('{"decision": "go"}', 'answer with one JSON object such as'),
    ('{"decision": {"Act": "go", "Think": "hm"}}', 'answer with one JSON object such as'),
    ('{"decision": {"Act": 1}}', "'Act' must be a string: answer with one JSON object such as"),
    ('{"decision": {"Think": " \\n"}}', "'Think' must not be empty"),
    ('{"decision": {"Expand": "a"}}', '"Expand" must have a "control_flow" and a list of "sub'),
    ('{"decision": {"Expand": {"control_flow": "sequence"}}}', '"Expand" must have a "control_'),
    (
        '{"decision": {"Expand": {"control_flow": "sequence", "subgoals": [1]}}}',
        '"subgoals" must be a list of strings',
    ),
]


@pytest.mark.parametrize(('answer', 'error'), GARBAGE, ids=lambda text: text[:40])
def test_garbage_is_told_what_was_wrong(answer: str, error: str) -> None:
    with pytest.raises(DecisionError) as caught:
        decision_line(answer)
    assert str(caught.value).startswith(error)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('answer', 'error'),
    [
        ('{"decision": {"Act": "fly"}}', "'fly' cannot be done now"),
        ('{"decision": {"Act": "go\\nThink: hm"}}', 'answer with a single line'),
        ('{"decision": {"Fly": "home"}}', "'Fly' is not a kind of decision"),
        ('{"decision": {"Think": "\\ud800"}}', 'no thought is allowed now'),
        (
            '{"decision": {"Expand": {"control_flow": "loop", "subgoals": ["a"]}}}',
            "control flow 'loop' is not allowed now",
        ),
    ],
)
def test_what_is_no_decision_is_left_to_the_parser(answer: str, error: str) -> None:
    with pytest.raises(DecisionError, match=error):
        parse_decision(decision_line(answer), NARROW)


def test_answers_at_random_are_read_or_refused_with_a_reason() -> None:
    """Walk through the schema at random: what is refused could not be said in a schema."""
    generator = random.Random(7)
    short = Choices(
        CHOICES.skills,
        ask=True,
        max_thought_chars=5,
        max_question_chars=5,
        max_subgoals=2,
        max_subgoal_chars=4,
    )
    grammar = llguidance.LLMatcher.grammar_from_json_schema(
        decision_schema(short, limits=True), overrides={'whitespace_flexible': False}
    )
    read = 0
    for _ in range(300):
        matcher = llguidance.LLMatcher(TOKENS, grammar)
        answer = bytearray()
        while not matcher.is_stopped():
            mask = matcher.compute_logit_bias()
            allowed = [token for token in range(256) if mask[token]]
            if not allowed:
                break
            token = generator.choice(allowed)
            assert matcher.consume_token(token)
            answer.append(token)
        line = decision_line(answer.decode())
        try:
            parse_decision(line, short)
            read += 1
        except DecisionError as error:
            assert 'plain text' in str(error), line
    assert read > 100
