# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads conditions of a goal, or says in one sentence why it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    IN,
    MAX_CHARS,
    MAX_CLAUSES,
    MAX_CONDITIONS,
    MAX_COUNT,
    NO,
    NONE,
    NOT,
    OR,
    THEN,
    WHERE,
    WHETHER,
    WITH,
    Clause,
    Condition,
    ConditionError,
    ConditionWords,
    Noun,
    Subject,
)
from reactree_ros.skills.predicates import Predicate

_NUMBER = re.compile('[1-9][0-9]{0,2}')


def parse_conditions(line: str, words: ConditionWords) -> tuple[Condition, ...]:
    """Read a line; ``none`` stands for no conditions.

    Raises:
        ConditionError: with a sentence that a model can repair it from.
    """
    text = ' '.join(line.split())
    if text.casefold() == NONE:
        return ()
    found: list[Condition] = []
    parts = text.split(';')
    if len(parts) > MAX_CONDITIONS:
        raise ConditionError(f'a goal may have {MAX_CONDITIONS} conditions, not {len(parts)}')
    for part in parts:
        if len(part) > MAX_CHARS:
            raise ConditionError(f'a condition has more than {MAX_CHARS} characters')
        condition, later = _Reader(part, words).read()
        if len(condition.clauses) > MAX_CLAUSES:
            raise ConditionError(f'a condition may have {MAX_CLAUSES} parts joined by "{OR}"')
        stage = found[-1].stage + later if found else 0
        found.append(replace(condition, stage=stage))
    return tuple(found)


