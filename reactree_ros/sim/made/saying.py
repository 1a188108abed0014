# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Words what is wanted of a generated robot, as its people would say it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.vocabulary import Noun, free_wordings, plural, requests

DO, BE, CLEAR, EXACTLY, AT_MOST = 'do', 'be', 'clear', 'exactly', 'at_most'
"""What a part of a goal says: to do something, how something shall be, what shall be cleared
away, and how much there shall be."""

VISIT, BACK = 'visit', 'back'
"""Acts of the requests: to go somewhere on the way to something else, and where one has been."""

ALL_OF_A_CLASS = -1

_GERMAN = {
    # case: definite articles of m, f, n
    '': ('den', 'die', 'das'),
    'n': ('der', 'die', 'das'),
    'd': ('dem', 'der', 'dem'),
}
_SPANISH = {'m': 'el', 'f': 'la'}
_MERGED = (
    (re.compile(r'\b([aA]) el\b'), r'\1l'),
    (re.compile(r'\b([dD])e el\b'), r'\1el'),
    (re.compile(r'\b([zZ])u dem\b'), r'\1um'),
    (re.compile(r'\b([zZ])u der\b'), r'\1ur'),
    (re.compile(r'\b([iI])n dem\b'), r'\1m'),
    (re.compile(r'\b([bB])ei dem\b'), r'\1eim'),
)
"""Prepositions and articles that become one word."""
_SINGULAR = re.compile(
    r'\{[xX]n?\} (?:\{state\} )?'
    r'(?:gets|is|belongs|looks|says|shows|tiene|va|necesita|ist|soll|gehört)'
)
"""Words of a request that go with one thing only."""
_VOWEL = re.compile('[aeiou]', re.IGNORECASE)


@dataclass(frozen=True)
class Phrase:
    """What a sentence speaks of.

    Args:
        noun: what it is called.
        number: which of its class; 0 for any.
        count: how many; 0 for all, ALL_OF_A_CLASS for the places of a class.
        is_only: there is one of it.
        adjective: what it shall be, before the noun; empty for none.
        proper: its number belongs to its name, as in ``floor 2``.
        is_room: things are in it, not at it.
    """

    noun: Noun
    number: int = 0
    count: int = 1
    is_only: bool = False
    adjective: str = ''
    proper: bool = False
    is_room: bool = False


@dataclass(frozen=True)
class Part:
    """Something that is wanted, before it is worded.

    Args:
        how: one of DO, BE (chosen for DO where there are words), CLEAR, EXACTLY, AT_MOST.
        act: of the requests.
        x: what it is about; None for the robot alone.
        p: the place or person; None for none.
        words: of a machine: ``verb`` and ``state``.
        q: where ``x`` is before; None where that is not known.
        instead: what is wanted where this cannot be done; None for nothing.
    """

    how: str
    act: str
    x: Phrase | None = None
    p: Phrase | None = None
    words: Mapping[str, str] | None = None
    q: Phrase | None = None
    instead: Part | None = None


