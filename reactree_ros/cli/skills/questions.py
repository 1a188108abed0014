# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Questions at the terminal, each with a default that Enter takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from reactree_ros.errors import ConfigurationError

T = TypeVar('T')


class Questions:
    """Asks until an answer can be read.

    Args:
        silent: ask nothing; every answer is the default.
    """

    def __init__(self, silent: bool) -> None:
        self.silent = silent

    def ask(self, text: str, default: str, read: Callable[[str], T]) -> T:
        """Return what an answer means.

        Args:
            text: the question.
            default: the answer that Enter gives.
            read: reads an answer; an answer for which it raises ConfigurationError is asked for
                again.

        Raises:
            ConfigurationError: if the input ends, or the default cannot be read and nobody is
                asked.
        """
        while True:
            given = default if self.silent else self._line(f'{text}{_shown(default)}: ') or default
            try:
                return read(given)
            except ConfigurationError as error:
                if self.silent:
                    raise
                print(f'  {error}')

    def lines(self, text: str, read: Callable[[str], T]) -> list[T]:
        """Return what lines mean, until an empty one.

        Args:
            text: the question.
            read: reads a line, or raises ConfigurationError.
        """
        found: list[T] = []
        while not self.silent and (given := self._line(f'{text}: ')):
            try:
                found.append(read(given))
            except ConfigurationError as error:
                print(f'  {error}')
        return found

    def show(self, text: str = '') -> None:
        """Show something that only one who is asked needs."""
        if not self.silent:
            print(text)

    def _line(self, prompt: str) -> str:
        try:
            return input(prompt).strip()
        except EOFError as error:
            print()
            raise ConfigurationError(
                'the input ended before all was answered; nothing is written (--yes takes what is '
                'in brackets without asking)'
            ) from error
        except UnicodeDecodeError as error:
            raise ConfigurationError(f'the input is not UTF-8 text: {error}') from error


def _shown(default: str) -> str:
    return f' [{default}]' if default else ''


def read_choice(text: str, count: int) -> list[int]:
    """Read which of a numbered list are meant: ``1,3-5``, ``all`` or ``none``.

    Args:
        text: the answer.
        count: how many there are.

    Returns:
        Indices from 0, sorted.

    Raises:
        ConfigurationError: if it is not one of these, or a number is not in the list.
    """
    word = text.strip().casefold()
    if word in ('all', 'none', ''):
        return [*range(count)] if word == 'all' else []
    found: set[int] = set()
    for part in re.split(r'[,\s]+', re.sub(r'\s*-\s*', '-', word)):
        match = re.fullmatch(r'(\d{1,6})(?:-(\d{1,6}))?', part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            raise ConfigurationError(
                f'{text!r} is not understood: numbers from 1 to {count} such as 1,3-5, "all" or '
                '"none" are expected'
            )
        found.update(range(first - 1, last))
    return sorted(found)


def ranges(count: int) -> str:
    """Return the choice of the first so many of a list, as ``read_choice`` reads it."""
    return 'none' if not count else '1' if count == 1 else f'1-{count}'


def table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as lines, with columns below each other and numbers in front."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f'{number:4}  ' + '  '.join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for number, row in enumerate(rows, 1)
    ]  # fmt: skip
