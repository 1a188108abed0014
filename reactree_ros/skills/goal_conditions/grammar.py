# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The language of conditions as a grammar over the words of a robot, for engines and servers.

It accepts every canonical text, and nothing that cannot be read. Both forms are written with what
Lark and GBNF have in common: literals, alternatives and repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    IN,
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
    ConditionWords,
)
from reactree_ros.skills.predicates import Predicate

_LINE = 'condition_line'


class _Rule(str):
    """The name of a rule."""


_Body = tuple[str, ...]
"""Pieces of source: names of rules, and what both forms write in the same way."""


@lru_cache(maxsize=4)
def condition_lark(words: ConditionWords) -> str:
    """Return rules in llguidance's variant of the Lark language, of which one is a line.

    All of them are terminals, the line is ``CONDITION_LINE``: one terminal is read much faster
    than a rule of many.
    """
    return _source(words, str.upper, ':')


@lru_cache(maxsize=4)
def condition_gbnf(words: ConditionWords) -> str:
    """Return rules in GBNF, of which ``condition-line`` is a line."""
    return _source(words, lambda name: name.replace('_', '-'), '::=')


def _source(words: ConditionWords, named: Callable[[str], str], sign: str) -> str:
    lines = []
    for name, body in _Rules(words).bodies.items():
        source = ''.join(named(one) if isinstance(one, _Rule) else one for one in body)
        lines.append(f'{named(name)} {sign} {source}\n')
    return ''.join(lines)


class _Rules:
    """Makes the rules for the words of a robot."""

    def __init__(self, words: ConditionWords) -> None:
        self._words = words
        self._names: dict[Hashable, _Rule] = {}
        self.bodies: dict[_Rule, _Body] = {}
        # What has an argument that nothing fits cannot be said.
        self._predicates = [
            one for one in words.predicates if all(map(words.fitting, one.arguments))
        ]
        rooms = sorted({*words.room_classes, *words.rooms})
        self._room = self._rule('room', 'room', _either(*map(_text, rooms))) if rooms else ()
        self._line()

    def _line(self) -> None:
        digit = _either(*map(_text, '0123456789'))
        first = _either(*map(_text, '123456789'))
        self._number = self._rule('number', 'number', _then(first, _maybe(digit), _maybe(digit)))
        count = _either(*(_text(str(n)) for n in range(1, MAX_COUNT + 1)))
        several = _either(*(_text(str(n)) for n in range(2, MAX_COUNT + 1)))
        quantity = _either(
            _text(f'{ALL} '),
            _text(f'{NO} '),
            _then(_either(_text(f'{EXACTLY} '), _text(f'{AT_MOST} ')), count, _text(' ')),
            _then(several, _text(' ')),
        )
        phrases = self._phrases()
        clauses, asked = [], []
        if phrases:
            phrase = self._rule('phrase', 'phrase', _either(*phrases))
            clauses.append(_then(_maybe(quantity), phrase))
            asked.append(_then(_text(f'{HOW_MANY} '), phrase))
        if self._words.classes:
            every = self._subject(self._words.classes, in_room=True)
            asked.append(_then(_either(_text(f'{WHERE} '), _text(f'{HOW_MANY} ')), every))
        of_robot = [self._filled(one) for one in self._predicates if one.holds.is_of_robot]
        if of_robot:
            clauses.append(_then(_maybe(_text(f'{NOT} ')), _either(*of_robot)))
        if not clauses:
            self.bodies[_Rule(_LINE)] = _text(NONE)
            return
        clause = self._rule('clause', 'clause', _either(*clauses))
        condition = _either(
            _then(clause, _more(_then(_text(f' {OR} '), clause), MAX_CLAUSES)),
            _then(_text(f'{WHETHER} '), clause),
            *asked,
        )
        one = self._rule('condition', 'condition', condition)
        more = _more(_then(_text('; '), _maybe(_text(f'{THEN} ')), one), MAX_CONDITIONS)
        self.bodies[_Rule(_LINE)] = _either(_text(NONE), _then(one, more))

    def _phrases(self) -> list[_Body]:
        """Return every phrase that is about things, those with the same subjects together."""
        endings: dict[tuple[frozenset[str], bool], list[_Body]] = {}
        phrases = []
        for one in self._predicates:
            if one.holds.is_of_robot:
                continue
            if one.parts[0] != 0:
                phrases.append(self._filled(one))
                continue
            key = (self._words.fitting(one.arguments[0]), not one.holds.room)
            endings.setdefault(key, []).append(self._filled(one, 1))
        for (classes, in_room), ends in endings.items():
            phrases.append(_then(self._subject(classes, in_room), _either(*ends)))
        return phrases

    def _filled(self, predicate: Predicate, start: int = 0) -> _Body:
        parts: list[_Body] = []
        for i, part in enumerate(predicate.parts[start:], start):
            if i:
                parts.append(_text(' '))
            parts.append(_text(part) if isinstance(part, str) else self._argument(predicate, part))
        return _then(*parts)

    def _argument(self, predicate: Predicate, number: int) -> _Body:
        if number == 0 and not predicate.holds.is_of_robot:
            classes = self._words.fitting(predicate.arguments[0])
            return self._subject(classes, in_room=not predicate.holds.room)
        if predicate.holds.others[0] == 'room':
            return self._room
        return self._noun(self._words.fitting(predicate.arguments[number]))

    def _subject(self, classes: frozenset[str], in_room: bool) -> _Body:
        described = self._described(classes, 0)
        load = self._described(self._words.movable, 0)
        body = _then(described, _maybe(_then(_text(f' {WITH} '), load)))
        if in_room and self._room:
            body = _then(body, _maybe(_then(_text(f' {IN} '), self._room)))
        return self._rule((classes, in_room), 'subject', body)

    def _described(self, classes: frozenset[str], first: int) -> _Body:
        """Return nouns of some classes, after states from the first one allowed on."""
        key = ('described', classes, first)
        if key not in self._names:
            ways = [self._noun(classes)]
            for i, state in enumerate(self._words.states[first:], first):
                fitting = classes & self._words.fitting(state.arguments[0])
                if fitting:
                    said = _text(' '.join((*state.state_words, '')))
                    ways.append(_then(said, self._described(fitting, i + 1)))
            return self._rule(key, 'described', _either(*ways))
        return (self._names[key],)

    def _noun(self, classes: frozenset[str]) -> _Body:
        kinds = [_text(name) for name, _ in self._words.kinds_of(classes)]
        named = _either(*map(_text, sorted(classes)))
        body = _either(_then(named, _maybe(_then(_text(' '), self._number))), *kinds)
        return self._rule(('noun', classes), 'noun', body)

    def _rule(self, key: Hashable, kind: str, body: _Body) -> _Body:
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = _Rule(f'condition_{kind}_{len(self._names)}')
            self.bodies[name] = body
        return (name,)


def _text(text: str) -> _Body:
    escaped = text.replace('\\', '\\\\').replace('"', '\\"')
    return (f'"{escaped}"',)


def _then(*bodies: _Body) -> _Body:
    return tuple(piece for body in bodies for piece in (*body, ' '))[:-1]


def _either(*bodies: _Body) -> _Body:
    pieces = [piece for body in bodies for piece in (*body, ' | ')]
    return ('(', *pieces[:-1], ')')


def _maybe(body: _Body) -> _Body:
    return ('(', *body, ')?')


def _more(body: _Body, most: int) -> _Body:
    """Return what follows a first one where there may be ``most``."""
    return ('(', *body, f'){{0,{most - 1}}}')
