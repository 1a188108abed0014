# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory: what was seen where, on the py_trees blackboard (paper, section 4.2).

It is written by observations, and by a person who corrects them, never by the model. All keys lie
below one namespace, and py-trees-blackboard-watcher shows them:

===============  ================================================================================
one key a class  ``ClassSightings``: the objects of that class, each with its room, its
                 receptacle, its states and when it was seen last. The key is the class with
                 underscores (``kitchen_table``); it appears when one of them is first seen.
``room``         where the robot is
``place``        what it stands at; empty in the middle of a room
``held``         names of what it holds
``looked_into``  names of the places that a robot of the run has stood at and could look into
``rooms``        names of all rooms
``step``         number of the latest observation, its own or another robot's
===============  ================================================================================
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import py_trees

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation, supports
from reactree_ros.errors import WorldError
from reactree_ros.memory.belief import IN_ROOM, NOWHERE, Correction, is_closed, not_there
from reactree_ros.memory.sighting import ClassSightings, Sighting, key_for

NAMESPACE = 'working_memory'
WRITER, READERS = 'run', 'agent nodes'
"""Who writes and who reads, as the blackboard names its clients."""

_A_PERSON = 'a person'
_ROBOT = ('room', 'place', 'held', 'looked_into', 'rooms', 'step')


