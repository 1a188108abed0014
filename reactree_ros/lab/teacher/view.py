# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the teacher knows at the moment of one decision: what the prompt says, and no more.

Working memory gives the structure of what the prompt's text names; a movable thing that the text
does not name is not known, although another node may have seen it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from reactree_ros.core.decision import Act, Choices, ControlFlow, Decision, Expand, Recall, to_text
from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.prompt import Prompt
from reactree_ros.core.situation import Situation, unsearched
from reactree_ros.lab.teacher.common_sense import (
    ALSO_AT,
    is_room,
    rank_of_place,
    room_class,
    rooms_for_place,
    rooms_for_thing,
)
from reactree_ros.lab.teacher.jobs import Job, Thing, goal_of
from reactree_ros.skills.library import SkillLibrary

_EXPANSION = re.compile(r'(?:sequence|fallback|parallel) of \d+ ')
_HOLDS = frozenset({'surfaces', 'containers'})


class Stuck(Exception):
    """A job cannot be done; the sentence says why."""


@dataclass(frozen=True)
class View:
    """The choices, the prompt, and the structure of what was perceived so far.

    Args:
        choices: what may be decided.
        situation: a reading of working memory.
        prompt: what the agent node reads.
        library: the robot's skills.
    """

    choices: Choices
    situation: Situation
    prompt: Prompt
    library: SkillLibrary

    @property
    def rooms(self) -> tuple[str, ...]:
        """Names of all rooms, in the order in which observations list them."""
        return tuple(sorted(self.situation.rooms, key=lambda name: parse_name(name) or (name, 0)))

    @property
    def here(self) -> ObservedObject | None:
        """What the robot stands at."""
        return self.situation.objects.get(self.situation.place)

    @property
    def may_expand(self) -> bool:
        """Whether the node may split its goal."""
        return bool(self.choices.control_flows)

    # What the text says

    @cached_property
    def text(self) -> str:
        """All that the node has read and decided, in lower case."""
        lines = (self.prompt.task, *(step.text for step in self.prompt.steps))
        return '\n'.join(lines).lower()

    @cached_property
    def decided(self) -> tuple[str, ...]:
        """The node's decision lines so far."""
        return tuple(step.text for step in self.prompt.steps if step.decided)

    @cached_property
    def last(self) -> str:
        """The latest observation; empty before the first decision."""
        steps = self.prompt.steps
        return steps[-1].text if steps and not steps[-1].decided else ''

    @cached_property
    def _expanded(self) -> int:
        """How many decisions there were up to the last expansion that succeeded."""
        last = max(self._after_expansions('succeeded'), default=0)
        return sum(step.decided for step in self.prompt.steps[:last])

    @cached_property
    def failures(self) -> tuple[str, ...]:
        """Observations of expansions that failed."""
        return tuple(self.prompt.steps[i].text for i in self._after_expansions('failed'))

    def _after_expansions(self, ended: str) -> list[int]:
        """Return the places among the steps of what was observed after expansions ended so."""
        texts = [step.text for step in self.prompt.steps]
        return [
            i
            for i, (before, text) in enumerate(itertools.pairwise(texts), start=1)
            if before.startswith('Expand: ') and _EXPANSION.match(text) and f' {ended}' in text
        ]

    def is_named(self, item: ObservedObject) -> bool:
        """Return whether the node's text names an object."""
        return self._names(self.text, item)

    def was_read(self, item: ObservedObject) -> bool:
        """Return whether the node has read of an object, not in its goal alone."""
        return self._names('\n'.join(step.text for step in self.prompt.steps).lower(), item)

    def _names(self, text: str, item: ObservedObject) -> bool:
        return is_named(item, text, self.library)

    def did(self, phrase: str, names: Iterable[str] = ()) -> bool:
        """Return whether this node has done a skill, with one of some classes if given."""
        starts = [f'Act: {phrase} {name}' for name in names] or [f'Act: {phrase}']
        return any(line.startswith(start) for line in self.decided for start in starts)

    # Nouns

    @property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Wider words, and the classes that each means."""
        return self.library.kinds

    def classes(self, noun: str) -> tuple[str, ...]:
        """Return the classes that a noun means."""
        name = room_class(noun)
        return tuple(sorted(self.kinds.get(name, ()))) or (name,)

    def fits(self, item: ObservedObject, noun: str) -> bool:
        """Return whether an object is meant by a noun."""
        if noun == item.name:
            return True
        return item.class_name in (self.kinds.get(noun) or (noun,))

    def matching_rooms(self, room: str) -> list[str]:
        """Return the rooms that a room's name or class means; all for an empty one."""
        return [one for one in self.rooms if is_room(one, room)]

    # Decisions

    def act(self, phrase: str) -> Decision | None:
        """Return a skill if it is offered."""
        return Act(phrase) if phrase in self.choices.skills else None

    def go(self, names: Iterable[str]) -> Decision | None:
        """Return the way to the first of some places or rooms to which one is offered."""
        return first(self.act(f'go to {name}') for name in names)

    def use(self, item: ObservedObject, phrase: str = 'pick up') -> Decision | None:
        """Return a skill with a thing, or the next step to where it is in reach."""
        return self.act(f'{phrase} {item.name}') if item.near else self.way_to(item)

    def recall(self, noun: str) -> Decision | None:
        """Return the question where a class was seen, if it is offered and was not asked yet.

        What nodes below have found is new.
        """
        name = room_class(noun)
        step = Recall(name)
        new = to_text(step) not in self.decided[self._expanded :]
        return step if name in self.choices.recall and new else None

    def expand(self, flow: ControlFlow, jobs: Iterable[Job]) -> Decision:
        """Return an expansion.

        Raises:
            Stuck: if it is not offered.
        """
        subgoals = tuple(map(goal_of, jobs))[: self.choices.max_subgoals or None]
        if flow not in self.choices.control_flows or not subgoals:
            raise Stuck('there is nothing left to try')
        return Expand(flow, subgoals)

    # Things

    def held(self, thing: Thing | None = None) -> ObservedObject | None:
        """Return what is in the hand, if it is the thing."""
        held = self.situation.held
        if thing is None:
            return next(iter(held), None)
        return next((one for one in held if self.fits(one, thing.noun)), None)

    def candidates(self, thing: Thing, room: str = '', off: str = '') -> list[ObservedObject]:
        """Return the objects named in the text that may be taken for a thing, nearest first."""
        known = [
            one
            for one in self.situation.objects.values()
            if self.fits(one, thing.noun)
            and not one.held
            and one.states.issuperset(thing.states)
            and is_room(one.room, room)
            and self.is_named(one)
            and not (off and self.is_at(one, off))
            and not (thing.load and not self.carries(one, thing.load))
        ]
        return sorted(
            known, key=lambda one: (not one.near, one.room != self.situation.room, one.class_name)
        )

    def carries(self, item: ObservedObject, load: str) -> bool:
        """Return whether something of a noun lies on or in an object."""
        objects = self.situation.objects.values()
        return any(self.fits(one, load) and item in self.situation.bearers(one) for one in objects)

    def is_at(self, item: ObservedObject, place: str) -> bool:
        """Return whether an object lies at a place, or is in a room, of that name."""
        if is_room(item.room, place):
            return not item.held
        return any(self.fits(one, place) for one in self.situation.bearers(item))

    def at(self, noun: str) -> ObservedObject | None:
        """Return what the robot stands at, if the noun means it."""
        here = self.here
        return here if here is not None and self.fits(here, noun) else None

    def place_of(self, item: ObservedObject) -> ObservedObject:
        """Return the piece of furniture that an object lies at."""
        for one in (item, *self.situation.bearers(item)):
            if 'furniture' in one.affordances:
                return one
        return item

    def places(self, noun: str, room: str = '') -> list[ObservedObject]:
        """Return the known places of a noun, those of this room first."""
        return sorted(
            (
                one
                for one in self.situation.objects.values()
                if self.fits(one, noun)
                and 'furniture' in one.affordances
                and is_room(one.room, room)
            ),
            key=lambda one: (one.room != self.situation.room, one.class_name, one.instance),
        )

    # Ways

    def way_to(self, item: ObservedObject) -> Decision | None:
        """Return the next step to a known thing that is out of reach."""
        place = self.place_of(item)
        return self.opening(place) or self.go((place.name, place.room))

    def opening(self, place: ObservedObject) -> Decision | None:
        """Return that a closed place is opened where the robot stands at it."""
        closed = place.name == self.situation.place and 'closed' in place.states
        return self.act(f'open {place.name}') if closed else None

    def way_to_place(self, noun: str, room: str = '') -> Decision:
        """Return the next step to a place that the robot does not stand at.

        Raises:
            Stuck: if there is none.
        """
        step = self.go(one.name for one in self.places(noun, room))
        step = step or self.go(self.new_rooms(noun, room))
        return needed(step, f'there is no {noun} in {room or "any room"}')

    def new_rooms(self, noun: str, room: str = '') -> list[str]:
        """Return the rooms whose furniture is not known, the likeliest for a place first."""
        left = [one for one in self.matching_rooms(room) if not self.was_in(one)]
        return rooms_for_place(self.classes(noun)[0], left, self.situation.room)

    # Searches

    def was_in(self, room: str) -> bool:
        """Return whether the furniture of a room is known."""
        return room == self.situation.room or any(
            one.room == room and 'furniture' in one.affordances
            for one in self.situation.objects.values()
        )

    def is_left(self, room: str) -> bool:
        """Return whether a room was never entered, or has places that were not looked into."""
        return not self.was_in(room) or bool(unsearched(room, self.situation))

    def rooms_left(self, noun: str, room: str = '') -> list[str]:
        """Return the rooms with something left to look into, the likeliest for a thing first."""
        left = [one for one in self.matching_rooms(room) if self.is_left(one)]
        return rooms_for_thing(self.classes(noun)[0], left, self.situation.room)

    def search_all(self, noun: str, rooms: Iterable[str]) -> Decision | None:
        """Return the next step of looking into all that is left in some rooms."""
        return first(self.search(noun, one) for one in rooms if self.is_left(one))

    def search(self, noun: str, room: str) -> Decision | None:
        """Return the next step of looking into all that is left in a room; None if nothing is."""
        if self.situation.room != room:
            return self.act(f'go to {room}')
        here = self.here
        left = unsearched(room, self.situation)
        if here is not None and here.name in left:
            step = self.opening(here)
            if step is not None:
                return step
        name = self.classes(noun)[0]
        own = [one.name for also in ALSO_AT.get(name, ()) for one in self.places(also, room)]
        left = (*left, *(one for one in own if not self.did(f'go to {one}')))
        places = sorted(
            (self.situation.objects[one] for one in left),
            key=lambda one: (
                rank_of_place(name, one.class_name),
                'can_open' in one.affordances,
                one.class_name,
                one.instance,
            ),
        )
        return self.go(one.name for one in places)

    def lay_aside(self, item: ObservedObject, off: str = '') -> Decision:
        """Return the next step to a place, not one of a noun, where a thing can be put down.

        Raises:
            Stuck: if there is none.
        """
        able = [
            one
            for one in self.situation.objects.values()
            if 'furniture' in one.affordances
            and one.affordances & _HOLDS
            and not self.fits(one, off)
            and not (off and is_room(one.room, off))
        ]
        here = self.here
        step = None
        if here is not None and here in able:
            step = self.opening(here) or self.act(f'put down {item.name}')
        able.sort(
            key=lambda one: (
                one.room != self.situation.room,
                'can_open' in one.affordances,
                'surfaces' not in one.affordances,
                rank_of_place(item.class_name, one.class_name),
                one.class_name,
                one.instance,
            )
        )
        step = step or self.go(one.name for one in able)
        step = step or self.go(one for one in self.rooms if not self.was_in(one))
        return needed(step, 'there is no place to put it')