class _Reader:
    """Reads one condition, trying every way to cut it into words of the library."""

    def __init__(self, text: str, words: ConditionWords) -> None:
        self._written = text.split()
        self._tokens = text.casefold().split()
        self._words = words
        self._far = 0

    def read(self) -> tuple[Condition, int]:
        """Return the condition, and 1 if it begins a stage, else 0."""
        later, start = next(((1, i) for i in self._word(THEN, 0)), (0, 0))
        for condition, end in self._condition(start):
            if end == len(self._tokens):
                return condition, later
        if not self._tokens:
            raise ConditionError('a condition is empty')
        text = ' '.join(self._written)
        if self._far >= len(self._tokens):
            raise ConditionError(f'the condition "{text}" is not complete')
        rest = ' '.join(self._written[self._far :])
        raise ConditionError(
            f'the condition "{text}" cannot be read from "{rest}" on: use the predicates, states, '
            'classes, kinds and rooms of this robot'
        )

    def _condition(self, i: int) -> Iterator[tuple[Condition, int]]:
        for j in self._word(WHETHER, i):
            for clause, end in self._clause(j):
                yield Condition((clause,), WHETHER), end
        every = self._words.classes
        for j in self._word(HOW_MANY, i):
            for clause, end in self._phrase(j, '', 1):
                yield Condition((clause,), HOW_MANY), end
        for question in (WHERE, HOW_MANY):
            for j in self._word(question, i):
                for subject, end in self._subject(j, every):
                    yield Condition((Clause(None, subject),), question), end
        for clauses, end in self._clauses(i):
            yield Condition(clauses), end

    def _clauses(self, i: int) -> Iterator[tuple[tuple[Clause, ...], int]]:
        for clause, end in self._clause(i):
            yield (clause,), end
            for j in self._word(OR, end):
                for others, last in self._clauses(j):
                    yield (clause, *others), last

    def _clause(self, i: int) -> Iterator[tuple[Clause, int]]:
        for predicate in self._words.predicates:
            if predicate.holds.is_of_robot:
                for quantity, start in (('', i), *((NO, j) for j in self._word(NOT, i))):
                    for arguments, end in self._filled(predicate, start, 0):
                        yield Clause(predicate, None, arguments, quantity), end
        for quantity, count, start in self._quantities(i):
            yield from self._phrase(start, quantity, count)

    def _quantities(self, i: int) -> Iterator[tuple[str, int, int]]:
        yield '', 1, i
        for quantity in (ALL, NO):
            for j in self._word(quantity, i):
                yield quantity, 1, j
        for quantity in ('', EXACTLY, AT_MOST):
            for j in self._word(quantity, i):
                for count, end in self._number(j):
                    if count <= MAX_COUNT:
                        yield quantity, count, end

    def _phrase(self, i: int, quantity: str, count: int) -> Iterator[tuple[Clause, int]]:
        for predicate in self._words.predicates:
            if not predicate.holds.is_of_robot:
                for (subject, *others), end in self._filled(predicate, i, 0):
                    yield Clause(predicate, subject, tuple(others), quantity, count), end

    def _filled(
        self, predicate: Predicate, i: int, part: int
    ) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Yield the subject and the other arguments of a phrase from one of its parts on."""
        if part == len(predicate.parts):
            yield (), i
            return
        here = predicate.parts[part]
        if isinstance(here, str):
            for j in self._word(here.casefold(), i):
                yield from self._filled(predicate, j, part + 1)
            return
        for argument, j in self._argument(predicate, here, i):
            for others, end in self._filled(predicate, j, part + 1):
                yield (argument, *others), end

    def _argument(
        self, predicate: Predicate, number: int, i: int
    ) -> Iterator[tuple[Subject | Noun, int]]:
        classes = self._words.fitting(predicate.arguments[number])
        if number == 0 and not predicate.holds.is_of_robot:
            yield from self._subject(i, classes, in_room=not predicate.holds.room)
        elif predicate.holds.others[0] == 'room':
            yield from self._room(i)
        else:
            yield from self._noun(i, classes)

    def _room(self, i: int) -> Iterator[tuple[Noun, int]]:
        for room, end in self._noun(i, self._words.room_classes):
            if not room.number or room.text in self._words.rooms:
                yield room, end

    def _subject(
        self, i: int, classes: frozenset[str], in_room: bool = True, loaded: bool = True
    ) -> Iterator[tuple[Subject, int]]:
        for states, noun, j in self._described(i, classes):
            plain = Subject(noun, states)
            ends = [(plain, j)]
            if loaded:
                for k in self._word(WITH, j):
                    for load, end in self._subject(k, self._words.movable, False, False):
                        ends.append((replace(plain, load=load), end))
            for subject, k in ends:
                yield subject, k
                if in_room:
                    for start in self._word(IN, k):
                        for room, end in self._room(start):
                            yield replace(subject, room=room), end

    def _described(
        self, i: int, classes: frozenset[str], said: tuple[Predicate, ...] = ()
    ) -> Iterator[tuple[tuple[Predicate, ...], Noun, int]]:
        for noun, j in self._noun(i, classes):
            yield tuple(one for one in self._words.states if one in said), noun, j
        for state in self._words.states:
            if state in said:
                continue
            for j in self._word(' '.join(state.state_words).casefold(), i):
                fitting = classes & self._words.fitting(state.arguments[0])
                yield from self._described(j, fitting, (*said, state))

    def _noun(self, i: int, classes: frozenset[str]) -> Iterator[tuple[Noun, int]]:
        self._far = max(self._far, i)
        for length in range(min(self._words.longest, len(self._tokens) - i), 0, -1):
            name, meant = self._words.nouns.get(tuple(self._tokens[i : i + length]), ('', classes))
            j = i + length
            if name in classes:
                for number, end in self._number(j):
                    yield Noun(name, number, frozenset({name})), end
            if name and meant <= classes:
                yield Noun(name, 0, meant), j

    def _number(self, i: int) -> Iterator[tuple[int, int]]:
        self._far = max(self._far, i)
        if i < len(self._tokens) and _NUMBER.fullmatch(self._tokens[i]):
            yield int(self._tokens[i]), i + 1

    def _word(self, words: str, i: int) -> Iterator[int]:
        """Yield where these words end if they stand there."""
        for word in words.split():
            self._far = max(self._far, i)
            if i >= len(self._tokens) or self._tokens[i] != word:
                return
            i += 1
        yield i
