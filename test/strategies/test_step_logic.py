# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Steps that are joined by AND and OR become nested control flows."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import ControlFlow
from reactree_ros.errors import DecisionError
from reactree_ros.strategies.step_logic import Steps, read_steps

ALL, ANY = ControlFlow.SEQUENCE, ControlFlow.FALLBACK


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('find a mug', 'find a mug'),
        (' find salt and pepper or sugar ', 'find salt and pepper or sugar'),
        ('put the ORANGE in the SANDBOX', 'put the ORANGE in the SANDBOX'),
        ('open (the left) door', 'open (the left) door'),
        ('open fridge (1)', 'open fridge (1)'),
        ('a AND b', Steps(ALL, ('a', 'b'))),
        ('go to fridge (1) AND open fridge (1)', Steps(ALL, ('go to fridge 1', 'open fridge 1'))),
        ('a b OR c d OR e', Steps(ANY, ('a b', 'c d', 'e'))),
        ('(a AND b)', Steps(ALL, ('a', 'b'))),
        ('((a OR b OR c) AND d AND e)', Steps(ALL, (Steps(ANY, ('a', 'b', 'c')), 'd', 'e'))),
        ('a OR b AND c', Steps(ANY, ('a', Steps(ALL, ('b', 'c'))))),
        ('(a OR (b AND (c OR d)))', Steps(ANY, ('a', Steps(ALL, ('b', Steps(ANY, ('c', 'd'))))))),
        ("don't drop it AND say it's done", Steps(ALL, ("don't drop it", "say it's done"))),
        ('hole die Schüssel OR 拿杯子', Steps(ANY, ('hole die Schüssel', '拿杯子'))),
        ('take “it” AND go', Steps(ALL, ('take “it”', 'go'))),
    ],
)
def test_steps_are_read(text: str, expected: Steps | str) -> None:
    assert read_steps(text) == expected


def test_steps_are_listed_by_level() -> None:
    steps = read_steps('(a OR b) AND c AND (d OR e)')
    assert isinstance(steps, Steps)
    assert [one.own for one in steps.levels()] == [('c',), ('a', 'b'), ('d', 'e')]


@pytest.mark.parametrize(
    'text',
    [
        'a AND',
        'OR b',
        'a AND OR b',
        '(a AND b',
        'a AND b)',
        'a AND ()',
        'AND',
        '(' * 900 + 'a OR b',
        'a OR ' * 900,
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(DecisionError, match='joined|join steps'):
        read_steps(text)
