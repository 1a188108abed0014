# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A physical world with a robot: skills go in, observations in the household's words come out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from reactree_ros.core.names import listing, numbered, parse_name
from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import check_conditions, situation_of
from reactree_ros.sim.physics.description import Description, Thing, known_name
from reactree_ros.sim.physics.geometry import Pose
from reactree_ros.sim.physics.manipulation.belief import Belief
from reactree_ros.sim.physics.manipulation.body import Canceled, Failed, Refused
from reactree_ros.sim.physics.manipulation.skills import Skills
from reactree_ros.sim.physics.places import CLOSED, OPEN, Place
from reactree_ros.sim.physics.relations import relations
from reactree_ros.sim.physics.simulation import SimulatedRobot, Simulation
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library
from reactree_ros.skills.simulated import SimulatedWorld

_SETTLE_SEC = 0.2
"""What is judged has so long to come to rest."""
_PHRASES = {
    'go_to': 'go to {}',
    'pick_up': 'pick up {}',
    'put_down': 'put down {}',
    'put_into': 'put {} into {}',
    'open': 'open {}',
    'close': 'close {}',
}


@cache
def kitchen_library() -> SkillLibrary:
    """The skills of the robot, whose predicates the world judges by."""
    return read_library(share('behaviors', 'kitchen_arm.yaml'))


