# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads how the skills of a library reach the robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_ros.skills.call import ANSWERS, EXECUTE_SKILL, OF_ARGUMENT, OF_ROBOT, Call, Kind
from reactree_ros.skills.declared_world import Declared, Effects
from reactree_ros.skills.limits import read_ranges
from reactree_ros.skills.references import Path, references

_TYPES = {Kind.ACTION: 'action', Kind.SERVICE: 'srv', Kind.TOPIC: 'msg'}
_LONGEST_SEC = 1e9
_READ = ('success_if', 'refused_if', 'success_text', 'failure_text', 'feedback_text')
"""Keys that read an answer; the project's own action needs none of them."""


class CallReader:
    """Makes calls of the skills of a document whose form is right.

    Args:
        content: the document.
        faults: what is wrong is added here.
        declared: the surroundings; None for a robot that perceives them.
    """

    def __init__(
        self, content: Mapping[str, Any], faults: list[str], declared: Declared | None
    ) -> None:
        self._default: Any = content.get('action')
        self._faults = faults
        self._limit_sec = self.seconds(content.get('result_sec', 30.0), 'result_sec')
        self._declared = declared

    def call(self, where: str, entry: Mapping[str, Any], arguments: frozenset[str]) -> Call:
        """Return the call at a place of the document; its references may name the arguments."""
        kind, called = self._called(entry, where)
        topic = kind is Kind.TOPIC
        for other in Kind:
            if other.filled in entry and other is not kind:
                self._faults.append(
                    f'{where}.{other.filled}: only a skill with a {other.value} has it'
                )
        if 'wait_sec' in entry and not topic:
            self._faults.append(f'{where}.wait_sec: only a skill with a topic has it')
        if called['type'].split('/')[1] != _TYPES[kind]:
            self._faults.append(
                f'{where}.{kind.value}.type: {called["type"]} is not a type of a {kind.value} '
                f'(package/{_TYPES[kind]}/Name)'
            )
        fields = entry.get(kind.filled, {})
        key, limit_sec = ('wait_sec', 0.0) if topic else ('result_sec', self._limit_sec)
        self._check_texts(where, entry, kind, called['type'], fields, arguments)
        return Call(
            kind=kind,
            name=called['name'].strip(),
            type=called['type'],
            limit_sec=self.seconds(entry.get(key, limit_sec), f'{where}.{key}'),
            fields=fields,
            success_if=conditions(entry.get('success_if', {})),
            refused_if=conditions(entry.get('refused_if', {})),
            success_text=entry.get('success_text', '').strip(),
            failure_text=entry.get('failure_text', '').strip(),
            feedback_text=entry.get('feedback_text', '').strip(),
            effects=self._effects(where, entry.get('effects', {}), arguments),
            limits=read_ranges(entry.get('limits', {}), f'{where}.limits', self._faults),
        )

    def seconds(self, given: float, where: str) -> float:
        """Return a number of seconds that something may be waited for."""
        # YAML has .inf and .nan, and whole numbers of any size
        if not given <= _LONGEST_SEC:
            self._faults.append(
                f'{where}: {given!r} is not a number of seconds up to {_LONGEST_SEC:g}'
            )
            return _LONGEST_SEC
        return float(given)

    def _called(self, entry: Mapping[str, Any], where: str) -> tuple[Kind, dict[str, str]]:
        given = [kind for kind in Kind if kind.value in entry]
        if len(given) > 1:
            names = ' and '.join(kind.value for kind in given)
            self._faults.append(f'{where}: give only one of {names}')
        kind = given[0] if given else Kind.ACTION
        called = entry.get(kind.value, self._default)
        if called is None:
            self._faults.append(
                f'{where}: give an action, service or topic, or an action for the whole library'
            )
            called = '?'
        called = {'name': called} if isinstance(called, str) else called
        return kind, {'type': EXECUTE_SKILL, **called}

    def _check_texts(
        self,
        where: str,
        entry: Mapping[str, Any],
        kind: Kind,
        type_name: str,
        fields: Mapping[str, Any],
        arguments: frozenset[str],
    ) -> None:
        if type_name == EXECUTE_SKILL:
            needless = [key for key in (kind.filled, *_READ, 'limits') if key in entry]
            if needless:
                self._faults.append(
                    f'{where}: {", ".join(needless)}: an action of the type {EXECUTE_SKILL} gets '
                    'the skill and its arguments, and answers with an observation'
                )
            return
        if kind is Kind.TOPIC:
            answered = [key for key in _READ if key in entry and key != 'success_text']
            if answered:
                self._faults.append(f'{where}: {", ".join(answered)}: a topic has no answer')
        elif kind is Kind.SERVICE and 'feedback_text' in entry:
            self._faults.append(f'{where}.feedback_text: a service has no feedback')
        answer = () if kind is Kind.TOPIC else ('result',)
        for key, value, allowed in (
            (kind.filled, fields, ()),
            ('success_text', entry.get('success_text', ''), answer),
            ('failure_text', entry.get('failure_text', ''), answer),
            ('feedback_text', entry.get('feedback_text', ''), ('feedback',)),
        ):
            for reference in references(value):
                fault = reference_fault(reference.path, arguments, allowed)
                if fault:
                    self._faults.append(f'{where}.{key}: {reference}: {fault}')

    def _effects(self, where: str, given: Mapping[str, Any], arguments: frozenset[str]) -> Effects:
        if given and self._declared is None:
            self._faults.append(
                f'{where}.effects: only a library that declares its world has effects; '
                'else the robot is asked what it perceives'
            )
            return Effects()
        if ('on_top_of' in given or 'inside' in given) and 'puts' not in given:
            self._faults.append(f'{where}.effects: on_top_of and inside need puts')
        if 'on_top_of' in given and 'inside' in given:
            self._faults.append(f'{where}.effects: it is either put on something or into something')
        keys = ('at', 'holds', 'puts', 'on_top_of', 'inside')
        names = {
            name: self.full_name(name, f'{where}.effects', arguments)
            for name in [*(given[key] for key in keys if key in given), *given.get('states', {})]
        }
        said = {key: names[given[key]] for key in keys if key in given}
        return Effects(
            at=said.get('at', ''),
            holds=said.get('holds', ''),
            puts=said.get('puts', ''),
            onto=said.get('on_top_of', said.get('inside', '')),
            inside='inside' in given,
            states={names[one]: tuple(states) for one, states in given.get('states', {}).items()},
        )

    def full_name(self, name: str, where: str, arguments: frozenset[str] = frozenset()) -> str:
        """Return an argument, or the full name of what the library's world has of this name."""
        if name in arguments or self._declared is None:
            return name
        known = {*self._declared.rooms, *(item.name for item in self._declared.objects)}
        found = next((one for one in (name, f'{name} 1') if one in known), '')
        if not found:
            neither = 'neither an argument of the phrase nor' if arguments else 'not'
            self._faults.append(f'{where}: {name!r} is {neither} in world')
        return found


def conditions(given: Mapping[str, Any]) -> dict[Path, tuple[Any, ...]]:
    """Return allowed values by the paths of the fields that must have one of them."""
    return {
        tuple(name.split('.')): tuple(value) if isinstance(value, list) else (value,)
        for name, value in given.items()
    }


def reference_fault(path: Path, arguments: frozenset[str], answers: tuple[str, ...]) -> str:
    """Return what is wrong with a reference; empty if nothing is."""
    word, *rest = path
    if word in ANSWERS and word not in arguments:
        if word not in answers:
            return f'{word} is not available there'
        return '' if rest else f'name a field of the {word}'
    if word not in (*arguments, 'robot'):
        others = ', '.join([*sorted(arguments), 'robot', *answers])
        return f'{word!r} is not known there (known: {others})'
    if word in arguments and not rest:
        return ''
    known: tuple[str, ...] = OF_ARGUMENT if word in arguments else OF_ROBOT
    if len(rest) != 1 or rest[0] not in known:
        return f'after {word} comes one of {", ".join(known)}'
    return ''
