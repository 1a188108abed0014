# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is looked at before a message may be sent: its numbers, its positions, its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from reactree_ros.errors import SkillError
from reactree_ros.ros.skills.messages import lacks_number, read, short_name
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.keep_out import KeepOut, in_area
from reactree_ros.skills.limits import ANY, Range
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.references import Path

ToFrame = Callable[[Pose, str], Pose]
"""Gives a pose in a frame; it raises SkillError if that is not possible."""

_POSITIONS = {
    'geometry_msgs/Pose': 'position',
    'geometry_msgs/Transform': 'translation',
    'geometry_msgs/Point': '',
    'geometry_msgs/Point32': '',
    'geometry_msgs/Pose2D': '',
}
"""Types that say where something is, and the field of each that has x and y."""


def check_limits(message: Any, limits: Mapping[Path, Range]) -> None:
    """Check the numbers of a message against allowed ranges.

    Raises:
        SkillError: if one is out of its range, is not a number, or is not there.
    """
    for path, allowed in limits.items():
        for place, value in _values(message, path, ''):
            if not allowed.has(value):
                raise SkillError(f'{place} is {value}, and {allowed} is allowed')


def limit_faults(message_type: Any, limits: Mapping[Path, Range]) -> list[str]:
    """Return which limits are for fields that messages of a type do not have as numbers."""
    faults = {
        path: lacks_number(message_type, tuple('0' if word == ANY else word for word in path))
        for path in limits
    }
    return [f'limits.{".".join(path)}: {fault}' for path, fault in faults.items() if fault]


def check_positions(
    message: Any, values: Any, keep_out: KeepOut, frame: str, to_frame: ToFrame
) -> None:
    """Check the positions that a message was given against forbidden areas.

    Fields that are not named in ``values``, which it was filled from, are not looked at; ``frame``
    is that of positions without a header.

    Raises:
        SkillError: if a position is forbidden, or it is not known whether it is.
    """
    for place, pose in positions(message, values, frame):
        for area in keep_out.areas:
            x, y, _ = to_frame(pose, area.frame).position
            if area.has(x, y):
                raise SkillError(
                    f'{place or "the pose"} lies in an area that the robot must keep out of '
                    f'({x:.2f}, {y:.2f} in {area.frame})'
                )


def check_arguments(surroundings: Surroundings, keep_out: KeepOut, to_frame: ToFrame) -> None:
    """Check the poses of a skill's arguments against forbidden areas of other frames.

    The message need not have a position: a server that is sent a name knows where that is. Areas
    in the frame of a pose are looked at before, without TF.

    Raises:
        SkillError: if one is forbidden, or it is not known whether it is.
    """
    for name in surroundings.arguments.values():
        found = keep_out.elsewhere(name, surroundings.situation, surroundings.poses)
        for where, pose, area in found:
            try:
                x, y, _ = to_frame(pose, area.frame).position
            except SkillError as error:
                raise SkillError(
                    f'it is not known whether {where} lies in an area that the robot must keep '
                    f'out of: {error}'
                ) from error
            if area.has(x, y):
                raise SkillError(f'{in_area(name, where)} ({x:.2f}, {y:.2f} in {area.frame})')


def positions(message: Any, values: Any, frame: str, place: str = '') -> Iterator[tuple[str, Pose]]:
    """Yield the positions in a message that it was given, each with its place and its frame.

    A position has the frame of the nearest header above it, else the one that is given.

    Args:
        message: the filled message, or an array of messages.
        values: what it was filled from; a pose fills all of it.
        frame: of positions without a header.
        place: of the message in what is sent.
    """
    if isinstance(values, list):
        for number, (one, value) in enumerate(zip(message, values, strict=False)):
            yield from positions(one, value, frame, f'{place}[{number}]')
        return
    if not isinstance(values, (Mapping, Pose)) or not hasattr(message, 'SLOT_TYPES'):
        return
    header = getattr(message, 'header', None)
    frame = getattr(header, 'frame_id', '').lstrip('/') or frame
    field = _POSITIONS.get(short_name(message))
    if isinstance(values, Pose) and short_name(message) == 'geometry_msgs/Vector3':
        field = ''
    if field is not None:
        at = getattr(message, field) if field else message
        yield place, Pose(frame, (at.x, at.y, getattr(at, 'z', 0.0)))
        return
    for name, below in _given(message, values).items():
        yield from positions(getattr(message, name), below, frame, f'{place}.{name}'.lstrip('.'))


def _given(message: Any, values: Mapping[str, Any] | Pose) -> dict[str, Any]:
    """Return what the fields of a message were filled from, for those that count as filled."""
    fields = message.get_fields_and_field_types()
    if isinstance(values, Pose):
        return dict.fromkeys(fields, values)
    # who fills in nothing but the header sends the origin of its frame
    stamped = 'header' in values and short_name(message).startswith('geometry_msgs/')
    return {**(dict.fromkeys(fields, {}) if stamped else {}), **values}


def _values(value: Any, path: Sequence[str], place: str) -> Iterator[tuple[str, Any]]:
    """Yield the numbers that a path leads to; one to an array leads to all its elements."""
    if path and path[0] != ANY:
        below = f'{place}.{path[0]}'.lstrip('.')
        try:
            found = read(value, (path[0],))
        except SkillError as error:
            raise SkillError(f'cannot check the limits of {below}: {error}') from error
        yield from _values(found, path[1:], below)
    elif path or (hasattr(value, '__len__') and not isinstance(value, (str, bytes))):
        for number, one in enumerate(value):
            yield from _values(one, path[1:], f'{place}.{number}')
    else:
        yield place, value
