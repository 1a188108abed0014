# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a generated robot perceives of a state, as structure and as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from reactree_ros.core.names import listing, numbered
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.sim.made.robot import (
    FULL,
    IN,
    PLACE,
    ROBOT,
    ROOM,
    MadeRobot,
    Thing,
)
from reactree_ros.sim.planning.facts import Fact, State
from reactree_ros.sim.vocabulary import phrases

_INNER = {'spot', 'thing', 'holder', 'bin'}


@dataclass(frozen=True)
class Whereabouts:
    """Where a thing is.

    Args:
        bearer: name of what it lies on or in; empty for none.
        relation: ``on`` or ``inside``; empty for none.
        root: name of the place below everything; empty if it is carried.
        held: the robot holds it, or what it lies in.
        hidden: something closed is around it.
    """

    bearer: str = ''
    relation: str = ''
    root: str = ''
    held: bool = False
    hidden: bool = False


class View:
    """A state of a robot's surroundings, to be looked at.

    Args:
        robot: the robot.
        state: everything that holds.
    """

    def __init__(self, robot: MadeRobot, state: State) -> None:
        self.robot = robot
        self.state = state
        self.spot = ''
        self.closed: set[str] = set()
        self._on: dict[str, Fact] = {}
        self._held: set[str] = set()
        self._states: dict[str, set[str]] = {}
        self._room_of: dict[str, str] = {}
        reach: set[tuple[str, str]] = set()
        for fact in state:
            match fact[0]:
                case 'at':
                    self.spot = fact[2]
                case 'on' | 'in':
                    self._on[fact[1]] = fact
                case 'held':
                    self._held.add(fact[1])
                case 'is':
                    self._states.setdefault(fact[1], set()).add(fact[2])
                case 'in room':
                    self._room_of[fact[1]] = fact[2]
                case 'reach':
                    reach.add((fact[1], fact[2]))
        self.reached = {place for spot, place in reach if spot == self.spot}
        self.room = self._room_of.get(self.spot, '')

    def room_of(self, name: str) -> str:
        """Return the room of a place; empty for none."""
        return self._room_of.get(name, '')

    def where(self, name: str) -> Whereabouts | None:
        """Return where a movable thing is; None if it is nowhere any more."""
        if name in self._held:
            return Whereabouts(held=True)
        fact = self._on.get(name)
        if fact is None:
            return None
        bearer, relation = fact[2], 'inside' if fact[0] == IN else 'on'
        below = self.robot.things[bearer]
        hidden = fact[0] == IN and self.is_closed(bearer)
        if below.is_place:
            return Whereabouts(bearer, relation, bearer, hidden=hidden)
        lower = self.where(bearer)
        if lower is None:
            return None
        return Whereabouts(bearer, relation, lower.root, lower.held, hidden or lower.hidden)

    def is_closed(self, name: str) -> bool:
        """Return whether something can be opened and is not open."""
        thing = self.robot.things[name]
        if 'can_open' not in thing.tags:
            return False
        return not self.robot.opens & self._states.get(name, set())

    def states(self, name: str, everything: bool = False) -> frozenset[str]:
        """Return the states of a thing that show."""
        found = self._states.get(name, set())
        return frozenset(
            one for one in found if everything or self.robot.hides.get(one, one) in found
        )

    def is_near(self, name: str) -> bool:
        """Return whether the robot can reach a thing."""
        thing = self.robot.things[name]
        if thing.is_place:
            return name in self.reached
        if 'door' in thing.tags:
            return any(
                fact[0] == 'link' and fact[1] == self.room and fact[3] == name
                for fact in self.robot.static
            )
        if 'grabbable' not in thing.tags:
            return False
        where = self.where(name)
        return where is not None and (
            where.held or (where.root in self.reached and not where.hidden)
        )

    def is_seen(self, name: str) -> bool:
        """Return whether the robot sees a thing from where it is."""
        thing, sees = self.robot.things[name], self.robot.sees
        if 'grabbable' in thing.tags:
            where = self.where(name)
            return where is not None and (sees == FULL or self.is_near(name))
        if sees in (FULL, PLACE):
            return True
        if thing.is_place:
            return self.room_of(name) == self.room
        return self.is_near(name) if 'door' in thing.tags else True

    def carried(self) -> list[str]:
        """Return the names of everything that the robot holds."""
        return [name for name in self.robot.things if name in self._held]

    def seen(self) -> tuple[str, ...]:
        """Return the names of everything that the robot sees."""
        return tuple(name for name in self.robot.things if self.is_seen(name))

    def objects(self, names: Collection[str], everything: bool = False) -> Iterator[ObservedObject]:
        """Yield things as they are perceived.

        Args:
            names: which.
            everything: with states that the robot has not found out.
        """
        for name, thing in self.robot.things.items():
            if name not in names:
                continue
            where = None if thing.is_place else self.where(name)
            if 'grabbable' in thing.tags and where is None:
                continue
            room = self.room_of(name) or thing.room
            if where is not None:
                room = self.room if where.held else self.room_of(where.root)
            yield ObservedObject(
                thing.noun.name,
                thing.number,
                room=room,
                receptacle=where.bearer if where else '',
                relation=where.relation if where else '',
                states=self.states(name, everything),
                affordances=thing.tags - _INNER,
                near=self.is_near(name),
                held=name in self._held,
            )

    def everything(self) -> Observation:
        """Return everything that there is."""
        return self._observation('', self.robot.things, True)

    def observation(self, text: str) -> Observation:
        """Return what the robot perceives, with a text."""
        return self._observation(text, self.seen(), False)

    def _observation(self, text: str, names: Collection[str], everything: bool) -> Observation:
        place = self.spot if self.spot in self.robot.things else ''
        objects = tuple(self.objects(names, everything))
        return Observation(text, self.room, place, self.robot.rooms, objects)


