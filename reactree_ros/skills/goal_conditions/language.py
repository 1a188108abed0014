# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals as conditions: a formal language over the predicates and classes of a skill library.

A line such as ``2 mug on coffee table; no lamp switched on; then robot in bedroom`` has one
canonical text, which ``parse_conditions`` reads and ``conditions_text`` writes::

    line       = "none" | condition *( "; " condition )
    condition  = [ "then " ] ( question | clause *( " or " clause ) )
    question   = "tell whether " clause | "tell where " subject
               | "tell how many " ( phrase | subject )
    clause     = [ "not " ] robot phrase | [ quantity " " ] phrase
    quantity   = N | "exactly " N | "at most " N | "all" | "no"
    subject    = *( state " " ) noun [ " with " *( state " " ) noun ] [ " in " room ]
    noun       = class [ " " number ] | kind

Without a quantity at least one is meant. ``then`` begins a stage: what follows must become true
when everything before it has held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reactree_ros.core.decision import NO_CONDITIONS
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import DecisionError
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.predicates import (
    MOVABLE,
    PLACES,
    ROOMS,
    Predicate,
    anything,
    room_object,
)

NONE, THEN = NO_CONDITIONS, 'then'
ALL, NO, EXACTLY, AT_MOST = 'all', 'no', 'exactly', 'at most'
WHETHER, WHERE, HOW_MANY = 'tell whether', 'tell where', 'tell how many'
MAX_COUNT = 20
"""The largest number of things that a condition can ask for."""
MAX_CHARS = 1000
"""The longest condition."""
MAX_CONDITIONS, MAX_CLAUSES = 24, 8
"""The most conditions of a goal, and the most ways to meet one, so that a line comes to an end."""


class ConditionError(DecisionError):
    """A line is not in the language of conditions; the sentence says where."""


@dataclass(frozen=True)
class Noun:
    """Something named: a class, one thing of it, a kind, or a room.

    Args:
        name: the class, kind or class of room.
        number: which one; 0 for any.
        classes: the classes that it means.
    """

    name: str
    number: int
    classes: frozenset[str]

    @property
    def text(self) -> str:
        """It in a condition."""
        return f'{self.name} {self.number}' if self.number else self.name

    def fits(self, item: ObservedObject) -> bool:
        """Return whether an object is one that is meant."""
        return item.class_name in self.classes and self.number in (0, item.instance)

    def fits_room(self, name: str) -> bool:
        """Return whether a room is one that is meant."""
        return self.fits(room_object(name))


@dataclass(frozen=True)
class Subject:
    """The things that a clause is about.

    Args:
        noun: what they are.
        states: what else must be so of each, in the order of the library.
        load: what must lie on or in each.
        room: where they are, or were seen first.
    """

    noun: Noun
    states: tuple[Predicate, ...] = ()
    load: Subject | None = None
    room: Noun | None = None

    @property
    def text(self) -> str:
        """It in a condition."""
        parts = [word for state in self.states for word in state.state_words]
        parts.append(self.noun.text)
        if self.load:
            parts += ['with', self.load.text]
        if self.room:
            parts += ['in', self.room.text]
        return ' '.join(parts)


@dataclass(frozen=True)
class Clause:
    """Something that holds or does not.

    Args:
        predicate: what is said; None only where a question asks for no more than the subject.
        subject: of what; None if it is said of the robot.
        others: the arguments after the subject.
        quantity: ``EXACTLY``, ``AT_MOST``, ``ALL`` or ``NO``; empty for at least.
        count: of how many; 1 where the quantity has no number.
    """

    predicate: Predicate | None = None
    subject: Subject | None = None
    others: tuple[Noun, ...] = ()
    quantity: str = ''
    count: int = 1

    def is_true_of(self, item: ObservedObject, situation: Situation) -> bool:
        """Return whether what is said of its things is so of one."""
        other = self.others[0].fits if self.others else anything
        return self.predicate is None or self.predicate.is_true_of(item, other, situation)

    def is_true_of_robot(self, situation: Situation) -> bool:
        """Return whether what is said of the robot is so."""
        other = self.others[0].fits if self.others else anything
        return self.predicate is None or self.predicate.is_true_of_robot(other, situation)

    def is_met_by(self, count: int, every: int) -> bool:
        """Return whether it holds if it is true of a number of every thing that it is about."""
        if self.quantity == ALL:
            return count == every
        if self.quantity == NO:
            return not count
        if self.quantity == EXACTLY:
            return count == self.count
        if self.quantity == AT_MOST:
            return count <= self.count
        return count >= self.count

    @property
    def text(self) -> str:
        """It in a condition."""
        said = self._said
        if self.subject is None:
            return f'not {said}' if self.quantity == NO else said
        if self.quantity in (ALL, NO):
            return f'{self.quantity} {said}'
        if self.quantity:
            return f'{self.quantity} {self.count} {said}'
        return said if self.count == 1 else f'{self.count} {said}'

    @property
    def _said(self) -> str:
        subject = () if self.subject is None else (self.subject.text,)
        if self.predicate is None:
            return ' '.join(subject)
        return self.predicate.filled(*subject, *(one.text for one in self.others))


