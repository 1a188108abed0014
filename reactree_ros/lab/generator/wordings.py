# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How people word goals: sentence frames and nouns, a file for each person who wrote some.

A file of ``resource/wordings`` has frames by shape of goal, with places for nouns as ``{item.the}``
or ``{place.to}``, and for every class of the robot the nouns that fill them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from reactree_ros.paths import share
from reactree_ros.sim.draw import Draw

YES_NO: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    'en': (('yes',), ('no',)),
    'de': (('ja',), ('nein',)),
    'es': (('sí', 'si'), ('no',)),
    'fr': (('oui',), ('non',)),
    'it': (('sì', 'si'), ('no',)),
    'pt': (('sim',), ('não', 'nao')),
    'nl': (('ja',), ('nee',)),
    'pl': (('tak',), ('nie',)),
    'tr': (('evet', 'var'), ('hayır', 'yok')),
    'ru': (('да',), ('нет',)),
    'uk': (('так',), ('ні',)),
    'cs': (('ano',), ('ne',)),
    'sv': (('ja',), ('nej',)),
    'da': (('ja',), ('nej',)),
    'fi': (('kyllä', 'on'), ('ei',)),
    'id': (('ya', 'ada'), ('tidak',)),
    'vi': (('có', 'vâng'), ('không',)),
    'hi': (('हाँ', 'हां', 'जी हाँ'), ('नहीं',)),
    'ar': (('نعم',), ('لا',)),
    'zh': (('是', '有', '对'), ('没有', '不', '否')),
    'ja': (('はい', 'あります', 'ある'), ('いいえ', 'ありません', 'ない')),
    'ko': (('네', '예', '있'), ('아니', '없')),
}
"""By language, words of which one is in an answer that says yes, and in one that says no."""

_PLACE = re.compile(r'\{([^{}]*)\}')
_THE = re.compile(r'\bthe ')
_ARTICLE = re.compile(r'(?:an?|the|every single|every|all the|all|some) ')

Noun = Mapping[str, str]


