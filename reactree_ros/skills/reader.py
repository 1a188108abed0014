# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a skill library from YAML and refuses one that is wrong, naming every fault at once."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.core.decision import DONE, FAILURE, RECALL
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.skills.library import Filter, Skill, SkillLibrary

_FIELD = re.compile(r'\{([a-z_]+)\}')
_TOP = {
    'name',
    'hands',
    'action',
    'result_sec',
    'objects',
    'places',
    'tools',
    'aliases',
    'uses',
    'kinds',
    'skills',
}
_SKILL = {'phrase', 'arguments', 'when', 'only_relevant', 'asked', 'action', 'result_sec'}
_WHEN = {'hands', 'holding', 'at'}
_FILTER = {'kind', 'affordance', 'state', 'not_state', 'near', 'held', 'here'}


class _UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that is given twice, which YAML libraries usually let pass."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(
                    None, None, 'a key must be a word', key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key {key!r} is given twice', key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_library(path: Path) -> SkillLibrary:
    """Read a skill library.

    Args:
        path: a YAML file; ``behaviors/household.yaml`` explains the form.

    Raises:
        ConfigurationError: if the file cannot be read or is wrong; one line for each fault.
    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'cannot read the skill library {path}: {error}') from error
    return parse_library(text, str(path))


def parse_library(text: str, source: str) -> SkillLibrary:
    """Read a skill library from its text; ``source`` names it in messages."""
    try:
        document = yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise ConfigurationError(f'{source} is not YAML: {" ".join(str(error).split())}') from error
    reader = _Reader()
    library = reader.library(document)
    if reader.faults or library is None:
        lines = '\n  '.join(reader.faults)
        raise ConfigurationError(f'the skill library {source} is wrong:\n  {lines}')
    return library


class _Reader:
    """Collects all faults of one document, each with its place."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def library(self, document: Any) -> SkillLibrary | None:
        if not self._mapping(document, 'top level', _TOP):
            return None
        name = self._text(document.get('name'), 'name')
        server = self._text(document.get('action'), 'action')
        result_sec = self._seconds(document.get('result_sec', 30.0), 'result_sec')
        hands = document.get('hands', 1)
        if not isinstance(hands, int) or isinstance(hands, bool) or hands < 0:
            self.faults.append(f'hands: {hands!r} is no whole number from 0')
            hands = 1
        objects = self._words(document.get('objects', []), 'objects')
        places = self._words(document.get('places', []), 'places')
        tools = self._words(document.get('tools', []), 'tools')
        entries = document.get('skills')
        if not isinstance(entries, dict) or not entries:
            self.faults.append('skills: give at least one skill, as "name: {phrase: …}"')
            return None
        skills = [
            skill
            for key, entry in entries.items()
            if (skill := self._skill(str(key), entry, server, result_sec)) is not None
        ]
        phrases: dict[str, str] = {}
        for skill in skills:
            bare = _bare(skill.phrase)
            if bare in phrases:
                self.faults.append(
                    f'skills.{skill.name}.phrase: {skill.phrase!r} reads like the phrase of '
                    f'{phrases[bare]!r}; the model could not tell them apart'
                )
            phrases.setdefault(bare, skill.name)
        return SkillLibrary(
            name,
            tuple(skills),
            hands,
            frozenset(objects),
            frozenset(places),
            frozenset(tools),
            self._aliases(document.get('aliases', {}), {*objects, *places}),
            self._uses(document.get('uses', {}), {*places}),
            self._kinds(document.get('kinds', {}), {*objects, *places}),
        )

    def _aliases(self, value: Any, classes: set[str]) -> dict[str, str]:
        if not isinstance(value, dict):
            self.faults.append('aliases: give a mapping from everyday name to class')
            return {}
        for name, meant in value.items():
            if not isinstance(name, str) or not name.strip():
                self.faults.append(f'aliases: {name!r} is no name')
            if meant not in classes:
                self.faults.append(f'aliases.{name}: {meant!r} is neither in objects nor in places')
        return {str(name): str(meant) for name, meant in value.items()}

    def _uses(self, value: Any, places: set[str]) -> dict[str, frozenset[str]]:
        if not isinstance(value, dict):
            self.faults.append('uses: give a mapping from a word of goals to a list of places')
            return {}
        uses = {str(word): self._words(needed, f'uses.{word}') for word, needed in value.items()}
        for word, needed in uses.items():
            unknown = ', '.join(repr(one) for one in needed if one not in places)
            if unknown:
                self.faults.append(f'uses.{word}: {unknown} is not in places')
        return {word: frozenset(needed) for word, needed in uses.items()}

    def _kinds(self, value: Any, classes: set[str]) -> dict[str, frozenset[str]]:
        if not isinstance(value, dict):
            self.faults.append('kinds: give a mapping from a wider word to a list of classes')
            return {}
        kinds = {str(word): self._words(meant, f'kinds.{word}') for word, meant in value.items()}
        for word, meant in kinds.items():
            unknown = ', '.join(repr(one) for one in meant if one not in classes)
            if unknown:
                self.faults.append(f'kinds.{word}: {unknown} is neither in objects nor in places')
        return {word: frozenset(meant) for word, meant in kinds.items()}

    def _skill(self, name: str, entry: Any, server: str, result_sec: float) -> Skill | None:
        place = f'skills.{name}'
        if not self._mapping(entry, place, _SKILL):
            return None
        phrase = self._text(entry.get('phrase'), f'{place}.phrase')
        arguments = entry.get('arguments', {})
        if not isinstance(arguments, dict):
            self.faults.append(f'{place}.arguments: give a mapping from argument to filter')
            arguments = {}
        fields = self._fields(phrase, f'{place}.phrase')
        if sorted(fields) != sorted(map(str, arguments)):
            self.faults.append(
                f'{place}: the phrase has the arguments {fields}, '
                f'arguments describes {list(arguments)}'
            )
        filters = {
            str(key): self._filters(value, f'{place}.arguments.{key}')
            for key, value in arguments.items()
        }
        when = entry.get('when', {})
        if not self._mapping(when, f'{place}.when', _WHEN):
            when = {}
        if when.get('hands', 'any') not in ('free', 'any'):
            self.faults.append(f'{place}.when.hands: {when["hands"]!r} is neither free nor any')
        only_relevant = entry.get('only_relevant', False)
        if not isinstance(only_relevant, bool):
            self.faults.append(
                f'{place}.only_relevant: {only_relevant!r} is neither true nor false'
            )
        at = when.get('at')
        return Skill(
            name=name,
            phrase=phrase,
            arguments=tuple(filters.get(field, ()) for field in fields),
            hands_free=when.get('hands') == 'free',
            holding=self._word(when.get('holding', ''), f'{place}.when.holding'),
            at=None if at is None else self._filter(at, f'{place}.when.at'),
            only_relevant=bool(only_relevant),
            asked=tuple(self._words(entry.get('asked', []), f'{place}.asked')),
            server=self._text(entry.get('action', server), f'{place}.action'),
            result_sec=self._seconds(entry.get('result_sec', result_sec), f'{place}.result_sec'),
        )

    def _filters(self, value: Any, place: str) -> tuple[Filter, ...]:
        if isinstance(value, list):
            return tuple(self._filter(one, f'{place}[{i}]') for i, one in enumerate(value))
        return (self._filter(value, place),)

    def _filter(self, value: Any, place: str) -> Filter:
        if not self._mapping(value, place, _FILTER):
            return Filter()
        kind = value.get('kind', 'object')
        if kind not in ('object', 'room'):
            self.faults.append(f'{place}.kind: {kind!r} is neither object nor room')
        flags = {}
        for key in ('near', 'held', 'here'):
            flags[key] = value.get(key)
            if flags[key] not in (None, True, False):
                self.faults.append(f'{place}.{key}: {flags[key]!r} is neither true nor false')
        affordance = value.get('affordance', [])
        words = [affordance] if isinstance(affordance, str) else affordance
        return Filter(
            kind=kind,
            affordance=frozenset(self._words(words, f'{place}.affordance')),
            state=self._word(value.get('state', ''), f'{place}.state'),
            not_state=self._word(value.get('not_state', ''), f'{place}.not_state'),
            **flags,
        )

    def _mapping(self, value: Any, place: str, known: set[str]) -> bool:
        if not isinstance(value, dict):
            self.faults.append(f'{place}: a mapping is expected, not {value!r}')
            return False
        for key in value:
            if key not in known:
                self.faults.append(
                    f'{place}: unknown key {key!r} (known: {", ".join(sorted(known))})'
                )
        return True

    def _text(self, value: Any, place: str) -> str:
        if not isinstance(value, str) or not value.strip():
            self.faults.append(f'{place}: a text is expected, not {value!r}')
            return '?'
        return value.strip()

    def _fields(self, phrase: str, place: str) -> list[str]:
        """Return the argument names of a phrase; only plain ``{name}`` is one."""
        fields = _FIELD.findall(phrase)
        rest = _FIELD.sub('', phrase)
        if '{' in rest or '}' in rest:
            self.faults.append(f'{place}: {phrase!r} has a brace that is no argument like {{item}}')
        if '\n' in phrase:
            self.faults.append(f'{place}: {phrase!r} has a line break')
        if phrase in (DONE, FAILURE) or phrase.startswith(RECALL):
            self.faults.append(f'{place}: {phrase!r} is a word of the planner itself')
        return fields

    def _word(self, value: Any, place: str) -> str:
        if not isinstance(value, str):
            self.faults.append(f'{place}: a word is expected, not {value!r} (quotes make it one)')
            return ''
        return value

    def _words(self, value: Any, place: str) -> list[str]:
        if not isinstance(value, list) or not all(
            isinstance(item, str) and item.strip() and '\n' not in item for item in value
        ):
            self.faults.append(f'{place}: a list of words is expected, not {value!r}')
            return []
        return value

    def _seconds(self, value: Any, place: str) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
            self.faults.append(f'{place}: {value!r} is no number of seconds above 0')
            return 1.0
        return float(value)


def _bare(phrase: str) -> str:
    """Return a phrase without its argument names, as the model would see it."""
    return _FIELD.sub('{}', phrase).lower()