@dataclass(frozen=True)
class Condition:
    """One condition of a goal.

    Args:
        clauses: one of them must hold.
        question: ``WHETHER``, ``WHERE`` or ``HOW_MANY`` if an answer is wanted.
        stage: 0, and one more after every ``then``.
    """

    clauses: tuple[Clause, ...]
    question: str = ''
    stage: int = 0

    @property
    def asks(self) -> bool:
        """It is a question."""
        return bool(self.question)

    @property
    def of_robot(self) -> bool:
        """It is about the robot itself."""
        return any(clause.subject is None for clause in self.clauses)

    @property
    def things(self) -> frozenset[str]:
        """The classes that it is about."""
        subjects = (clause.subject for clause in self.clauses)
        return frozenset().union(*(one.noun.classes for one in subjects if one))

    def may_be_undone(self, goal: Sequence[Condition]) -> bool:
        """Whether it need not hold in the end of a goal: it is about what comes later, too."""
        later = [one for one in goal if one.stage > self.stage]
        if self.of_robot:
            return bool(later)
        return any(self.things & one.things for one in later if not one.asks)

    @property
    def text(self) -> str:
        """It in the line, without ``then``."""
        said = ' or '.join(clause.text for clause in self.clauses)
        return f'{self.question} {said}' if self.question else said


def condition_texts(conditions: Sequence[Condition]) -> list[str]:
    """Write each condition as it stands in the line, with ``then`` where a stage begins."""
    stages = [0, *(one.stage for one in conditions)]
    return [
        f'{THEN} {one.text}' if one.stage > before else one.text
        for before, one in zip(stages, conditions, strict=False)
    ]


def conditions_text(conditions: Sequence[Condition]) -> str:
    """Write conditions as the line that ``parse_conditions`` reads."""
    return '; '.join(condition_texts(conditions)) or NONE


@dataclass(frozen=True)
class ConditionWords:
    """The words of a robot's conditions.

    Args:
        predicates: what can be said.
        movable: classes of movable things.
        places: classes of places.
        kinds: wider words, and the classes that each means.
        rooms: names of rooms.
    """

    predicates: tuple[Predicate, ...]
    movable: frozenset[str]
    places: frozenset[str]
    kinds: tuple[tuple[str, frozenset[str]], ...] = ()
    rooms: tuple[str, ...] = ()

    @classmethod
    def of(cls, library: SkillLibrary, situation: Situation) -> ConditionWords:
        """Return the words of a library, with the classes and rooms that the robot has seen."""
        seen = {PLACES: {*library.places}, MOVABLE: {*library.objects}}
        known = library.places | library.objects
        for item in situation.objects.values():
            if item.class_name not in known and item.affordances:
                seen[PLACES if 'furniture' in item.affordances else MOVABLE].add(item.class_name)
        return cls(
            library.predicates,
            frozenset(seen[MOVABLE]),
            frozenset(seen[PLACES]),
            tuple(sorted(library.kinds.items())),
            situation.rooms,
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        """All classes of things."""
        return self.movable | self.places

    @cached_property
    def states(self) -> tuple[Predicate, ...]:
        """The predicates that may stand before a noun."""
        return tuple(one for one in self.predicates if one.state_words)

    def fitting(self, argument: Sequence[str]) -> frozenset[str]:
        """Return the classes that may fill an argument of a predicate."""
        kinds = dict(self.kinds)
        sets = {MOVABLE: self.movable, PLACES: self.places, ROOMS: self.room_classes}
        found = (sets.get(one, kinds.get(one, {one})) for one in argument)
        return frozenset().union(*found)

    @cached_property
    def room_classes(self) -> frozenset[str]:
        """The classes of the rooms."""
        return frozenset(room.class_name for room in map(room_object, self.rooms))

    def kinds_of(self, classes: frozenset[str]) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return the kinds all of whose classes are among some."""
        return tuple(kind for kind in self.kinds if kind[1] <= classes)
