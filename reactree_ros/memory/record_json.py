# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences as JSON objects, with all that is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, TypeVar

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.prompt import GOAL_LINE
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import (
    Experience,
    Origin,
    Termination,
    check_lines,
    parse_experience,
)
from reactree_ros.memory.store import Record

T = TypeVar('T')
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
        'run': origin.run,
        'task': origin.task,
        'skills': origin.skills,
        'strategy': origin.strategy,
        'model': origin.model,
        'time': origin.time,
        'verified': origin.verified.value,
        'robot': origin.robot,
        'key': record.key,
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
        given: where it comes from, for what the object lacks; its run is not looked at.

    Raises:
        ConfigurationError: if something is of the wrong type or out of range, or the text is no
            trajectory.
    """

    def read(name: str, default: T) -> T:
        return _read(values, name, default, place)

    text = read('text', '')
    if not text.strip():
        raise ConfigurationError(f'{place}: the experience has no "text", its trajectory')
    lines = text.splitlines()
    if values.get('goal') and values.get('termination'):
        # The text may lack it: whole plans, for example, do not end with a decision.
        check_lines(text.rstrip('\n').split('\n'), place)
        experience = Experience(
            read('goal', ''),
            text,
            read('termination', Termination.SUCCESS),
            read('root', lines[0].startswith(GOAL_LINE)),
        )
    else:
        experience = parse_experience(lines, place)
    flows = values.get('control_flows') or []
    if not isinstance(flows, list):
        raise ConfigurationError(f'{place}: "control_flows" is {flows!r}, but must be a list')
    given = replace(given, run='', time=float(given.time))
    return Record(
        read('number', 0),
        replace(experience, text=text if text.endswith('\n') else f'{text}\n'),
        Origin(*(read(one.name, getattr(given, one.name)) for one in fields(Origin))),
        read('key', ''),
        read('outline', ''),
        frozenset(
            _read({'control_flows': one}, 'control_flows', ControlFlow.SEQUENCE, place)
            for one in flows
        ),
        read('merged', 1),
        read('retrieved', 0),
    )


def _read(values: Mapping[str, Any], name: str, default: T, place: str) -> T:
    """Return a value of the type of its default, which it has if it is missing.

    The default of a whole number is the least that is allowed, too.
    """
    value = values.get(name)
    if value is None:
        return default
    if isinstance(default, Enum):
        allowed = [one.value for one in type(default)]
        right, words = value in allowed, f'one of {", ".join(allowed)}'
    elif isinstance(default, bool):
        right, words = isinstance(value, bool), 'true or false'
    elif isinstance(default, int):
        right = type(value) is int and default <= value <= _LARGEST
        words = f'a whole number from {default} to {_LARGEST}'
    elif isinstance(default, float):
        right = type(value) in (int, float) and abs(value) <= _LARGEST
        words = 'seconds since 1970'
    else:
        right, words = isinstance(value, str) and _is_whole(value), 'a text without half characters'
    if not right:
        raise ConfigurationError(f'{place}: "{name}" is {value!r}, but must be {words}')
    return type(default)(value)  # type: ignore[call-arg]


def _is_whole(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair, which no file can hold."""
    try:
        text.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True
