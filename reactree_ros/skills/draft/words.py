# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of ROS as words, as phrases and as keys and values of YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_PART = re.compile(r'[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+')
_BARE = re.compile(r'[a-z][\w/]*(?: [\w/]+)*', re.ASCII)
_LINE = re.compile(r"[A-Za-z][\w/{}.,'-]*(?: [\w/{}.,'-]+)*", re.ASCII)
_OTHER_VALUES = frozenset(('true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'))
_NUMBER = re.compile(r'[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?')


def words_of(name: str) -> list[str]:
    """Return the words of a name in ROS, in lower case.

    >>> words_of('/left_arm/ScanShelf2')
    ['left', 'arm', 'scan', 'shelf2']
    """
    return [part.lower() for part in _PART.findall(name)]


def distinction(name: str, others: Sequence[str]) -> str:
    """Return the words that only this name has among others of its kind; empty if none.

    >>> distinction('/left/gripper_cmd', ['/right/gripper_cmd'])
    'left'
    """
    common = {word for other in others for word in words_of(other)}
    return ' '.join(word for word in words_of(name) if word not in common)


def key_of(text: str) -> str:
    """Return a text as a key of a library, of lower-case letters, digits and underscores.

    >>> key_of('Scan {shelf} 2')
    'scan_shelf_2'
    """
    key = '_'.join(words_of(text))
    return key if key and key[0].isalpha() and key not in _OTHER_VALUES else f'skill_{key}'


def unused(text: str, used: set[str], joint: str) -> str:
    """Return a text that is not in use yet, with a number if it has to be; it is in use then."""
    found, number = text, 2
    while found in used:
        found, number = f'{text}{joint}{number}', number + 1
    used.add(found)
    return found


def scalar(text: str, *, alone: bool = False) -> str:
    r"""Return a text as YAML, in quotes where it would be read as something else.

    Args:
        text: the text.
        alone: it is the rest of a line, and not within braces or brackets.

    >>> [scalar(one) for one in ('kitchen table', 'on', "Bob's desk", '12')]
    ['kitchen table', '"on"', '"Bob\'s desk"', '"12"']
    """
    bare = (_LINE if alone else _BARE).fullmatch(text) and text.lower() not in _OTHER_VALUES
    return text if bare else json.dumps(text, ensure_ascii=False)


def value(text: str) -> str:
    """Return what a person typed for a field as YAML: a number stays one, the rest is a text."""
    return text if _NUMBER.fullmatch(text) else scalar(text)


def comment(text: str, indent: str = '') -> list[str]:
    """Return a text, of any number of lines, as lines of comment."""
    return [f'{indent}# {line}'.rstrip() for line in text.splitlines()]
