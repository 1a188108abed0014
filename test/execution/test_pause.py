# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that is paused, resumed and done step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.situation import Situation
from reactree_ros.execution.guard import GoalGuard
from reactree_ros.execution.pause import PAUSED, PAUSING, RUNNING, PauseStage, PauseSwitch
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.run import GoalRun
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

from ..person import Person

QUESTION = 'Allow the robot to "go to bathroom 1"?'
CALL = Call(Kind.ACTION, 'household/execute_skill')
SCRIPT = ['Think: one', 'Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done']


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Held:
    """A run with a pause switch, a model and a clock of the test's."""

    def __init__(
        self,
        library: SkillLibrary,
        robot: Any,
        settings: Any,
        script: list[str],
        operator: Any = None,
        **limits: Any,
    ) -> None:
        self.clock = Clock()
        self.pause = PauseSwitch(self.clock)
        self.model = ScriptedModel({'go': script})
        self.events: list[Event] = []
        services = RunServices(
            model=self.model,
            executor=robot,
            library=library,
            experiences=None,
            system_prompt='',
            settings=settings,
            operator=operator,
        )
        self.run = GoalRun(
            'go',
            services,
            Limits(**limits),
            self.events.append,
            'held',
            self.clock,
            pause=self.pause,
        )

    def tick(self, times: int = 20) -> None:
        for _ in range(times):
            self.run.tick()

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self.events)

    def until_asked(self) -> None:
        """Tick until a decision is under way."""
        while not self.model.requests:
            self.run.tick()

    @property
    def doing(self) -> str:
        """What the latest skill shows in the tree."""
        return self.run.root.children[-1].feedback_message


@pytest.fixture
def held(household: Any, world: Any, plain: Callable[..., Any]) -> Any:
    made: list[Held] = []

    def make(
        library: SkillLibrary = household,
        robot: Any = None,
        script: list[str] = SCRIPT,
        operator: Any = None,
        **limits: Any,
    ) -> Held:
        robot = robot or WorldExecutor(world)
        made.append(Held(library, robot, plain(), script, operator, **limits))
        return made[-1]

    yield make
    for one in made:
        one.run.close()


def test_without_a_pause_everything_goes(held: Any) -> None:
    run = held()
    run.tick()
    assert run.run.root.outcome.success
    assert run.pause.state == RUNNING


def test_a_paused_run_asks_nothing(held: Any) -> None:
    run = held()
    run.pause.pause()
    assert run.pause.state == PAUSING
    run.tick()
    assert run.pause.state == PAUSED
    assert run.model.requests == []
    run.pause.resume()
    run.tick()
    assert run.run.root.outcome.success


def test_a_step_is_one_decision_and_its_skill(held: Any) -> None:
    run = held()
    run.pause.pause()
    run.tick()
    seen = []
    for _ in SCRIPT:
        assert run.pause.step()
        run.tick()
        seen.append((len(run.model.requests), run.count('observation')))
    assert seen == [(1, 0), (2, 1), (3, 2), (4, 2)]
    assert run.run.root.outcome.success


def test_a_step_needs_a_pause(held: Any) -> None:
    assert held().pause.step() is False


def test_a_skill_that_runs_comes_to_its_end(held: Any, robot: Any) -> None:
    run = held(robot=robot)
    while not robot.running:
        run.run.tick()
    run.pause.pause()
    run.tick()
    assert run.count('observation') == 0
    robot.running[0].finish()
    run.tick()
    assert run.count('observation') == 1
    assert len(run.model.requests) == 2


def test_the_time_that_is_held_counts_for_no_limit_and_no_cost(held: Any) -> None:
    run = held(max_duration_sec=10.0)
    run.pause.pause()
    run.tick()
    run.clock.now += 1000.0
    run.pause.resume()
    run.tick()
    assert run.run.root.outcome.success
    assert run.run.report().costs.total_seconds == 0.0


def test_the_limit_still_ends_what_is_not_held(held: Any) -> None:
    run = held(max_duration_sec=10.0)
    run.run.tick()
    run.clock.now += 1000.0
    run.tick()
    assert not run.run.root.outcome.success


def test_a_paused_run_can_be_canceled(held: Any) -> None:
    run = held()
    run.pause.pause()
    run.tick()
    run.run.cancel()
    assert run.run.finished
    assert run.run.report().status == 'canceled'
    assert run.pause.state == PAUSING  # and the next run waits, too


def test_a_skill_that_no_decision_led_to_waits(world: Any) -> None:
    pause = PauseSwitch()
    pause.pause()
    robot = SkillPipeline([PauseStage(pause)], WorldExecutor(world))
    skill = GroundedSkill('go_to', ('bathroom 1',), 'go to bathroom 1', CALL)
    run = robot.start(skill, Situation())
    assert run.poll() is None
    assert run.doing == 'waiting to be resumed'
    assert world.observe().room == 'kitchen 1'
    pause.step()
    assert run.poll() is not None
    assert world.observe().room == 'bathroom 1'