class Describer:
    """Puts what a robot sees into words, as this robot talks."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._robot = view.robot
        self._say = view.robot.say.seen

    def first(self) -> str:
        """Return the text of a first observation: where the robot is, and all that it sees."""
        robot = self._robot
        text = ''
        if robot.rooms:
            text += self._say['rooms'].format(rooms=', '.join(map(self._named, robot.rooms)))
        text += self._here()
        if robot.sees == FULL:
            text += self._loads()
        if robot.sees == ROOM or (robot.sees == PLACE and not robot.rooms):
            places = [name for name in self._view.seen() if robot.things[name].is_place]
            text += self._say['sees'].format(things=self._listed(places)) if places else ''
        elif robot.rooms:
            text += self._by_room()
        if robot.is_mobile:
            text += self._things_here()
        text += self._held() + self._levels() + self._postures()
        for name in self._view.seen():
            if 'grabbable' not in robot.things[name].tags and self._view.states(name):
                if name != self._view.spot and name not in robot.postures:
                    text += self._state(name)
        return text.strip()

    def change(self, before: View, done: str) -> str:
        """Return the text after a skill: what is different now."""
        view, robot = self._view, self._robot
        text = done
        moved = before.spot != view.spot
        if moved:
            text += f' {self._here()}'
            if view.room != before.room and robot.sees not in (FULL, PLACE):
                places = [name for name in view.seen() if robot.things[name].is_place]
                text += self._say['sees'].format(things=self._listed(places)) if places else ''
        revealed = [
            name
            for name in view.seen()
            if 'grabbable' in robot.things[name].tags and not before.is_seen(name)
        ]
        opened = any(before.is_closed(name) and not view.is_closed(name) for name in view.reached)
        if moved or revealed or opened:
            text += self._things_here()
        else:
            text += self._put(before)
        for name in view.seen():
            if name in robot.postures:
                continue
            new = view.states(name)
            if not moved and new - before.states(name):
                text += self._found(name, before) or self._state(name)
            elif not moved and new != before.states(name):
                text += self._state(name) if new else self._lost(name, before)
        text += self._held(before) + self._levels(before) + self._postures(before)
        # Something is always said.
        return text.strip() or phrases(robot.say.language)['seen']['done'][-1]

    def _here(self) -> str:
        view = self._view
        if view.spot in self._robot.things:
            text = self._say['full'].format(place=self._named(view.spot))
            if view.room and not self._robot.say.brief:
                text = text[:-1] + f' ({self._named(view.room)}).'
            return text + (self._state(view.spot) if view.states(view.spot) else '')
        if view.spot in self._robot.rooms:
            return self._say['middle'].format(place=self._named(view.spot))
        return ''

    def _things_here(self) -> str:
        view, robot = self._view, self._robot
        if not robot.is_mobile:
            return self._loads()
        holders = [name for name in view.reached if 'holder' in robot.things[name].tags]
        if not holders or all(map(view.is_closed, holders)):
            return ''
        here = [
            name
            for name in view.seen()
            if 'grabbable' in robot.things[name].tags
            and (where := view.where(name)) is not None
            and where.root in view.reached
        ]
        if not here:
            return self._say['nothing']
        return self._say['sees'].format(things=self._listed(here)) + self._noted(here)

    def _loads(self) -> str:
        """Return what lies where, for a robot that sees everything."""
        view, found = self._view, dict[str, list[str]]()
        for name in view.seen():
            where = view.where(name) if 'grabbable' in self._robot.things[name].tags else None
            if where is not None and where.bearer:
                found.setdefault(where.bearer, []).append(name)
        text = ''
        for bearer, names in found.items():
            text += f' {self._named(bearer)}: {self._listed(names)}.'
        free = [
            name for name, one in self._robot.things.items()
            if {'furniture', 'holder'} <= one.tags and name not in found
        ]  # fmt: skip
        if free:
            text += f' {self._listed(free)}: -.'
        return text + self._noted([name for names in found.values() for name in names])

    def _noted(self, names: Collection[str]) -> str:
        return ''.join(self._state(name) for name in names if self._view.states(name))

    def _by_room(self) -> str:
        """Return which places are in which room, for a robot that has a map."""
        text = ''
        for room in self._robot.rooms:
            places = [
                name
                for name, one in self._robot.things.items()
                if one.is_place and self._view.room_of(name) == room
            ]
            text += f' {self._named(room)}: {self._listed(places)}.' if places else ''
        return text

    def _put(self, before: View) -> str:
        """Return what lies where something was put down."""
        view = self._view
        where = {
            name: found
            for name in view.seen()
            if 'grabbable' in self._robot.things[name].tags and (found := view.where(name))
        }
        changed = {
            found.bearer for name, found in where.items() if found.bearer != _bearer(before, name)
        }
        text = ''
        for bearer in sorted(filter(None, changed)):
            load = [name for name, found in where.items() if found.bearer == bearer]
            text += f' {self._named(bearer)}: {self._listed(load)}.'
        return text

    def _held(self, before: View | None = None) -> str:
        held = self._view.carried()
        is_new = before is None or held != before.carried()
        if not held or (self._robot.say.brief and not is_new):
            return ''
        text = self._say['holds'].format(things=self._listed(held))
        return text + self._noted(held)

    def _levels(self, before: View | None = None) -> str:
        text = ''
        for relation, subject, level in sorted(
            fact for fact in self._view.state if (fact[0], fact[1]) in self._robot.levels
        ):
            is_new = before is None or (relation, subject, level) not in before.state
            if self._robot.say.brief and subject == ROBOT and not is_new:
                continue
            most = self._robot.levels[relation, subject]
            if subject == ROBOT:
                key = 'level' if relation == 'battery' else 'tank'
                text += self._say[key].format(level=level, most=most)
            elif subject in self._view.reached:
                text += self._say['stock'].format(thing=self._named(subject), level=level)
        return text

    def _postures(self, before: View | None = None) -> str:
        """Return how the robot stands, on which some skills depend."""
        text = ''
        no = str(phrases(self._robot.say.language)['not'])
        for name, state in self._robot.postures.items():
            is_so = state in self._view.states(name)
            was_so = before is not None and state in before.states(name)
            if self._robot.say.brief and before is not None and is_so is was_so:
                continue
            states = state if is_so else no.format(state=state)
            text += self._say['state'].format(thing=self._named(name), states=states)
        return text

    def _state(self, name: str) -> str:
        states = ', '.join(sorted(self._view.states(name)))
        return self._say['state'].format(thing=self._named(name), states=states)

    def _lost(self, name: str, before: View) -> str:
        states = ', '.join(sorted(before.states(name)))
        return self._say['lost'].format(thing=self._named(name), states=states)

    def _found(self, name: str, before: View) -> str:
        """Return what was found out just now; empty for nothing."""
        new = self._view.states(name) - before.states(name)
        looked = new & {*self._robot.hides.values()}
        if not looked:
            return ''
        found = sorted(new & {*self._robot.hides})
        return self._say['found'].format(states=', '.join(found)) if found else self._say['sound']

    def _named(self, name: str) -> str:
        return numbered(name) if self._robot.say.bracketed else name

    def _listed(self, names: Collection[str]) -> str:
        if not self._robot.say.bracketed:
            return ', '.join(sorted(names))
        things: list[Thing] = [self._robot.things[name] for name in names]
        return listing((one.noun.name, one.number) for one in things)


def _bearer(view: View, name: str) -> str:
    where = view.where(name)
    return where.bearer if where else ''
