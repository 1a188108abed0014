# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Words of drawn worlds: trades with their things, and how skills and states are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import yaml

from reactree_ros.paths import share
from reactree_ros.sim.draw import Draw

TRAINING, HELD_OUT = 'train', 'held_out'
"""The files of trades: those to learn from, and those that only tests have."""

STYLES = ('words', 'words', 'words', 'camel', 'snake', 'title')
"""How the skills of a robot are written; the first as a person would say it."""


@dataclass(frozen=True)
class Noun:
    """What something is called.

    Args:
        name: its class in the robot's language.
        others: what people call it, too.
        gender: m, f or n; empty in English.
        written: the name with its capitals, as people write it; empty if that is the name.
        owned: the name after that of its owner, ``Chen's parcel``; empty if it is nobody's.
    """

    name: str
    others: tuple[str, ...] = ()
    gender: str = ''
    written: str = ''
    owned: str = ''

    @property
    def every(self) -> tuple[str, ...]:
        """All that people call it."""
        return (self.written or self.name, *self.others)


def noun(text: str) -> Noun:
    """Read a noun of a file of trades: ``m Hammer`` or ``cup|mug``."""
    match = re.fullmatch(r'(?:([mfn]) )?(.+)', text)
    assert match is not None
    first, *others = match[2].split('|')
    return Noun(first.casefold(), tuple(others), match[1] or '', first)


@dataclass(frozen=True)
class Station:
    """A machine of a trade that changes things.

    Args:
        noun: what it is called.
        verb: what it does.
        state: of things afterwards.
        takes: kind of things.
        inside: they are put into it; otherwise they are brought there.
        supply: what it uses up; None for nothing.
    """

    noun: Noun
    verb: str
    state: str
    takes: str
    inside: bool
    supply: Noun | None


@dataclass(frozen=True)
class Trade:
    """The words of a trade.

    Args:
        name: of the trade.
        language: ISO code.
        agents: what a robot there is, with its article.
        lists: nouns of rooms, surfaces, open, closable, vessels, people, equipment, gauges and
            devices.
        kinds: nouns of movable things by kind.
        stations: its machines.
    """

    name: str
    language: str
    agents: tuple[str, ...]
    lists: Mapping[str, tuple[Noun, ...]]
    kinds: Mapping[Noun, tuple[Noun, ...]]
    stations: tuple[Station, ...]


NAMES = ('Novak', 'Garcia', 'Chen', 'Okafor', 'Lindqvist', 'Tanaka', 'Silva', 'Dubois', 'Ivanova',
         'Murphy', 'Haddad', 'Jensen', 'Patel', 'Bauer', 'Costa', 'Mbeki')  # fmt: skip
"""Of people to whom things and places of English trades belong."""


def owned(trade: Trade, draw: Draw) -> Trade:
    """Return a trade of which some things and places are somebody's: ``parcel for chen``."""

    def of_somebody(noun: Noun, links: tuple[str, ...]) -> Noun:
        if not draw.chance(0.2):
            return noun
        name, link = draw.pick(NAMES), draw.pick(links)
        text = f'{noun.every[0]} {link} {name}'
        return Noun(text.casefold(), (), noun.gender, text, f"{name}'s {noun.every[0]}")

    lists = {
        key: tuple(of_somebody(noun, ('of',)) for noun in nouns) if key == 'surfaces' else nouns
        for key, nouns in trade.lists.items()
    }
    kinds = {
        kind: tuple(of_somebody(noun, ('for', 'of')) for noun in nouns)
        for kind, nouns in trade.kinds.items()
    }
    return replace(trade, lists=lists, kinds=kinds)


_LISTS = (
    *('rooms', 'surfaces', 'open', 'closable', 'vessels', 'people'),
    *('equipment', 'gauges', 'devices'),
)


@cache
def trades(file: str) -> tuple[Trade, ...]:
    """Return the trades of a file, TRAINING or HELD_OUT."""
    return tuple(_trade(name, entry) for name, entry in _read(file).items())


@cache
def translations(language: str) -> tuple[Mapping[str, Noun], Mapping[str, tuple[str, str]]]:
    """Return English nouns in another language, and verbs with the state that they bring about."""
    entry = _read('translations')[language]
    nouns = {name: noun(text) for name, text in entry['nouns'].items()}
    return nouns, {name: tuple(words) for name, words in entry['verbs'].items()}


