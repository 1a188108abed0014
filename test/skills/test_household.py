# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped library in a shipped apartment: what is offered when, and that the bridge does it."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.guidance.household import HouseholdGuidance
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.sim.household.skills import SKILLS
from reactree_ros.skills.library import SkillLibrary


class Robot:
    """A robot in a world with its working memory and its executable set."""

    def __init__(self, world: Any, library: SkillLibrary) -> None:
        self.world = world
        self.library = library
        self.memory = WorkingMemory(library.objects, library.places, 'household_test')
        self.memory.update(world.observe())

    def offered(self, *path: str) -> list[str]:
        return [skill.phrase for skill in self.guided(path)]

    def guided(self, path: tuple[str, ...], *, named: bool = True, unsearched: bool = True) -> Any:
        situation, rooms = self.memory.situation(), self.memory.rooms
        guidance = HouseholdGuidance(self.library)
        relevant = guidance.skill_filter(situation, rooms, path, named=named, unsearched=unsearched)
        return self.library.executable(situation, rooms, relevant)

    def do(self, *phrases: str) -> None:
        for phrase in phrases:
            skills = self.library.executable(self.memory.situation(), self.memory.rooms)
            (skill,) = [one for one in skills if one.phrase == phrase]
            result = self.world.execute(skill.name, skill.arguments)
            assert result.status is SkillStatus.SUCCEEDED, result.observation.text
            self.memory.update(result.observation)


@pytest.fixture
def robot(world: Any, household: SkillLibrary) -> Any:
    robot = Robot(world, household)
    yield robot
    robot.memory.close()


def test_the_library_names_the_skills_of_the_world(household: SkillLibrary) -> None:
    assert [skill.name for skill in household.skills] == list(SKILLS)


# what was done before, verb, what is offered of it
OFFERS = [
    ((), 'pick up', []),
    ((), 'put down', []),
    ((), 'open', []),
    (('go to fridge 1',), 'open', ['open fridge 1']),
    (('go to fridge 1', 'open fridge 1'), 'open', []),
    (('go to fridge 1', 'open fridge 1'), 'close', ['close fridge 1']),
    (
        ('go to fridge 1', 'open fridge 1'),
        'pick up',
        [f'pick up {name} 1' for name in ('chicken', 'juice', 'milk', 'pudding', 'tomato')],
    ),
    # closed again, what is in it is known but out of reach
    (('go to fridge 1', 'open fridge 1', 'close fridge 1'), 'pick up', []),
    # the only hand is full
    (('go to fridge 1', 'open fridge 1', 'pick up juice 1'), 'pick up', []),
    (('go to fridge 1', 'open fridge 1', 'pick up juice 1'), 'put down', ['put down juice 1']),
    (('go to fridge 1', 'open fridge 1', 'pick up juice 1', 'go to bedroom 1'), 'put down', []),
    (
        ('go to kitchen counter 1', 'pick up apple 1', 'go to fridge 1'),
        'put down',
        [],  # it is closed
    ),
    (('go to dishwasher 1',), 'turn on', ['turn on dishwasher 1']),
    (('go to dishwasher 1', 'turn on dishwasher 1'), 'turn on', []),
    (('go to dishwasher 1', 'turn on dishwasher 1'), 'turn off', ['turn off dishwasher 1']),
    (('go to kitchen counter 1',), 'slice', []),  # without a knife in the hand
    (('go to kitchen counter 1', 'pick up cutlery knife 1'), 'slice', ['slice apple 1']),
    (('go to kitchen counter 1', 'pick up cutlery knife 1', 'slice apple 1'), 'slice', []),
]


@pytest.mark.parametrize(('before', 'verb', 'expected'), OFFERS)
def test_only_what_can_change_something_is_offered(
    robot: Any, before: tuple[str, ...], verb: str, expected: list[str]
) -> None:
    robot.do(*before)
    assert [phrase for phrase in robot.offered() if phrase.startswith(f'{verb} ')] == expected


def test_one_does_not_go_where_one_is(robot: Any) -> None:
    assert 'go to fridge 1' in robot.offered()
    assert 'go to bedroom 1' in robot.offered()
    robot.do('go to fridge 1')
    assert 'go to fridge 1' not in robot.offered()
    assert 'go to kitchen table 1' in robot.offered()


def test_phrases_are_different_and_in_a_fixed_order(robot: Any) -> None:
    robot.do('go to fridge 1', 'open fridge 1')
    offered = robot.offered()
    assert len(set(offered)) == len(offered) > 10
    assert robot.offered() == offered


