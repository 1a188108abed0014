# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of a goal as what a planner has to reach: facts, and rules for what has many ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from reactree_ros.sim.made.robot import AT, HELD, IN, IN_ROOM, IS, LOAD, ON, ROBOT, MadeRobot
from reactree_ros.sim.planning.facts import Fact, State
from reactree_ros.sim.planning.goal import Literal, PlanningGoal, Way
from reactree_ros.skills.goal_conditions import Condition
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    NO,
    Clause,
    Noun,
    Subject,
)
from reactree_ros.skills.predicates import Predicate

_MOST_WAYS = 400


class NoPlanError(ValueError):
    """A condition cannot be put to the planner; the text says why."""


def planning_goal(robot: MadeRobot, state: State, conditions: Iterable[Condition]) -> PlanningGoal:
    """Return what must hold so that conditions do, all at the same time.

    Args:
        robot: the robot.
        state: what is known; it says which things there are.
        conditions: read with the robot's words; a question wants to be found out only.

    Raises:
        NoPlanError: a condition cannot be put to the planner.
    """
    found = PlanningGoal()
    for number, condition in enumerate(conditions):
        _Reading(robot, state, found, str(number)).condition(condition)
    return found


class _Reading:
    def __init__(self, robot: MadeRobot, state: State, found: PlanningGoal, number: str) -> None:
        self._robot, self._state, self._found, self._number = robot, state, found, number
        self._count = itertools.count()

    def condition(self, condition: Condition) -> None:
        if condition.asks:
            self._found.literals += self._looked(condition)
            return
        # What is so of things only when one has looked is looked at first.
        self._found.literals += self._described(condition)
        if len(condition.clauses) == 1:
            self._require(self._ways(condition.clauses[0]))
            return
        self._require(way for clause in condition.clauses for way in self._ways(clause))

    def _require(self, ways: Iterable[Way]) -> None:
        every = list(itertools.islice(ways, _MOST_WAYS + 1))
        if len(every) > _MOST_WAYS:
            raise NoPlanError(f'there are more than {_MOST_WAYS} ways to meet a condition')
        if len(every) == 1:
            self._found.literals += every[0]
        else:
            self._found.literals.append((self._head(every), True))

    def _head(self, ways: Sequence[Way]) -> Fact:
        """Return a fact that holds in the end if one of some ways does."""
        head = ('met', self._number, str(next(self._count)))
        self._found.rules += [(head, way) for way in ways]
        return head

    def _one(self, ways: Sequence[Way]) -> Way:
        """Return literals for some ways, of which one must be so."""
        return ways[0] if len(ways) == 1 else ((self._head(ways), True),)

    def _ways(self, clause: Clause) -> Iterator[Way]:
        assert clause.predicate is not None
        if clause.subject is None:
            ways = list(self._of_robot(clause))
            yield from self._not(ways) if clause.quantity == NO else ways
            return
        items = self._items(clause.subject)
        ways_of = {name: list(self._of_item(clause, name)) for name in items}
        described = {
            name: tuple(((IS, name, one.holds.state), True) for one in clause.subject.states)
            for name in items
        }
        full = {name: [described[name] + way for way in ways_of[name]] for name in items}
        if clause.quantity == ALL:
            if not items:
                return
            every: Way = ()
            for name in items:
                others = [((fact, False),) for fact, _ in described[name]]
                every += self._one([*others, *ways_of[name]])
            yield every
        elif clause.quantity == NO:
            yield self._none(full, items)
        else:
            yield from self._counted(clause, full, items)

    def _counted(
        self, clause: Clause, full: dict[str, list[Way]], items: Sequence[str]
    ) -> Iterator[Way]:
        count, total = clause.count, len(items)
        if clause.quantity == AT_MOST:
            spared = max(total - count, 0)
            if math.comb(total, spared) > _MOST_WAYS:
                raise NoPlanError(f'{clause.text}: there are too many of them')
            nots = {name: self._none(full, [name]) for name in items}
            for names in itertools.combinations(items, spared):
                yield tuple(one for name in names for one in nots[name])
            return
        able = [name for name in items if full[name]]
        if count > len(able):
            return
        if math.comb(len(able), count) > _MOST_WAYS:
            raise NoPlanError(f'{clause.text}: there are too many of them')
        if count == 1 and clause.quantity != EXACTLY:
            for name in able:
                yield from full[name]
            return
        so = {name: self._one(full[name]) for name in able}
        nots = {name: self._none(full, [name]) for name in items if clause.quantity == EXACTLY}
        for names in itertools.combinations(able, count):
            yield tuple(one for name in names for one in so[name]) + tuple(
                one for name in nots if name not in names for one in nots[name]
            )

    def _none(self, full: dict[str, list[Way]], names: Iterable[str]) -> Way:
        found: Way = ()
        for name in names:
            if full[name]:
                found += self._one(list(self._not(full[name])))
        return found

    @staticmethod
    def _not(ways: Sequence[Way]) -> Iterator[Way]:
        """Yield the ways in which none of some ways is so."""
        if math.prod(len(way) for way in ways) > _MOST_WAYS:
            raise NoPlanError('a condition has too many ways in which it does not hold')
        for choice in itertools.product(*ways):
            yield tuple(dict.fromkeys((fact, not holds) for fact, holds in choice))

    def _items(self, subject: Subject) -> list[str]:
        if subject.load is not None:
            raise NoPlanError('what must lie on or in a thing is not planned for')
        there = {fact[1] for fact in self._state}
        return [
            name
            for name in self._robot.meant_by(subject.noun)
            if name in there and (subject.room is None or self._is_in(name, subject.room))
        ]

    def _is_in(self, name: str, room: Noun) -> bool:
        place = name
        for fact in self._state:
            if fact[0] in (ON, IN) and fact[1] == name:
                place = fact[2]
        return any(room.fits_room(fact[2]) for fact in self._state if fact[:2] == (IN_ROOM, place))

    def _of_robot(self, clause: Clause) -> Iterator[Way]:
        assert clause.predicate is not None
        holds = clause.predicate.holds
        if holds.hands:
            yield (((LOAD, ROBOT, '0'), True),)
        elif holds.robot == 'at':
            for name in self._robot.meant_by(clause.others[0]):
                yield (((AT, ROBOT, name), True),)
        else:
            for spot, room in self._rooms(clause.others[0]):
                yield (((AT, ROBOT, spot), True), ((IN_ROOM, spot, room), True))

    def _rooms(self, room: Noun) -> Iterator[tuple[str, str]]:
        """Yield places, rooms among them, with the rooms that are meant and they may be in."""
        meant = [name for name in self._robot.rooms if room.fits_room(name)]
        if IN_ROOM in self._robot.dynamic:
            places = [name for name, one in self._robot.things.items() if one.is_place]
            yield from itertools.product(places, meant)
            yield from ((name, name) for name in meant)
            return
        for fact in sorted(self._robot.static):
            if fact[0] == IN_ROOM and fact[2] in meant:
                yield fact[1], fact[2]

    def _of_item(self, clause: Clause, name: str) -> Iterator[Way]:
        """Yield the ways in which what a clause says is so of a thing."""
        predicate: Predicate | None = clause.predicate
        assert predicate is not None
        holds, thing = predicate.holds, self._robot.things[name]
        if holds.state:
            yield (((IS, name, holds.state), True),)
        elif holds.held:
            yield (((HELD, name), True),)
        elif holds.relation:
            for place in self._robot.meant_by(clause.others[0]):
                bearer = self._robot.things[place]
                own = ON if holds.relation == 'on' else IN
                relations = (ON, IN) if 'grabbable' in bearer.tags else (own,)
                for relation in relations:
                    if place != name:
                        yield (((relation, name, place), True),)
        elif holds.room and 'grabbable' in thing.tags:
            for spot, room in self._rooms(clause.others[0]):
                there = (((IN_ROOM, spot, room), True),)
                yield (((HELD, name), True), ((AT, ROBOT, spot), True), *there)
                if spot in self._robot.things:
                    for relation in (ON, IN):
                        yield (((relation, name, spot), True), *there)
        elif holds.room:
            for spot, room in self._rooms(clause.others[0]):
                if spot == name:
                    yield (((IN_ROOM, spot, room), True),)
        else:
            raise NoPlanError(f'{clause.text}: the predicate is not planned for')

    def _described(self, condition: Condition) -> Iterator[Literal]:
        for clause in condition.clauses:
            for state in clause.subject.states if clause.subject else ():
                looked = self._robot.hides.get(state.holds.state)
                if looked and clause.subject:
                    for name in self._items(clause.subject):
                        yield (IS, name, looked), True

    def _looked(self, condition: Condition) -> Iterator[Literal]:
        """Yield what has to be done to find out the answer to a question, if it is a skill."""
        for clause in condition.clauses:
            if clause.predicate is None or clause.subject is None:
                continue
            looked = self._robot.hides.get(clause.predicate.holds.state)
            if looked:
                for name in self._items(clause.subject):
                    yield (IS, name, looked), True
