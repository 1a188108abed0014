# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How people word goals: sentence frames and nouns, a file for each person who wrote some.

A file of ``resource/wordings`` has frames by shape of goal, with places for nouns as ``{item.the}``
or ``{place.to}``, and for every class of the robot the nouns that fill them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.paths import share
from reactree_ros.sim.household.truth import household_library

SLOTS: Mapping[str, tuple[str, ...]] = {
    'put': ('items', 'place'),
    'put_two': ('items', 'place', 'items2', 'place2'),
    'put_three': ('items', 'place', 'items2', 'place2', 'items3', 'place3'),
    'put_start': ('items', 'place'),
    'hold': ('item',),
    **dict.fromkeys(('open', 'close', 'switch_on', 'switch_off'), ('place',)),
    **dict.fromkeys(('close_all', 'switch_off_all'), ('place',)),
    **dict.fromkeys(('close_all_room', 'switch_off_all_room', 'switch_on_all_room'),
                    ('place', 'room')),
    'go_place': ('place',),
    'go_room': ('room',),
    **dict.fromkeys(('put_hot', 'put_cold', 'put_clean', 'put_cooked', 'put_sliced',
                     'heat_sliced'), ('item', 'place')),
    **dict.fromkeys(('make_hot', 'make_cold', 'make_clean', 'make_cooked', 'make_sliced'),
                    ('item',)),
    'vessel': ('item', 'vessel', 'place'),
    'all': ('item', 'place'),
    'all_room': ('item', 'room', 'place'),
    'exactly': ('exact', 'place', 'item'),
    'at_most': ('exact', 'place', 'item'),
    'clear': ('item', 'place'),
    'clear_all': ('place',),
    'either': ('item', 'place', 'place2'),
    'either_thing': ('item', 'item2', 'place'),
    'not_but': ('items', 'place', 'item2'),
    'order_two': ('items', 'place', 'items2', 'place2'),
    'order_switch': ('items', 'place', 'place2'),
    'order_three': ('items', 'place', 'items2', 'place2', 'place3'),
    'order_go': ('items', 'place', 'place2'),
    'order_state': ('items', 'place'),
    'leave_open': ('place',),
    'empty_hands': (),
    'number': ('exact', 'place', 'item'),
    'whether_at': ('item', 'place'),
    'whether_home': ('item',),
    'whether_on': ('place',),
    'whether_open': ('place',),
    'where': ('item',),
    'how_many': ('item',),
    'how_many_at': ('item', 'place'),
    'impossible_thing': ('unknown', 'place'),
    'impossible_act': (),
    'impossible_place': ('item', 'unknown_place'),
    'nonsense': (),
}  # fmt: skip
"""The shapes of goals, and what the frames of each may speak of."""

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

