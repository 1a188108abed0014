# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Class names as words, and lists of objects."""

from __future__ import annotations

import pytest

from reactree_ros.core.names import listing, numbered, parse_name
from reactree_ros.sim.household.words import words


@pytest.mark.parametrize(
    ('class_name', 'shown'),
    [
        ('kitchentable', 'kitchen table'),
        ('waterglass', 'water glass'),
        ('coffeetable', 'coffee table'),
        ('cutleryfork', 'cutlery fork'),
        ('livingroom', 'living room'),
        ('microwave', 'microwave oven'),
        ('nightstand', 'nightstand'),
        ('dining_room', 'dining room'),
        ('Fridge', 'fridge'),
    ],
)
def test_a_class_name_is_shown_as_words(class_name: str, shown: str) -> None:
    """Known compounds by the mapping, others by their underscores."""
    assert words(class_name) == shown


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('fridge', None),
        ('', None),
        ('1', None),
        ('fridge one', None),
        ('fridge (1', ('fridge', 1)),
        ('fridge 1', ('fridge', 1)),
        ('Kitchen  Table (12)', ('kitchen table', 12)),
    ],
)
def test_a_name_is_a_class_and_a_number(text: str, name: tuple[str, int] | None) -> None:
    """With or without brackets."""
    assert parse_name(text) == name
    if name:
        assert numbered(text) == f'{name[0]} ({name[1]})'


def test_a_list_is_sorted_and_grouped_by_class() -> None:
    """Numbers by value, not by digits."""
    names = [('fridge', 1), ('chair', 10), ('chair', 2), ('apple', 1)]

    assert listing(names) == 'apple (1), chair (2, 10), fridge (1)'
    assert listing([]) == ''
