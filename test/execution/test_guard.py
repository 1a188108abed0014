# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's door: what is unknown or forbidden does not reach the robot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.observation import ObservedObject, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.execution.approval import ApprovalStage
from reactree_ros.execution.guard import GoalGuard
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import World
from reactree_ros.skills.keep_out import KeepOut
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

from ..person import Person


@pytest.fixture
def forbidding(household: SkillLibrary) -> SkillLibrary:
    """The household, in which the bathroom and the fridge are forbidden."""
    return replace(household, keep_out=KeepOut(frozenset({'bathroom', 'fridge 1'})))


def do(door: SkillPipeline, library: SkillLibrary, name: str, *arguments: str) -> Any:
    seen = door.observe().poll()
    assert seen is not None
    objects = {item.name: item for item in seen.objects}
    situation = Situation(seen.room, seen.place, objects, rooms=seen.rooms)
    skill = next(one for one in library.skills if one.name == name)
    result = door.start(skill.ground(*arguments), situation).poll()
    assert result is not None
    return result.status, result.observation.text


def test_an_object_that_nobody_knows_is_refused(household: SkillLibrary, world: World) -> None:
    door = SkillPipeline([GoalGuard(household)], WorldExecutor(world))
    assert do(door, household, 'pick_up', 'dragon 1') == (
        SkillStatus.REFUSED,
        '"pick up dragon 1" was refused: nothing is known of dragon 1.',
    )
    assert do(door, household, 'go_to', 'cellar 1')[0] is SkillStatus.REFUSED
    assert do(door, household, 'go_to', 'fridge 1')[0] is SkillStatus.SUCCEEDED
    assert do(door, household, 'go_to', 'bedroom 1')[0] is SkillStatus.SUCCEEDED


def test_what_a_survey_has_told_is_known(household: SkillLibrary, world: World) -> None:
    door = SkillPipeline([GoalGuard(household)], WorldExecutor(world))
    unknown = 'nothing is known of sofa 1'
    assert unknown in do(door, household, 'go_to', 'sofa 1')[1]
    assert door.survey().poll() is not None
    assert unknown not in do(door, household, 'go_to', 'sofa 1')[1], 'the world has the say'


def test_what_is_forbidden_is_refused_whoever_decides(
    forbidding: SkillLibrary, world: World
) -> None:
    door = SkillPipeline([GoalGuard(forbidding)], WorldExecutor(world))
    assert do(door, forbidding, 'go_to', 'bathroom 1') == (
        SkillStatus.REFUSED,
        '"go to bathroom 1" was refused: the robot must keep away from bathroom 1.',
    )
    assert do(door, forbidding, 'open', 'fridge 1')[0] is SkillStatus.REFUSED
    assert world.observe().room == 'kitchen 1'


def test_what_becomes_forbidden_while_a_person_is_asked_is_refused(
    forbidding: SkillLibrary, world: World
) -> None:
    apple = ObservedObject('apple', 1, room='kitchen 1')
    known = [Situation('kitchen 1', objects={apple.name: apple})]
    person = Person()
    stages = [ApprovalStage(person, lambda: 0.0), GoalGuard(forbidding)]
    door = SkillPipeline(stages, WorldExecutor(world), lambda: known[-1])
    (pick_up,) = (one for one in forbidding.skills if one.name == 'pick_up')
    run = door.start(replace(pick_up, approval=True).ground('apple 1'), known[0])
    assert run.poll() is None
    moved = replace(apple, room='bathroom 1')
    known.append(Situation('kitchen 1', objects={apple.name: moved}))
    person.reply = 'yes'
    result = run.poll()
    assert result is not None
    assert (result.status, result.observation.text) == (
        SkillStatus.REFUSED,
        '"pick up apple 1" was refused: apple 1 is there, and the robot must keep away from '
        'bathroom 1.',
    )


def test_what_is_forbidden_is_not_offered(play: Any, forbidding: SkillLibrary) -> None:
    played = play({'root': ['Act: go to bedroom 1', 'Act: done']}, library=forbidding)
    played.end()
    offered = {phrase for request in played.model.requests for phrase in request.choices.skills}
    assert 'go to bedroom 1' in offered
    assert not [phrase for phrase in offered if 'bathroom' in phrase or 'fridge' in phrase]


def test_every_robot_that_a_planner_works_with_has_a_door(world: World, word_encoder: Any) -> None:
    options = planner_options(
        {'skills': 'household', 'model.name': 'gemma-3-270m', 'memory.store': ''}
    )
    model: Any = word_encoder('open')
    robot = assemble(options, model, WorldExecutor(world)).executor
    assert isinstance(robot, SkillPipeline)
    assert [stage.name for stage in robot.stages] == ['guard']
    again = assemble(options, model, robot)
    assert again.executor is robot, 'what uses its resources is known to all strategies'
