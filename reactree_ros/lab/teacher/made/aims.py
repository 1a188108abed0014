# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node of a generated robot's run has to reach, and plans for it by what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reactree_ros.sim.made.belief import Belief
from reactree_ros.sim.made.conditions import NoPlanError, planning_goal
from reactree_ros.sim.made.planning import plan, plan_stages
from reactree_ros.sim.made.robot import (
    AT,
    FULL,
    HELD,
    IN,
    IN_ROOM,
    IS,
    ON,
    REACH,
    ROBOT,
    ROOM,
    MadeRobot,
)
from reactree_ros.sim.planning.facts import Action, Fact, State
from reactree_ros.sim.planning.goal import PlanningGoal
from reactree_ros.skills.goal_conditions import Condition
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    NO,
    WHERE,
    WHETHER,
    Clause,
    Noun,
)

Ways = tuple[Fact, ...]
"""Facts of which one is to hold."""


@dataclass(frozen=True)
class Aim:
    """What a goal means.

    Args:
        conditions: that must hold.
        beside: conditions that siblings before have reached; they are kept where possible.
        facts: of each, one must hold.
        kept: like ``facts``, but what siblings before have reached: it is kept where possible.
        reached: like ``facts``, but what siblings before have reached, whether or not it is kept:
            what it is about is what is meant.
        places: where to look for one of ``things``, which is to be in the hand in the end; or
            with conditions, where all of them are to be as the conditions say.
        things: names.
        above: goals of the nodes above.
    """

    conditions: tuple[Condition, ...] = ()
    beside: tuple[Condition, ...] = ()
    facts: tuple[Ways, ...] = ()
    kept: tuple[Ways, ...] = ()
    reached: tuple[Ways, ...] = ()
    places: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Course:
    """A plan under an assumption of the whole state.

    Args:
        steps: the actions.
        states: before each of them, and at the end.
    """

    steps: tuple[Action, ...]
    states: tuple[State, ...]


def unstaged(condition: Condition) -> Condition:
    """Return a condition that waits for no other."""
    return replace(condition, stage=0)


