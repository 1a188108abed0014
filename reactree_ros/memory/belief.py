# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which objects an observation shows not to be where they were believed to be."""

from __future__ import annotations

from collections.abc import Mapping

from reactree_ros.core.observation import Observation, ObservedObject


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


def supports(
    item: ObservedObject, objects: Mapping[str, ObservedObject]
) -> tuple[ObservedObject, ...]:
    """Return what an object lies on or in, what that lies on or in, and so on, as far as known."""
    found: list[ObservedObject] = []
    passed = {item.name}
    while (support := objects.get(item.receptacle)) and support.name not in passed:
        found.append(support)
        passed.add(support.name)
        item = support
    return tuple(found)


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
