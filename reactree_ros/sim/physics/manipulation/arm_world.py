# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm, real or simulated: skills go in, observations in the household's words come out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reactree_ros.core.names import listing, numbered, parse_name
from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.sim.physics.description import Description, Thing, known_name
from reactree_ros.sim.physics.manipulation.belief import Belief
from reactree_ros.sim.physics.manipulation.body import Canceled, Failed, Refused
from reactree_ros.sim.physics.manipulation.skills import Skills
from reactree_ros.sim.physics.places import CLOSED, OPEN, Place
from reactree_ros.sim.physics.robot import Robot
from reactree_ros.skills.simulated import SimulatedWorld

_PHRASES = {
    'go_to': 'go to {}',
    'pick_up': 'pick up {}',
    'put_down': 'put down {}',
    'put_into': 'put {} into {}',
    'open': 'open {}',
    'close': 'close {}',
}


class ArmWorld(SimulatedWorld):
    """What one arm does and perceives; it may be observed while a skill runs in another thread.

    Args:
        robot: the arm.
        description: the furniture, and the things that it can recognise.
        seed: of all motions.
    """

    def __init__(self, robot: Robot, description: Description, seed: int = 0) -> None:
        self.robot = robot
        self._description = description
        self._moving = threading.RLock()
        self._skills = Skills(robot, description, seed)

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
        with self._moving:
            self.robot.stop = stop
            lost = self._skills.feel()
            try:
                self._skills.body.recover()
                self._do(skill, arguments)
            except Refused as refused:
                text, status = f'You cannot {said}: {refused}.', SkillStatus.REFUSED
            except Failed as failed:
                text, status = f'You could not {said}: {failed}.', SkillStatus.FAILED
            except Canceled:
                text, status = f'{said} was canceled.', SkillStatus.CANCELED
            else:
                text, status = '', SkillStatus.SUCCEEDED
            text = _no_longer(lost or self._skills.feel()) + text
            if status is SkillStatus.SUCCEEDED:
                text += self._text(skill, arguments, said)
            elif status is not SkillStatus.REFUSED:
                text += self._holding()
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
        with self._moving:
            self.robot.stop = stop
            try:
                self._skills.body.recover(release=False)
                self._skills.drive_to(np.array([x, y, yaw]))
            except Failed as failed:
                return SkillResult(SkillStatus.FAILED, self._observation(str(failed)))
            except Canceled:
                return SkillResult(SkillStatus.CANCELED, self._observation('canceled'))
            return SkillResult(SkillStatus.SUCCEEDED, self._observation('arrived'))

    def changes(self) -> list[str]:
        """Return nothing: what has changed since the start a robot does not know."""
        return []

    def _do(self, skill: str, arguments: Sequence[str]) -> None:
        if skill == 'go_to' and known_name(arguments[0], self._description.rooms):
            self._skills.enter(arguments[0])
        else:
            getattr(self._skills, skill)(*arguments)

    # What the robot perceives.

    def observe(self) -> Observation:
        """What the robot perceives now, in the words of the household's initial observation.

        While a skill runs, what it holds is what the skill last knew.
        """
        lost = ''
        if self._moving.acquire(blocking=False):
            try:
                lost = self._skills.feel()
            finally:
                self._moving.release()
        rooms = self._description.rooms
        count = f'{len(rooms)} room' + ('s' if len(rooms) > 1 else '')
        where = f'in the {_labels([self._room()])}'
        if self._skills.place:
            where += f', at the {_labels([self._skills.place])}'
        text = f'The house has {count}: {_labels(rooms)}. You are {where}. {self._around()}'
        return self._observation(_no_longer(lost) + text + self._holding())

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
            below, relation = self._skills.believed().get(name, (self._skills.place, 'on'))
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
        held, deck = self._skills.belief.held, self._skills.belief.deck
        text = f' You hold {_labels([held])}.' if held else ''
        return text + (f' On your own deck stands {_labels([deck[0]])}.' if deck else '')

    def _near(self) -> list[str]:
        """Return the things at the place where the robot stands."""
        belief, place = self._skills.belief, self._skills.place
        here = belief.places.get(place)
        if here is None or not belief.is_open(here):
            return []
        return [name for name in list(belief.things) if belief.where(name) == place]

    def _room(self) -> str:
        x, y, _ = self.robot.base
        return self._description.room_at(x, y)

    def _in_room(self, room: str) -> list[Place]:
        return [place for place in self._skills.belief.places.values() if place.piece.room == room]

    def _observation(self, text: str) -> Observation:
        """Put a text together with the structure of what the robot knows of this room."""
        belief, room = self._skills.belief, self._room()
        held, deck = belief.held, belief.deck
        near = {*self._near(), *(deck[:1] if deck else ())}
        lying = self._skills.believed()
        furniture = [
            place_seen(place, belief.openings, self._skills.place) for place in self._in_room(room)
        ]
        things = [
            thing_seen(
                self._description.things[name], room, *lying.get(name, ('', '')), name in near
            )
            for name in list(belief.things)
            if (deck and name == deck[0])
            or ((place := belief.places.get(belief.where(name))) and place.piece.room == room)
        ]
        if held:
            thing = thing_seen(self._description.things[held], room, '', '', True)
            things.append(replace(thing, held=True))
        return Observation(
            text=text,
            room=room,
            place=self._skills.place,
            rooms=tuple(self._description.rooms),
            objects=(*furniture, *things),
        )


def _labels(names: Sequence[str] | Mapping[str, object]) -> str:
    return listing(parsed for name in names if (parsed := parse_name(name)))


def _no_longer(lost: str) -> str:
    return f'{_labels([lost])} is no longer in your hand. ' if lost else ''


def place_seen(place: Place, openings: Mapping[str, float], here: str) -> ObservedObject:
    """Return a place as observations have it; ``here`` is where the robot stands."""
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


def thing_seen(thing: Thing, room: str, below: str, relation: str, near: bool) -> ObservedObject:
    """Return a thing as observations have it; ``below`` is what it lies on or in."""
    class_name, instance = parse_name(thing.name) or (thing.name, 1)
    # Another thing stands on a cube, and falls from what is higher than wide.
    carries = thing.shape == 'box' and thing.height <= min(thing.extents[:2])
    affordances = {'recipient'} if carries or thing.shape in ('vessel', 'tray') else set()
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
