# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of objects: ``fridge 1`` and ``fridge (1)``, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = re.compile(r'\s*(\S.*?)\s+\(?(\d{1,10})\)?\s*')


def parse_name(text: str) -> tuple[str, int] | None:
    """Read an object's name, ``fridge 1`` or ``fridge (1)``, as class and instance.

    Returns:
        None where the text is not a class followed by a number.
    """
    match = _NAME.fullmatch(text)
    return (' '.join(match[1].lower().split()), int(match[2])) if match else None


def plain_name(name: str) -> str:
    """Write a name as the planner does: ``Table (1)`` as ``table 1``."""
    parsed = parse_name(name)
    return f'{parsed[0]} {parsed[1]}' if parsed else ' '.join(name.lower().split())


def numbered(name: str) -> str:
    """Write an object's name with its number in brackets: ``fridge 1`` as ``fridge (1)``."""
    parsed = parse_name(name)
    return f'{parsed[0]} ({parsed[1]})' if parsed else name.strip()


def listing(names: Iterable[tuple[str, int]]) -> str:
    """List objects sorted and grouped by class, e.g. ``chair (1, 2), fridge (1)``.

    The grouping follows Tables 8 and 9 of the paper.

    Args:
        names: class in words and instance number of each object.
    """
    groups: dict[str, list[str]] = {}
    for class_name, instance in sorted(names):
        groups.setdefault(class_name, []).append(str(instance))
    return ', '.join(f'{class_name} ({", ".join(n)})' for class_name, n in groups.items())
