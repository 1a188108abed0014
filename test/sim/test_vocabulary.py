# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How skills are written, and how goals are worded."""

from __future__ import annotations

from string import Formatter

import pytest

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.saying import BACK, BE, DO, VISIT, Part, Phrase, Speaker
from reactree_ros.sim.vocabulary import (
    HELD_OUT,
    TRAINING,
    free_wordings,
    noun,
    phrases,
    plural,
    refusals,
    requests,
    styled,
    third_person,
    trades,
)


@pytest.mark.parametrize(
    ('style', 'phrase'),
    [
        ('words', 'put {item} on {place}'),
        ('camel', 'PutOn {item} {place}'),
        ('snake', 'put_on({item}, {place})'),
        ('title', 'PUT ON: {item}, {place}'),
    ],
)
def test_a_skill_is_written_in_a_style(style: str, phrase: str) -> None:
    assert styled('put {item} on {place}', style) == phrase


def test_a_skill_without_arguments_has_none_in_any_style() -> None:
    assert styled('call the lift', 'title') == 'CALL THE LIFT'
    assert styled('call the lift', 'snake') == 'call_the_lift()'


@pytest.mark.parametrize(
    ('one', 'many'),
    [
        ('glass', 'glasses'),
        ('battery', 'batteries'),
        ('tray', 'trays'),
        ('bottle of acid', 'bottles of acid'),
        ('shelf', 'shelves'),
        ('headphones', 'headphones'),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(
    ('verb', 'third'), [('wash', 'washes'), ('warm up', 'warms up'), ('dry', 'dries')]
)
def test_third_persons(verb: str, third: str) -> None:
    assert third_person(verb) == third


def test_several_things_have_wordings_of_their_own() -> None:
    """Nothing like "two doors belongs" is said."""
    part = Part(DO, 'on', Phrase(noun('cup'), count=2), Phrase(noun('desk'), is_only=True))
    said = {Speaker('en', Draw(f'{n}')).one(part) for n in range(200)}
    assert len(said) > 50
    assert not [one for one in said if 'belongs' in one]


def test_german_and_spanish_articles() -> None:
    part = Part(DO, 'go', p=Phrase(noun('m Schrank'), is_only=True))
    assert 'Warte beim Schrank.' in {Speaker('de', Draw(f'{n}')).one(part) for n in range(60)}
    part = Part(DO, 'go', p=Phrase(noun('m armario'), is_only=True))
    assert 'Ve al armario.' in {Speaker('es', Draw(f'{n}')).one(part) for n in range(60)}


@pytest.mark.parametrize('language', ['en', 'de', 'es'])
def test_every_language_says_the_same_but_steps(language: str) -> None:
    own, english = requests(language), requests('en')
    assert {*own[DO]} | {VISIT, BACK} == {*english[DO]} >= {*own[BE]}
    assert {*own} | {'steps'} == {*english}
    assert {*phrases(language)['states']} <= {*phrases('en')['states']}
    assert {*phrases(language)['seen']} == {*phrases('en')['seen']}


def test_every_reason_of_a_refusal_has_further_words() -> None:
    reasons, further = phrases('en')['reasons'], refusals('en')
    assert {*further} | {'impossible'} == {*reasons}
    for reason, wordings in further.items():
        assert len({*wordings}) == len(wordings) >= 3, reason


def test_free_wordings_are_of_acts_that_can_be_requested() -> None:
    free, slots = free_wordings('en'), {'x', 'X', 'x1', 'xs', 'p', 'P', 'q', 'Q', 'state'}
    acts = {*free} - {'several', 'contexts', 'closings'}
    assert acts | {*free['several']} <= {*requests('en')[DO]}
    for act in acts:
        assert len({*free[act]}) == len(free[act]), act
        for template in free[act]:
            used = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
            assert used <= slots, template
    for act, templates in free['several'].items():
        assert all('{list}' in one.casefold() for one in templates), act


def test_no_kind_of_things_is_a_word_of_the_generator() -> None:
    own = {'furniture', 'spot', 'surfaces', 'containers', 'holder', 'bin', 'can_open', 'vessel'}
    own |= {'machine', 'refill', 'key', 'door', 'lift', 'recipient', 'device', 'inspectable'}
    own |= {'gauge', 'dock', 'tap', 'cloth', 'body part', 'attachable', 'tool rack', 'made'}
    own |= {'grabbable', 'stackable', 'room', 'thing', 'level'}
    for file in (TRAINING, HELD_OUT):
        for trade in trades(file):
            assert not own & {kind.name for kind in trade.kinds}
            assert {station.takes for station in trade.stations} <= {
                kind.name for kind in trade.kinds
            }
