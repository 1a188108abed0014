# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of any type, filled from plain values and read field by field.

Values are checked against the types of the fields: rclpy's own checks are off by default, and a
wrong value would end the process when it is sent.
"""

from __future__ import annotations

import array
import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.skills.call import Kind
from reactree_ros.skills.pose import Pose

InFrame = Callable[[Pose], Pose]
"""Gives a pose in the frame that poses without a header are given in.

It raises SkillError if that is not possible.
"""

_INTEGERS = {
    **{f'int{bits}': (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f'uint{bits}': (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    'octet': (0, 255),
    'char': (0, 255),
    'byte': (0, 255),
}
_FLOATS = ('float', 'double')


def interface(name: str) -> Any:
    """Import an interface type, e.g. ``nav2_msgs/action/NavigateToPose``.

    Raises:
        ConfigurationError: if it is not installed.
    """
    package, kind, type_name = name.split('/')
    try:
        module = importlib.import_module(f'{package}.{kind}')
    except ImportError as error:
        fault = f'{package}/{kind} cannot be imported: {error}'
        if error.name == package:
            apt = package.replace('_', '-')
            fault = f'the package {package} is not installed (apt install ros-$ROS_DISTRO-{apt})'
        raise ConfigurationError(fault) from error
    found = getattr(module, type_name, None)
    if found is None:
        known = ', '.join(one for one in dir(module) if one[0].isupper() and '_' not in one)
        raise ConfigurationError(f'{package} has no {kind} {type_name} (it has {known})')
    return found


def sent_type(kind: Kind, found: Any) -> Any:
    """Return the type of the message that is sent: of a goal, of a request, or on a topic.

    Args:
        kind: what it is sent to.
        found: the interface type.
    """
    if kind is Kind.TOPIC:
        return found
    return found.Goal if kind is Kind.ACTION else found.Request


def plain_data(value: Any) -> Any:
    """Return a message, or a value of a field, as plain data: mappings, lists and numbers."""
    if hasattr(value, 'get_fields_and_field_types'):
        names = value.get_fields_and_field_types()
        return {name: plain_data(getattr(value, name)) for name in names}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple, array.array)):
        return [plain_data(one) for one in value]
    return int.from_bytes(value) if isinstance(value, bytes) else value


def fill(message: Any, values: Any, in_frame: InFrame, where: str = '') -> None:
    """Set fields of a message.

    Args:
        message: of any type.
        values: a mapping by field; within it mappings for nested messages, lists for arrays, and
            a number of seconds for a duration or a time. A ``Pose`` fills every type of
            geometry_msgs that holds one.
        in_frame: for poses in types without a header.
        where: place of the values, for the error.

    Raises:
        SkillError: if there is no such field, or it cannot have this value.
    """
    place, kind = where or 'message', short_name(message)
    if isinstance(values, Pose):
        _set_pose(message, values, in_frame, place)
    elif isinstance(values, Mapping):
        types = _types(message)
        for name, value in values.items():
            place = f'{where}.{name}'.lstrip('.')
            if name not in types:
                raise SkillError(f'{place}: {kind} has no such field (it has {", ".join(types)})')
            setattr(message, name, _converted(types[name], value, in_frame, place))
    elif kind in ('builtin_interfaces/Duration', 'builtin_interfaces/Time'):
        seconds = _basic('double', values, place)
        if not math.isfinite(seconds):
            raise SkillError(f'{place}: a finite number of seconds is expected')
        sec, message.nanosec = divmod(round(seconds * 1e9), 10**9)
        message.sec = _basic('int32', sec, place)
    else:
        raise SkillError(f'{place}: a mapping is expected, not {_shown(values)}')


def read(message: Any, path: tuple[str, ...]) -> Any:
    """Return a field of a message; numbers in the path choose among the elements of an array.

    Raises:
        SkillError: if there is none.
    """
    value = message
    for depth, word in enumerate(path):
        place = '.'.join(path[: depth + 1])
        if hasattr(value, 'get_fields_and_field_types'):
            if word not in value.get_fields_and_field_types():
                fields = ', '.join(value.get_fields_and_field_types())
                raise SkillError(f'{place}: no such field (fields: {fields or "none"})')
            value = getattr(value, word)
        elif word.isdigit() and hasattr(value, '__getitem__') and not isinstance(value, str):
            if int(word) >= len(value):
                raise SkillError(f'{place}: it has only {len(value)} elements')
            value = value[int(word)]
        else:
            raise SkillError(f'{place}: {".".join(path[:depth])} has no fields')
    return value


def lacks(message_type: Any, path: tuple[str, ...]) -> str:
    """Return why messages of a type have no such field; empty if they may have it.

    An array may be empty, so what is below its elements is looked up in their type.
    """
    found = _kind_at(message_type, path)
    return found if isinstance(found, str) else ''


def lacks_number(message_type: Any, path: tuple[str, ...]) -> str:
    """Return why messages of a type have no number there, or array of numbers; else nothing."""
    found = _kind_at(message_type, path)
    if isinstance(found, str):
        return found
    if isinstance(found, AbstractNestedType):
        found = found.value_type
    if isinstance(found, BasicType) and found.typename in {*_FLOATS, *_INTEGERS} - {'octet'}:
        return ''
    return f'{path[-1]} is not a number'


def _kind_at(message_type: Any, path: tuple[str, ...]) -> Any:
    """Return the type of a field, or as a text why there is none."""
    types = _types(message_type())
    word, *rest = path
    if word not in types:
        return f'no field {word} (fields: {", ".join(types) or "none"})'
    kind = types[word]
    if isinstance(kind, AbstractNestedType) and rest:
        if not rest[0].isdigit():
            return f'{word} is an array: after it comes an index, not {rest[0]}'
        kind, rest = kind.value_type, rest[1:]
    if not rest:
        return kind
    if not isinstance(kind, NamespacedType):
        return f'{word} has no fields'
    return _kind_at(_of(kind), tuple(rest))


def short_name(message: Any) -> str:
    """Return the type of a message without its kind, such as ``geometry_msgs/Pose``."""
    return f'{type(message).__module__.split(".")[0]}/{type(message).__name__}'


def _types(message: Any) -> dict[str, Any]:
    return dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=False))


def _of(kind: NamespacedType) -> Any:
    return getattr(importlib.import_module('.'.join(kind.namespaces)), kind.name)


def _converted(kind: Any, value: Any, in_frame: InFrame, place: str) -> Any:
    if isinstance(kind, AbstractNestedType):
        return _elements(kind, value, in_frame, place)
    if isinstance(kind, NamespacedType):
        message = _of(kind)()
        fill(message, value, in_frame, place)
        return message
    if isinstance(kind, (AbstractString, AbstractWString)):
        if not isinstance(value, str):
            raise SkillError(f'{place}: a text is expected, not {_shown(value)}')
        return value
    assert isinstance(kind, BasicType)
    return _basic(kind.typename, value, place)


def _basic(kind: str, value: Any, place: str) -> Any:
    if kind == 'boolean':
        if not isinstance(value, bool):
            raise SkillError(f'{place}: true or false is expected, not {_shown(value)}')
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SkillError(f'{place}: a number is expected, not {_shown(value)}')
    if kind in _FLOATS:
        return float(value)
    low, high = _INTEGERS[kind]
    if not math.isfinite(value) or value != int(value) or not low <= value <= high:
        raise SkillError(
            f'{place}: a whole number from {low} to {high} is expected, not {_shown(value)}'
        )
    return bytes([int(value)]) if kind in ('octet', 'byte') else int(value)


def _elements(kind: Any, value: Any, in_frame: InFrame, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise SkillError(f'{place}: a list is expected, not {_shown(value)}')
    if isinstance(kind, Array) and len(value) != kind.size:
        raise SkillError(f'{place}: it has {kind.size} elements, not {len(value)}')
    if isinstance(kind, BoundedSequence) and len(value) > kind.maximum_size:
        raise SkillError(f'{place}: it has at most {kind.maximum_size} elements, not {len(value)}')
    return [
        _converted(kind.value_type, one, in_frame, f'{place}[{number}]')
        for number, one in enumerate(value)
    ]


def _set_pose(message: Any, pose: Pose, in_frame: InFrame, place: str) -> None:
    """Fill any type of geometry_msgs that says where something is."""
    name = short_name(message)
    types = _types(message)
    if 'header' in types:
        message.header.frame_id = pose.frame
        nested = [
            field
            for field, kind in types.items()
            if field != 'header' and isinstance(kind, NamespacedType)
        ]
        if name.startswith('geometry_msgs/') and len(nested) == 1:
            _set_pose(getattr(message, nested[0]), pose, lambda one: one, place)
            return
    pose = in_frame(pose)
    position = dict(zip('xyz', pose.position, strict=True))
    orientation = dict(zip('xyzw', pose.orientation, strict=True))
    whole = {'position': position, 'orientation': orientation}
    values: dict[str, dict[str, Any]] = {
        'geometry_msgs/Pose': whole,
        'geometry_msgs/PoseWithCovariance': {'pose': whole},
        'geometry_msgs/Transform': {'translation': position, 'rotation': orientation},
        'geometry_msgs/Point': position,
        'geometry_msgs/Vector3': position,
        'geometry_msgs/Quaternion': orientation,
        'geometry_msgs/Pose2D': {'x': pose.position[0], 'y': pose.position[1], 'theta': pose.yaw},
    }
    if name not in values:
        raise SkillError(f'{place}: a pose does not go into {name}')
    fill(message, values[name], in_frame, place)


def _shown(value: Any) -> str:
    return 'a pose' if isinstance(value, Pose) else repr(value)