def test_whatever_is_offered_the_world_does(robot: Any, household: SkillLibrary) -> None:
    # A walk that takes the least recently done of what is on offer, so that it gets everywhere.
    done: dict[str, int] = {}
    for step in range(150):
        skills = household.executable(robot.memory.situation(), robot.memory.rooms)
        skill = min(skills, key=lambda one: (done.get(one.phrase, -1), one.name != 'pick_up'))
        done[skill.phrase] = step
        result = robot.world.execute(skill.name, skill.arguments)
        assert result.status is SkillStatus.SUCCEEDED, f'{skill.phrase}: {result.observation.text}'
        robot.memory.update(result.observation)
    assert {phrase.split()[0] for phrase in done} >= {'go', 'pick', 'put', 'open', 'close', 'turn'}


# goal, what was done before, offered, not offered
RELEVANT = [
    (
        'find and pick up the apple in kitchen 1',
        (),
        {'go to fridge 1', 'go to kitchen counter 1'},
        {'go to bedroom 1', 'go to kitchen 1'},
    ),
    (
        'pick up the apple',
        ('go to kitchen counter 1',),
        {'pick up apple 1'},
        {'pick up cutlery knife 1'},
    ),
    (
        'put down the apple on the kitchen table',
        ('go to kitchen counter 1', 'pick up apple 1'),
        {'go to kitchen table 1'},
        {'put down apple 1', 'go to fridge 1'},
    ),
    (
        'put down the apple on the kitchen table',
        ('go to kitchen counter 1', 'pick up apple 1', 'go to kitchen table 1'),
        {'put down apple 1'},
        {'pick up apple 1'},
    ),
    (
        'turn on the dishwasher',
        ('go to dishwasher 1', 'open dishwasher 1'),
        {'close dishwasher 1', 'turn on dishwasher 1'},
        set(),
    ),
    (
        'find the apple',
        ('go to dishwasher 1', 'open dishwasher 1'),
        set(),
        {'close dishwasher 1', 'turn on dishwasher 1'},
    ),
]


@pytest.mark.parametrize(('goal', 'before', 'offered', 'withheld'), RELEVANT)
def test_what_cannot_matter_for_the_goal_is_withheld(
    robot: Any, goal: str, before: tuple[str, ...], offered: set[str], withheld: set[str]
) -> None:
    robot.do(*before)
    everything, found = set(robot.offered()), set(robot.offered(goal))
    assert found <= everything
    assert offered <= found
    assert not withheld & found


def test_a_goal_that_names_nothing_known_withholds_no_object(robot: Any) -> None:
    robot.do('go to kitchen counter 1')
    picks = [phrase for phrase in robot.offered() if phrase.startswith('pick up ')]
    assert picks
    assert [one for one in robot.offered('tidy up') if one.startswith('pick up ')] == picks


def test_what_the_goals_above_have_put_in_its_place_stays_there(robot: Any) -> None:
    robot.do('go to kitchen counter 1', 'pick up apple 1', 'go to kitchen table 1')
    robot.do('put down apple 1')
    search = 'find and pick up another apple'
    above = 'put two apples on the kitchen table'
    assert 'pick up apple 1' in robot.offered(search)
    assert 'pick up apple 1' not in robot.offered(above, search)
    assert 'pick up apple 1' in robot.offered('put the apple in the fridge', search)


SEARCH = [
    # named, unsearched, what was done before; is it offered to go to the stove and to the bed?
    (True, True, (), (True, False)),
    (True, True, ('go to stove 1',), (False, False)),
    (True, False, ('go to stove 1',), (True, False)),
    (False, True, ('go to stove 1',), (False, True)),
    (False, False, ('go to stove 1',), (True, True)),
]


@pytest.mark.parametrize(('named', 'unsearched', 'before', 'expected'), SEARCH)
def test_places_that_were_looked_into_are_left_out_by_themselves(
    robot: Any, named: bool, unsearched: bool, before: Any, expected: tuple[bool, bool]
) -> None:
    robot.do('go to bedroom 1', 'go to kitchen 1', *before, 'go to kitchen table 1')
    path = ('find and pick up the pudding in kitchen 1',)
    skills = robot.guided(path, named=named, unsearched=unsearched)
    phrases = {skill.phrase for skill in skills}
    assert ('go to stove 1' in phrases, 'go to bed 1' in phrases) == expected


def test_a_searched_place_is_offered_again_when_something_is_found(robot: Any) -> None:
    path = ('put the pudding on the stove and the mug on the kitchen counter',)

    def offered() -> set[str]:
        return {skill.phrase for skill in robot.guided(path, named=False)}

    robot.do('go to kitchen table 1', 'go to stove 1', 'go to fridge 1')
    assert 'go to stove 1' in offered()  # the goal names it
    assert 'go to kitchen table 1' not in offered()
    robot.do('open fridge 1')
    assert 'go to kitchen table 1' in offered()