_FIELDS: Mapping[str, tuple[str, ...]] = {
    'things': ('a', 'the', 'many', 'every'),
    'places': ('a', 'the', 'to', 'at', 'go', 'off', 'every'),
    'rooms': ('the', 'in', 'go'),
    'unknown': ('a', 'the'),
    'unknown_places': ('to', 'at', 'the', 'go'),
}
_KINDS = ('drink', 'fruit', 'vegetable', 'glass', 'cutlery', 'crockery', 'clothing', 'thing')
_KINDS_OF_PLACES = ('table', 'cabinet', 'counter', 'shelf')
_ROOMS = ('bathroom', 'bedroom', 'home office', 'kitchen', 'living room')
_VESSELS = ('plate', 'bowl', 'box', 'cooking pot')
_PLACE = re.compile(r'\{([^{}]*)\}')
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
        language: ISO code.
        data: what the file has.
    """

    name: str
    language: str
    data: Mapping[str, Any] = field(repr=False)

    def word(self, shape: str, said: Said, draw: Draw) -> str | None:
        """Word a goal.

        Args:
            shape: one of SLOTS.
            said: what it speaks of.
            draw: chooses the frame and the nouns.

        Returns:
            None if this person has no words for it.
        """
        for frame in draw.shuffled(self.data['shapes'][shape]):
            text = self._filled(frame, said, draw)
            if text is not None:
                return text
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
            yield _numbered(formed, named.number, self.language) if named.number else formed

    def _entries(self, slot: str, name: str, number: int) -> Sequence[Noun]:
        data: Mapping[str, Any] = self.data
        found: Sequence[Noun]
        if slot in ('unknown', 'unknown_place'):
            found = data['unknown' if slot == 'unknown' else 'unknown_places']
            return found[int(name) : int(name) + 1]
        if slot == 'room':
            found = data['rooms'].get(name, ())
            return found
        if slot.startswith('place'):
            if name in data['rooms']:
                return [_as_place(noun, self.language) for noun in data['rooms'][name]]
            # A kind is the wider word: "the cabinet" may be one in the kitchen.
            kind = () if number else data['kinds'].get(name, ())
            found = kind or data['places'].get(name, ())
        else:
            found = data['things'].get(name) or data['kinds'].get(name, ())
        return found

    def _described(self, noun: Mapping[str, str], states: Sequence[str]) -> dict[str, str]:
        words = ' '.join(str(self.data['states'][state][0]) for state in states)
        found = {'many': f'{words} {noun["many"]}'}
        for form in ('a', 'the', 'every'):
            article = _ARTICLE.match(noun[form])
            if article:
                rest = noun[form][article.end() :]
                found[form] = f'{article[0]} {words} {rest}'.replace('  ', ' ')
                if article[0] == 'an ':
                    found[form] = f'a {words} {rest}'
        return found

    def _filled(self, frame: str, said: Said, draw: Draw) -> str | None:
        nouns: dict[str, Noun] = {}
        values: dict[str, str] = {}
        first = said.get('items', ())
        many = isinstance(first, tuple) and sum(count for _, count in first) > 1
        for key in dict.fromkeys(_PLACE.findall(frame)):
            slot, _, form = key.partition('.')
            if key in ('them', 'are'):
                values[key] = self.data[key][many]
                continue
            named = said.get(slot)
            if named is None:
                return None
            if isinstance(named, tuple):
                listed = self._listed(named, slot == 'exact', draw)
                if listed is None:
                    return None
                values[key] = listed
                continue
            if slot not in nouns:
                fitting = list(self.nouns(slot, named))
                if not fitting:
                    return None
                nouns[slot] = draw.pick(fitting)
            if form not in nouns[slot]:
                return None
            values[key] = nouns[slot][form]
        return _PLACE.sub(lambda found: values[found[1]], frame)

    def _listed(self, things: Counted, exact: bool, draw: Draw) -> str | None:
        style = draw.weighted({'a': 3.0, 'the': 2.0})
        digits = draw.chance(0.2)
        parts = []
        for named, count in things:
            fitting = list(self.nouns('item', named))
            if not fitting:
                return None
            noun = draw.pick(fitting)
            if count > 1:
                said = str(count) if digits else self.number(count)
                if 'many' not in noun:
                    return None
                parts.append(f'{said} {noun["many"]}')
            elif exact:
                one = self._one(noun)
                if one is None:
                    return None
                parts.append(one)
            elif (form := 'the' if named.number else style) in noun:
                parts.append(noun[form])
            else:
                return None
        join = self.data['join']
        *others, last = parts
        return f'{join["comma"].join(others)}{join["last"]}{last}' if others else last

    def _one(self, noun: Noun) -> str | None:
        """One thing, with a number where the language has another word for it."""
        if self.language != 'en':
            return noun.get('a')
        article = re.match(r'an? ', noun.get('a', ''))
        return f'one {noun["a"][article.end() :]}' if article else None


def _numbered(noun: Mapping[str, str], number: int, language: str) -> dict[str, str]:
    """Name one thing of a class by its number, as ``kitchen cabinet 2``."""
    forms = {form: f'{text} {number}' for form, text in noun.items()}
    if language == 'en':
        forms = {form: re.sub(r'\bthe ', '', text) for form, text in forms.items()}
    return {**forms, 'a': forms['the']}


def _as_place(room: Noun, language: str) -> dict[str, str]:
    """The forms of a room as those of a place."""
    if language != 'en':
        return {**room, 'at': room['in']}
    name = room['the']
    return {**room, 'at': room['in'], 'to': f'into {name}', 'off': f'out of {name}'}


@cache
def hands() -> tuple[Hand, ...]:
    """All wordings that come with the package, in the order of their files."""
    return tuple(read_hand(path) for path in sorted(share('resource', 'wordings').glob('*.yaml')))


def read_hand(path: Path) -> Hand:
    """Read and check one file.

    Raises:
        ConfigurationError: something is missing or unknown; the message lists every fault.
    """
    try:
        data = yaml.load(
            path.read_text(encoding='utf-8'), getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
        )
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigurationError(f'{path} cannot be read: {error}') from error
    faults = list(_faults(data)) if isinstance(data, Mapping) else ['expected a mapping']
    if faults:
        lines = '\n'.join(f'  - {fault}' for fault in faults)
        raise ConfigurationError(f'{path.name} is not a file of wordings:\n{lines}')
    return Hand(path.stem, data['language'], data)


def _faults(data: Mapping[str, Any]) -> Iterator[str]:
    top = ('language', 'numbers', 'join', 'them', 'are', 'things', 'places', 'rooms', 'kinds',
           'shapes', 'unknown', 'unknown_places')  # fmt: skip
    missing = [key for key in top if not data.get(key)]
    if missing:
        yield f'{", ".join(missing)} missing'
        return
    if data['language'] not in YES_NO:
        yield f'language: {data["language"]!r} is not one of {", ".join(YES_NO)}'
    library = household_library()
    for key, names in (('things', library.objects), ('places', library.places), ('rooms', _ROOMS)):
        yield from _noun_faults(data[key], key, names, _FIELDS[key])
    yield from _noun_faults(data['kinds'], 'kinds', _KINDS, _FIELDS['things'])
    yield from _noun_faults(data['kinds'], 'kinds', _KINDS_OF_PLACES, _FIELDS['places'])
    yield from _noun_faults(data['things'], 'things', _VESSELS, ('with',))
    for key in ('unknown', 'unknown_places'):
        for index, noun in enumerate(data[key]):
            yield from _missing(noun, f'{key}[{index}]', _FIELDS[key])
    shapes = data['shapes']
    for shape in SLOTS:
        if not shapes.get(shape):
            yield f'shapes.{shape}: no frames'
            continue
        for index, frame in enumerate(shapes[shape]):
            yield from _frame_faults(data, shape, frame, f'shapes.{shape}[{index}]')


def _noun_faults(
    nouns: Mapping[str, Any], key: str, names: Iterable[str], fields: Sequence[str]
) -> Iterator[str]:
    for name in sorted(names):
        for index, noun in enumerate(nouns.get(name) or [{}]):
            yield from _missing(noun, f'{key}.{name}[{index}]', fields)


def _missing(noun: Any, place: str, fields: Sequence[str]) -> Iterator[str]:
    lacking = [name for name in fields if not isinstance(noun.get(name), str) or not noun[name]]
    if lacking:
        yield f'{place}: {", ".join(lacking)} missing'


def _frame_faults(data: Mapping[str, Any], shape: str, frame: Any, place: str) -> Iterator[str]:
    if not isinstance(frame, str):
        yield f'{place}: {frame!r} is not a text'
        return
    allowed = SLOTS[shape]
    for key in _PLACE.findall(frame):
        slot, dot, form = key.partition('.')
        if key in ('them', 'are'):
            continue
        if slot not in allowed or (slot in ('exact', 'items', 'items2', 'items3')) == bool(dot):
            yield f'{place}: {{{key}}} is nothing that a goal of this shape speaks of'
        elif dot and not any(form in noun for noun in _pool(data, slot)):
            yield f'{place}: no noun has the form of {{{key}}}'
    if '{' in _PLACE.sub('', frame) or '}' in _PLACE.sub('', frame):
        yield f'{place}: a brace too many in {frame!r}'


def _pool(data: Mapping[str, Any], slot: str) -> Iterator[Noun]:
    if slot in ('unknown', 'unknown_place'):
        yield from data['unknown' if slot == 'unknown' else 'unknown_places']
        return
    key = 'rooms' if slot == 'room' else 'places' if slot.startswith('place') else 'things'
    for nouns in data[key].values():
        yield from nouns
