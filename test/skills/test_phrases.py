# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills by their phrases, and why one is not possible: what the executable set leaves out."""

from __future__ import annotations

import itertools

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.skills.executable_set import MOST, executable_set, objections
from reactree_ros.skills.phrases import alike, named, unchecked
from reactree_ros.skills.reader import parse_library

LIBRARY = parse_library(
    """
name: bob
action: do
keep_out: [knife]
skills:
  go: {phrase: go to {room}, arguments: {room: {kind: room, here: false}}}
  walk: {phrase: "walk to {place}", arguments: {place: {affordance: furniture, here: false}}}
  put:
    phrase: put {item} on top of {place}
    arguments: {item: {held: true}, place: {affordance: surfaces, near: true}}
  wash:
    phrase: wash {item}
    arguments: {item: [{state: dirty}, {affordance: recipient}]}
    when: {hands: free, at: {affordance: containers}}
  cut: {phrase: cut, when: {holding: cutter}}
""".replace('go to {room}', '"go to {room}"'),
    'bob.yaml',
)


def situation(held: bool, place: str) -> Situation:
    items = (
        ObservedObject(
            'table', 1, 'hall 1', affordances=frozenset(['furniture', 'surfaces']), near=True
        ),
        ObservedObject('sink', 1, 'hall 1', affordances=frozenset(['furniture', 'containers'])),
        ObservedObject('cup', 1, states=frozenset(['dirty']), held=held, near=held),
        ObservedObject('cup', 2, affordances=frozenset(['recipient', 'cutter'])),
        ObservedObject('knife', 1, affordances=frozenset(['cutter']), states=frozenset(['dirty'])),
    )
    return Situation('hall 1', place, {one.name: one for one in items}, rooms=('hall 1', 'attic 1'))


@pytest.mark.parametrize(
    ('held', 'place'), [*itertools.product([True, False], ['table 1', 'sink 1', ''])]
)
def test_a_skill_has_objections_if_and_only_if_it_is_not_possible(held: bool, place: str) -> None:
    now = situation(held, place)
    possible = {one.phrase for one in executable_set(LIBRARY, now)}
    every = [
        skill.ground(*names)
        for skill in LIBRARY.skills
        for names in itertools.product([*now.objects, *now.rooms], repeat=len(skill.arguments))
    ]
    assert len(every) == 1 + 3 * 7 + 49
    for one in every:
        assert bool(objections(LIBRARY, one, now)) is (one.phrase not in possible), one.phrase


@pytest.mark.parametrize(
    ('phrase', 'found'),
    [
        ('walk to table 1', 'walk to table 1'),
        ('  Walk TO   the', None),
        ('walk to table', 'walk to table 1'),
        ('go to attic', 'go to attic 1'),
        ('wash cup', None),  # there are two
        ('wash cup 2', 'wash cup 2'),
        ('put cup 1 on top of table', 'put cup 1 on top of table 1'),
        ('walk to hall 1', None),
        ('cut', 'cut'),
        ('walk to cup 3', None),
        ('', None),
    ],
)
def test_a_phrase_names_a_skill_with_what_is_known(phrase: str, found: str | None) -> None:
    skill = named(LIBRARY, phrase, situation(False, ''))
    assert (skill.phrase if skill else None) == found


def test_without_a_robot_any_argument_is_taken() -> None:
    skill = unchecked(LIBRARY, 'put a on top of b')
    assert skill is not None and skill.named == {'item': 'a', 'place': 'b'}
    assert unchecked(LIBRARY, 'fly') is None


def test_the_likest_phrase_comes_first() -> None:
    possible = executable_set(LIBRARY, situation(False, 'table 1'))
    assert alike('walk to sinks', possible)[0] == 'walk to sink 1'
    assert alike('zzzz', possible) == []


def test_of_many_things_so_many_combinations_are_offered() -> None:
    library = parse_library(
        'name: bob\naction: do\nskills:\n'
        '  swap: {phrase: "swap {a} and {b}", arguments: {a: {near: true}, b: {near: true}}}\n',
        'test',
    )
    things = [ObservedObject('cup', number, near=True) for number in range(2000)]
    offered = executable_set(library, Situation(objects={one.name: one for one in things}))
    assert MOST - 10 < len(offered) <= MOST