def first(steps: Iterable[Decision | None]) -> Decision | None:
    """Return the first step that there is."""
    return next((step for step in steps if step is not None), None)


def needed(step: Decision | None, why: str) -> Decision:
    """Return a step.

    Raises:
        Stuck: if there is none; it says why.
    """
    if step is None:
        raise Stuck(why)
    return step


def is_named(item: ObservedObject, text: str, library: SkillLibrary) -> bool:
    """Return whether a text names an object, also in a list such as "wine (1, 2)"."""
    every = library.objects | library.places
    longer = tuple(sorted(one for one in every if one.endswith(f' {item.class_name}')))
    return item.instance in _numbers(text, item.class_name, longer)


@cache
def _pattern(name: str, longer: tuple[str, ...]) -> re.Pattern[str]:
    others = ''.join(f'(?<!{re.escape(one[: -len(name)])})' for one in longer)
    return re.compile(rf'\b{others}{re.escape(name)} (?:\(([\d, ]+)\)|(\d+)\b)')


@lru_cache(maxsize=256)
def _numbers(text: str, name: str, longer: tuple[str, ...]) -> frozenset[int]:
    """Return the numbers of the objects of a class that a text names."""
    found = _pattern(name, longer).finditer(text)
    return frozenset(int(n) for one in found for n in (one[1] or one[2]).split(', '))
