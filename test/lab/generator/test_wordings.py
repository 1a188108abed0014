# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files of wordings: they are complete, and their frames are filled as they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from reactree_ros.lab.generator.habits import Home
from reactree_ros.lab.generator.shapes import WEIGHTS, draw_goal
from reactree_ros.lab.generator.wordings import YES_NO, Hand, Named, Said, hands
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household import shipped_scene
from reactree_ros.sim.household.truth import household_library

KINDS = ('drink', 'fruit', 'vegetable', 'glass', 'cutlery', 'crockery', 'clothing', 'thing')
NOUNS: Sequence[tuple[str, Sequence[str], str]] = (
    ('things', sorted(household_library().objects), 'a the many every'),
    ('things', ('plate', 'bowl', 'box', 'cooking pot'), 'with'),
    ('kinds', KINDS, 'a the many every'),
    ('kinds', ('table', 'cabinet', 'counter', 'shelf'), 'a the to at go off every'),
    ('places', sorted(household_library().places), 'a the to at go off every'),
    ('rooms', ('bathroom', 'bedroom', 'home office', 'kitchen', 'living room'), 'the in go'),
)


def _hand(name: str) -> Hand:
    return next(hand for hand in hands() if hand.name == name)


def _with_frames(hand: Hand, **shapes: list[str]) -> Hand:
    return Hand(hand.name, {**hand.data, 'shapes': shapes})


def test_five_people_and_more_wrote_in_several_languages() -> None:
    """In languages whose yes and no are known."""
    assert len(hands()) >= 5
    assert 3 <= len({hand.language for hand in hands()} & {*YES_NO})
    assert {hand.language for hand in hands()} <= {*YES_NO}


@pytest.mark.parametrize('hand', hands(), ids=lambda hand: hand.name)
def test_a_file_has_every_form_of_every_noun(hand: Hand) -> None:
    """Of all classes of the robot, and of what it does not know."""
    for key, names, forms in NOUNS:
        for name in names:
            assert hand.data[key][name], name
            for noun in hand.data[key][name]:
                assert all(noun[form] for form in forms.split()), noun
    assert len(hand.data['unknown']) >= 40
    assert len(hand.data['unknown_places']) >= 20
    assert all(noun['a'] and noun['the'] for noun in hand.data['unknown'])
    assert all(noun[form] for noun in hand.data['unknown_places'] for form in ('to', 'at', 'the'))


@pytest.fixture(scope='module')
def said() -> dict[str, list[Said]]:
    """What goals of each shape speak of, by the shape of their frame."""
    home = Home(shipped_scene('home_4'))
    found: dict[str, list[Said]] = {}
    for shape in WEIGHTS:
        for number in range(30):
            goal = draw_goal(Draw(f'{shape}/{number}'), home, shape)
            for frame, fillings in goal.said if goal else ():
                found.setdefault(frame, []).append(fillings)
    return found


@pytest.mark.parametrize('hand', hands(), ids=lambda hand: hand.name)
def test_every_frame_can_be_filled(hand: Hand, said: dict[str, list[Said]]) -> None:
    """By a goal of its shape; no brace is left over."""
    assert {*hand.data['shapes']} == {*said}
    for shape, frames in hand.data['shapes'].items():
        for frame in frames:
            one = _with_frames(hand, **{shape: [frame]})
            texts = (one.word(shape, fillings, Draw(frame)) for fillings in said[shape])
            text = next(filter(None, texts), '{')
            assert not re.search('[{}]', text), (shape, frame)


@pytest.mark.parametrize(
    ('frame', 'said', 'text'),
    [
        ('put {items} {place.to}', {'items': ((Named('apple'), 1),), 'place': Named('desk')},
         r'put (an|the) apple (onto|on) the desk'),
        ('{items} {are} {place.at}, get {them}',
         {'items': ((Named('apple'), 2),), 'place': Named('desk')},
         r'(two|2) apples are on the desk, get them'),
        ('{items}', {'items': ((Named('apple'), 1), (Named('plum'), 1), (Named('pear'), 3))},
         r'(an|the) apple, (a|the) plum and (three|3) pears'),
        ('{exact}', {'exact': ((Named('apple'), 1),)}, 'one apple'),
        ('{item.the}', {'item': Named('apple', 0, ('cold',))}, 'the cold apple'),
        ('{item.a}', {'item': Named('apple', 0, ('sliced',))}, 'a sliced apple'),
        ('{item.the} {place.at}', {'item': Named('apple', 2), 'place': Named('desk', 1)},
         'apple 2 on desk 1'),
        ('{place.at}', {'place': Named('kitchen')}, 'in the kitchen'),
    ],
)  # fmt: skip
def test_frames_are_filled(frame: str, said: dict[str, Any], text: str) -> None:
    """Numbers, lists, states before nouns, single things by their number, rooms as places."""
    hand = _with_frames(_hand('en_terse'), put=[frame])

    for number in range(10):
        assert re.fullmatch(text, hand.word('put', said, Draw(f'{number}')) or '')


@pytest.mark.parametrize(
    ('name', 'frame', 'text'),
    [
        ('zh', '{place.at}', r'.*柜2里面?'),
        ('ko', '{place.the}', r'.* 2[을를]'),
        ('it', '{place.the} apert{place.o}', r'.* 2 apert[oa]'),
        ('de', '{place.at}', r'(im|in der) .* 2'),
    ],
)
def test_numbers_stand_behind_the_noun(name: str, frame: str, text: str) -> None:
    """Before what is said after it in Chinese and Korean; endings take none."""
    hand = _with_frames(_hand(name), put=[frame])

    for number in range(10):
        said = hand.word('put', {'place': Named('kitchen cabinet', 2)}, Draw(f'{number}'))
        assert re.fullmatch(text, said or '')


def test_lists_have_no_spaces_where_the_language_has_none() -> None:
    """Numbers stand right before the measure word in Chinese."""
    hand = _with_frames(_hand('zh'), put=['{items}'])

    assert ' ' not in (hand.word('put', {'items': ((Named('apple'), 2),)}, Draw('')) or ' ')


def test_who_has_no_words_for_something_says_nothing() -> None:
    """Adjectives inflect in German; frames that speak of other things do not fit."""
    german = _with_frames(_hand('de'), put=['{item.the}'], hold=['{place.to}'])

    assert german.word('put', {'item': Named('apple', 0, ('cold',))}, Draw('')) is None
    assert german.word('hold', {'item': Named('apple')}, Draw('')) is None