def test_a_step_is_of_the_robot_that_decides(world: Any) -> None:
    """The other robot's skill, which waits already, goes on waiting."""
    pause, asking = PauseSwitch(), object()
    pause.pause()
    robot = SkillPipeline([PauseStage(pause)], WorldExecutor(world))
    skill = GroundedSkill('go_to', ('bathroom 1',), 'go to bathroom 1', CALL)
    waiting = robot.start(skill, Situation())
    assert waiting.poll() is None
    pause.step()
    assert pause.decision_may_start(asking)
    assert waiting.poll() is None
    assert world.observe().room == 'kitchen 1'
    assert robot.start(skill, Situation()).poll() is not None


def test_a_skill_that_waits_can_be_canceled(world: Any) -> None:
    pause = PauseSwitch()
    pause.pause()
    skill = GroundedSkill('go_to', ('bathroom 1',), 'go to bathroom 1', CALL)
    run = SkillPipeline([PauseStage(pause)], WorldExecutor(world)).start(skill, Situation())
    run.cancel()
    result = run.poll()
    assert result is not None
    assert result.status.value == 'canceled'
    pause.resume()
    assert run.poll() is result
    assert world.observe().room == 'kitchen 1'


def test_a_skill_whose_decision_was_under_way_at_the_pause_waits(held: Any, world: Any) -> None:
    run = held(script=SCRIPT[1:])
    run.until_asked()
    run.pause.pause()
    run.tick()
    assert (run.pause.state, run.doing) == (PAUSED, 'waiting to be resumed')
    assert world.observe().room == 'kitchen 1'
    run.pause.step()
    run.tick()
    assert world.observe().room == 'bathroom 1', 'a step lets it begin'
    assert len(run.model.requests) == 1, 'and is used up by that'
    run.pause.resume()
    run.tick()
    assert run.run.root.outcome.success


@pytest.fixture
def careful(household: SkillLibrary) -> SkillLibrary:
    """Skills of which going has to be allowed."""
    skills = tuple(replace(skill, approval=skill.name == 'go_to') for skill in household.skills)
    return replace(household, skills=skills)


def test_a_skill_that_is_allowed_while_it_is_paused_waits(
    held: Any, world: Any, careful: SkillLibrary
) -> None:
    person = Person()
    run = held(careful, script=[SCRIPT[1], SCRIPT[-1]], operator=person, max_duration_sec=10.0)
    run.tick()
    assert (person.asked, run.doing) == ([QUESTION], 'waiting to be allowed')
    run.pause.pause()
    run.tick()
    assert (run.pause.state, run.doing) == (PAUSED, 'waiting to be resumed')
    person.reply = 'yes'
    run.clock.now += 1000.0
    run.tick()
    assert world.observe().room == 'kitchen 1'
    run.pause.resume()
    run.tick()
    assert world.observe().room == 'bathroom 1'
    assert run.run.root.outcome.success
    assert person.asked == [QUESTION], 'it is asked once'


def test_a_step_lets_the_skill_begin_that_is_allowed_after_it(
    held: Any, world: Any, careful: SkillLibrary
) -> None:
    person = Person()
    run = held(careful, script=SCRIPT[1:], operator=person)
    run.pause.pause()
    run.tick()
    run.pause.step()
    run.tick()
    assert run.doing == 'waiting to be allowed'
    person.reply = 'yes'
    run.tick()
    assert world.observe().room == 'bathroom 1'
    assert len(run.model.requests) == 1


def test_a_skill_that_waits_to_be_allowed_can_be_canceled_while_it_is_paused(
    held: Any, world: Any, careful: SkillLibrary
) -> None:
    person = Person()
    run = held(careful, script=SCRIPT[1:], operator=person)
    run.tick()
    run.pause.pause()
    run.tick()
    run.run.cancel()
    assert run.run.finished
    assert (person.canceled, run.pause.state) == (1, PAUSING)
    person.reply = 'yes'
    run.pause.resume()
    run.tick()
    assert world.observe().room == 'kitchen 1'


def test_a_skill_whose_resource_gets_free_while_it_is_paused_waits(
    household: SkillLibrary, robot: Any
) -> None:
    skills = tuple(replace(one, claims=frozenset({'base'})) for one in household.skills)
    pause = PauseSwitch()
    guard = GoalGuard(replace(household, skills=skills))
    held_robot = SkillPipeline([PauseStage(pause), guard], robot)
    go = next(one for one in skills if one.name == 'go_to')
    seen = robot.observe().poll()
    known = Situation(objects={one.name: one for one in seen.objects}, rooms=seen.rooms)
    held_robot.start(go.ground('fridge 1'), known)
    run = held_robot.start(go.ground('bathroom 1'), known)
    assert run.doing == 'waiting because the base is still busy with "go to fridge 1"'
    pause.pause()
    robot.running[0].finish()
    assert run.poll() is None
    assert len(robot.running) == 1
    pause.resume()
    assert run.poll() is None
    assert len(robot.running) == 2
    pause.pause()
    robot.running[1].finish()
    assert run.poll() is not None, 'what has begun comes to its end'


def test_a_step_that_led_to_no_skill_starts_none_later() -> None:
    pause = PauseSwitch(Clock())
    one, other, skill = object(), object(), object()
    pause.pause()
    pause.step()
    assert pause.decision_may_start(one)
    assert not pause.decision_may_start(other), 'the next decision waits: it led to no skill'
    assert not pause.skill_may_start(skill)
