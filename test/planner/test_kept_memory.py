# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals one after the other that share one working memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import py_trees
import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.run import GoalRun, working_memories
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

LOOK = ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: go to bedroom 1', 'Act: done']
RECALL = ['Act: recall location of milk', 'Act: done']
KNOWN, UNKNOWN = 'milk: milk 1 inside fridge 1 in kitchen 1.', 'milk: not seen so far.'


@pytest.fixture
def memory(household: SkillLibrary) -> Iterator[WorkingMemory]:
    memory = WorkingMemory(household.objects, household.places, 'kept')
    yield memory
    memory.close()


def run_goal(
    world: World, library: SkillLibrary, settings: Any, memory: WorkingMemory | None, *acts: str
) -> list[str]:
    """Run a goal and return what was observed; the run is closed afterwards."""
    events: list[Event] = []
    services = RunServices(
        model=ScriptedModel({'root': list(acts)}),
        executor=WorldExecutor(world),
        library=library,
        experiences=None,
        system_prompt='You steer a robot.',
        settings=settings,
    )
    run = GoalRun(
        'root',
        services,
        Limits(),
        events.append,
        'kept',
        memories=memory and {services.robot: memory},
    )
    for _ in range(100):
        run.tick()
    assert run.report().status == 'succeeded', run.tree_text()
    run.close()
    return [event.text for event in events if event.kind == 'observation']


def test_a_goal_remembers_what_the_one_before_it_saw(
    world: World, household: SkillLibrary, plain: Any, memory: WorkingMemory
) -> None:
    run_goal(world, household, plain(), memory, *LOOK)
    storage = py_trees.blackboard.Blackboard.storage
    assert 'milk 1 inside fridge 1' in str(storage['/kept/milk']), 'it is there between the goals'
    assert run_goal(world, household, plain(), memory, *RECALL) == [KNOWN]


def test_without_a_kept_memory_each_goal_begins_with_its_own(
    world: World, household: SkillLibrary, plain: Any
) -> None:
    run_goal(world, household, plain(), None, *LOOK)
    assert not any(key.startswith('/kept') for key in py_trees.blackboard.Blackboard.storage)
    assert run_goal(world, household, plain(), None, *RECALL) == [UNKNOWN]


def test_a_goal_in_a_house_with_other_rooms_starts_afresh(
    world: World, household: SkillLibrary, plain: Any, memory: WorkingMemory
) -> None:
    run_goal(world, household, plain(), memory, *LOOK)
    homes = (World(shipped_scene(f'home_{number}')) for number in range(1, 11))
    elsewhere = next(home for home in homes if home.observe().rooms != world.observe().rooms)
    assert run_goal(elsewhere, household, plain(), memory, *RECALL) == [UNKNOWN]
    assert memory.situation().rooms == elsewhere.observe().rooms


def test_a_place_that_was_searched_for_the_last_goal_may_be_searched_again(
    world: World, household: SkillLibrary, plain: Any, memory: WorkingMemory
) -> None:
    run_goal(world, household, plain(), memory, *LOOK)
    assert memory.situation().looked_into == {'fridge 1'}
    run_goal(world, household, plain(), memory, 'Act: go to kitchen 1', 'Act: done')
    assert memory.situation().looked_into == frozenset()


def test_what_a_helping_robot_was_told_is_kept_too(
    world: World, household: SkillLibrary, plain: Any
) -> None:
    services = RunServices(
        model=ScriptedModel({'root': LOOK}),
        executor=WorldExecutor(world),
        library=household,
        experiences=None,
        system_prompt='You steer a robot.',
        settings=plain(),
        robot='first',
        helpers={'second': WorldExecutor(world)},
    )
    memories = working_memories(services, 'kept')
    run = GoalRun('root', services, Limits(), namespace='kept', memories=memories)
    while not run.finished:
        run.tick()
    run.close()
    assert [*memories] == ['first', 'second']
    assert all('milk 1' in one.situation().objects for one in memories.values())
    for one in memories.values():
        one.close()
