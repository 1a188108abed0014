# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The language of conditions over the words of a robot: its grammar, and its reader.

Both come from one definition. The grammar, for engines and servers, accepts every canonical text
and nothing else. The reader takes the states of a thing in any order, ``1`` as a quantity, and a
``then`` before the first condition, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from reactree_ros.core.names import parse_name
from reactree_ros.skills.goal_conditions.forms import (
    Fields,
    Form,
    Made,
    Many,
    Reader,
    Rule,
    rules,
    said,
)
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    MAX_CHARS,
    MAX_CLAUSES,
    MAX_CONDITIONS,
    MAX_COUNT,
    NO,
    NONE,
    THEN,
    WHERE,
    WHETHER,
    Clause,
    Condition,
    ConditionError,
    ConditionWords,
    Noun,
    Subject,
)
from reactree_ros.skills.predicates import Predicate


@lru_cache(maxsize=4)
def condition_lark(words: ConditionWords) -> str:
    """Return rules in llguidance's variant of the Lark language, of which one is a line.

    All of them are terminals, the line is ``CONDITION_LINE``: one terminal is read much faster
    than a rule of many.
    """
    return rules(_Language(words).line, str.upper, ':')


@lru_cache(maxsize=4)
def condition_gbnf(words: ConditionWords) -> str:
    """Return rules in GBNF, of which ``condition-line`` is a line."""
    return rules(_Language(words).line, lambda name: name.replace('_', '-'), '::=')


def parse_conditions(line: str, words: ConditionWords) -> tuple[Condition, ...]:
    """Read a line; ``none`` stands for no conditions.

    Raises:
        ConditionError: with a sentence that a model can repair it from.
    """
    if line.strip().casefold() == NONE:
        return ()
    found: list[Condition] = []
    parts = [' '.join(part.split()) for part in line.split(';')]
    if len(parts) > MAX_CONDITIONS:
        raise ConditionError(f'a goal may have {MAX_CONDITIONS} conditions, not {len(parts)}')
    language = _Language(words, '; '.join(parts).casefold())
    for part in parts:
        if len(part) > MAX_CHARS:
            raise ConditionError(f'a condition has more than {MAX_CHARS} characters')
        reader = Reader(part.casefold())
        read = reader.read((Many(said(f'{THEN} ', later=1)), language.condition))
        if read is None:
            raise ConditionError(_fault(part, reader.unread))
        if len(read['condition'].clauses) > MAX_CLAUSES:
            raise ConditionError(f'a condition may have {MAX_CLAUSES} parts joined by "or"')
        stage = found[-1].stage + read.get('later', 0) if found else 0
        found.append(replace(read['condition'], stage=stage))
    return tuple(found)


def _fault(text: str, unread: int | None) -> str:
    if not text:
        return 'a condition is empty'
    if unread is None:
        return f'the condition "{text}" is not complete'
    rest = ' '.join(text.split()[unread:])
    return (
        f'the condition "{text}" cannot be read from "{rest}" on: use the predicates, states, '
        'classes, kinds and rooms of this robot'
    )