class WorkingMemory:
    """What one run has seen; the run writes, its agent nodes read by way of ``reader``.

    What an observation shows replaces what was believed of it. What it does not show is believed
    as before, unless it would be in view if it still were where it was: then it is nowhere any
    more, and with it what was in and on it. What lies unseen in a vessel comes along with it.
    Among robots that share what they see the latest observation counts, in the order in which they
    reach the planner: robots' clocks may differ.

    Args:
        movable: classes of movable objects that perception can name.
        places: classes of places that perception can name.
        namespace: where on the blackboard it lies.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        movable: frozenset[str] = frozenset(),
        places: frozenset[str] = frozenset(),
        namespace: str = NAMESPACE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._classes = (movable, places)
        self._clock = clock
        self._board = py_trees.blackboard.Client(name=WRITER, namespace=namespace)
        self._keys: dict[str, str] = {}
        self.reader = BlackboardReader(self, namespace, self._keys)
        for key in _ROBOT:
            self._register(key)
        self._sightings: dict[str, Sighting] = {}
        self._looked_into: dict[str, None] = {}
        self._claimed: dict[str, frozenset[str]] = {}
        self._rooms: tuple[str, ...] = ()
        self._room = ''
        self._place = ''
        self._situation: Situation | None = None
        self._step = 0
        self._time = clock()
        self._count = 0
        self._is_new_goal = False
        self._closed = False
        self._publish()

    def update(self, observation: Observation) -> None:
        """Update the memory with an observation; one without structure changes nothing."""
        if not observation.rooms and not observation.objects:
            return
        if self._is_new_goal and observation.rooms:
            self._is_new_goal = False
            if {*observation.rooms} != {*self._rooms}:
                self._clear()
        self._step += 1
        self._time = self._clock()
        self._rooms = observation.rooms or self._rooms
        self._room, self._place = observation.room, observation.place
        seen = {item.name: item for item in observation.objects}
        for name in not_there(self._objects(), observation):
            del self._sightings[name]
        for item in seen.values():
            self._see(item)
        objects = self._objects()
        for name in self._sightings.keys() - seen.keys():
            self._lose_sight(name, objects)
        self._look_into(seen.get(self._place))
        self._publish()

    def share(self, observation: Observation, by: str) -> None:
        """Update the memory with what another robot observes.

        Where this robot is, what it holds and what is within its reach stays its own.

        Args:
            observation: of the other robot.
            by: its name.
        """
        if not observation.rooms and not observation.objects:
            return
        self._step += 1
        self._time = self._clock()
        self._rooms = self._rooms or observation.rooms
        objects = self._objects()
        known = {name: one for name, one in objects.items() if not _is_carried(one, objects)}
        seen = {item.name: item for item in observation.objects}
        had = {name for name, one in self._sightings.items() if one.holder == by}
        for name in not_there(known, observation) | (had - seen.keys()):
            del self._sightings[name]
        for name, item in seen.items():
            if name in objects and name not in known:
                continue  # this robot has it
            if _is_carried(item, seen):
                away = replace(item, receptacle='', relation='', near=False, held=False)
                self._see(away, by, holder=by)
            else:
                last = known.get(name, item)
                still = (last.room, last.receptacle) == (item.room, item.receptacle)
                near = name in known and last.near and still
                self._see(replace(item, near=near), by)
        self._look_into(seen.get(observation.place))
        self._publish()

    def objection(self, said: Correction) -> str:
        """Return why a person's correction cannot be taken; empty if it can."""
        objects = self._objects()
        thing, place = objects.get(said.name), objects.get(said.place)
        if thing is None:
            return f'{said.name!r} is not known'
        if _is_carried(thing, objects):
            return f'the robot has {said.name}, and perceives that'
        if said.name == self._place:
            return f'the robot stands at {said.name}, and perceives where that is'
        if said.relation == NOWHERE:
            return ''
        if said.relation == IN_ROOM:
            return '' if said.place in self._rooms else f'there is no room {said.place!r}'
        if place is None:
            return f'{said.place!r} is not known'
        if thing in (place, *supports(place, objects)):
            return f'{said.name} cannot be in or on itself'
        return ''

    def correct(self, said: Correction) -> None:
        """Believe what a person says, until an observation shows otherwise.

        What is in or on a thing goes with it. That somebody has looked into a place does not count
        any more when something is said to be there.

        Raises:
            WorldError: if it cannot be taken.
        """
        why = self.objection(said)
        if why:
            raise WorldError(why)
        objects = self._objects()
        above = [
            name
            for name, item in objects.items()
            if said.name in (one.name for one in supports(item, objects))
        ]
        if said.relation == NOWHERE:
            for name in (said.name, *above):
                del self._sightings[name]
        else:
            if said.relation == IN_ROOM:
                room, relation, receptacle = said.place, '', ''
            else:
                room = objects[said.place].room
                relation, receptacle = said.relation, said.place
            moved = replace(
                objects[said.name], room=room, receptacle=receptacle, relation=relation, near=False
            )
            known = self._sightings[said.name]
            self._sightings[said.name] = Sighting(
                moved, self._step, self._clock(), known.number, _A_PERSON
            )
            objects = self._objects()
            for name in above:
                self._lose_sight(name, objects)
            self._looked_into.pop(said.place, None)
        self._publish()

    def note_claims(self, names: Iterable[str], by: str) -> None:
        """Note what the skill is about that another robot has begun; nothing when it has ended."""
        self._claimed[by] = frozenset(names)
        self._situation = None

    def situation(self) -> Situation:
        """Return what is known now."""
        if self._situation is None:
            self._situation = Situation(
                room=self._room,
                place=self._place,
                objects=self._objects(),
                looked_into=frozenset(self._looked_into),
                movable=self._classes[0],
                places=self._classes[1],
                rooms=self._rooms,
                claimed=frozenset().union(*self._claimed.values()),
            )
        return self._situation

    def situation_after(self, observation: Observation) -> Situation:
        """Return what would be known after an observation, which changes nothing."""
        now = self.situation()
        if not observation.rooms and not observation.objects:
            return now
        gone = not_there(now.objects, observation)
        objects = {name: item for name, item in now.objects.items() if name not in gone}
        seen = {item.name: item for item in observation.objects}
        objects |= seen
        lost = {
            name: _out_of_sight(objects[name], objects) for name in objects.keys() - seen.keys()
        }
        objects |= lost
        return replace(
            now,
            room=observation.room,
            place=observation.place,
            objects=objects,
            rooms=observation.rooms or now.rooms,
        )

    def begin_goal(self) -> None:
        """Keep what was seen for another goal in the same place.

        Where things were seen is kept. That a place had nothing new in it is not: until the next
        goal somebody may have put something there. If the first observation names other rooms
        than before, it is another place, and nothing is kept.
        """
        self._is_new_goal = True
        self._looked_into.clear()
        self._publish()

    def close(self) -> None:
        """Take the memory off the blackboard; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._board.unregister()
        self.reader.close()

    def _clear(self) -> None:
        for key in self._keys.values():
            self._board.unregister_key(key)
            self.reader.board.unregister_key(key)
        self._keys.clear()
        self._sightings.clear()
        self._looked_into.clear()

    def _objects(self) -> dict[str, ObservedObject]:
        return {name: one.object for name, one in self._sightings.items() if not one.holder}

    def _look_into(self, place: ObservedObject | None) -> None:
        if place is not None and not is_closed(place):
            self._looked_into[place.name] = None

    def _see(self, item: ObservedObject, by: str = '', holder: str = '') -> None:
        if item.class_name not in self._keys:
            key = key_for(item.class_name, {*_ROBOT, *self._keys.values()})
            self._keys[item.class_name] = key
            self._register(key)
        known = self._sightings.get(item.name)
        if known is None:
            self._count += 1
        number = known.number if known else self._count
        self._sightings[item.name] = Sighting(item, self._step, self._time, number, by, holder)

    def _lose_sight(self, name: str, objects: Mapping[str, ObservedObject]) -> None:
        known = self._sightings[name]
        self._sightings[name] = replace(known, object=_out_of_sight(known.object, objects))

    def _register(self, key: str) -> None:
        self._board.register_key(key, access=py_trees.common.Access.WRITE)
        self.reader.board.register_key(key, access=py_trees.common.Access.READ)

    def _publish(self) -> None:
        self._situation = None
        values: dict[str, object] = {
            'room': self._room,
            'place': self._place,
            'held': [name for name, one in self._sightings.items() if one.object.held],
            'looked_into': list(self._looked_into),
            'rooms': list(self._rooms),
            'step': self._step,
        }
        for key, value in values.items():
            self._board.set(key, value)
        by_class: dict[str, list[Sighting]] = {name: [] for name in self._keys}
        for one in self._sightings.values():
            by_class[one.object.class_name].append(one)
        for class_name, objects in by_class.items():
            value = ClassSightings(class_name, tuple(objects), self._step, self._time)
            self._board.set(self._keys[class_name], value)


def _out_of_sight(item: ObservedObject, objects: Mapping[str, ObservedObject]) -> ObservedObject:
    """Return an object out of reach, and in the room where its vessel was taken."""
    carriers = supports(item, objects)
    return replace(item, near=False, room=carriers[-1].room if carriers else item.room)


def _is_carried(item: ObservedObject, objects: Mapping[str, ObservedObject]) -> bool:
    """Whether an object is held, or what it is in or on."""
    return item.held or any(one.held for one in supports(item, objects))


class BlackboardReader:
    """Working memory for those that may read it and not write it: the agent nodes of its run.

    Args:
        memory: what is read.
        namespace: where on the blackboard it lies.
        keys: its keys by class; they grow.
    """

    def __init__(self, memory: WorkingMemory, namespace: str, keys: Mapping[str, str]) -> None:
        self._memory = memory
        self._keys = keys
        self.board = py_trees.blackboard.Client(name=READERS, namespace=namespace)
        """The client by which it reads; behaviours that read have it among their blackboards."""

    def situation(self) -> Situation:
        """Return what is known now."""
        return self._memory.situation()

    def situation_after(self, observation: Observation) -> Situation:
        """Return what would be known after an observation, which changes nothing."""
        return self._memory.situation_after(observation)

    def recall(self, class_name: str) -> str:
        """Answer "recall location of …": every place where one was last seen, or that none was."""
        found = sorted(self._sightings(class_name), key=lambda one: one.number)
        if not found:
            return f'{class_name}: not seen so far.'
        return f'{class_name}: ' + '; '.join(f'{one.name} {one.where}' for one in found) + '.'

    def seen_by(self, class_name: str) -> frozenset[str]:
        """Return the robots that saw objects of a class last, none if there are no such objects.

        Names of other robots; empty for its own.
        """
        return frozenset(one.by for one in self._sightings(class_name))

    def close(self) -> None:
        """Leave the blackboard."""
        self.board.unregister()

    def _sightings(self, class_name: str) -> tuple[Sighting, ...]:
        key = self._keys.get(class_name)
        if key is None:
            return ()
        # By its absolute name: a class may be called as a method of the client is.
        absolute = py_trees.blackboard.Blackboard.absolute_name(self.board.namespace, key)
        value: ClassSightings = self.board.get(absolute)
        return value.objects
