# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""References in what a skill library says: ``{item}``, ``{item.pose}``, ``{result.error_msg}``.

They are names and dots only, with a number format at most (``{feedback.distance:.1f}``): what is
looked up is decided here, never by Python's own formatting, for texts come from outside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]
Lookup = Callable[[Path], Any]
"""Gives the value of a reference, e.g. of ``('item', 'pose')``."""

_REFERENCE = re.compile(
    r'\{([a-z][a-z0-9_]*(?:\.(?:[a-z][a-z0-9_]*|[0-9]+))*)'
    r'(?::([<>^]?[0-9]{0,2}(?:\.[0-9])?[dfgs]?))?\}'
)


@dataclass(frozen=True)
class Reference:
    """One reference.

    Args:
        path: its words, e.g. ``('item', 'pose')``.
        form: how it is written into a text, as Python's number formats; empty for no matter.
    """

    path: Path
    form: str = ''

    def __str__(self) -> str:
        """Return it as it was written."""
        return '{' + '.'.join(self.path) + (f':{self.form}' if self.form else '') + '}'


def references(value: Any) -> Iterator[Reference]:
    """Find all references in a text, or in the texts of nested lists and mappings.

    >>> [str(one) for one in references({'x': ['{item.pose}', 'at {place}']})]
    ['{item.pose}', '{place}']
    """
    if isinstance(value, str):
        for found in _REFERENCE.finditer(value):
            yield _reference(found)
    elif isinstance(value, dict):
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def filled(value: Any, lookup: Lookup) -> Any:
    """Return a value, or nested lists and mappings of values, with all references looked up.

    A text that is one reference and nothing else becomes what the reference means, of whatever
    type; in a longer text references become words.

    >>> filled({'n': '{item.number}', 's': 'the {item.class}'}, {
    ...     ('item', 'number'): 2, ('item', 'class'): 'cup'}.__getitem__)
    {'n': 2, 's': 'the cup'}
    """
    if isinstance(value, str):
        alone = _REFERENCE.fullmatch(value)
        if alone is not None and not alone[2]:
            return lookup(_reference(alone).path)
        return _REFERENCE.sub(lambda found: _written(_reference(found), lookup), value)
    if isinstance(value, dict):
        return {key: filled(one, lookup) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, lookup) for one in value]
    return value


def _reference(found: re.Match[str]) -> Reference:
    return Reference(tuple(found[1].split('.')), found[2] or '')


def _written(reference: Reference, lookup: Lookup) -> str:
    value = lookup(reference.path)
    try:
        return format(value, reference.form)
    except (ValueError, TypeError):  # a text has no decimals
        return str(value)