@dataclass(frozen=True)
class Named:
    """Something that a sentence names.

    Args:
        name: a class, kind or kind of room; empty for something unknown.
        number: which of its class; 0 for any.
        states: adjectives, as the states of the robot's language.
    """

    name: str
    number: int = 0
    states: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As a condition names it: ``cold apple 2``."""
        return ' '.join((*self.states, self.name, *([str(self.number)] if self.number else [])))


Counted = tuple[tuple[Named, int], ...]
"""Things with their numbers, as a sentence lists them."""

Said = Mapping[str, Named | Counted]
"""What fills the places of a frame, by the name before the dot."""


@dataclass(frozen=True)
class Hand:
    """The wordings of one person.

    Args:
        name: of the file.
        data: what the file has.
    """

    name: str
    data: Mapping[str, Any] = field(repr=False)

    @property
    def language(self) -> str:
        """ISO code."""
        return str(self.data['language'])

    @property
    def space(self) -> str:
        """What stands between words and between sentences."""
        return '' if self.language in ('zh', 'ja') else ' '

    def word(self, shape: str, said: Said, draw: Draw) -> str | None:
        """Word a goal.

        Args:
            shape: of its frames.
            said: what it speaks of.
            draw: chooses the frame and the nouns.

        Returns:
            None if this person has no words for it.
        """
        for frame in draw.shuffled(self.data['shapes'][shape]):
            with suppress(KeyError):
                return self._filled(frame, said, draw)
        return None

    def number(self, count: int) -> str:
        """A number as a word, or in digits where the person wrote none."""
        return str(self.data['numbers'].get(count, count))

    def nouns(self, slot: str, named: Named) -> Iterator[Noun]:
        """The forms in which something can be said."""
        for noun in self._entries(slot, named.name, named.number):
            formed = dict(noun)
            if named.states:
                if self.language != 'en' or 'states' not in self.data:
                    return
                formed = self._described(formed, named.states)
            yield self._numbered(formed, named.number) if named.number else formed

    def _entries(self, slot: str, name: str, number: int) -> Sequence[Noun]:
        data: Mapping[str, Mapping[str, Sequence[Noun]]] = self.data
        if slot.startswith('unknown'):
            key = 'unknown' if slot == 'unknown' else 'unknown_places'
            return [self.data[key][int(name)]]
        if slot == 'room':
            return data['rooms'].get(name, ())
        if not slot.startswith('place'):
            return data['things'].get(name) or data['kinds'].get(name, ())
        if name in data['rooms']:
            return [_as_place(noun, self.language) for noun in data['rooms'][name]]
        # A kind is the wider word: "the cabinet" may be one in the kitchen.
        kind = () if number else data['kinds'].get(name, ())
        return kind or data['places'].get(name, ())

    def _numbered(self, noun: Noun, number: int) -> dict[str, str]:
        """Name one thing of a class by its number, as ``kitchen cabinet 2``.

        The number stands behind the bare noun where a form has it, else behind the form; none
        where a file says that a form is ``unnumbered``: endings and verbs that agree with nouns.
        """
        bare = noun.get('bare', '') if self.language != 'en' else ''
        forms = dict(noun)
        for form in {*noun} - {*self.data.get('unnumbered', ())}:
            if bare and bare in noun[form]:
                forms[form] = noun[form].replace(bare, f'{bare}{self.space}{number}')
            elif self.language == 'en':
                forms[form] = f'{_THE.sub("", noun[form])} {number}'
            else:
                forms[form] = f'{noun[form]}{self.space}{number}'
        return {**forms, 'a': forms['the']}

    def _described(self, noun: Mapping[str, str], states: Sequence[str]) -> dict[str, str]:
        words = ' '.join(str(self.data['states'][state][0]) for state in states)
        found = {'many': f'{words} {noun["many"]}'}
        for form in ('a', 'the', 'every'):
            if article := _ARTICLE.match(noun[form]):
                start = 'a ' if article[0] == 'an ' else article[0]
                found[form] = f'{start}{words} {noun[form][article.end() :]}'
        return found

    def _filled(self, frame: str, said: Said, draw: Draw) -> str:
        """Fill a frame; a KeyError where the person has no word for something."""
        nouns: dict[str, Noun] = {}
        values: dict[str, str] = {}
        first = said.get('items', ())
        many = isinstance(first, tuple) and sum(count for _, count in first) > 1
        for key in dict.fromkeys(_PLACE.findall(frame)):
            slot, _, form = key.partition('.')
            if key in ('them', 'are'):
                values[key] = self.data[key][many]
            elif isinstance(named := said[slot], tuple):
                values[key] = self._listed(named, slot == 'exact', draw)
            else:
                if slot not in nouns:
                    nouns[slot] = self._noun(slot, named, draw)
                values[key] = nouns[slot][form]
        return _PLACE.sub(lambda found: values[found[1]], frame)

    def _noun(self, slot: str, named: Named, draw: Draw) -> Noun:
        fitting = list(self.nouns(slot, named))
        if not fitting:
            raise KeyError(named.name)
        return draw.pick(fitting)

    def _listed(self, things: Counted, exact: bool, draw: Draw) -> str:
        style = draw.weighted({'a': 3.0, 'the': 2.0})
        digits = draw.chance(0.2)
        parts = []
        for named, count in things:
            noun = self._noun('item', named, draw)
            if count > 1:
                number = f'{count}' if digits else self.number(count)
                parts.append(f'{number}{self.space}{noun["many"]}')
            else:
                parts.append(self._one(noun) if exact else noun['the' if named.number else style])
        join = self.data['join']
        *others, last = parts
        return f'{join["comma"].join(others)}{join["last"]}{last}' if others else last

    def _one(self, noun: Noun) -> str:
        """One thing, with a number where the language has another word for it."""
        if self.language != 'en':
            return noun['a']
        article, _, rest = noun['a'].partition(' ')
        if article not in ('a', 'an'):
            raise KeyError(noun['a'])
        return f'one {rest}'


def _as_place(room: Noun, language: str) -> dict[str, str]:
    """The forms of a room as those of a place."""
    if language != 'en':
        return {**room, 'at': room['in']}
    name = room['the']
    return {**room, 'at': room['in'], 'to': f'into {name}', 'off': f'out of {name}'}


@cache
def hands() -> tuple[Hand, ...]:
    """All wordings that come with the package, in the order of their files."""
    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    paths = sorted(share('resource', 'wordings').glob('*.yaml'))
    return tuple(Hand(p.stem, yaml.load(p.read_text(encoding='utf-8'), loader)) for p in paths)
