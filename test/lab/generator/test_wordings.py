# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files of wordings: they are complete, and their frames are filled as they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.lab.generator.wordings import SLOTS, Hand, Named, hands, read_hand
from reactree_ros.paths import share
from reactree_ros.sim.household.task import GOAL_TYPES


def _hand(name: str) -> Hand:
    return next(hand for hand in hands() if hand.name == name)


def _with_frames(hand: Hand, **shapes: list[str]) -> Hand:
    return Hand(hand.name, hand.language, {**hand.data, 'shapes': shapes})


def test_five_people_and_more_wrote_in_several_languages() -> None:
    """Each file is complete, or it could not be read."""
    found = hands()

    assert len(found) >= 5
    assert len({hand.language for hand in found}) >= 3
    assert {*SLOTS} | {'put_room', 'impossible_use', 'long'} == {*GOAL_TYPES}


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


def test_who_has_no_words_for_something_says_nothing() -> None:
    """Adjectives inflect in German; frames that speak of other things do not fit."""
    german = _with_frames(_hand('de'), put=['{item.the}'], hold=['{place.to}'])

    assert german.word('put', {'item': Named('apple', 0, ('cold',))}, Draw('')) is None
    assert german.word('hold', {'item': Named('apple')}, Draw('')) is None


def _drop_shape(data: dict[str, Any]) -> None:
    del data['shapes']['hold']


def _drop_form(data: dict[str, Any]) -> None:
    del data['things']['apple'][0]['many']


def _wrong_place(data: dict[str, Any]) -> None:
    data['shapes']['open'].append('open {item.the}')


def _wrong_form(data: dict[str, Any]) -> None:
    data['shapes']['open'].append('open {place.dative}')


@pytest.mark.parametrize(
    ('spoil', 'message'),
    [
        (_drop_shape, 'shapes.hold: no frames'),
        (_drop_form, r'things.apple\[0\]: many missing'),
        (_wrong_place, r'shapes.open\[\d+\]: \{item.the\} is nothing that a goal of this shape'),
        (_wrong_form, r'shapes.open\[\d+\]: no noun has the form of \{place.dative\}'),
        (lambda data: data.update(language='xx'), "language: 'xx' is not one of en, de"),
        (lambda data: data.pop('join'), 'join missing'),
    ],
)
def test_a_file_with_faults_is_refused(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], object], message: str
) -> None:
    """The message says where, and what is missing."""
    path = share('resource', 'wordings', 'en_terse.yaml')
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    spoil(data)
    spoiled = tmp_path / 'spoiled.yaml'
    spoiled.write_text(yaml.safe_dump(data), encoding='utf-8')

    with pytest.raises(ConfigurationError, match=message):
        read_hand(spoiled)


def test_a_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    """With its path."""
    path = tmp_path / 'broken.yaml'
    path.write_text('{', encoding='utf-8')

    with pytest.raises(ConfigurationError, match=r'broken\.yaml cannot be read'):
        read_hand(path)
