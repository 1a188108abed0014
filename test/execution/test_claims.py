# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that claim the same resource of a robot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.execution.claims import Claims
from reactree_ros.execution.guard import GoalGuard, guarded
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.skills.executor import EndedSkill
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

CLAIMS = {'go_to': {'base'}, 'open': {'arm'}, 'close': {'arm', 'base'}}
WAIT_SEC = 5.0


class Time:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def door(robot: Any, claiming: SkillLibrary, clock: Time) -> SkillPipeline:
    return SkillPipeline([GoalGuard(claiming, Claims(WAIT_SEC, clock))], robot)


@pytest.fixture
def claiming(household: SkillLibrary) -> SkillLibrary:
    skills = (
        replace(skill, claims=frozenset(CLAIMS.get(skill.name, ()))) for skill in household.skills
    )
    return replace(household, skills=tuple(skills))


@pytest.fixture
def start(door: SkillPipeline, claiming: SkillLibrary, robot: Any) -> Any:
    skills = {skill.name: skill for skill in claiming.skills}

    seen = robot.observe().poll()
    objects = {item.name: item for item in seen.objects}
    for name in ('fridge', 'oven', 'tv'):
        objects.setdefault(f'{name} 1', ObservedObject(name, 1))
    known = Situation(objects=objects, rooms=seen.rooms)

    def begin(name: str, *arguments: str) -> Any:
        grounded: GroundedSkill = skills[name].ground(*arguments)
        return door.start(grounded, known)

    return begin


def test_a_skill_waits_for_the_resource_that_another_one_uses(start: Any, robot: Any) -> None:
    first, second = start('open', 'fridge 1'), start('close', 'oven 1')
    assert len(robot.running) == 1
    assert second.doing == 'waiting because the arm is still busy with "open fridge 1"'
    assert second.poll() is None
    robot.running[0].finish()
    assert second.poll() is None
    assert len(robot.running) == 2, 'it begins when the first has ended'
    assert (first.settled, second.settled) == (True, False)


def test_skills_with_different_resources_or_none_run_together(start: Any, robot: Any) -> None:
    start('open', 'fridge 1')
    start('go_to', 'bathroom 1')
    start('turn_on', 'tv 1')
    assert len(robot.running) == 3


def test_a_resource_that_stays_busy_is_a_refusal_with_its_reason(
    start: Any, robot: Any, clock: Time
) -> None:
    start('open', 'fridge 1')
    second = start('close', 'oven 1')
    clock.now = WAIT_SEC - 0.1
    assert second.poll() is None
    clock.now = WAIT_SEC
    result = second.poll()
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        '"close oven 1" was refused: the arm is still busy with "open fridge 1".'
    )
    robot.running[0].finish()
    assert second.poll() is result, 'it does not begin any more'
    assert len(robot.running) == 1


def test_a_stop_that_the_robot_has_not_confirmed_keeps_the_resource(
    start: Any, robot: Any, clock: Time
) -> None:
    first = start('open', 'fridge 1')
    running = robot.running[0]
    running.confirmed = False
    first.cancel()
    running.come_to_rest()
    assert first.poll().status is SkillStatus.CANCELED
    second = start('close', 'oven 1')
    assert second.poll() is None
    running.confirmed = True
    assert second.poll() is None
    assert len(robot.running) == 2, 'it begins when the robot has confirmed'


def test_a_skill_that_ended_in_a_fault_keeps_no_resource(claiming: SkillLibrary) -> None:
    class Gone(EndedSkill):
        def poll(self) -> SkillResult:
            raise WorldError('the robot is gone')

    skill = next(one for one in claiming.skills if one.name == 'open').ground('fridge 1')
    claims = Claims()
    claims.take(skill, Gone(SkillResult(SkillStatus.FAILED, Observation(''))))
    assert claims.in_use(skill) is None


def test_a_skill_that_waits_can_be_canceled(start: Any, robot: Any) -> None:
    start('open', 'fridge 1')
    second = start('close', 'oven 1')
    second.cancel()
    assert second.poll().status is SkillStatus.CANCELED
    robot.running[0].finish()
    assert second.poll().status is SkillStatus.CANCELED
    assert len(robot.running) == 1


