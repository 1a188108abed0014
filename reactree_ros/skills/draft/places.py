# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Places of a robot as a person gives them: typed in, or in a file."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_ros.core.plain_text import is_plain
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills import document
from reactree_ros.skills.draft.words import scalar

HERE = 'here'
_KEYS = ('x', 'y', 'yaw')


@dataclass(frozen=True)
class Place:
    """A place that the robot can go to.

    Args:
        name: as the model reads it.
        x: metres in the library's frame.
        y: likewise.
        yaw: degrees.
        frame: TF frame that is the place, in place of the numbers; empty for none.
        note: where the numbers are from; empty if a person gave them.
    """

    name: str
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    frame: str = ''
    note: str = ''

    @property
    def pose(self) -> str:
        """Its pose as YAML."""
        if self.frame:
            return f'{{frame: {scalar(self.frame)}}}'
        yaw = f', yaw: {_number(self.yaw)}' if self.yaw else ''
        return f'{{x: {_number(self.x)}, y: {_number(self.y)}{yaw}}}'


def _number(value: float) -> str:
    """Return a number as YAML, without an exponent, to a millionth.

    >>> _number(412345.67), _number(1e6), _number(-1e-7)
    ('412345.67', '1000000', '0')
    """
    return f'{round(value, 6) + 0.0:.6f}'.rstrip('0').rstrip('.')


def read_place(line: str, frames: Collection[str] = (), here: Place | None = None) -> Place:
    """Read a place from a line: ``dock 0 0 90``, ``shelf shelf_link`` or ``charger here``.

    Args:
        line: the name, then x and y in metres and perhaps yaw in degrees, or a TF frame. A colon
            may end the name: ``dock 2: 4 0``.
        frames: TF frames that are known.
        here: where the robot is; None if that is not known.

    Raises:
        ConfigurationError: if it is none; the message says what is expected.
    """
    named, _, rest = line.rpartition(': ')
    words = [*([named] if named else []), *rest.split()]
    numbers: list[float] = []
    while len(words) > 1 and len(numbers) < len(_KEYS):
        try:
            number = float(words[-1])
        except ValueError:
            break
        numbers.insert(0, number)
        words.pop()
    if len(numbers) > 1 and all(map(math.isfinite, numbers)):
        return _at(' '.join(words), *numbers)
    if not numbers and len(words) > 1:
        name, last = read_name(' '.join(words[:-1])), words[-1]
        if last == HERE:
            if here is None:
                raise ConfigurationError(
                    'no transform from map to base_link: is localisation running?'
                )
            return Place(name, here.x, here.y, here.yaw, note='where the robot was')
        if last in frames:
            return Place(name, frame=last)
    raise ConfigurationError(
        f'{line!r} is not a name with x and y in metres and perhaps yaw in degrees (dock 0 0 90), '
        'nor a name with a TF frame that is there'
    )


def read_places(path: Path) -> list[Place]:
    """Read places from a YAML file: ``dock: {x: 0, y: 0, yaw: 90}`` or ``dock: [0, 0, 90]``.

    Raises:
        ConfigurationError: if the file cannot be read or is wrong.
    """
    try:
        content = document.load(path.read_text(encoding='utf-8'), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'cannot read the places in {path}: {error}') from error
    if isinstance(content, dict) and isinstance(content.get('places'), dict):
        content = content['places']
    if not isinstance(content, dict) or not content:
        raise ConfigurationError(
            f'{path} has no places: lines such as "dock: {{x: 0, y: 0, yaw: 90}}" are expected'
        )
    return [_place(name, entry, path) for name, entry in content.items()]


def _place(name: str, entry: Any, path: Path) -> Place:
    if isinstance(entry, list) and 2 <= len(entry) <= 3:
        entry = dict(zip(_KEYS, entry, strict=False))
    elif isinstance(entry, dict) and 'pose' in entry:
        entry = entry['pose']
    if isinstance(entry, dict) and entry.keys() == {'frame'} and isinstance(entry['frame'], str):
        return Place(read_name(name), frame=entry['frame'])
    right = (
        isinstance(entry, dict)
        and {'x', 'y'} <= entry.keys() <= {*_KEYS}
        and all(
            isinstance(one, (int, float)) and math.isfinite(document.as_float(one))
            for one in entry.values()
        )
    )
    if not right:
        raise ConfigurationError(
            f'{path}: {name}: x and y in metres and perhaps yaw in degrees are expected, '
            f'such as {{x: 0, y: 0, yaw: 90}}, not {entry!r}'
        )
    return _at(name, *(float(entry.get(key, 0.0)) for key in _KEYS))


def _at(name: str, x: float, y: float, yaw: float = 0.0) -> Place:
    return Place(read_name(name), x, y, yaw)


def read_name(text: str) -> str:
    """Read a name as the model will read it.

    Raises:
        ConfigurationError: if it is none.
    """
    name = ' '.join(text.split())
    if not name or not is_plain(text):
        raise ConfigurationError(f'{text!r} is not a name')
    return name
