# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of interface types: ``resource/known_interfaces.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from reactree_ros.paths import share
from reactree_ros.skills import document

FILE = ('resource', 'known_interfaces.yaml')


@dataclass(frozen=True)
class Value:
    """Something that a skill needs and that its type does not say.

    Args:
        ask: what a person is asked for; empty if nobody is.
        default: taken where nothing better is known; None if there is nothing to take.
        fact: name of what the robot may publish of it; empty if nothing.
    """

    ask: str = ''
    default: str | float | None = None
    fact: str = ''


@dataclass(frozen=True)
class Template:
    """A skill of a known type; its texts may have ``$name`` of values.

    Args:
        name: its key in a library.
        phrase: how the model names it.
        body: its other keys, as YAML.
        effects: what it changes in a declared world, as YAML; empty for nothing.
        needs: ``places``, ``things``: what the world must have for it.
        note: for the person who reads the library.
    """

    name: str
    phrase: str
    body: str = ''
    effects: str = ''
    needs: frozenset[str] = frozenset()
    note: str = ''


@dataclass(frozen=True)
class Known:
    """What a type is good for.

    Args:
        skills: one or more.
        values: by the names that the skills use.
        by_default: whether it is taken if nobody chooses.
        rules: sentence for the library's rules; empty for none.
    """

    skills: tuple[Template, ...]
    values: Mapping[str, Value] = field(default_factory=dict)
    by_default: bool = True
    rules: str = ''


@dataclass(frozen=True)
class _Inside:
    reason: str
    types: tuple[str, ...]
    names: tuple[str, ...]
    exceptions: frozenset[str]

    def fits(self, name: str, type_name: str) -> bool:
        return type_name not in self.exceptions and (
            any(fnmatchcase(type_name, one) for one in self.types)
            or any(fnmatchcase(name, one) for one in self.names)
        )


@dataclass(frozen=True)
class Catalogue:
    """All that is known.

    Args:
        types: what is known, by the name of the type.
        filters: YAML of what may fill an argument, by its name.
    """

    types: Mapping[str, Known]
    filters: Mapping[str, str]
    _inside: tuple[_Inside, ...]

    def why_not(self, name: str, type_name: str) -> str:
        """Return what something is, if it is not for skills; else nothing.

        Args:
            name: full name of an action, a service or a topic.
            type_name: its type.
        """
        return next((one.reason for one in self._inside if one.fits(name, type_name)), '')


@cache
def catalogue() -> Catalogue:
    """Return what comes with this package."""
    path = share(*FILE)
    content: dict[str, Any] = document.load(path.read_text(encoding='utf-8'), str(path))
    return Catalogue(
        {name: _known(entry) for name, entry in content['known'].items()},
        content['arguments'],
        tuple(
            _Inside(
                entry['reason'],
                tuple(entry.get('types', ())),
                tuple(entry.get('names', ())),
                frozenset(entry.get('except', ())),
            )
            for entry in content['not_for_skills']
        ),
    )


def _known(entry: Mapping[str, Any]) -> Known:
    return Known(
        tuple(
            Template(**{**skill, 'needs': frozenset(skill.get('needs', ()))})
            for skill in entry['skills']
        ),
        {name: Value(**given) for name, given in entry.get('values', {}).items()},
        entry.get('by_default', True),
        ' '.join(entry.get('rules', '').split()),
    )