def test_a_resource_is_kept_from_one_goal_to_the_next(
    play: Any, door: SkillPipeline, claiming: SkillLibrary, robot: Any, clock: Time
) -> None:
    before = play({'first': ['Act: go to fridge 1']}, robot=door, library=claiming, namespace='a')
    before.tick_until(lambda: bool(robot.running))
    before.run.cancel()
    robot.running[0].confirmed = False
    robot.running[0].come_to_rest()
    assert before.end().status == 'canceled'
    script = {'second': ['Act: go to kitchen counter 1', 'Act: done']}
    after = play(script, robot=door, library=claiming, namespace='b')
    for _ in range(10):
        after.run.tick()
    assert len(robot.running) == 1
    clock.now = WAIT_SEC
    assert after.end().status == 'succeeded'
    assert after.run.root.children[0].feedback_message == (
        '"go to kitchen counter 1" was refused: the base is still busy with "go to fridge 1".'
    )


@pytest.fixture
def doors(household: SkillLibrary, robot: Any, clock: Time) -> Any:
    """Start a skill of the household on one of two robots."""
    skills = (
        replace(one, claims=frozenset({'{place}', 'base'})) if one.name == 'go_to' else one
        for one in household.skills
    )
    library = replace(household, skills=tuple(skills))
    claims = Claims(WAIT_SEC, clock)
    pipelines = {
        name: SkillPipeline([GoalGuard(library, claims, name)], robot) for name in ('anna', 'bert')
    }
    fridge = ObservedObject('fridge', 1, affordances=frozenset({'furniture'}))
    objects = [ObservedObject('apple', 1), ObservedObject('plate', 1), fridge]
    known = Situation(objects={one.name: one for one in objects}, rooms=('kitchen 1', 'hall 1'))

    def begin(name: str, skill: str, *arguments: str) -> Any:
        (found,) = (one for one in library.skills if one.name == skill)
        return pipelines[name].start(found.ground(*arguments), known)

    return begin


def test_a_thing_that_another_robot_has_handled_is_decided_about_anew(
    doors: Any, robot: Any
) -> None:
    doors('anna', 'pick_up', 'apple 1')
    second = doors('bert', 'pick_up', 'apple 1')
    assert second.poll() is None
    assert second.doing == ('waiting because apple 1 is still busy with "pick up apple 1" of anna')
    robot.running[0].finish()
    result = second.poll()
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text == (
        '"pick up apple 1" was refused: apple 1 was busy with "pick up apple 1" of anna meanwhile.'
    )
    assert len(robot.running) == 1


def test_into_a_vessel_that_another_robot_takes_nothing_is_put(doors: Any, robot: Any) -> None:
    doors('anna', 'pick_up', 'plate 1')
    assert doors('bert', 'put_into', 'apple 1', 'plate 1').poll() is None
    assert len(robot.running) == 1


def test_a_place_is_waited_for(doors: Any, robot: Any, clock: Time) -> None:
    doors('anna', 'go_to', 'fridge 1')
    second = doors('bert', 'go_to', 'fridge 1')
    third = doors('bert', 'pick_up', 'apple 1')
    assert (second.poll(), third.poll()) == (None, None)
    assert len(robot.running) == 2, 'other things are free'
    robot.running[0].finish()
    assert second.poll() is None
    assert len(robot.running) == 3, 'it begins when the other is there'
    late = doors('anna', 'go_to', 'fridge 1')
    clock.now = WAIT_SEC
    assert late.poll().status is SkillStatus.REFUSED


def test_robots_have_resources_of_their_own(doors: Any, robot: Any) -> None:
    doors('anna', 'go_to', 'kitchen 1')
    doors('bert', 'go_to', 'hall 1')
    assert len(robot.running) == 2, 'each has a base'


def test_a_robot_has_one_door(robot: Any, household: SkillLibrary) -> None:
    door = guarded(robot, household)
    assert guarded(door, household) is door