class _Language:
    """What conditions can say with the words of a robot.

    Args:
        words: of the robot.
        line: what will be read, in small letters: other nouns and states are left out; None for
            the grammar.
    """

    def __init__(self, words: ConditionWords, line: str | None = None) -> None:
        self._words = words
        self._line_read = line
        self._rules: dict[Hashable, Rule] = {}
        # What has an argument that nothing fits cannot be said.
        fitting = [one for one in words.predicates if all(map(words.fitting, one.arguments))]
        self._of_robot = [one for one in fitting if one.holds.is_of_robot]
        self._of_things = [one for one in fitting if not one.holds.is_of_robot]
        self.line = Rule('condition_line', self._line)
        self.condition = self._rule('condition', self._condition)
        self._phrase = self._rule('phrase', self._phrases)
        self._room = self._rule('room', self._rooms)

    def _line(self) -> Form:
        if not (self._of_robot or self._of_things):
            return NONE
        more = ('; ', Many(f'{THEN} '), self.condition)
        return [NONE, (self.condition, Many(more, MAX_CONDITIONS - 1))]

    def _condition(self) -> Form:
        clause = self._rule('clause', self._clauses)
        most = MAX_CLAUSES - 1 if self._line_read is None else MAX_CHARS
        where, how_many = (said(f'{one} ', question=one) for one in (WHERE, HOW_MANY))
        ways: list[Form] = [
            (clause, Many((' or ', clause), most)),
            (said(f'{WHETHER} ', question=WHETHER), clause),
        ]
        if self._of_things:
            ways.append((how_many, Made(self._phrase, _clause)))
        if self._words.classes:
            every = self._subject(self._words.classes, in_room=True)
            ways.append(([where, how_many], Made(every, _clause)))
        return Made(ways, lambda **fields: {'condition': Condition(**fields)})

    def _clauses(self) -> Form:
        ways: list[Form] = []
        if self._of_robot:
            negated = Many(said('not ', quantity=NO))
            ways.append((negated, [self._filled(one) for one in self._of_robot]))
        if self._of_things:
            counts: list[Form] = [said(f'{n} ', count=n) for n in range(1, MAX_COUNT + 1)]
            limits: list[Form] = [said(f'{one} ', quantity=one) for one in (EXACTLY, AT_MOST)]
            quantities: list[Form] = [said(f'{one} ', quantity=one) for one in (ALL, NO)]
            several = counts[self._line_read is None :]
            ways.append((Many([*quantities, (limits, counts), *several]), self._phrase))
        return Made(ways, _clause)

    def _phrases(self) -> Form:
        """Return what is about things, where those with the same subjects stand together."""
        endings: dict[Form, list[Form]] = {}
        ways: list[Form] = []
        for one in self._of_things:
            if one.parts[0] == 0:
                endings.setdefault(self._argument(one, 0), []).append(self._filled(one, 1))
            else:
                ways.append(self._filled(one))
        return [*ways, *((subject, ends) for subject, ends in endings.items())]

    def _filled(self, predicate: Predicate, start: int = 0) -> Form:
        parts: list[Form] = []
        for i, part in enumerate(predicate.parts[start:], start):
            if i:
                parts.append(' ')
            parts.append(part if isinstance(part, str) else self._argument(predicate, part))
        return Made(tuple(parts), partial(dict, predicate=predicate))

    def _argument(self, predicate: Predicate, number: int) -> Form:
        classes = self._words.fitting(predicate.arguments[number])
        if number == 0 and not predicate.holds.is_of_robot:
            return self._subject(classes, in_room=not predicate.holds.room)
        is_room = predicate.holds.others[0] == 'room'
        noun = self._room if is_room else self._noun(classes)
        return Made(noun, lambda noun: {'others': (noun,)})

    def _subject(self, classes: frozenset[str], in_room: bool) -> Rule:
        def build() -> Form:
            states = self._words.states
            parts: list[Form] = [self._described(classes, states)]
            if self._words.movable:
                load = self._described(self._words.movable, states)
                load = Made(load, lambda **fields: {'load': self._said_of(**fields)})
                parts.append(Many((' with ', load)))
            if in_room and self._words.rooms:
                room = Made(self._room, lambda noun: {'room': noun})
                parts.append(Many((' in ', room)))
            return Made(tuple(parts), lambda **fields: {'subject': self._said_of(**fields)})

        return self._rule('subject', build, classes, in_room)

    def _said_of(self, noun: Noun, states: tuple[Predicate, ...] = (), **rest: Any) -> Subject:
        return Subject(noun, tuple(one for one in self._words.states if one in states), **rest)

    def _described(self, classes: frozenset[str], states: tuple[Predicate, ...]) -> Form:
        """Return nouns of some classes, after some of these states."""

        def build() -> Form:
            ways: list[Form] = [self._noun(classes)]
            for i, state in enumerate(states):
                text = ' '.join((*state.state_words, ''))
                fitting = classes & self._words.fitting(state.arguments[0])
                if fitting and self._may_say(text):
                    before = () if self._line_read is None else states[:i]
                    rest = self._described(fitting, (*before, *states[i + 1 :]))
                    ways.append((said(text, states=(state,)), rest))
            return ways

        return self._rule('described', build, classes, states)

    def _noun(self, classes: frozenset[str]) -> Form:
        def build() -> Form:
            kinds: list[Form] = [
                said(name, noun=Noun(name, 0, meant))
                for name, meant in self._words.kinds_of(classes)
                if self._may_say(name)
            ]
            named: Form = [said(name, name=name) for name in sorted(classes) if self._may_say(name)]
            number = self._rule('number', _number)
            return [*kinds, Made((named, Many((' ', number))), _one)]

        return self._rule('noun', build, classes)

    def _rooms(self) -> Form:
        names = {(name, 0): name for name in self._words.room_classes}
        names |= {parse_name(name) or (name, 0): name for name in self._words.rooms}
        return [said(names[one], noun=Noun(*one, frozenset({one[0]}))) for one in sorted(names)]

    def _rule(self, kind: str, build: Callable[[], Form], *of: Hashable) -> Rule:
        return self._rules.setdefault((kind, of), Rule(f'condition_{kind}', build))

    def _may_say(self, text: str) -> bool:
        return self._line_read is None or text.casefold() in self._line_read


def _clause(**fields: Any) -> Fields:
    return {'clauses': (Clause(**fields),)}


def _number() -> Form:
    zero, *others = (said(digit, digits=(digit,)) for digit in '0123456789')
    return ([*others], Many([zero, *others], 2))


def _one(name: str, digits: tuple[str, ...] = ()) -> Fields:
    return {'noun': Noun(name, int(''.join(digits) or 0), frozenset({name}))}
