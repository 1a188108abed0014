# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of plans: all that there can be in a house, and which instance is meant at last."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ModelError
from reactree_ros.lab.strategies.matching import SkillMatcher
from reactree_ros.lab.strategies.plan_steps import PlanStep, exact, steps_of

GRABBABLE = frozenset({'grabbable'})


@pytest.fixture
def steps(household: Any, world: Any) -> dict[str, PlanStep]:
    return steps_of(household, world.survey())


def test_places_keep_their_numbers_and_movable_things_lose_them(steps: Any) -> None:
    for phrase in (
        'go to kitchen 1',
        'go to fridge 1',
        'open fridge 1',
        'pick up pudding',
        'put down pudding',
        'turn on microwave oven 1',
        'put apple into bowl',
    ):
        assert phrase in steps
    for phrase in ('pick up fridge', 'go to pudding', 'open kitchen 1', 'put bowl into bowl'):
        assert phrase not in steps


def seen(*items: tuple[str, int, bool]) -> Situation:
    objects = [
        ObservedObject(name, number, affordances=GRABBABLE, near=near)
        for name, number, near in items
    ]
    return Situation(objects={item.name: item for item in objects})


INSTANCES = [
    (seen(('apple', 3, True), ('apple', 2, True), ('apple', 1, False)), 'apple 2'),
    (seen(('apple', 3, False), ('pear', 1, True)), 'apple 3'),
    (seen(('pear', 1, True)), 'apple 1'),
]


@pytest.mark.parametrize(('situation', 'expected'), INSTANCES)
def test_the_first_that_can_be_meant_is_taken(
    steps: Any, situation: Situation, expected: str
) -> None:
    skill = steps['pick up apple'].ground(situation)
    assert (skill.arguments, skill.phrase) == ((expected,), f'pick up {expected}')


def test_places_need_no_instance(steps: Any) -> None:
    assert steps['go to fridge 1'].ground(Situation()).arguments == ('fridge 1',)


@pytest.mark.parametrize(
    ('line', 'phrase'),
    [
        ('go to kitchen 1', 'go to kitchen 1'),
        ('Go to kitchen (1).', 'go to kitchen 1'),
        ('3. pick up apple 2', 'pick up apple'),
        ('- Act: pick up apple', ''),
        ('Act: done', 'done'),
        ('pick up the apple', ''),
        ('go to kitchen 7', ''),
    ],
)
def test_lines_are_read_but_for_case_bullets_and_numbers(
    steps: Any, line: str, phrase: str
) -> None:
    assert exact(line, steps) == phrase


def test_a_house_without_anything_has_no_steps(household: Any) -> None:
    assert steps_of(household, Observation('')) == {}


def test_without_an_encoder_other_words_are_named(steps: Any) -> None:
    assert SkillMatcher(None).match(['Done.', 'open fridge 1'], steps).poll() == [
        'done',
        'open fridge 1',
    ]
    with pytest.raises(ModelError, match='grab the apple'):
        SkillMatcher(None).match(['grab the apple'], steps)


def test_two_matches_under_way_at_once(steps: Any, word_encoder: Any) -> None:
    matcher = SkillMatcher(word_encoder('pick up apple pudding take open fridge 1'))
    first = matcher.match(['pick the apple up'], steps)
    second = matcher.match(['the fridge 1 open', 'done'], {'open fridge 1': steps['open fridge 1']})
    assert second.poll() == ['open fridge 1', 'done']
    assert first.poll() == ['pick up apple']
    assert matcher.match(['pudding pick up'], steps).poll() == ['pick up pudding']