class Speaker:
    """Someone who words goals.

    Args:
        language: ISO code.
        draw: chooses.
    """

    def __init__(self, language: str, draw: Draw) -> None:
        self._language = language
        self._requests, self._free = requests(language), free_wordings(language)
        self._draw = draw

    def can_say(self, part: Part) -> bool:
        """Return whether there are words for a part."""
        return bool(self._templates(part, part.how))

    def one(self, part: Part) -> str:
        """Word a goal of one part."""
        stated = self._templates(part, BE) if part.how == DO else []
        if stated and self._draw.chance(0.3):
            return self._wrapped(self.clause(part, BE), 'said')
        frame = 'wrap' if part.how == DO else 'said'
        return self._wrapped(self.clause(part), frame)

    def several(self, parts: Sequence[Part], joint: str) -> str:
        """Word a goal of several parts.

        Args:
            parts: two or three.
            joint: ``order``, ``both`` or ``either``.
        """
        clauses = [self.clause(part) for part in parts]
        frame = f'{joint}_three' if len(parts) > 2 else joint
        template: str = self._draw.pick(self._requests[frame])
        slots = dict(zip('abc', clauses, strict=False))
        text = template.format(**slots, A=_capital(clauses[0]))
        if joint == 'either':
            return self._wrapped(text, 'said')
        return _sentence(text)

    def steps(self, parts: Sequence[Part]) -> str:
        """Word what is to be done one after the other, in one sentence or in several."""
        forms: Mapping[str, Sequence[str]] = self._draw.pick(self._requests['steps'])
        texts = []
        for number, part in enumerate(parts):
            where = 'first' if not number else 'last' if number == len(parts) - 1 else 'next'
            clause = self.clause(part)
            text = self._draw.pick(forms[where])
            texts.append(text.format(a=clause, A=_capital(clause), n=number + 1))
            if part.instead is not None:
                other = self.clause(part.instead)
                text = self._draw.pick(forms['instead'])
                texts.append(text.format(b=other, B=_capital(other)))
        return _sentence(''.join(texts).strip())

    def freely(self, parts: Sequence[Part], *, listed: bool) -> str:
        """Word what is wanted as somebody would who does not speak to robots every day.

        Args:
            parts: what can be said so (``can_say_freely``).
            listed: they are of one act and one place, and are said in one sentence.
        """
        if listed:
            texts = [self._listed(parts)]
        else:
            texts = [self._filled(self._draw.pick(self._free_templates(one)), one) for one in parts]
        if self._draw.chance(0.25):
            texts.insert(0, self._draw.pick(self._free['contexts']))
        if self._draw.chance(0.15):
            texts.append(self._draw.pick(self._free['closings']))
        return _sentence(' '.join(texts))

    def can_say_freely(self, parts: Sequence[Part], *, listed: bool) -> bool:
        """Return whether there are words for parts in ``freely``."""
        if listed:
            return parts[0].act in self._free.get('several', {})
        return bool(parts) and all(map(self._free_templates, parts))

    def _free_templates(self, part: Part) -> list[str]:
        if part.how != DO or (part.x is not None and part.x.count != 1):
            return []
        lacks = [] if part.q is not None else ['{q}']
        if part.x is not None and (part.x.number or part.x.adjective):
            lacks += ['{x1}', '{xs}']
        if part.p is not None and part.p.proper:
            lacks += [' in {p}']
        templates: list[str] = self._free.get(part.act, [])
        return [one for one in templates if not any(slot in one.casefold() for slot in lacks)]

    def _listed(self, parts: Sequence[Part]) -> str:
        template = self._draw.pick(self._free['several'][parts[0].act])
        *nouns, last = (self.noun(part.x) for part in parts if part.x is not None)
        text = f'{", ".join(nouns)} and {last}'
        template = template.replace('{list}', text).replace('{List}', _capital(text))
        return self._filled(template, parts[0])

    def ask(self, key: str, **slots: str) -> str:
        """Word a question."""
        return _sentence(self._draw.pick(self._requests[key]).format(**slots))

    def nonsense(self) -> str:
        """Say something that no robot can do."""
        return str(self._draw.pick(self._requests['nonsense']))

    def clause(self, part: Part, how: str = '') -> str:
        """Word a part without its end."""
        template = self._draw.pick(self._templates(part, how or part.how))
        return self._filled(template, part)

    def clauses(self, part: Part) -> list[str]:
        """Word a part in all ways for which it has the words."""
        texts = []
        for template in self._templates(part, part.how):
            try:
                texts.append(self._filled(template, part))
            except KeyError:
                continue
        return texts

    def _templates(self, part: Part, how: str) -> list[str]:
        """Return the wordings that fit a part: of several things, those that go with several."""
        templates: list[str] = self._requests[how].get(part.act, [])
        if part.x is None or part.x.count == 1:
            return templates
        return [one for one in templates if not _SINGULAR.search(one)]

    def noun(self, phrase: Phrase, case: str = '') -> str:
        """Return a noun with its article.

        Args:
            phrase: what it is.
            case: in German ``n`` or ``d``; empty for the accusative.
        """
        if self._language == 'de':
            return self._german(phrase, case)
        if self._language == 'es':
            return self._spanish(phrase)
        return self._english(phrase)

    def plural(self, phrase: Phrase) -> str:
        """Return a noun in the plural, without an article."""
        name = self._draw.pick(phrase.noun.every)
        return name if self._is_mass(phrase.noun) else plural(name)

    def counted(self, count: int, phrase: Phrase) -> str:
        """Return a number of things."""
        number = self._requests['numbers'][count] if self._draw.chance(0.6) else str(count)
        if self._is_mass(phrase.noun):
            return f'{number} {"piece" if count == 1 else "pieces"} of {phrase.noun.written}'
        if count == 1:
            return f'{number} {self._draw.pick(phrase.noun.every)}'
        return f'{number} {self.plural(phrase)}'

    def _filled(self, template: str, part: Part) -> str:
        slots: dict[str, str] = dict(part.words or {})
        if part.q is not None and part.q.is_room:
            template = template.replace('at {q}', 'on {q}' if part.q.proper else 'in {q}')
        for key, phrase in (('x', part.x), ('p', part.p), ('q', part.q)):
            if phrase is None:
                continue
            for case in ('', 'n', 'd'):
                if f'{{{key}{case}}}' in template:
                    slots[f'{key}{case}'] = self.noun(phrase, case)
            if f'{{{key.upper()}}}' in template:
                slots[key.upper()] = _capital(self.noun(phrase, 'n'))
        if part.x is not None:
            if '{xs}' in template:
                slots['xs'] = self.plural(part.x)
            if '{x1}' in template:
                slots['x1'] = self._draw.pick(part.x.noun.every)
            if '{n}' in template:
                slots['n'] = self.counted(part.x.count, part.x)
        return template.format(**slots)

    def _wrapped(self, clause: str, frame: str) -> str:
        template: str = self._draw.pick(self._requests[frame])
        if '{a}' in template and clause[:1].isupper() and self._language == 'en':
            return _sentence(clause)
        return _sentence(template.format(a=clause, A=_capital(clause)))

    def _is_mass(self, noun: Noun) -> bool:
        return noun.name in self._requests['mass']

    def _english(self, phrase: Phrase) -> str:
        if phrase.noun.owned and phrase.is_only and not phrase.adjective and self._draw.chance(0.5):
            return phrase.noun.owned
        name = self._draw.pick(phrase.noun.every)
        if phrase.number:
            if phrase.proper:
                return f'{name} {phrase.number}'
            return self._draw.pick(
                (f'{name} {phrase.number}', f'the {name} number {phrase.number}')
            )
        described = f'{phrase.adjective} {name}'.strip()
        if phrase.count == ALL_OF_A_CLASS:
            return f'the {plural(described)}'
        if phrase.count > 1:
            return self.counted(phrase.count, phrase)
        if self._is_mass(phrase.noun):
            return f'all the {described}' if phrase.count == 0 else f'some {described}'
        if phrase.count == 0:
            if self._draw.chance(0.3):
                return f'every {described}'
            return f'{self._draw.pick(("all", "all the", "all of the"))} {plural(described)}'
        if phrase.is_only and not phrase.adjective:
            return f'the {described}'
        article = 'an' if _VOWEL.match(described) else 'a'
        return f'{article} {described}'

    def _german(self, phrase: Phrase, case: str) -> str:
        noun, which = phrase.noun, 'mfn'.index(phrase.noun.gender or 'm')
        name = noun.written or noun.name
        if phrase.number:
            return f'{name} {phrase.number}'
        if phrase.count > 1:
            return f'{self._requests["numbers"][phrase.count]} Stück {name}'
        return f'{_GERMAN[case][which]} {name}'

    def _spanish(self, phrase: Phrase) -> str:
        name = phrase.noun.written or phrase.noun.name
        if phrase.number:
            return f'{name} {phrase.number}'
        if phrase.count > 1:
            return f'{self._requests["numbers"][phrase.count]} unidades de {name}'
        return f'{_SPANISH[phrase.noun.gender or "m"]} {name}'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    text = _capital(' '.join(text.split()))
    for pattern, merged in _MERGED:
        text = pattern.sub(merged, text)
    return text if text[-1] in '.?!' else f'{text}.'
