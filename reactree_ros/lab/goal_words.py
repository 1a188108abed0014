# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads which classes and verbs an English goal names: for teachers and reports only."""

from __future__ import annotations

import re
from collections.abc import Iterable

ALIASES = {
    'fork': 'cutlery fork',
    'knife': 'cutlery knife',
    'knives': 'cutlery knife',
    'spoon': 'cutlery spoon',
    'slice of bread': 'bread slice',
    'slices of bread': 'bread slice',
    'bar of soap': 'bar soap',
    'bars of soap': 'bar soap',
    'phone': 'cell phone',
    'mobile phone': 'cell phone',
    'remote': 'remote control',
    'shirt': 'clothes shirt',
    'pair of pants': 'clothes pants',
    'trousers': 'clothes pants',
    'banana': 'bananas',
    'refrigerator': 'fridge',
    'freezer': 'fridge',
    'microwave': 'microwave oven',
    'couch': 'sofa',
    'television': 'tv',
}
"""What people call some classes of the household."""
_VERBS = {
    'hold': re.compile(r'\b(?:pick(?:ing)? up|grab|fetch|take|hold)\b'),
    'put': re.compile(r'\b(?:put|place|move|bring|set|return|store|leave)\b'),
    'find': re.compile(r'\b(?:find|locate|look for|go to)\b'),
}


def verbs_of(goal: str) -> frozenset[str]:
    """Return which of the verbs hold, put and find a goal names.

    >>> sorted(verbs_of('find and pick up the bread slice'))
    ['find', 'hold']
    """
    return frozenset(kind for kind, words in _VERBS.items() if words.search(goal.lower()))


def named_classes(text: str, classes: Iterable[str]) -> tuple[str, ...]:
    """Return the classes that a text names, in the order of the text.

    A longer name hides a shorter one inside of it (``coffee table`` is no ``table``), plurals
    count, and a class written without its space (``coffeetable``) counts too.

    >>> named_classes('put two apples on the coffee table', ['apple', 'table', 'coffee table'])
    ('apple', 'coffee table')
    """
    found = {start: name for start, _, name in class_occurrences(text, classes)}
    return tuple(dict.fromkeys(found[start] for start in sorted(found)))


def replace_classes(text: str, classes: Iterable[str], word: str) -> str:
    """Return a text with every class that it names replaced by one word.

    >>> replace_classes('Put the apple on the coffee table', ['apple', 'book'], 'thing')
    'Put the thing on the coffee table'
    """
    for start, end, _ in sorted(class_occurrences(text, classes), reverse=True):
        text = text[:start] + word + text[end:]
    return text


def class_pattern(name: str) -> str:
    """Return the pattern of a class in a text, which may be written without its spaces.

    >>> re.search(class_pattern('coffee table'), 'on the coffeetable') is not None
    True
    """
    return r'\s?'.join(re.escape(word) for word in name.split())


def class_occurrences(text: str, classes: Iterable[str]) -> list[tuple[int, int, str]]:
    """Return where a text names classes: start, end and name, longer names first."""
    found = []
    rest = text
    folded = text.casefold()
    for name in sorted(set(classes), key=lambda word: (-len(word), word)):
        # Texts name few of the classes: most are ruled out without their pattern.
        if name.split()[0].casefold() not in folded:
            continue
        for match in re.finditer(rf'\b{class_pattern(name)}(?:s|es)?\b', rest, re.IGNORECASE):
            found.append((match.start(), match.end(), name))
            rest = rest[: match.start()] + '\x00' * len(match.group()) + rest[match.end() :]
    return found
