# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped library in a shipped apartment: what is offered when, and that the bridge does it."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
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

    def offered(self) -> list[str]:
        skills = self.library.executable(self.memory.situation())
        return [skill.phrase for skill in skills]

    def do(self, *phrases: str) -> None:
        for phrase in phrases:
            skills = self.library.executable(self.memory.situation())
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
        skills = household.executable(robot.memory.situation())
        skill = min(skills, key=lambda one: (done.get(one.phrase, -1), one.name != 'pick_up'))
        done[skill.phrase] = step
        result = robot.world.execute(skill.name, skill.arguments)
        assert result.status is SkillStatus.SUCCEEDED, f'{skill.phrase}: {result.observation.text}'
        robot.memory.update(result.observation)
    assert {phrase.split()[0] for phrase in done} >= {'go', 'pick', 'put', 'open', 'close', 'turn'}