@cache
def requests(language: str) -> Mapping[str, Any]:
    """Return how people word what they want in a language, by shape."""
    found: Mapping[str, Any] = _read('requests')[language]
    return found


@cache
def free_wordings(language: str) -> Mapping[str, Any]:
    """Return how people say in their own way what they want, by act; empty for no such words."""
    found: Mapping[str, Any] = _read('free').get(language, {})
    return found


@cache
def refusals(language: str) -> Mapping[str, Sequence[str]]:
    """Return further words for the reasons of ``phrases``; empty for no such words."""
    found: Mapping[str, Sequence[str]] = _read('refusals').get(language, {})
    return found


@cache
def phrases(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Return how things are said in a language: skills, reasons, states, and so on."""
    found: Mapping[str, Mapping[str, Any]] = _read('phrases')[language]
    return found


def _read(name: str) -> dict[str, Any]:
    path = share('resource', 'made_robots', f'{name}.yaml')
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding='utf-8'))
    return found


def _trade(name: str, entry: Mapping[str, Any]) -> Trade:
    return Trade(
        name,
        entry.get('language', 'en'),
        tuple(entry['agents']),
        {key: tuple(map(noun, entry[key])) for key in _LISTS},
        {noun(kind): tuple(map(noun, things)) for kind, things in entry['kinds'].items()},
        tuple(
            Station(
                noun(one['name']),
                one['verb'],
                one['state'],
                noun(one['takes']).name,
                one['how'] == 'inside',
                noun(one['uses']) if 'uses' in one else None,
            )
            for one in entry['machines']
        ),
    )


_ARGUMENT = re.compile(r'\{\w+\}')


def styled(phrase: str, style: str) -> str:
    """Return the phrase of a skill in a style.

    Args:
        phrase: as a person says it, ``put {item} on {place}``.
        style: one of STYLES; ``camel`` is ``PutOn {item} {place}``, ``snake`` is
            ``put_on({item}, {place})``.
    """
    if style == 'words':
        return phrase
    arguments = _ARGUMENT.findall(phrase)
    verbs = re.findall(r'\w+', _ARGUMENT.sub(' ', phrase))
    if style == 'camel':
        return ' '.join((''.join(map(str.capitalize, verbs)), *arguments))
    if style == 'title':
        return f'{" ".join(map(str.upper, verbs))}: {", ".join(arguments)}'.removesuffix(': ')
    return f'{"_".join(map(str.lower, verbs))}({", ".join(arguments)})'


def identifier(phrase: str) -> str:
    """Return the name of a skill in its library, made of its phrase."""
    verbs = re.findall(r'\w+', _ARGUMENT.sub(' ', phrase.lower()))
    return '_'.join(verbs)


def plural(name: str) -> str:
    """Return the plural of an English noun: of its head, as in ``bottles of acid``."""
    head, of, rest = name.partition(' for ' if ' for ' in name else ' of ')
    if head.endswith(('s', 'gear', 'mail')) and not head.endswith(('ss', 'us', 'lens')):
        return name
    if head.endswith(('s', 'x', 'ch', 'sh')):
        head += 'es'
    elif head.endswith('y') and head[-2] not in 'aeiou':
        head = f'{head[:-1]}ies'
    elif head.endswith(('shelf', 'scarf')):
        head = f'{head[:-1]}ves'
    else:
        head += 's'
    return head + of + rest


def third_person(verb: str) -> str:
    """Return an English verb as it stands after ``it``: ``washes``, ``warms up``."""
    head, _, rest = verb.partition(' ')
    if head.endswith(('s', 'x', 'ch', 'sh')):
        head += 'es'
    elif head.endswith('y') and head[-2] not in 'aeiou':
        head = f'{head[:-1]}ies'
    else:
        head += 's'
    return f'{head} {rest}'.strip()


REFUSALS = (
    '{why}',
    'Refused. {why}',
    'Not possible: {why}',
    'ERROR {why}',
    '{why} Nothing was done.',
)
"""How robots refuse."""


def refusal_style(draw: Draw) -> str:
    """Draw how a robot refuses."""
    return draw.pick(REFUSALS)
