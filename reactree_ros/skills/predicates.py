# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The predicates of a skill library: what can be said of things, and how memory shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation

MOVABLE, PLACES, ROOMS = 'movable', 'places', 'rooms'
"""Words for the classes of an argument: everything movable, every place, every room."""
_DEFAULTS = {'item': (MOVABLE, PLACES), 'place': (PLACES,), 'room': (ROOMS,)}

_ARGUMENT = re.compile(r'\{([a-z][a-z0-9_]*)\}')

Fits = Callable[[ObservedObject], bool]


@dataclass(frozen=True)
class Holds:
    """How working memory shows that a predicate holds; everything that is set must be so.

    Args:
        relation: the item lies ``on`` or ``inside`` the place.
        room: the item is in the room.
        held: the robot holds the item.
        state: the item has this state.
        at: the robot stands at the place, or within reach of it.
        robot: the robot itself is ``at`` the place or ``in`` the room; there is no item.
        hands: ``empty`` if the robot must hold nothing; there is no item.
    """

    relation: str = ''
    room: bool = False
    held: bool = False
    state: str = ''
    at: bool = False
    robot: str = ''
    hands: str = ''

    @property
    def is_of_robot(self) -> bool:
        """It is about the robot, not about a thing."""
        return bool(self.robot or self.hands)

    @property
    def is_state(self) -> bool:
        """It is about nothing but a state of the item."""
        return self == Holds(state=self.state)

    @property
    def others(self) -> tuple[str, ...]:
        """What its arguments after the item are: ``place`` or ``room``."""
        if self.room or self.robot == 'in':
            return ('room',)
        return ('place',) if self.relation or self.at or self.robot else ()


@dataclass(frozen=True)
class Predicate:
    """Something that a condition can say.

    Args:
        name: its name in the library.
        phrase: how conditions say it, with arguments in braces: ``{item} inside {place}``. The
            first one is what it is said of, unless it is about the robot.
        arguments: for each argument in the order of the phrase, the classes or kinds that may fill
            it, or ``MOVABLE``, ``PLACES`` or ``ROOMS``.
        holds: how working memory shows it.
    """

    name: str
    phrase: str
    arguments: tuple[tuple[str, ...], ...]
    holds: Holds

    @cached_property
    def parts(self) -> tuple[str | int, ...]:
        """The words of the phrase, and numbers of arguments in the place of arguments."""
        numbers = iter(range(len(self.arguments)))
        return tuple(
            next(numbers) if _ARGUMENT.fullmatch(word) else word for word in self.phrase.split()
        )

    @property
    def state_words(self) -> tuple[str, ...]:
        """The words that may stand before a noun, as in ``hot potato``; empty for none."""
        if not self.holds.is_state or self.parts[0] != 0:
            return ()
        return tuple(str(part) for part in self.parts[1:])

    def filled(self, *arguments: str) -> str:
        """Return the phrase with its arguments."""
        return ' '.join(arguments[p] if isinstance(p, int) else p for p in self.parts)

    def is_true_of(self, item: ObservedObject, other: Fits, situation: Situation) -> bool:
        """Return whether it holds of one thing.

        Args:
            item: the thing.
            other: whether a place, or a room given as an object of its class, is the one meant.
            situation: what is known.
        """
        holds = self.holds
        return (
            (not holds.state or holds.state in item.states)
            and (not holds.held or item.held)
            and (not holds.room or other(room_object(item.room)))
            and (not holds.relation or _lies(item, holds.relation, other, situation))
            and (
                not holds.at
                or any(
                    other(place) and _is_at(place, situation)
                    for place in situation.objects.values()
                )
            )
        )

    def is_true_of_robot(self, other: Fits, situation: Situation) -> bool:
        """Return whether it holds of the robot; see ``is_true_of``."""
        if self.holds.hands:
            return not situation.held
        if self.holds.robot == 'in':
            return other(room_object(situation.room))
        place = situation.objects.get(situation.place)
        return place is not None and other(place)


def read_predicates(
    entries: Mapping[str, Mapping[str, Any]], words: frozenset[str], faults: list[str]
) -> tuple[Predicate, ...]:
    """Make predicates of a document whose form is right.

    Args:
        entries: predicates by name.
        words: classes and kinds that arguments may name.
        faults: what is wrong is added here.
    """
    found: list[Predicate] = []
    phrases: dict[str, str] = {}
    for name, entry in entries.items():
        where = f'predicates.{name}'
        phrase = ' '.join(entry['phrase'].split())
        holds = Holds(**entry['holds'])
        names = [match[1] for word in phrase.split() if (match := _ARGUMENT.fullmatch(word))]
        expected = (() if holds.is_of_robot else ('item',)) + holds.others
        if '{' in _ARGUMENT.sub('', phrase) or phrase.count('{') != len(names):
            faults.append(f'{where}: an argument of {phrase!r} is not a word like {{item}}')
        elif len(names) != len(expected) or len({*names}) != len(names):
            wanted = ' '.join(f'{{{one}}}' for one in expected) or 'none'
            faults.append(
                f'{where}: with these keys in holds, the arguments of its phrase are {wanted}'
            )
        for key in entry:
            if key not in ('phrase', 'holds', *names):
                faults.append(f'{where}: {key!r} is not an argument of {phrase!r}')
        bare = _ARGUMENT.sub('{}', phrase).casefold()
        if bare in phrases:
            faults.append(f'{where}.phrase: {phrase!r} reads like that of {phrases[bare]!r}')
        phrases.setdefault(bare, name)
        arguments = []
        for argument, what in zip(names, expected, strict=False):
            given = entry.get(argument, _DEFAULTS[what])
            classes = (given,) if isinstance(given, str) else tuple(given)
            unknown = {*classes} - words - {MOVABLE, PLACES, ROOMS}
            if unknown:
                listed = ', '.join(map(repr, sorted(unknown)))
                faults.append(f'{where}.{argument}: {listed} is neither a class nor a kind')
            arguments.append(classes)
        found.append(Predicate(name, phrase, tuple(arguments), holds))
    return tuple(found)


def room_object(name: str) -> ObservedObject:
    """Return a room as an object, which conditions name in the same way."""
    return ObservedObject(*(parse_name(name) or (name, 1)))


def anything(item: ObservedObject) -> bool:
    """Fit every object."""
    return True


def _lies(item: ObservedObject, relation: str, other: Fits, situation: Situation) -> bool:
    """Return whether a thing lies there: on it, or in it with what it lies on or in."""
    for above in situation.bearers(item):
        # on a plate or in a bowl is the vessel's affair
        either = 'grabbable' in above.affordances
        if other(above) and (item.relation == relation or either):
            return True
        if relation != 'inside':
            return False
        item = above
    return False


def _is_at(place: ObservedObject, situation: Situation) -> bool:
    now = situation.objects.get(situation.place)
    return now is not None and (
        place.near or now.name in (place.name, place.receptacle) or now.receptacle == place.name
    )
