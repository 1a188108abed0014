# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Readers of arguments that several commands take; each says what is wrong with a value."""

from __future__ import annotations

from reactree_ros.cli.argument_types import number, whole_number


def texts(text: str) -> tuple[str, ...]:
    """Read texts with commas between them."""
    return tuple(part.strip() for part in text.split(',') if part.strip())


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers from 0 with commas between them."""
    return tuple(whole_number(part) for part in texts(text))


def positives(text: str) -> tuple[int, ...]:
    """Read whole numbers from 1, at least one, with commas between them."""
    return tuple(int(positive(part)) for part in text.split(','))


positive = number(int, 1_000_000, 1)
"""Reader of whole numbers from 1."""
seconds = number(float, 86_400, 0.001)
"""Reader of durations (s)."""
share = number(float, 1)
"""Reader of shares from 0 to 1."""
