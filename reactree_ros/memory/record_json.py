# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences as JSON objects, with all that is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.prompt import GOAL_LINE
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Experience, Origin, Termination, parse_experience
from reactree_ros.memory.store import Record

T = TypeVar('T')
E = TypeVar('E', bound=Enum)
_LARGEST = 1 << 53
# Larger whole numbers are not the same for every reader of JSON.


def values_of(record: Record) -> dict[str, Any]:
    """Return all that is known of an experience, as JSON has it; see ``record_of``."""
    experience, origin = record.experience, record.origin
    return {
        'number': record.number,
        'goal': experience.goal,
        'termination': experience.termination.value,
        'root': experience.root,
        'held': experience.held,
        'room': experience.room,
        'run': origin.run,
        'task': origin.task,
        'skills': origin.skills,
        'strategy': origin.strategy,
        'model': origin.model,
        'time': origin.time,
        'verified': origin.verified.value,
        'key': record.key,
        'things': record.things,
        'control_flows': sorted(flow.value for flow in record.control_flows),
        'merged': record.merged,
        'retrieved': record.retrieved,
        'outline': record.outline,
        'text': experience.text,
    }


def record_of(values: Mapping[str, Any], place: str, given: Origin) -> Record:
    """Return the experience that an object describes.

    Args:
        values: the object; only ``text`` must be there.
        place: where it stands, for errors.
        given: where it comes from, as far as it does not say so; its run is not looked at.

    Raises:
        ConfigurationError: if something is of the wrong type or out of range, or the text is no
            trajectory.
    """
    read = _Reader(values, place)
    text = read.get('text', str, '')
    if not text.strip():
        raise ConfigurationError(f'{place}: the experience has no "text", its trajectory')
    lines = text.splitlines()
    if values.get('goal') and values.get('termination'):
        # The text may lack it: whole plans, for example, do not end with a decision.
        goal = read.get('goal', str, '')
        termination = read.one_of('termination', Termination.SUCCESS)
        root = read.get('root', bool, lines[0].startswith(GOAL_LINE))
    else:
        parsed = parse_experience(lines, place)
        goal, termination, root = parsed.goal, parsed.termination, parsed.root
    held = None if values.get('held') is None else read.count('held', 0)
    origin = Origin(
        run=read.get('run', str, ''),
        task=read.get('task', str, given.task),
        skills=read.get('skills', str, given.skills),
        strategy=read.get('strategy', str, given.strategy),
        model=read.get('model', str, given.model),
        time=read.time('time', given.time),
        verified=read.one_of('verified', given.verified),
    )
    return Record(
        number=read.count('number', 0),
        experience=Experience(
            goal,
            text if text.endswith('\n') else f'{text}\n',
            termination,
            root,
            held,
            read.get('room', str, ''),
        ),
        origin=origin,
        key=read.get('key', str, ''),
        things=read.count('things', 0),
        outline=read.get('outline', str, ''),
        control_flows=read.flows(),
        merged=read.count('merged', 1),
        retrieved=read.count('retrieved', 0),
    )


class _Reader:
    """Reads typed values out of an object."""

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self._values = values
        self._place = place

    def get(self, name: str, kind: type[T] | tuple[type[T], ...], default: T) -> T:
        value = self._values.get(name)
        if value is None:
            return default
        kinds = kind if isinstance(kind, tuple) else (kind,)
        # True and False are whole numbers to isinstance.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = ' or '.join(_NAMES[one] for one in kinds)
            raise ConfigurationError(f'{self._place}: "{name}" is {value!r}, but must be {wanted}')
        if isinstance(value, str):
            try:
                value.encode('utf-8')
            except UnicodeEncodeError as error:
                raise ConfigurationError(
                    f'{self._place}: "{name}" has {value[error.start]!r} in it, which is half of '
                    'a character'
                ) from error
        return value

    def count(self, name: str, least: int) -> int:
        """Read a whole number, which is the least if it is missing."""
        value = self.get(name, int, least)
        if not least <= value <= _LARGEST:
            raise ConfigurationError(
                f'{self._place}: "{name}" is {value}, but must be {least} to {_LARGEST}'
            )
        return value

    def time(self, name: str, default: float) -> float:
        value = self.get(name, (int, float), default)
        if not -_LARGEST <= value <= _LARGEST:
            raise ConfigurationError(
                f'{self._place}: "{name}" is {value}, but must be seconds since 1970'
            )
        return float(value)

    def one_of(self, name: str, default: E) -> E:
        return self._member(name, self._values.get(name), default)

    def flows(self) -> frozenset[ControlFlow]:
        values = self._values.get('control_flows') or []
        if not isinstance(values, list):
            raise ConfigurationError(
                f'{self._place}: "control_flows" is {values!r}, but must be a list'
            )
        return frozenset(
            self._member('control_flows', value, ControlFlow.SEQUENCE) for value in values
        )

    def _member(self, name: str, value: object, default: E) -> E:
        if value is None:
            return default
        try:
            return type(default)(value)
        except ValueError as error:
            allowed = ', '.join(str(one.value) for one in type(default))
            raise ConfigurationError(
                f'{self._place}: "{name}" is {value!r}, but must be one of {allowed}'
            ) from error


_NAMES: dict[type, str] = {
    str: 'a text',
    int: 'a whole number',
    float: 'a number',
    bool: 'true or false',
}
