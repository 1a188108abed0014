# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver knows at the moment of one decision: no more than the agent node does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reactree_ros.core.decision import (
    Act,
    Choices,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
    to_text,
)
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, unsearched
from reactree_ros.lab.teacher.common_sense import rank_of_place, rooms_for_place
from reactree_ros.lab.teacher.jobs import Job, Thing


@dataclass(frozen=True)
class View:
    """The choices, and what was perceived so far.

    Args:
        choices: what may be decided.
        situation: a reading of working memory.
        rooms: names of all rooms.
        decided: the node's decision lines so far.
    """

    choices: Choices
    situation: Situation
    rooms: tuple[str, ...]
    decided: tuple[str, ...]

    @property
    def here(self) -> ObservedObject | None:
        """What the robot stands at."""
        return self.situation.objects.get(self.situation.place)

    @property
    def may_expand(self) -> bool:
        """Whether the node may split its goal."""
        return bool(self.choices.control_flows)

    def act(self, phrase: str) -> Decision | None:
        """Return a skill if it is offered."""
        return Act(phrase) if phrase in self.choices.skills else None

    def recall(self, name: str) -> Decision | None:
        """Return the question where a class was seen, if it is offered."""
        return Recall(name) if name in self.choices.recall else None

    def think(self, thought: str) -> Decision | None:
        """Return a thought if it is offered and was not thought yet."""
        fits = 0 < len(thought) <= self.choices.max_thought_chars and self.choices.think
        step = Think(thought)
        return step if fits and to_text(step) not in self.decided else None

    def expand(self, control_flow: ControlFlow, parts: Iterable[Job]) -> Decision | None:
        """Return an expansion if it is offered."""
        subgoals = tuple(part.text for part in parts)[: self.choices.max_subgoals]
        offered = control_flow in self.choices.control_flows and subgoals
        return Expand(control_flow, subgoals) if offered else None

    def done(self) -> Decision | None:
        """Return the end with success if it is offered."""
        return None if self.choices.not_done else Done()

    def last_resort(self) -> Decision:
        """Return what ends the node, or else anything that is offered."""
        if not self.choices.no_failure:
            return Failure()
        if not self.choices.not_done:
            return Done()
        if self.choices.skills:
            ways = (phrase for phrase in self.choices.skills if phrase.startswith('go to '))
            return Act(next(ways, self.choices.skills[0]))
        if self.choices.recall:
            return Recall(self.choices.recall[0])
        return Think('There is nothing more that I can do here.')

    def held(self, thing: Thing) -> ObservedObject | None:
        """Return the thing if it is in the hand."""
        return next((one for one in self.situation.held if one.class_name == thing.name), None)

    def candidates(self, thing: Thing, room: str = '') -> list[ObservedObject]:
        """Return the known objects that may be taken for a thing: those in reach first.

        Of others as good, it is the one that memory names first.
        """
        objects = self.situation.objects
        known = [
            one
            for one in objects.values()
            if one.class_name == thing.name
            and not one.held
            and not self._is_at(one, thing.at)
            and room in ('', one.room)
        ]
        if thing.state and any(thing.state in one.states for one in known):
            known = [one for one in known if thing.state in one.states]
        if thing.load:
            loaded = {one.receptacle for one in objects.values() if one.class_name == thing.load}
            known = [one for one in known if one.name in loaded] or known
        here = self.situation.room
        return sorted(known, key=lambda one: (not one.near, one.room != here))

    def number_at(self, thing: Thing) -> int:
        """Return how many of a class are known to lie where they are to be."""
        return sum(
            one.class_name == thing.name and self._is_at(one, thing.at)
            for one in self.situation.objects.values()
        )

    def _is_at(self, item: ObservedObject, place: str) -> bool:
        receptacle = self.situation.objects.get(item.receptacle)
        return bool(place) and receptacle is not None and receptacle.class_name == place

    def way_to(self, item: ObservedObject) -> Decision | None:
        """Return the next step to a known thing that is out of reach."""
        objects = self.situation.objects
        place = item
        while 'furniture' not in place.affordances and place.receptacle in objects:
            place = objects[place.receptacle]
        return (
            self.opening(place)
            or self.act(f'go to {place.name}')
            or self.act(f'go to {place.room}')
        )

    def opening(self, place: ObservedObject) -> Decision | None:
        """Return that a closed place is opened where the robot stands at it."""
        closed = place.name == self.situation.place and 'closed' in place.states
        return self.act(f'open {place.name}') if closed else None

    def way_to_place(self, name: str) -> Decision | None:
        """Return the next step to a place of a class; None if there is none or it is here."""
        if self.here is not None and self.here.class_name == name:
            return None
        known = sorted(
            (one for one in self.situation.objects.values() if one.class_name == name),
            key=lambda one: (one.room != self.situation.room, one.instance),
        )
        for place in known:
            step = self.act(f'go to {place.name}')
            if step is not None:
                return step
        for room in rooms_for_place(name, self.rooms, self.situation.room):
            step = self.act(f'go to {room}')
            if step is not None and not self.was_in(room):
                return step
        return None

    def was_in(self, room: str) -> bool:
        """Return whether the furniture of a room is known."""
        return any(
            one.room == room and 'furniture' in one.affordances
            for one in self.situation.objects.values()
        )

    def is_searched(self, room: str) -> bool:
        """Return whether every place of a room was looked into."""
        return self.was_in(room) and not unsearched(room, self.situation)

    def search(self, name: str, room: str) -> Decision | None:
        """Return the next step of looking for a class in a room; None if nothing is left."""
        if self.here is not None and self.here.room == room:
            opening = self.opening(self.here)
            if opening is not None:
                return opening
        if not self.was_in(room):
            return self.act(f'go to {room}')
        objects = self.situation.objects
        places = sorted(
            (objects[one] for one in unsearched(room, self.situation)),
            key=lambda one: (
                rank_of_place(name, one.class_name),
                'can_open' in one.affordances,
                one.class_name,
                one.instance,
            ),
        )
        return next((step for one in places if (step := self.act(f'go to {one.name}'))), None)