class PhysicsWorld(SimulatedWorld):
    """A kitchen in a physics simulation, which moves only while a skill runs.

    It may be observed in one thread while a skill runs in another; what is judged waits for it.

    Args:
        description: what stands where.
        error: standard deviation of the positions that the camera reports (m).
        seed: of these errors and of all motions.
        before: called before every step, for disturbances.
        robot: the robot and the physics around it; None makes them.
    """

    def __init__(
        self,
        description: Description,
        error: float = 0.0,
        seed: int = 0,
        before: Callable[[Simulation], None] | None = None,
        robot: SimulatedRobot | None = None,
    ) -> None:
        self.simulation = robot or SimulatedRobot(description, error, seed, before)
        self._description = description
        self._physics = threading.RLock()
        self._skills = Skills(self.simulation, description, seed)
        everything = self.everything()
        self._start = self._facts(everything)
        self._first = situation_of(everything, kitchen_library())

    def execute(
        self, skill: str, arguments: Sequence[str], stop: Callable[[], bool] = lambda: False
    ) -> SkillResult:
        """Carry out one skill.

        Args:
            skill: go_to, pick_up, put_down, put_into, open or close.
            arguments: names, e.g. ``('drawer 1',)``; for put_into of the thing and of the vessel.
            stop: asked all the time; if it says so, the robot comes to rest where it is.

        Returns:
            REFUSED if a precondition does not hold; FAILED if it was tried and did not work;
            CANCELED. The text says why, and what is seen then.
        """
        names = [numbered(name) for name in arguments]
        phrase = _PHRASES.get(skill)
        if phrase is None or phrase.count('{}') != len(names):
            text = f'You cannot {skill.replace("_", " ")} {", ".join(names)}: no such skill.'
            return SkillResult(SkillStatus.REFUSED, self._observation(text))
        said = phrase.format(*names)
        self.simulation.stop = stop
        try:
            with self._physics:
                self._do(skill, arguments)
        except Refused as refused:
            text, status = f'You cannot {said}: {refused}.', SkillStatus.REFUSED
        except Failed as failed:
            text, status = f'You could not {said}: {failed}.{self._holding()}', SkillStatus.FAILED
        except Canceled:
            text, status = f'{said} was canceled.{self._holding()}', SkillStatus.CANCELED
        else:
            text, status = self._text(skill, arguments, said), SkillStatus.SUCCEEDED
        return SkillResult(status, self._observation(text))

    def drive_to(
        self, x: float, y: float, yaw: float, stop: Callable[[], bool] = lambda: False
    ) -> SkillResult:
        """Drive to a place on the floor, around what stands in the way.

        Args:
            x: in the world's frame (m).
            y: the same.
            yaw: the robot's (rad).
            stop: asked all the time; if it says so, the robot comes to rest where it is.
        """
        self.simulation.stop = stop
        try:
            with self._physics:
                self._skills.drive_to(np.array([x, y, yaw]))
        except Failed as failed:
            return SkillResult(SkillStatus.FAILED, self._observation(str(failed)))
        except Canceled:
            return SkillResult(SkillStatus.CANCELED, self._observation('canceled'))
        return SkillResult(SkillStatus.SUCCEEDED, self._observation('arrived'))

    def _do(self, skill: str, arguments: Sequence[str]) -> None:
        if skill == 'go_to' and known_name(arguments[0], self._description.rooms):
            self._skills.enter(arguments[0])
        else:
            getattr(self._skills, skill)(*arguments)

    # What the robot perceives.

    def observe(self) -> Observation:
        """What the robot perceives now, in the words of the household's initial observation."""
        rooms = self._description.rooms
        count = f'{len(rooms)} room' + ('s' if len(rooms) > 1 else '')
        where = f'in the {_labels([self._room()])}'
        if self._skills.place:
            where += f', at the {_labels([self._skills.place])}'
        text = f'The house has {count}: {_labels(rooms)}. You are {where}. {self._around()}'
        return self._observation(text + self._holding())

    def _text(self, skill: str, arguments: Sequence[str], said: str) -> str:
        """Say what a skill did and what is seen: the household's rules."""
        if skill == 'go_to' and not self._skills.place:
            return f'You enter the {_labels([arguments[0]])}. {self._around()}{self._holding()}'
        if skill == 'go_to':
            place = self._skills.belief.places[self._skills.place]
            door = _door(self._skills.belief, place)
            return f'You are at the {_labels([place.name])}.{door} {self._view()}{self._holding()}'
        if skill == 'open':
            return f'You {said}. {self._view()}'
        if skill in ('put_down', 'put_into'):
            name = known_name(arguments[0], self._description.things)
            below, relation = self._believed().get(name, (self._skills.place, 'on'))
            if skill == 'put_into':
                preposition = {'inside': 'into'}.get(relation, 'on')
                return f'You put {_labels([name])} {preposition} {_labels([below])}.'
            preposition = {'inside': 'in'}.get(relation, 'on')
            return f'You {said} {preposition} {_labels([below])}.'
        return f'You {said}.{self._holding()}'

    def _around(self) -> str:
        places = [place.name for place in self._in_room(self._room())]
        return f'Around you: {_labels(places)}.' if places else 'The room is empty.'

    def _view(self) -> str:
        seen = self._near()
        return f'You see: {_labels(seen)}.' if seen else 'You see nothing there.'

    def _holding(self) -> str:
        held = self._skills.belief.held
        return f' You hold {_labels([held])}.' if held else ''

    def _near(self) -> list[str]:
        """Return the things at the place where the robot stands."""
        belief, place = self._skills.belief, self._skills.place
        here = belief.places.get(place)
        if here is None or not belief.is_open(here):
            return []
        return [name for name in belief.things if belief.where(name) == place]

    def _room(self) -> str:
        x, y, _ = self.simulation.base
        return self._description.room_at(x, y)

    def _in_room(self, room: str) -> list[Place]:
        return [place for place in self._skills.belief.places.values() if place.piece.room == room]

    def _believed(self) -> Mapping[str, tuple[str, str]]:
        belief = self._skills.belief
        return relations(belief.things, belief.openings, self._description.things, belief.places)

    def _observation(self, text: str) -> Observation:
        """Put a text together with the structure of what the robot knows of this room."""
        belief, room = self._skills.belief, self._room()
        near = set(self._near())
        lying = self._believed()
        furniture = [
            _place(place, belief.openings, self._skills.place) for place in self._in_room(room)
        ]
        things = [
            _thing(self._description.things[name], room, *lying.get(name, ('', '')), name in near)
            for name in belief.things
            if (place := belief.places.get(belief.where(name))) and place.piece.room == room
        ]
        if belief.held:
            held = _thing(self._description.things[belief.held], room, '', '', True)
            things.append(replace(held, held=True))
        return Observation(
            text=text,
            room=room,
            place=self._skills.place,
            rooms=tuple(self._description.rooms),
            objects=(*furniture, *things),
        )

    # The truth, which no robot sees.

    def everything(self) -> Observation:
        """Return where everything is, by the state of the physics."""
        simulation = self.simulation
        poses = simulation.poses()
        openings = simulation.openings()
        places = self._skills.belief.places
        held = simulation.in_hand()
        lying = relations(
            {name: pose for name, pose in poses.items() if name != held},
            openings,
            self._description.things,
            places,
        )
        things = []
        for name, pose in poses.items():
            thing = _thing(
                self._description.things[name],
                self._room_of(pose),
                *lying.get(name, ('', '')),
                name == held,
            )
            things.append(replace(thing, held=name == held))
        furniture = [_place(place, openings, '') for place in places.values()]
        return Observation(
            '',
            self._room(),
            self._skills.place,
            tuple(self._description.rooms),
            (*furniture, *things),
        )

    def _room_of(self, pose: Pose) -> str:
        return self._description.room_at(float(pose.position[0]), float(pose.position[1]))

    def true_situation(self) -> Situation:
        """Return what a robot would know that has seen everything, once all has come to rest."""
        with self._physics:
            self.simulation.advance(_SETTLE_SEC)
            return situation_of(self.everything(), kitchen_library())

    def check(self, lines: Sequence[str]) -> GoalCheck | None:
        """Check conditions against the state of the physics.

        Args:
            lines: in the language of conditions.

        Returns:
            None if there are none, or they cannot be read.
        """
        return check_conditions(lines, self._first, self.true_situation(), kitchen_library())

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold; None if they cannot be read."""
        found = self.check(conditions)
        return None if found is None else found.unsatisfied

    def changes(self) -> list[str]:
        """Say what differs from the start, such as ``drawer 1: closed -> open``."""
        with self._physics:
            now = self._facts(self.everything())
        return [
            f'{name}: {self._start[name]} -> {fact}'
            for name, fact in now.items()
            if fact != self._start[name]
        ]

    @staticmethod
    def _facts(truth: Observation) -> dict[str, str]:
        facts = {}
        for one in truth.objects:
            if 'furniture' in one.affordances:
                facts[one.name] = ', '.join(sorted(one.states))
            elif one.held:
                facts[one.name] = "in the robot's hand"
            else:
                facts[one.name] = f'{one.relation} {one.receptacle}'.strip() or 'on the floor'
        return facts


def _labels(names: Sequence[str] | Mapping[str, object]) -> str:
    return listing(parsed for name in names if (parsed := parse_name(name)))


def _place(place: Place, openings: Mapping[str, float], here: str) -> ObservedObject:
    class_name, instance = parse_name(place.name) or (place.name, 1)
    share_open = place.open_share(openings)
    return ObservedObject(
        class_name,
        instance,
        room=place.piece.room,
        states=_states(place, share_open),
        affordances=frozenset(
            {'furniture', *(('can_open', 'containers') if place.joints else ('surfaces',))}
        ),
        near=place.name == here,
    )


def _door(belief: Belief, place: Place) -> str:
    if not place.joints:
        return ''
    if belief.is_open(place):
        return ' It is open.'
    return ' It is closed.' if belief.is_closed(place) else ' It is ajar.'


def _states(place: Place, share_open: float) -> frozenset[str]:
    if not place.joints:
        return frozenset()
    if share_open >= OPEN:
        return frozenset({'open'})
    return frozenset({'closed'} if share_open <= CLOSED else ())


def _thing(thing: Thing, room: str, below: str, relation: str, near: bool) -> ObservedObject:
    class_name, instance = parse_name(thing.name) or (thing.name, 1)
    affordances = {'recipient'} if thing.shape in ('vessel', 'tray') else set()
    if not thing.fixed:
        affordances.add('grabbable')
    return ObservedObject(
        class_name,
        instance,
        room=room,
        receptacle=below,
        relation=relation,
        affordances=frozenset(affordances),
        near=near,
    )
