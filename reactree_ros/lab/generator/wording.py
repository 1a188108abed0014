# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Words a drafted task in several ways, clearly or, on purpose, not."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.lab.generator.catalogue import FURNITURE
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.lab.generator.goals import Draft
from reactree_ros.lab.generator.nouns import (
    GROUPS,
    NAMES,
    ON_TOP,
    PLACES,
    VAGUE_PLACES,
    Noun,
    counted,
)
from reactree_ros.lab.generator.phrases import (
    GIVE,
    LEADS,
    LIGHT,
    MOVE,
    SWITCH,
    TREATED,
    VESSEL,
    WANT,
)


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
        return all(name in GROUPS for name, _ in draft.items)
    return draft.place in VAGUE_PLACES


def _frames(draft: Draft) -> Sequence[str]:
    if draft.look:
        return LIGHT
    if draft.vessel:
        return VESSEL
    plain: tuple[str, ...] = MOVE if draft.switch else MOVE + WANT
    if draft.vague == 'items' and draft.type == 'prepare_snack':
        plain = GIVE
    return TREATED.get((draft.treatment, draft.sliced), plain)


def _sentence(draft: Draft, draw: Draw, sentence: str) -> str:
    place = draw.pick(PLACES[draft.place])
    single = draft.items[0][0]
    noun = GROUPS[single] if draft.vague == 'items' else draw.pick(NAMES[single])
    many = sum(count for _, count in draft.items) > 1
    vessel = draw.pick(NAMES[draft.vessel]) if draft.vessel else None
    if draft.switch:
        # The last word of a sentence is where the switch comes in, before its mark.
        end = sentence[-1]
        switched = draw.pick(SWITCH).format(it=place)
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
            'in': 'on' if draft.vessel in ON_TOP else 'in',
        }
    )
    leads = LEADS.get(draft.type, ())
    lead = draw.pick(leads) if leads and draw.chance(0.25) else ''
    return lead + (text if lead.endswith((', ', 'so ', ': ')) else text[0].upper() + text[1:])


def _at(draft: Draft, draw: Draw, place: str, inside: tuple[str, ...]) -> str:
    if draft.vague == 'place':
        return draw.pick(VAGUE_PLACES[draft.place])
    relation = FURNITURE[draft.place].relation
    return f'{draw.pick(inside) if relation == "INSIDE" else "on"} {place}'


def _items(draft: Draft, draw: Draw) -> str:
    style = draw.weighted({'a': 3.0, 'the': 2, 'word': 2, 'digit': 1})
    if draft.vague == 'items':
        groups: dict[Noun, int] = {}
        for name, count in draft.items:
            groups[GROUPS[name]] = groups.get(GROUPS[name], 0) + count
        style = 'a' if style == 'the' else style
        parts = [counted(noun, count, style) for noun, count in groups.items()]
    else:
        parts = [counted(draw.pick(NAMES[name]), count, style) for name, count in draft.items]
    parts = draw.shuffled(parts)
    if len(parts) == 1:
        return parts[0]
    comma = ',' if len(parts) > 2 and draw.chance(0.5) else ''
    return f'{", ".join(parts[:-1])}{comma} and {parts[-1]}'
