# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals name things as people do; the filters of a library read them in its own words."""

from __future__ import annotations

import pytest

from reactree_ros.core.situation import in_class_words
from reactree_ros.errors import ConfigurationError
from reactree_ros.guidance.household import HouseholdGuidance
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.paths import share
from reactree_ros.sim.household import World, shipped_scene
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import parse_library, read_library

HOUSEHOLD = read_library(share('behaviors', 'household.yaml'))
WORDS = """
name: test robot
action: act
objects: [cutlery fork]
places: [sink]
aliases: {fork: cutlery fork}
uses: {wash: [sink]}
kinds: {cutlery: [cutlery fork]}
skills: {wait: {phrase: wait}}
"""


@pytest.mark.parametrize(
    ('goal', 'read'),
    [
        ('Put two forks in the microwave.', 'Put two cutlery fork in the microwave oven.'),
        ('take the cutlery fork', 'take the cutlery fork'),
        ('a slice of bread on the couch', 'a bread slice on the sofa'),
        ('the microwave oven', 'the microwave oven'),
        ('Tidy up', 'Tidy up'),
    ],
)
def test_everyday_names_are_read_as_classes(goal: str, read: str) -> None:
    assert HOUSEHOLD.in_class_words(goal) == read


def test_a_class_hides_the_everyday_name_inside_of_it() -> None:
    assert in_class_words('knife block', ['knife block'], {'knife': 'cutlery knife'}) == (
        'knife block'
    )


def offered(library: SkillLibrary, goal: str, *steps: tuple[str, str]) -> set[str]:
    """What is offered for a goal after some steps in a shipped apartment."""
    world = World(shipped_scene('apartment_1'), 'kitchen 1')
    memory = WorkingMemory(library.objects, library.places)
    try:
        memory.update(world.observe())
        for skill, name in steps:
            result = world.execute(skill, (name,))
            assert result.status.name == 'SUCCEEDED', result.observation.text
            memory.update(result.observation)
        path = (library.in_class_words(goal),)
        situation, rooms = memory.situation(), memory.rooms
        relevant = HouseholdGuidance(library).skill_filter(situation, rooms, path)
        skills = library.executable(situation, rooms, relevant)
        return {skill.phrase for skill in skills}
    finally:
        memory.close()


def test_a_thing_by_its_everyday_name_may_be_picked_up() -> None:
    phrases = offered(HOUSEHOLD, 'put the knife on the couch', ('go_to', 'kitchen counter 1'))
    assert 'pick up cutlery knife 2' in phrases or 'pick up cutlery knife 1' in phrases
    assert 'pick up apple 1' not in phrases


def test_with_the_thing_in_the_hand_a_place_that_the_goal_needs_is_offered() -> None:
    steps = (('go_to', 'kitchen counter 1'), ('pick_up', 'apple 1'))
    needed = offered(HOUSEHOLD, 'put a hot apple on the kitchen table', *steps)
    assert {'go to kitchen table 1', 'go to microwave oven 1'} <= needed
    named = offered(HOUSEHOLD, 'put the apple on the kitchen table', *steps)
    assert 'go to kitchen table 1' in named
    assert 'go to microwave oven 1' not in named


def test_of_several_places_the_one_that_is_named_is_meant() -> None:
    steps = (('go_to', 'kitchen counter 1'), ('pick_up', 'apple 1'))
    phrases = offered(HOUSEHOLD, 'heat the apple in the microwave', *steps)
    assert 'go to microwave oven 1' in phrases
    assert 'go to stove 1' not in phrases


def test_a_thing_by_a_wider_word_may_be_picked_up() -> None:
    phrases = offered(HOUSEHOLD, 'put some fruit on the couch', ('go_to', 'kitchen counter 1'))
    assert 'pick up apple 1' in phrases
    assert not any(phrase.startswith('pick up cutlery knife') for phrase in phrases)


@pytest.mark.parametrize(
    ('old', 'new', 'error'),
    [
        ('{fork: cutlery fork}', '[fork]', 'aliases: a mapping is expected'),
        ('{fork: cutlery fork}', '{fork: spade}', "aliases.fork: 'spade' is neither in objects"),
        ('{fork: cutlery fork}', '{3: sink}', 'a key must be a word'),
        ('{wash: [sink]}', 'sink', 'uses: a mapping is expected'),
        ('{wash: [sink]}', '{wash: sink}', 'uses.wash: a list is expected'),
        ('{cutlery: [cutlery fork]}', 'x', 'kinds: a mapping is expected'),
        ('{cutlery: [cutlery fork]}', '{cutlery: fork}', 'kinds.cutlery: a list is expected'),
        ('{cutlery: [cutlery fork]}', '{cutlery: [fork]}', "kinds.cutlery: 'fork' is neither in"),
        ('{wash: [sink]}', '{wash: [bath]}', "uses.wash: 'bath' is not in places"),
    ],
)
def test_wrong_words_are_named(old: str, new: str, error: str) -> None:
    assert parse_library(WORDS, 'words.yaml').aliases == {'fork': 'cutlery fork'}
    with pytest.raises(ConfigurationError) as caught:
        parse_library(WORDS.replace(old, new), 'words.yaml')
    assert error in str(caught.value)
