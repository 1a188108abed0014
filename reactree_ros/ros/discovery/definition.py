# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Interface types and messages as YAML for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from reactree_ros.ros.skills.messages import plain_data

_MOST_FIELDS = 40
_DEEPEST = 3
_POSES = frozenset(
    f'geometry_msgs/{name}{stamped}'
    for name in ('Pose', 'Point', 'Transform', 'PoseWithCovariance')
    for stamped in ('', 'Stamped')
)
_TIMES = ('builtin_interfaces/Duration', 'builtin_interfaces/Time')


def fields_of(message_type: Any) -> list[str]:
    """Return the fields of a message as YAML, each with its default value, and its type behind.

    Long definitions are cut off, and so is what lies deep.
    """
    lines = [*_fields(message_type(), 0)]
    more = len(lines) - _MOST_FIELDS
    return lines if more <= 0 else [*lines[:_MOST_FIELDS], f'... and {more} more lines']


def _fields(message: Any, depth: int) -> Iterator[str]:
    for name, kind in message.get_fields_and_field_types().items():
        value = getattr(message, name)
        indent = '  ' * depth
        if kind in _POSES:
            yield f'{indent}{name}: ...  # {kind}; "{{place.pose}}" with {{place}} in the phrase'
        elif kind in _TIMES:
            yield f'{indent}{name}: 0.0  # {kind}, in seconds'
        elif hasattr(value, 'get_fields_and_field_types') and depth < _DEEPEST:
            yield f'{indent}{name}:  # {kind}'
            yield from _fields(value, depth + 1)
        else:
            plain = plain_data(value)
            text = '...' if isinstance(plain, dict) else yaml.safe_dump(
                plain, default_flow_style=True, width=1e9
            ).partition('\n')[0]  # fmt: skip
            yield f'{indent}{name}: {text}  # {kind}'


def shown(message: Any) -> str:
    """Return a message as YAML; messages in it that are all default are left out."""
    return yaml.safe_dump(_changed(message), sort_keys=False, width=1e9, allow_unicode=True)


def _changed(message: Any) -> Any:
    if not hasattr(message, 'get_fields_and_field_types'):
        if isinstance(message, (list, tuple)):
            return [_changed(one) for one in message]
        return plain_data(message)
    found = {}
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        nested = hasattr(value, 'get_fields_and_field_types')
        if not nested or value != type(value)():
            found[name] = _changed(value)
    return found
