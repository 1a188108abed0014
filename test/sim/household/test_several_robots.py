# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots in one household."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import WorldError
from reactree_ros.sim.household import TaskWorld, World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.sim.household.task_sets import task_set


@pytest.fixture
def both() -> tuple[World, World]:
    house = World(shipped_scene('apartment_1'), 'kitchen 1')
    return house, house.join('bathroom 1')


def does(robot: World, skill: str, *arguments: str) -> str:
    result = robot.execute(skill, arguments)
    assert result.status is SkillStatus.SUCCEEDED, result.observation.text
    return result.observation.text


def test_each_is_where_it_went(both: tuple[World, World]) -> None:
    anna, bert = both
    assert (anna.observe().room, bert.observe().room) == ('kitchen 1', 'bathroom 1')
    does(anna, 'go_to', 'fridge 1')
    does(bert, 'go_to', 'kitchen 1')
    assert (anna.observe().place, bert.observe().place) == ('fridge 1', '')
    with pytest.raises(WorldError, match='there is no room'):
        anna.join('attic 1')


def test_what_one_does_the_other_sees(both: tuple[World, World]) -> None:
    anna, bert = both
    for robot in both:
        assert 'apple (1)' in does(robot, 'go_to', 'kitchen counter 1')
    does(anna, 'pick_up', 'apple 1')
    assert [one.name for one in anna.observe().held] == ['apple 1']
    assert bert.observe().held == ()
    assert 'apple 1' not in {one.name for one in bert.observe().objects}
    refused = bert.execute('pick_up', ('apple 1',))
    assert refused.status is SkillStatus.REFUSED
    does(bert, 'pick_up', 'cutlery knife 1')
    assert (
        bert.changes()
        == anna.changes()
        == [
            "apple 1: on kitchen counter 1 -> in the robot's hand",
            "cutlery knife 1: on kitchen counter 1 -> in the robot's hand",
        ]
    )
    does(anna, 'go_to', 'kitchen table 1')
    does(anna, 'put_down', 'apple 1')
    assert 'apple (1)' in does(bert, 'go_to', 'kitchen table 1')
    carried = {one.name: one for one in bert.everything().objects}
    assert carried['cutlery knife 1'].held
    assert carried['apple 1'].receptacle == 'kitchen table 1'


def test_where_one_has_been_the_other_can_be_sent(both: tuple[World, World]) -> None:
    anna, bert = both
    assert bert.execute('go_to', ('bed 1',)).status is SkillStatus.REFUSED
    does(anna, 'go_to', 'bedroom 1')
    does(bert, 'go_to', 'bed 1')


def test_what_is_carried_is_where_its_robot_is(both: tuple[World, World]) -> None:
    anna, bert = both
    does(anna, 'go_to', 'kitchen table 1')
    does(anna, 'pick_up', 'plate 1')
    bert.observe()
    for room in ('bathroom 1', 'bedroom 1'):
        does(anna, 'go_to', room)
        assert {one.name: one.room for one in bert.everything().objects}['plate 1'] == room


def test_the_goal_of_a_task_is_judged_whoever_reaches_it() -> None:
    task = next(one for one in task_set('household') if one.conditions)
    house = TaskWorld(task)
    mate = house.join()
    assert mate.observe().room == house.observe().room
    assert mate.check() == house.check()
    assert mate.task is task


def test_a_dump_has_all_robots(both: tuple[World, World]) -> None:
    found = [one for one in both[0].graph()['nodes'] if one['class_name'] == 'character']
    assert len({one['id'] for one in found}) == 2
    ids = {one['id'] for one in both[0].graph()['nodes']}
    assert all({edge['from_id'], edge['to_id']} <= ids for edge in both[0].graph()['edges'])


def test_one_robot_alone_sees_what_it_saw_before() -> None:
    alone = World(shipped_scene('apartment_1'), 'kitchen 1')
    joined = World(shipped_scene('apartment_1'), 'kitchen 1')
    joined.join('bathroom 1')
    for robot in (alone, joined):
        does(robot, 'go_to', 'fridge 1')
    assert alone.observe() == joined.observe()
