# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Readers of arguments that several commands take; each says what is wrong with a value."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from reactree_ros.cli.argument_types import whole_number


def texts(text: str) -> tuple[str, ...]:
    """Read texts with commas between them."""
    return tuple(part.strip() for part in text.split(',') if part.strip())


def whole_numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers from 0 with commas between them."""
    return tuple(whole_number(part) for part in texts(text))


def positive(kind: type[int] | type[float]) -> Callable[[str], float]:
    """Return a reader of numbers above 0."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f'{text!r} is not a number') from error
        if not value > 0:
            raise argparse.ArgumentTypeError(f'{text} is not above 0')
        return value

    return read


def share(text: str) -> float:
    """Read a share from 0 to 1."""
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'{text!r} is not a number') from error
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f'{text} is not from 0 to 1')
    return value
