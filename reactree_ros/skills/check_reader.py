# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what must hold when a skill or a goal is said to be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reactree_ros.skills.call_reader import CallReader, conditions, reference_fault
from reactree_ros.skills.conditions import (
    Asked,
    Check,
    GoalCheck,
    ServiceCondition,
    TopicCondition,
    WorldCondition,
)
from reactree_ros.skills.limits import Range, read_ranges
from reactree_ros.skills.memory_condition import MemoryCondition
from reactree_ros.skills.references import references

_OF_OBJECT = ('held', 'on', 'inside', 'room', 'state', 'not_state')
_AS_GIVEN = ('object', 'held', 'on', 'inside', 'room', 'robot_in', 'robot_at')
_ANSWER_SEC = 5.0


class CheckReader:
    """Makes checks of a document whose form is right.

    Args:
        calls: makes the calls of services.
        faults: what is wrong is added here.
    """

    def __init__(self, calls: CallReader, faults: list[str]) -> None:
        self._calls = calls
        self._faults = faults

    def check(self, where: str, given: Mapping[str, Any], arguments: frozenset[str]) -> Check:
        """Return the check at a place of the document; its references may name the arguments."""
        self._check_references(where, given, arguments)
        memory = given.get('memory', [])
        entries = memory if isinstance(memory, list) else [memory]
        return Check(
            tuple(self._memory(f'{where}.memory', entry) for entry in entries),
            tuple(self._asked(where, given, arguments)),
        )

    def goals(self, given: list[Mapping[str, Any]]) -> tuple[GoalCheck, ...]:
        """Return what must hold of goals."""
        found = []
        for place, entry in enumerate(given):
            where = f'done[{place}]'
            pattern = GoalCheck(Check(), entry.get('goal', ''))
            rest = pattern.goal
            for name in pattern.names:
                if rest.count(f'{{{name}}}') > 1:
                    self._faults.append(f'{where}.goal: {{{name}}} is there twice')
                rest = rest.replace(f'{{{name}}}', '')
            if '{' in rest or '}' in rest:
                self._faults.append(f'{where}.goal: a brace is not a word like {{item}}')
                continue
            check = self.check(f'{where}.check', entry['check'], pattern.names)
            found.append(GoalCheck(check, pattern.goal))
        return tuple(found)

    def _memory(self, where: str, entry: Mapping[str, Any]) -> MemoryCondition:
        if 'object' in entry and not any(key in entry for key in _OF_OBJECT):
            self._faults.append(f'{where}: say what of the object: {", ".join(_OF_OBJECT)}')
        needless = [key for key in _OF_OBJECT if key in entry]
        if 'object' not in entry and needless:
            self._faults.append(f'{where}: {", ".join(needless)}: name the object')
        return MemoryCondition(
            **{key: entry[key] for key in _AS_GIVEN if key in entry},
            states=_words(entry.get('state', ())),
            not_states=_words(entry.get('not_state', ())),
        )

    def _asked(
        self, where: str, given: Mapping[str, Any], arguments: frozenset[str]
    ) -> Iterator[Asked]:
        if 'world' in given:
            yield WorldCondition(tuple(given['world']))
        if 'service' in given:
            entry = given['service']
            service = {'name': entry['name'], 'type': entry['type']}
            rest = {
                key: entry[key] for key in ('request', 'success_if', 'failure_text') if key in entry
            }
            call = {'service': service, 'result_sec': entry.get('result_sec', _ANSWER_SEC), **rest}
            yield ServiceCondition(self._calls.call(f'{where}.service', call, arguments))
        if 'topic' in given:
            yield self._topic(f'{where}.topic', given['topic'])

    def _topic(self, where: str, entry: Mapping[str, Any]) -> TopicCondition:
        wanted = entry['is']
        ranges = {path: one for path, one in wanted.items() if isinstance(one, dict)}
        values: dict[tuple[str, ...], tuple[Any, ...] | Range] = {}
        values.update(read_ranges(ranges, f'{where}.is', self._faults))
        values.update(
            conditions({path: one for path, one in wanted.items() if not isinstance(one, dict)})
        )
        if entry['type'].split('/')[1] != 'msg':
            self._faults.append(f'{where}.type: {entry["type"]} is not a type of a topic')
        return TopicCondition(
            entry['name'].strip(),
            entry['type'],
            values,
            self._calls.seconds(entry.get('within_sec', 2.0), f'{where}.within_sec'),
        )

    def _check_references(
        self, where: str, given: Mapping[str, Any], arguments: frozenset[str]
    ) -> None:
        texts = {key: given[key] for key in ('memory', 'world') if key in given}
        for key, text in texts.items():
            for reference in references(text):
                fault = reference_fault(reference.path, arguments, ())
                if reference.path[1:] in (('pose',), ('tf',)):
                    fault = 'a pose is not text'
                if fault:
                    self._faults.append(f'{where}.{key}: {reference}: {fault}')


def _words(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
