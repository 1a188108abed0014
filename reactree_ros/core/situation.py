# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot knows of its surroundings: the latest observation and all that was seen before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from reactree_ros.core.observation import Observation, ObservedObject


@dataclass(frozen=True)
class Situation:
    """A reading of working memory.

    Args:
        room: room that the robot is in.
        place: what it stands at; empty in the middle of a room.
        objects: everything seen so far, by name, each as it was last seen.
        looked_into: names of the places that the robot has stood at and could look into.
        movable: classes of movable objects that perception can name at all; empty if unknown.
        places: classes of places that perception can name at all; empty if unknown.
        rooms: names of all rooms that are known, in the order in which they are offered.
        claimed: names of what the running skills of other robots are about.
    """

    room: str = ''
    place: str = ''
    objects: Mapping[str, ObservedObject] = field(default_factory=dict)
    looked_into: frozenset[str] = frozenset()
    movable: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    rooms: tuple[str, ...] = field(default=(), compare=False)
    claimed: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def held(self) -> tuple[ObservedObject, ...]:
        """What the robot holds."""
        return tuple(item for item in self.objects.values() if item.held)

    def as_observation(self) -> Observation:
        """Return all that is known in the form of an observation without a text."""
        return Observation('', self.room, self.place, self.rooms, tuple(self.objects.values()))

    def bearers(self, item: ObservedObject) -> tuple[ObservedObject, ...]:
        """Return what an object lies on or in: a place, or a vessel and then what bears that."""
        found: list[ObservedObject] = []
        for name in receptacles(item.receptacle, self.objects):
            if name not in self.objects:
                break
            found.append(self.objects[name])
            if 'grabbable' not in found[-1].affordances:
                break  # what stands in an oven on a counter is not on the counter
        return tuple(found)


def receptacles(name: str, objects: Mapping[str, ObservedObject]) -> Iterator[str]:
    """Return a name, then what that lies on or in, then what that lies on or in, and so on.

    Args:
        name: of an object, known or not; nothing follows one that is empty.
        objects: what is known, by name.
    """
    seen: set[str] = set()
    while name and name not in seen:
        yield name
        seen.add(name)
        name = objects[name].receptacle if name in objects else ''


def supports(
    item: ObservedObject, objects: Mapping[str, ObservedObject]
) -> tuple[ObservedObject, ...]:
    """Return what an object lies on or in, what that lies on or in, and so on, as far as known.

    Args:
        item: one of the objects.
        objects: what is known, by name.
    """
    names = islice(receptacles(item.name, objects), 1, None)
    return tuple(objects[name] for name in names if name in objects)


def furnished(situation: Situation) -> dict[str, None]:
    """Return the rooms of which furniture was seen: the robot has been in them, or looked in."""
    items = situation.objects.values()
    return dict.fromkeys(item.room for item in items if 'furniture' in item.affordances)


def unsearched(room: str, situation: Situation) -> tuple[str, ...]:
    """Return the places of a room that may hold something and were not looked into.

    One that another robot goes to is left to that robot.
    """
    done = situation.looked_into | situation.claimed
    return tuple(
        name
        for name, item in situation.objects.items()
        if item.room == room
        and 'furniture' in item.affordances
        and item.affordances & {'surfaces', 'containers'}
        and name not in done
    )
