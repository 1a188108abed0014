# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which classes a text names, in everyday wording."""

from __future__ import annotations

import pytest

from reactree_ros.lab.goal_words import named_classes, replace_classes

CLASSES = ('apple', 'table', 'coffee table', 'tv', 'tv stand', 'glass', 'bar soap', 'soap', 'mouse')
NAMED = [
    # rejections first
    ('', ()),
    ('tidy up', ()),
    ('pineapple and tablet', ()),
    ('the tvs of the tvstands', ('tv', 'tv stand')),
    ('put the apple on the coffee table', ('apple', 'coffee table')),
    ('put it on the coffee table, not on the table', ('coffee table', 'table')),
    ('APPLES and two glasses', ('apple', 'glass')),
    ('a coffeetable', ('coffee table',)),
    ('the tv on the tv stand', ('tv', 'tv stand')),
    ('the bar soap, then the other soap', ('bar soap', 'soap')),
    ('apple 1, apple 2 and the apple', ('apple',)),
    ('a table with an apple', ('table', 'apple')),
    ("the apple's place", ('apple',)),
]


@pytest.mark.parametrize(('text', 'expected'), NAMED)
def test_the_classes_of_a_text(text: str, expected: tuple[str, ...]) -> None:
    assert named_classes(text, CLASSES) == expected
    assert named_classes(text, reversed(CLASSES)) == expected


REPLACED = [
    ('tidy up', 'tidy up'),
    ('Put the Apple on the coffee table', 'Put the X on the X'),
    ('apples, glasses', 'X, X'),
    ('put the apple on the coffeetable!', 'put the X on the X!'),
    # Lower case is longer than upper case here.
    ('İİİ: put the apple on the table', 'İİİ: put the X on the X'),
]


@pytest.mark.parametrize(('text', 'expected'), REPLACED)
def test_classes_are_replaced_and_nothing_else(text: str, expected: str) -> None:
    assert replace_classes(text, CLASSES, 'X') == expected


def test_no_classes_are_named_without_classes() -> None:
    assert named_classes('put the apple on the table', ()) == ()
