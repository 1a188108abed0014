# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The classes that a goal names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reactree_ros.core.situation import class_occurrences, named_classes


def mask_classes(text: str, classes: Iterable[str]) -> str:
    """Return a text in which every letter of the classes that it names is an underscore.

    >>> mask_classes('find the cooking pot', ['cooking pot'])
    'find the ___________'
    """
    for start, end, _ in class_occurrences(text, classes):
        text = text[:start] + '_' * (end - start) + text[end:]
    return text


def kinds_named(
    text: str, classes: Iterable[str], kinds: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Return what a text names, in the order of the text, each with the classes that it may mean.

    Args:
        text: a goal.
        classes: every class that is known.
        kinds: classes that a wider word may mean; a class may be such a word.

    >>> kinds_named('a drink for the mug', ['mug', 'milk'], {'drink': frozenset({'milk'})})
    {'drink': frozenset({'milk'}), 'mug': frozenset({'mug'})}
    """
    names = named_classes(text, {*classes, *kinds})
    return {name: kinds.get(name, frozenset({name})) for name in names}
