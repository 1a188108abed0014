# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the declared surroundings and the poses of a skill library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from reactree_ros.core.names import parse_name, plain_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.plain_text import is_plain
from reactree_ros.skills.declared_world import Declared
from reactree_ros.skills.document import as_float
from reactree_ros.skills.pose import Pose, from_angles

_PLACE, _THING = ('surfaces',), ('grabbable',)
_ANGLES = ('roll', 'pitch', 'yaw')


class WorldReader:
    """Makes them of a document whose form is right.

    Args:
        content: the document.
        faults: what is wrong is added here.
    """

    def __init__(self, content: Mapping[str, Any], faults: list[str]) -> None:
        self._content = content
        self._faults = faults
        self._frame: str = content.get('frame', 'map')
        world = content.get('world', {})
        self._rooms = _named(world.get('rooms', []))
        self._places = _named(world.get('places', {}))
        self._things = _named(world.get('things', {}), others=self._places)
        every = {'rooms': self._rooms, 'places': self._places, 'things': self._things}
        taken: dict[str, str] = {}
        for kind, names in every.items():
            for key, name in names.items():
                if not key.strip() or not is_plain(name):
                    faults.append(
                        f'world.{kind}: {key!r} is not a name, or has a control character in it'
                    )
                elif name in taken:
                    faults.append(f'world.{kind}: {key!r} is {name}, which {taken[name]} has')
                taken.setdefault(name, f'world.{kind}')

    def declared(self) -> Declared | None:
        """Return the surroundings; None if the library declares none."""
        world = self._content.get('world')
        if world is None:
            return None
        objects = [
            self._object(key, entry, place)
            for place, entries in (
                (True, world.get('places', {})),
                (False, world.get('things', {})),
            )
            for key, entry in entries.items()
        ]
        start = world.get('start', '')
        return Declared(
            tuple(self._rooms.values()),
            tuple(objects),
            self._known(start, {**self._rooms, **self._places}, 'world.start') if start else '',
        )

    def poses(self) -> dict[str, Pose]:
        """Return all poses by name or class."""
        world = self._content.get('world', {})
        poses = {
            self._any_name(key): self._pose(entry, f'poses.{key}')
            for key, entry in self._content.get('poses', {}).items()
        }
        for kind, names in (('places', self._places), ('things', self._things)):
            for key, entry in world.get(kind, {}).items():
                if entry and 'pose' in entry:
                    poses[names[key]] = self._pose(entry['pose'], f'world.{kind}.{key}.pose')
        return poses

    def _object(self, key: str, entry: Mapping[str, Any] | None, is_place: bool) -> ObservedObject:
        entry = entry or {}
        where = f'world.{"places" if is_place else "things"}.{key}'
        names = self._places if is_place else self._things
        class_name, number = parse_name(names[key]) or (names[key], 1)
        given = entry.get('is', _PLACE if is_place else _THING)
        if 'on_top_of' in entry and 'inside' in entry:
            self._faults.append(f'{where}: it is either on something or in something')
        bearer = entry.get('on_top_of', entry.get('inside', ''))
        if bearer:
            bearer = self._known(bearer, {**self._places, **self._things}, where)
        room = entry.get('room', '')
        if room:
            room = self._known(room, self._rooms, f'{where}.room')
        elif bearer:
            room = self._room_of(bearer)
        return ObservedObject(
            class_name,
            number,
            room=room,
            receptacle=bearer,
            relation=('on' if 'on_top_of' in entry else 'inside') if bearer else '',
            states=frozenset(entry.get('states', [])),
            affordances=frozenset([*given, 'furniture'] if is_place else given),
        )

    def _room_of(self, name: str) -> str:
        """Return the room of a place; things on things are found by what is below them."""
        for key, full in self._places.items():
            if full == name:
                room = (self._content['world']['places'][key] or {}).get('room', '')
                return _found(room, self._rooms)
        return ''

    def _known(self, name: str, names: Mapping[str, str], where: str) -> str:
        found = _found(name, names)
        if not found:
            self._faults.append(f'{where}: {name!r} is not in world')
        return found

    def _any_name(self, key: str) -> str:
        return {**self._rooms, **self._places, **self._things}.get(key, plain_name(key))

    def _pose(self, entry: Mapping[str, Any], where: str) -> Pose:
        frame = entry.get('frame', self._frame).lstrip('/')
        x, y, z = (as_float(entry.get(axis, 0.0)) for axis in 'xyz')
        angles = {name: as_float(entry[name]) for name in _ANGLES if name in entry}
        given = entry.get('quaternion')
        given = None if given is None else tuple(map(as_float, given))
        numbers = [x, y, z, *angles.values(), *(given or [])]
        if not all(math.isfinite(one) for one in numbers):
            self._faults.append(f'{where}: not every number is finite')
            return Pose(frame)
        if given is None:
            return from_angles(frame, (x, y, z), **angles)
        if angles:
            self._faults.append(f'{where}: give angles or a quaternion, not both')
        norm = math.hypot(*given)
        if abs(norm - 1.0) > 1e-3:
            self._faults.append(f'{where}.quaternion: its length is {norm:.3f}, not 1')
        return Pose(frame, (x, y, z), given)


def _named(keys: Mapping[str, Any] | list[str], others: Mapping[str, str] = {}) -> dict[str, str]:  # noqa: B006
    """Return full names by key: what has no number gets the first that is free."""
    taken = {*others.values(), *(plain_name(key) for key in keys if parse_name(key))}
    numbers: Counter[str] = Counter()
    names = {}
    for key in keys:
        name = plain_name(key)
        # what is empty never becomes a name
        while key.strip() and (
            parse_name(name) is None or (name in taken and parse_name(key) is None)
        ):
            numbers[key] += 1
            name = f'{plain_name(key)} {numbers[key]}'
        names[key] = name
        taken.add(name)
    return names


def _found(name: str, names: Mapping[str, str]) -> str:
    """Return the full name of a key, or of a full name in any form; empty if there is none."""
    full = plain_name(name)
    return names.get(name) or (full if full in names.values() else '')
