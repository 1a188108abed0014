# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where things are believed to be: what an observation shows, and what a person corrects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import supports

NOWHERE, IN_ROOM, ON, INSIDE = RELATIONS = ('nowhere', 'in_room', 'on', 'inside')
"""How a person says where a thing is."""


@dataclass(frozen=True)
class Correction:
    """Where a thing is, as a person says.

    Args:
        name: of the thing.
        relation: one of ``RELATIONS``.
        place: the receptacle or the room; empty for nowhere.

    >>> str(Correction('apple 1', 'inside', 'fridge 1'))
    'apple 1 inside fridge 1'
    >>> Correction.from_line(Correction('apple 1', 'nowhere', '').line).relation
    'nowhere'
    """

    name: str
    relation: str
    place: str

    def __str__(self) -> str:
        """Return it in words."""
        if self.relation == NOWHERE:
            return f'{self.name} is not known to be anywhere'
        return f'{self.name} {self.relation.removesuffix("_room")} {self.place}'

    @property
    def line(self) -> str:
        """It as a line of JSON."""
        return json.dumps(astuple(self))

    @classmethod
    def from_line(cls, line: str) -> Correction:
        """Return the correction of a line.

        Raises:
            ValueError: if the line is not a correction.
        """
        name, relation, place = json.loads(line)
        if relation not in RELATIONS or not isinstance(name, str) or not isinstance(place, str):
            raise ValueError(f'not a correction: {line!r}')
        return cls(name, relation, place)


def not_there(objects: Mapping[str, ObservedObject], observation: Observation) -> frozenset[str]:
    """Return the names of what is not where it was seen, as an observation shows.

    An object that is not seen is not where it was if it would be in view there: in the hand, in
    or on something within reach that is not closed, or among the furniture of the robot's room.
    What was in or on such an object is not there either.

    Args:
        objects: everything that is believed, by name, each as it was seen last.
        observation: what is seen now.
    """
    seen = {item.name: item for item in observation.objects}
    latest = {**objects, **seen}
    unseen = {name: item for name, item in objects.items() if name not in seen}
    gone = {
        name
        for name, item in unseen.items()
        if item.held or item.name == observation.place or _in_view(item, observation, seen, latest)
    }
    new = gone
    while new:
        new = {name for name, item in unseen.items() if item.receptacle in new} - gone
        gone |= new
    return frozenset(gone)


def is_closed(item: ObservedObject) -> bool:
    """Return whether an object is a closed container, as far as known."""
    return 'closed' in item.states


def _in_view(
    item: ObservedObject,
    observation: Observation,
    seen: Mapping[str, ObservedObject],
    latest: Mapping[str, ObservedObject],
) -> bool:
    """Whether the place where an object was seen last is in view now, and open."""
    lower = item
    for upper in supports(item, latest):
        if lower.relation == 'inside' and is_closed(upper):
            return False
        lower = upper
    support = seen.get(item.receptacle)
    if support is not None and (support.near or support.held or support.name == observation.place):
        return True
    # All furniture of a room is seen from anywhere in it.
    in_this_room = bool(observation.room) and item.room == observation.room
    return in_this_room and 'furniture' in item.affordances