class Knowledge:
    """What is known of a robot's surroundings, and plans that follow from it.

    Args:
        robot: the robot.
        belief: what was perceived.
    """

    def __init__(self, robot: MadeRobot, belief: Belief) -> None:
        self.robot, self.belief = robot, belief

    # Plans --------------------------------------------------------------------------------------

    def course(self, aim: Aim, seed: int) -> Course | None:
        """Return a plan for an aim without places; None if there is none."""
        # What was seen is taken before what would have to be found.
        states = (self.belief.assumed(seed, sparing=True), self.belief.assumed(seed))
        for one in dict.fromkeys((aim, replace(aim, beside=(), kept=()))):
            for state in dict.fromkeys(states):
                steps = _planned(self.robot, state, one)
                if steps is not None:
                    return _course(state, steps)
        return None

    def rest(self, course: Course, number: int, aim: Aim, seed: int) -> Course | None:
        """Return what is left of a plan if it still leads to the aim."""
        left = course.steps[number:]
        found = self.still(left, seed)
        return found if found and self.is_so(aim, found.states[-1], staged=True) else None

    def still(self, steps: Sequence[Action], seed: int) -> Course | None:
        """Return the plan of some steps if they are possible, one after another."""
        state = now = self.belief.assumed(seed)
        for step in steps:
            if not step.is_possible(now):
                return None
            now = step.after(now)
        return _course(state, steps)

    def way_to(self, place: str, seed: int) -> Course | None:
        """Return a plan to look at or into a place, or to be in a room; None if there is none."""
        state = self.belief.assumed(seed)
        goal = PlanningGoal()
        head = ('looked', place)
        thing = self.robot.things.get(place)
        if thing is None:
            spots = [fact[1] for fact in state if fact[0] == IN_ROOM and fact[2] == place]
        else:
            spots = [fact[1] for fact in self.robot.static if fact[0] == REACH and fact[2] == place]
        for spot in sorted(spots):
            way = [((AT, ROBOT, spot), True)]
            if thing is not None and 'can_open' in thing.tags and 'door' not in thing.tags:
                way += [((IS, place, one), True) for one in self.robot.opens]
            goal.rules.append((head, tuple(way)))
        goal.literals.append((head, True))
        steps = _safely(self.robot, state, goal)
        return _course(state, steps) if steps else None

    def holds(self, aim: Aim) -> bool:
        """Return whether an aim is known to be reached, as far as was seen; never of a question."""
        asks = any(one.asks for one in aim.conditions)
        return not asks and self.is_so(aim, self.belief.facts())

    def is_so(self, aim: Aim, state: State, *, staged: bool = False) -> bool:
        """Return whether an aim is reached in a state.

        Args:
            aim: the aim.
            state: all that holds.
            staged: what may be undone by the last stage need not hold any more.
        """
        conditions = [one for one in aim.conditions if not one.asks]
        if staged and conditions:
            last = conditions[-1].stage
            conditions = [
                one
                for one in conditions
                if one.stage == last or not one.may_be_undone(aim.conditions)
            ]
        try:
            goal = planning_goal(self.robot, state, conditions)
        except NoPlanError:
            return False
        return goal.holds(state) and all(any(fact in state for fact in ways) for ways in aim.facts)

    def narrowed(self, aim: Aim) -> Aim:
        """Return an aim that means the things which the parts before it have dealt with."""
        things = self.robot.things
        meant = {
            word
            for ways in aim.reached
            for fact in ways
            if self.belief.knows(fact)
            for word in fact[1:]
            if word in things
        }
        classes = {things[word].noun.name for word in meant}

        def is_meant(fact: Fact) -> bool:
            words = (word for word in fact[1:] if word in things)
            return all(word in meant or things[word].noun.name not in classes for word in words)

        facts = tuple(tuple(filter(is_meant, ways)) or ways for ways in aim.facts)
        return replace(aim, facts=facts)

    # What was not seen --------------------------------------------------------------------------

    def noun_of(self, name: str, aim: Aim) -> Noun:
        """Return the noun that means a thing, as the goal has it."""
        for condition in aim.conditions:
            for clause in condition.clauses:
                nouns = [clause.subject.noun] if clause.subject else []
                for noun in (*nouns, *clause.others):
                    if name in self.robot.meant_by(noun):
                        return noun
        class_name = name.rpartition(' ')[0]
        own = Noun(class_name, 0, frozenset({class_name}))
        among = next((one for one in (aim.things, *map(_subjects, aim.facts)) if name in one), ())
        if not among:
            return own
        classes = frozenset(one.rpartition(' ')[0] for one in among)
        if len(classes) > 1:
            kinds = [one for one in self.robot.library.kinds.items() if classes <= one[1]]
            kinds.sort(key=lambda one: len(one[1]))
            return Noun(kinds[0][0], 0, kinds[0][1]) if kinds else own
        if len(among) == 1 and len(self.robot.meant_by(own)) > 1:
            return Noun(class_name, self.robot.things[name].number, classes)
        return own

    def is_known(self, name: str) -> bool:
        """Return whether a thing was seen, or must be where it is."""
        return name not in self.belief.unknown

    def is_here(self, place: str) -> bool:
        """Return whether the robot stands at a place, or in a room."""
        spots = {fact[2] for fact in self.belief.facts() if fact[:2] == (AT, ROBOT)}
        rooms = {fact[2] for fact in self.robot.static if fact[0] == IN_ROOM and fact[1] in spots}
        return place in spots | rooms

    def assumed_at(self, name: str, seed: int) -> str:
        """Return the place where a thing that was not seen is assumed to be; empty for none."""
        for fact in self.belief.assumed(seed):
            if fact[0] in (ON, IN) and fact[1] == name:
                return fact[2]
        return ''

    def unseen_in(self, course: Course) -> list[str]:
        """Return the movable things of a plan that were not seen, in the order of their use."""
        unknown = {*self.belief.unknown}
        names = dict.fromkeys(
            fact[1] for step in course.steps for fact in step.add if fact[0] == HELD
        )
        return [name for name in names if name in unknown]

    def where_to_look(self, name: str, seed: int) -> list[str]:
        """Return the places where a thing may be, the assumed one first."""
        first = self.assumed_at(name, seed)
        rest = [one for one in self.belief.candidates(name) if one != first]
        return [first, *rest] if first else rest

    def rooms_of(self, places: Iterable[str]) -> list[str]:
        """Return the known rooms of some places, and the rooms not entered yet; this one first."""
        known = filter(None, map(self.belief.room_of, places))
        return sorted({*known, *self._rooms()}, key=self.belief.turn)

    def left_to_look(self, aim: Aim, seed: int) -> Iterator[str]:
        """Yield places and rooms that have to be looked at before an aim is known to be reached."""
        if self.robot.sees == FULL:
            return
        for condition in aim.conditions:
            for clause in condition.clauses:
                if clause.subject is not None:
                    yield from self._left(condition, clause, seed)
        for ways in aim.facts:
            for fact in ways:
                if fact[1] in self.robot.things and not self.is_known(fact[1]):
                    yield from self._unlooked([self.assumed_at(fact[1], seed)])

    def _left(self, condition: Condition, clause: Clause, seed: int) -> Iterator[str]:
        assert clause.subject is not None
        things = self.robot.meant_by(clause.subject.noun)
        movable = any('grabbable' in self.robot.things[name].tags for name in things)
        if condition.question == HOW_MANY or clause.quantity in (NO, EXACTLY, AT_MOST):
            if clause.others:
                places = self.robot.meant_by(clause.others[0])
                yield from self._unlooked(places)
                yield from self._unmet(places)
            if condition.asks or (clause.quantity == EXACTLY and self.holds(Aim((condition,)))):
                return
        if not movable:
            yield from self._unmet(things)
            if condition.question == WHETHER:
                return
        elif condition.question == WHERE or not clause.quantity or clause.quantity == EXACTLY:
            if not condition.asks or not any(map(self.is_known, things)):
                unknown = [name for name in things if not self.is_known(name)]
                yield from self._unlooked(self.assumed_at(name, seed) for name in unknown)
                yield from self._everywhere()
        elif clause.quantity == ALL:
            yield from self._everywhere()
        if not movable and (clause.quantity == ALL or clause.count > 1):
            yield from self._rooms()

    def _everywhere(self) -> Iterator[str]:
        """Yield all places that may hold something and were not looked into, and rooms."""
        places = [
            name
            for name, one in self.robot.things.items()
            if {'furniture', 'holder'} <= one.tags and self.is_known(name)
        ]
        left = (*self._unlooked(places), *self._rooms())
        yield from sorted(left, key=self.belief.turn)

    def _unlooked(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if name and name not in self.belief.looked_into:
                yield name

    def _unmet(self, names: Iterable[str]) -> Iterator[str]:
        """Yield places that were not seen."""
        yield from (name for name in names if not self.is_known(name))

    def _rooms(self) -> Iterator[str]:
        """Yield rooms that were not entered by a robot that sees only the room it is in."""
        if self.robot.sees == ROOM:
            seen = {fact[2] for fact in self.belief.facts() if fact[0] == IN_ROOM
                    and fact[1] in self.robot.things and self.is_known(fact[1])}  # fmt: skip
            yield from (room for room in self.robot.rooms if room not in seen)


def _subjects(ways: Ways) -> tuple[str, ...]:
    return tuple(fact[1] for fact in ways)


def _course(state: State, steps: Sequence[Action]) -> Course:
    states = [state]
    for step in steps:
        states.append(step.after(states[-1]))
    return Course(tuple(steps), tuple(states))


@lru_cache(maxsize=256)
def _planned(robot: MadeRobot, state: State, aim: Aim) -> tuple[Action, ...] | None:
    if not aim.facts and not aim.kept:
        try:
            return plan_stages(robot, state, (*aim.beside, *aim.conditions))
        except (NoPlanError, TimeoutError):
            return None
    try:
        goal = planning_goal(robot, state, (*aim.beside, *aim.conditions))
    except NoPlanError:
        return None
    for number, ways in enumerate((*aim.facts, *aim.kept)):
        if len(ways) == 1:
            goal.literals.append((ways[0], True))
        else:
            head = ('reached', str(number))
            goal.rules += [(head, ((fact, True),)) for fact in ways]
            goal.literals.append((head, True))
    return _safely(robot, state, goal)


def _safely(robot: MadeRobot, state: State, goal: PlanningGoal) -> tuple[Action, ...] | None:
    try:
        return plan(robot, state, goal)
    except TimeoutError:
        return None
