# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The decision parser: what a model writes, as a line or as JSON, and what may be on offer.

The first byte says what the rest is: ``L`` a decision line, ``J`` a JSON answer, ``C`` phrases of
skills that are on offer, one a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from reactree_ros.behaviours.action_mask import expansion_faults
from reactree_ros.core.decision import (
    Act,
    Choices,
    Decision,
    Expand,
    parse_decision,
    to_text,
)
from reactree_ros.core.grammars.json import decision_line
from reactree_ros.core.plain_text import is_plain
from reactree_ros.errors import DecisionError

from .contract import Target, demand, told
from .mutations import ODD_TEXTS, mutate_bytes, mutate_lines

CHOICES = Choices(
    skills=('go to kitchen 1', 'pick up apple 1', 'put down apple 1', 'open fridge 1'),
    recall=('apple', 'mug'),
    ask=True,
    explain=True,
)
_LINES = (
    'Think: the apple is in the fridge',
    'Act: go to kitchen 1',
    'Act: recall location of mug',
    'Act: done',
    'Act: done: yes, one apple',
    'Act: failure: there is no mug',
    'Expand: sequence ["pick up an apple", "pick up a mug", "put the apple into the sink"]',
    'Expand: fallback ["search the fridge", "Search the fridge."]',
    'Expand: parallel ["turn on the sink"]',
    'Ask: which mug?',
)
_ANSWERS = (
    '{"decision": {"Think": "the apple is\\nin the fridge"}}',
    '{"decision": {"Act": "recall location of apple"}}',
    '{"decision": {"Ask": "which mug?"}}',
    '{"decision": {"failure": "there is no mug"}}',
    '{"decision": {"Expand": {"control_flow": "sequence", "subgoals": ["find a mug", "wash it"]}}}',
)
_PHRASES = ('go to kitchen 1\npick up apple 1', 'sing', 'wave at the person\npoint at apple 1')
_WORDS = (
    *(b'Think: ', b'Act: ', b'Expand: ', b'Ask: ', b'sequence ', b'fallback ', b'parallel '),
    *(b'done', b'failure', b'recall location of ', b'["', b'", "', b'"]', b'\\ud800', b'\\n'),
    *(b'{"decision": ', b'"control_flow"', b'"subgoals"', b'NaN', b'Infinity', b'[' * 3000),
)


def seeds() -> list[bytes]:
    """Return decisions of every kind in both forms, and phrases on offer."""
    parts = (('L', _LINES), ('J', _ANSWERS), ('C', _PHRASES))
    return [(mark + text).encode() for mark, texts in parts for text in texts]


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change bytes, or lines and words."""
    if random.randrange(2):
        text = mutate_lines(random, data[1:].decode('utf-8', 'replace'), ODD_TEXTS)
        return data[:1] + text.encode('utf-8', 'surrogatepass')
    return data[:1] + mutate_bytes(random, data[1:], among, _WORDS)


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    mark, text = data[:1], _text(data[1:])
    if mark == b'C':
        return _offered(text)
    try:
        line = decision_line(text) if mark == b'J' else text
        decision = parse_decision(line, CHOICES)
    except DecisionError as error:
        told(error)
        # a model is told this in its next prompt
        demand(is_plain(str(error)) and len(str(error)) < 2000, f'the error is {str(error)!r}')
        return False
    _read_again(decision, CHOICES)
    if isinstance(decision, Expand):
        _expanded(decision)
    return True


def _text(data: bytes) -> str:
    """Return any text that a model could have written, half surrogates included."""
    try:
        return data.decode('utf-8', 'surrogatepass')
    except UnicodeDecodeError:
        return data.decode('latin-1')


def _read_again(decision: Decision, choices: Choices) -> None:
    line = to_text(decision)
    demand(is_plain(line), f'the line of a decision is not plain: {line!r}')
    demand(parse_decision(line, choices) == decision, f'{line!r} is not read as {decision!r}')


def _offered(text: str) -> bool:
    """Look whether each phrase that may be on offer can be chosen."""
    try:
        choices = Choices(skills=tuple(text.split('\n')))
    except DecisionError as error:
        return told(error)
    for phrase in choices.skills:
        chosen = parse_decision(f'Act: {phrase}', choices)
        demand(chosen == Act(phrase), f'{phrase!r} is on offer and read as {chosen!r}')
        _read_again(chosen, choices)
    return True


def _expanded(expansion: Expand) -> None:
    """Look whether a model can read what is wrong with an expansion."""
    for fault in expansion_faults(expansion, ('tidy up', 'put the apple into the sink')):
        demand(is_plain(fault), f'a fault is not plain: {fault!r}')


TARGET = Target('decision', seeds, mutate, check)
