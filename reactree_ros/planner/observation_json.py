# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Observations as JSON values, for the file of a run; what is read is checked."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.plain_text import is_plain
from reactree_ros.core.wire import Values


def observation_to_json(observation: Observation) -> Values:
    """Return an observation as JSON values; ``observation_from_json`` reads them."""
    values = asdict(observation)
    for item in values['objects']:
        item['states'], item['affordances'] = sorted(item['states']), sorted(item['affordances'])
    return values


def observation_from_json(values: Values) -> Observation:
    """Return the observation of JSON values; other values among them are left out.

    Raises:
        KeyError, TypeError, ValueError: if it is incomplete, or has values of other types, or
            names that are not words in one line.
    """
    (text,) = texts([values['text']])
    room, place = names([values['room'], values['place']])
    rooms = tuple(filter(None, names(values['rooms'])))
    return Observation(text, room, place, rooms, tuple(map(_object, values['objects'])))


def _object(values: Values) -> ObservedObject:
    sets = {key: frozenset(names(values[key])) for key in ('states', 'affordances')}
    item = ObservedObject(**{**values, **sets})
    names([item.room, item.receptacle, item.relation])
    if not all(names([item.class_name])):
        raise ValueError('an object has no name')
    if not isinstance(item.instance, int):
        raise TypeError(f'the number of {item.class_name} is {item.instance!r}')
    return item


def texts(values: Any) -> tuple[str, ...]:
    """Return a list of texts as a tuple; TypeError if it is none."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(one, str) for one in values):
        raise TypeError(f'{values!r} is not a list of texts')
    return tuple(values)


def names(values: Any) -> tuple[str, ...]:
    """Return a list of names as a tuple; TypeError or ValueError if it is none."""
    found = texts(values)
    for name in found:
        if name != ' '.join(name.split()) or not is_plain(name):
            raise ValueError(f'{name!r} is not a name in one line')
    return found
