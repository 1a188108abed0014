# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What people call things and places, and sentences with gaps: ``resource/phrases.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import yaml

from reactree_ros.paths import share
from reactree_ros.sim.household.words import number_word


@dataclass(frozen=True)
class Noun:
    """A name of one kind of thing.

    Args:
        one: the singular, e.g. ``apple``.
        many: the plural, e.g. ``apples``.
    """

    one: str
    many: str

    @property
    def article(self) -> str:
        """The indefinite article."""
        return 'an' if self.one[0] in 'aeiou' else 'a'

    def counted(self, count: int, style: str) -> str:
        """Return how many of a thing, in words or digits.

        Args:
            count: how many.
            style: ``digit``, or how one is said: ``a``, ``the`` or, in a word, ``word``.
        """
        if style == 'digit':
            return f'{count} {self.one if count == 1 else self.many}'
        if count > 1:
            return f'{number_word(count)} {self.many}'
        return f'{ {"a": self.article, "the": "the", "word": "one"}[style] } {self.one}'


@cache
def phrases() -> Mapping[str, Mapping[str, list[str]]]:
    """All that the file has: things, groups, places, vague_places, leads and sentences."""
    text = share('resource', 'phrases.yaml').read_text(encoding='utf-8')
    found: Mapping[str, Mapping[str, list[str]]] = yaml.safe_load(text)
    return found


@cache
def names() -> Mapping[str, tuple[Noun, ...]]:
    """Names of things that mean one class and no other, by class."""
    return {name: tuple(map(_noun, texts)) for name, texts in phrases()['things'].items()}


@cache
def groups() -> Mapping[str, Noun]:
    """Names that leave the class open, by class."""
    return {name: _noun(text) for text, classes in phrases()['groups'].items() for name in classes}


def _noun(text: str) -> Noun:
    one, _, many = text.partition('/')
    return Noun(one, many or f'{one}s')
