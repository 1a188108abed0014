# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a PDDL domain is said in words: its objects, its actions and its facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactree_ros.core.plain_text import is_plain
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.document import load

_NAME = re.compile(r'(.*?)[-_]?(\d{0,9})')
_MARK = re.compile(r'{([^{}]*)}')
_KEYS = ('agent', 'rules', 'objects', 'actions', 'facts')


@dataclass(frozen=True)
class Words:
    """Words for what PDDL names; what is not given is said by its PDDL name.

    Args:
        agent: what acts in the domain, e.g. ``a robot with two grippers``.
        rules: sentences on what the actions need and change; empty derives them from the domain.
        objects: words for what objects are called before their number, e.g. ``block`` for ``b``.
        actions: phrases by action, with its parameters in braces: ``put {x} on {y}``.
        facts: sentences by predicate, likewise: ``{x} is on {y}``.
    """

    agent: str = 'an agent'
    rules: str = ''
    objects: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)

    def object_name(self, pddl: str) -> tuple[str, int]:
        """Return class and number of an object, which together are its name.

        >>> Words(objects={'b': 'block'}).object_name('b2')
        ('block', 2)
        >>> Words().object_name('the-hub1')
        ('the hub', 1)
        """
        found = _NAME.fullmatch(pddl)
        assert found is not None
        word = self.objects.get(found[1]) or _spaced(found[1]) or _spaced(pddl)
        return word, int(found[2] or 1)

    def action_phrase(self, name: str, parameters: Sequence[str]) -> str:
        """Return the phrase of an action with its parameters in braces."""
        phrase = self.actions.get(name)
        if phrase is None:
            return ' '.join([_spaced(name), *(f'{{{one}}}' for one in parameters)])
        return _checked(phrase, parameters, f'actions.{name}')

    def fact_sentence(self, name: str, parameters: Sequence[str]) -> str:
        """Return the sentence of a predicate with its parameters in braces."""
        sentence = self.facts.get(name)
        if sentence is not None:
            return _checked(sentence, parameters, f'facts.{name}')
        marks = [f'{{{one}}}' for one in parameters]
        if len(marks) == 2:
            return f'{marks[0]} {_spaced(name)} {marks[1]}'
        return ' '.join([*marks[:1], 'is' if marks else '', _spaced(name), *marks[1:]]).strip()


def read_words(path: Path) -> Words:
    """Read words from a YAML file with any of the keys of ``Words``.

    Raises:
        ConfigurationError: if it cannot be read, or has something else in it.
    """
    try:
        found = load(path.read_text(encoding='utf-8'), f'words {path}')
    except (OSError, ValueError) as error:  # also a path with a null byte, and other bytes
        raise ConfigurationError(f'words {path} cannot be read: {error}') from error
    if not isinstance(found, dict):
        raise ConfigurationError(f'words {path}: expected a mapping with {", ".join(_KEYS)}')
    return Words(**{key: _value(path, key, value) for key, value in found.items()})


def _value(path: Path, key: str, value: Any) -> Any:
    if key not in _KEYS:
        raise ConfigurationError(f'words {path}: {key!r} is not one of {", ".join(_KEYS)}')
    if key in ('agent', 'rules'):
        good = isinstance(value, str)
    else:
        good = isinstance(value, dict) and all(
            isinstance(one, str) for pair in value.items() for one in pair
        )
    if key == 'objects' and good:
        wrong = [word for word in value.values() if not word.strip() or not is_plain(word)]
        if wrong:
            raise ConfigurationError(
                f'words {path}: objects: {wrong[0]!r} is not a word in one line'
            )
    if not good:
        wanted = 'a text' if key in ('agent', 'rules') else 'a mapping of names to texts'
        raise ConfigurationError(f'words {path}: {key} must be {wanted}, not {value!r}')
    return value


def _checked(text: str, parameters: Sequence[str], place: str) -> str:
    marks = _MARK.findall(text)
    rest = _MARK.sub('', text)
    if '{' in rest or '}' in rest or not is_plain(text):
        raise ConfigurationError(
            f'words: {place} is {text!r}; it has a brace that is not a parameter, a line break or '
            'a control character'
        )
    if sorted(marks) != sorted(parameters):
        raise ConfigurationError(
            f'words: {place} is {text!r}; it must have each of '
            f'{", ".join(f"{{{one}}}" for one in parameters) or "no parameters"} once'
        )
    return text


def _spaced(name: str) -> str:
    return ' '.join(re.split(r'[-_\s]+', name)).strip()
