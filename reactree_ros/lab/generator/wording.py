# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Words a drafted task in several ways, clearly or, on purpose, not."""

from __future__ import annotations

from reactree_ros.lab.generator.catalogue import FURNITURE
from reactree_ros.lab.generator.goals import Draft
from reactree_ros.lab.generator.phrases import Noun, groups, names, phrases
from reactree_ros.sim.draw import Draw

_ON_TOP = frozenset({'plate'})
"""Vessels that things lie on, not in."""


def word(draft: Draft, draw: Draw, how_many: int) -> tuple[str, ...]:
    """Word a task in different ways.

    Args:
        draft: what is wanted; its ``vague`` says what is to be left open.
        draw: chooses.
        how_many: how many wordings.
    """
    sentences = _frames(draft)
    found: dict[str, None] = {}
    while len(found) < how_many:
        # Every sentence is used once before one is used again.
        for sentence in draw.shuffled(sentences):
            found[_sentence(draft, draw, sentence)] = None
            if len(found) == how_many:
                break
    return tuple(found)


def can_be_vague(draft: Draft, part: str) -> bool:
    """Whether the items, or the place, of a draft can be left open."""
    if part == 'items':
        return all(name in groups() for name, _ in draft.items)
    return draft.place in phrases()['vague_places']


def _frames(draft: Draft) -> list[str]:
    sentences = phrases()['sentences']
    treated = ' '.join(filter(None, (draft.treatment, 'sliced' if draft.sliced else '')))
    if key := 'light' if draft.look else 'vessel' if draft.vessel else treated:
        return sentences[key]
    if draft.vague == 'items' and draft.type == 'prepare_snack':
        return sentences['give']
    return sentences['move'] + ([] if draft.switch else sentences['want'])


def _sentence(draft: Draft, draw: Draw, sentence: str) -> str:
    place = draw.pick(phrases()['places'][draft.place])
    single = draft.items[0][0]
    noun = groups()[single] if draft.vague == 'items' else draw.pick(names()[single])
    many = sum(count for _, count in draft.items) > 1
    vessel = draw.pick(names()[draft.vessel]) if draft.vessel else None
    if draft.switch:
        # The last word of a sentence is where the switch comes in, before its mark.
        end = sentence[-1]
        switched = draw.pick(phrases()['sentences']['switch']).format(it=place)
        sentence = sentence[:-1].removesuffix(', please') + switched + end
    text = sentence.format_map(
        {
            'items': _items(draft, draw),
            'them': 'them' if many else 'it',
            'are': 'are' if many else 'is',
            'at': _at(draft, draw, place, ('in', 'in', 'inside')),
            'to': _at(draft, draw, place, ('in', 'in', 'into', 'inside')),
            'thing': f'{draw.pick(("the", noun.article))} {noun.one}',
            'bare': noun.one,
            'lamp': place,
            'vessel': f'{vessel.article} {vessel.one}' if vessel else '',
            'same': vessel.one if vessel else '',
            'in': 'on' if draft.vessel in _ON_TOP else 'in',
        }
    )
    leads = phrases()['leads'].get(draft.type, ())
    lead = draw.pick(leads) if leads and draw.chance(0.25) else ''
    return lead + (text if lead.endswith((', ', 'so ', ': ')) else text[0].upper() + text[1:])


def _at(draft: Draft, draw: Draw, place: str, inside: tuple[str, ...]) -> str:
    if draft.vague == 'place':
        return draw.pick(phrases()['vague_places'][draft.place])
    relation = FURNITURE[draft.place].relation
    return f'{draw.pick(inside) if relation == "INSIDE" else "on"} {place}'


def _items(draft: Draft, draw: Draw) -> str:
    style = draw.weighted({'a': 3.0, 'the': 2, 'word': 2, 'digit': 1})
    if draft.vague == 'items':
        counts: dict[Noun, int] = {}
        for name, count in draft.items:
            counts[groups()[name]] = counts.get(groups()[name], 0) + count
        style = 'a' if style == 'the' else style
        parts = [noun.counted(count, style) for noun, count in counts.items()]
    else:
        parts = [draw.pick(names()[name]).counted(count, style) for name, count in draft.items]
    parts = draw.shuffled(parts)
    if len(parts) == 1:
        return parts[0]
    comma = ',' if len(parts) > 2 and draw.chance(0.5) else ''
    return f'{", ".join(parts[:-1])}{comma} and {parts[-1]}'
