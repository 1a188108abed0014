# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that are written as one word, and lists."""

from __future__ import annotations

import pytest

from reactree_ros.core.parameter import Parameter, Value, faults_of
from reactree_ros.exceptions import ConfigurationError

FLOWS = Parameter('flows', ('a', 'b'), 'Which.', choices=('a', 'b', 'c'))
ROWS = {
    'flows': FLOWS,
    'loud': Parameter('loud', False, 'Whether.'),
    'tries': Parameter('tries', 3, 'How often.', lowest=1, highest=9),
    'speed': Parameter('speed', 1.5, 'How fast.', highest=2.0),
    'name': Parameter('name', '', 'Whose.'),
}


@pytest.mark.parametrize(
    ('name', 'text', 'value'),
    [
        ('flows', 'c+a', ('c', 'a')),
        ('loud', 'True', True),
        ('tries', '9', 9),
        ('speed', '2', 2.0),
        ('name', 'true', 'true'),
    ],
)
def test_values_are_read_from_a_word(name: str, text: str, value: Value) -> None:
    read = ROWS[name].read(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ('name', 'text', 'allowed'),
    [
        ('flows', 'a+d', 'a list of some of a, b, c'),
        ('flows', 'a+a', 'a list of some of a, b, c'),
        ('flows', '', 'a list of some of a, b, c'),
        ('loud', 'yes', 'true or false'),
        ('tries', '0', 'a whole number from 1 to 9'),
        ('tries', '2.5', 'a whole number from 1 to 9'),
        ('speed', 'nan', 'a number from 0 to 2'),
        ('speed', 'fast', 'a number from 0 to 2'),
    ],
)
def test_what_is_not_allowed_is_named(name: str, text: str, allowed: str) -> None:
    with pytest.raises(ConfigurationError, match=f'parameter {name} is .*: it must be {allowed}'):
        ROWS[name].read(text)


def test_a_list_must_be_a_list_of_texts() -> None:
    assert FLOWS.check(['a']) == FLOWS.check(('c', 'b')) == ''
    assert all(FLOWS.check(value) for value in ('a', ['a', 1], None, []))
    assert FLOWS.convert(['b']) == ('b',)


def test_unknown_names_and_bad_values_are_told_together() -> None:
    faults = faults_of([*ROWS.values()], {'trys': 1, 'tries': 99})
    assert len(faults) == 2
    assert 'did you mean tries?' in faults[0]
