# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory: what was seen where, on the py_trees blackboard (paper, section 4.2).

It is written by observations only, never by the model. Keys, all below one namespace and readable
in py-trees-blackboard-watcher:

==============  =================================================================================
``locations``   class of movable object -> instance -> where it was last seen, in words
``held``        names of what the robot holds
``looked_into`` names of the places that the robot has stood at and could look into
``room``        where the robot is
``place``       what it stands at
==============  =================================================================================
"""

from __future__ import annotations

from dataclasses import replace

import py_trees

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation

NAMESPACE = 'working_memory'
_KEYS = ('locations', 'held', 'looked_into', 'room', 'place')


class WorkingMemory:
    """The working memory of one run, shared by all of its agent nodes.

    Args:
        movable: classes of movable objects that perception can name.
        places: classes of places that perception can name.
        namespace: where on the blackboard it lies; the keys there are reset.
    """

    def __init__(
        self,
        movable: frozenset[str] = frozenset(),
        places: frozenset[str] = frozenset(),
        namespace: str = NAMESPACE,
    ) -> None:
        self._classes = (movable, places)
        self._board = py_trees.blackboard.Client(name=namespace, namespace=namespace)
        for key in _KEYS:
            self._board.register_key(key, access=py_trees.common.Access.WRITE)
        self._objects: dict[str, ObservedObject] = {}
        self._looked_into: dict[str, None] = {}
        self.rooms: tuple[str, ...] = ()
        self._room = ''
        self._place = ''
        self._publish()

    def update(self, observation: Observation) -> None:
        """Take in an observation; one without structure changes nothing."""
        if not observation.rooms and not observation.objects:
            return
        self.rooms = observation.rooms or self.rooms
        self._room, self._place = observation.room, observation.place
        seen = {item.name: item for item in observation.objects}
        for name, item in list(self._objects.items()):
            if name in seen:
                continue
            if self._should_be_visible(item, seen):
                del self._objects[name]
            elif item.near or item.held:
                self._objects[name] = replace(item, near=False, held=False)
        self._objects.update(seen)
        place = seen.get(self._place)
        if place is not None and not self._closed(place):
            self._looked_into[place.name] = None
        self._publish()

    def situation(self) -> Situation:
        """Return what is known now."""
        return Situation(
            room=self._room,
            place=self._place,
            objects=dict(self._objects),
            looked_into=frozenset(self._looked_into),
            movable=self._classes[0],
            places=self._classes[1],
        )

    def recall(self, class_name: str) -> str:
        """Answer "recall location of …": every place where one was last seen, or that none was."""
        wanted = class_name.lower().strip()
        found = [
            item
            for item in self._objects.values()
            if wanted in (item.class_name, f'{item.class_name}s', f'{item.class_name}es')
        ]
        if not found:
            return f'{wanted}: not seen so far.'
        return f'{wanted}: ' + '; '.join(f'{item.name} {self._where(item)}' for item in found) + '.'

    def close(self) -> None:
        """Take the memory off the blackboard."""
        self._board.unregister()

    def _should_be_visible(self, item: ObservedObject, seen: dict[str, ObservedObject]) -> bool:
        """Whether an object that is no longer seen would be, if it still were where it was."""
        if item.held:
            return True
        support = seen.get(item.receptacle)
        return (
            support is not None
            and self._place in (support.name, item.name)
            and not (item.relation == 'inside' and self._closed(support))
        )

    @staticmethod
    def _closed(item: ObservedObject) -> bool:
        return 'closed' in item.states

    @staticmethod
    def _movable(item: ObservedObject) -> bool:
        return 'grabbable' in item.affordances or item.held

    @staticmethod
    def _where(item: ObservedObject) -> str:
        if item.held:
            return 'in your hand'
        if item.receptacle:
            return f'{item.relation or "near"} {item.receptacle} in {item.room}'
        return f'in {item.room}'

    def _publish(self) -> None:
        locations: dict[str, dict[str, str]] = {}
        for item in self._objects.values():
            if self._movable(item):
                locations.setdefault(item.class_name, {})[item.name] = self._where(item)
        self._board.locations = locations
        self._board.held = [item.name for item in self._objects.values() if item.held]
        self._board.looked_into = list(self._looked_into)
        self._board.room = self._room
        self._board.place = self._place
