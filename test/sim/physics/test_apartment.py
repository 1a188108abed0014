# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms with walls: the robot sees and drives through doorways, and through nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import yaml

from reactree_ros.core.observation import SkillStatus
from reactree_ros.lab.bench.kitchen import do_plan, read_step
from reactree_ros.paths import share
from reactree_ros.sim.physics.description import Description, Furniture, shipped_description
from reactree_ros.sim.physics.robot import Ending
from reactree_ros.sim.physics.rooms import Wall, ways
from reactree_ros.sim.physics.simulation import SimulatedRobot, Simulation
from reactree_ros.sim.physics.tasks import arm_tasks
from reactree_ros.sim.physics.trajectory import Trajectory
from reactree_ros.sim.physics.world import PhysicsWorld, arm_library


@pytest.fixture
def apartment() -> Description:
    return shipped_description('apartment')


def with_stool(description: Description, x: float, y: float) -> Description:
    stool = Furniture('stool 1', 'table', 'kitchen 1', (x, y), 0.0, (0.5, 0.6, 0.5))
    return replace(description, furniture={**description.furniture, stool.name: stool})


def test_a_wall_is_made_of_what_is_between_its_doorways() -> None:
    wall = Wall((1.0, 0.0), (1.0, 4.0), ((3.0, 1.0), (1.0, 0.8)))
    corners = [np.round([*low, *high], 2).tolist() for low, high in wall.parts()]
    assert corners == [
        [0.95, -0.05, 1.05, 0.6],
        [0.95, 1.4, 1.05, 2.5],
        [0.95, 3.5, 1.05, 4.05],
    ]


def test_the_way_through_the_fewest_doorways_comes_first(apartment: Description) -> None:
    rooms, walls = apartment.rooms, apartment.walls
    found = [
        [np.round(stand, 2).tolist() for stand in way]
        for way in ways(rooms, walls, 'kitchen 1', 'living room 1')
    ]
    assert found[0] == [[1.6, -1.3, 0.0], [2.9, -1.3, 0.0]]
    assert found[1][:2] == [[0.0, -1.4, -1.57], [0.0, -2.7, -1.57]]
    assert found[1][2:] == [[1.6, -2.85, 0.0], [2.9, -2.85, 0.0]]
    assert len(found) == 2
    assert list(ways(rooms, walls, 'kitchen 1', 'kitchen 1')) == [[]]
    assert not list(ways(rooms, {}, 'kitchen 1', 'bedroom 1'))


def test_the_texts_of_rooms_are_those_of_the_household(apartment: Description) -> None:
    world = PhysicsWorld(apartment)
    assert world.observe().text == (
        'The house has 3 rooms: bedroom (1), kitchen (1), living room (1). You are in the kitchen '
        '(1). Around you: drawer (1), kitchen cabinet (1), kitchen counter (1), kitchen table (1), '
        'shelf (1).'
    )
    entered = world.execute('go_to', ['living room 1']).observation
    assert entered.text == (
        'You enter the living room (1). Around you: bookshelf (1), coffee table (1), tv stand (1).'
    )
    assert entered.room == 'living room 1'
    assert {one.room for one in entered.objects} == {'living room 1'}
    there = world.execute('go_to', ['coffee table 1']).observation
    assert there.text == 'You are at the coffee table (1). You see: book (1).'
    assert world.drive_to(0.0, -2.8, 0.0).observation.room == 'bedroom 1'
    found = world.check(['robot in bedroom', 'book in living room', 'can in kitchen'])
    assert found is not None and found.holds


@pytest.mark.parametrize(('y', 'seen'), [(-1.3, True), (0.5, False)])
def test_what_is_in_another_room_is_seen_through_a_doorway_only(
    apartment: Description, y: float, seen: bool
) -> None:
    table = replace(apartment.furniture['coffee table 1'], at=(3.5, y))
    world = replace(
        apartment,
        furniture={'coffee table 1': table},
        on=dict.fromkeys(apartment.things, ('coffee table 1', 0.0, 0.0)),
        things={'book 1': apartment.things['book 1']},
        robot=(1.6, y, 0.0),
    )
    assert ('book 1' in SimulatedRobot(world).look().things) is seen
    assert 'book 1' in SimulatedRobot(replace(world, walls={})).look().things


def test_a_doorway_that_is_blocked_is_gone_around(apartment: Description) -> None:
    visited: set[str] = set()

    def note(simulation: Simulation) -> None:
        x, y = (float(simulation.data.joint(name).qpos[0]) for name in ('base_x', 'base_y'))
        visited.add(apartment.room_at(x, y))

    blocked = with_stool(apartment, 2.25, -1.3)
    world = PhysicsWorld(blocked, before=note)
    assert world.execute('go_to', ['living room 1']).status is SkillStatus.SUCCEEDED
    assert visited == {'kitchen 1', 'bedroom 1', 'living room 1'}


def test_where_no_doorway_leads_there_is_no_way(apartment: Description) -> None:
    walls = {name: replace(wall, doorways=()) for name, wall in apartment.walls.items()}
    result = PhysicsWorld(replace(apartment, walls=walls)).execute('go_to', ['bed 1'])
    assert result.status is SkillStatus.FAILED
    assert result.observation.text == (
        'You could not go to bed (1): there is no free way to bed (1).'
    )


def test_a_wall_stops_the_robot(apartment: Description) -> None:
    robot = SimulatedRobot(replace(apartment, robot=(-1.2, -1.2, -np.pi / 2)))
    into = np.array([robot.base, robot.base - (0, 0.7, 0)])
    assert robot.drive(Trajectory(np.array([0.0, 2.0]), into)).ending is Ending.BLOCKED
    assert -1.85 < robot.base[1] < -1.7


def test_the_skills_are_those_of_the_kitchen_with_the_words_of_the_apartment(
    apartment: Description,
) -> None:
    library = arm_library(apartment.skills)
    assert library.skills == arm_library().skills
    assert {name.rpartition(' ')[0] for name in apartment.things} == library.objects
    drawers = [piece.drawer for piece in apartment.furniture.values() if piece.drawer]
    assert {name.rpartition(' ')[0] for name in (*apartment.furniture, *drawers)} == library.places
    config = yaml.safe_load(share('config', 'apartment.yaml').read_text(encoding='utf-8'))
    assert config['/**/reactree_planner']['ros__parameters'] == {'skills': apartment.skills}


def test_a_plan_reaches_its_goal_in_another_room() -> None:
    tasks = arm_tasks('apartment')
    assert [task.id for task in tasks] == list(range(1, 7))
    for task in tasks:
        assert 4 <= task.steps <= 12
        for step in task.plan:
            read_step(step, arm_library('apartment_arm'))
    made = do_plan(tasks[1], seed=1)
    assert made.reached, made.failures
