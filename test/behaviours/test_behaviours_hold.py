# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that is paused, resumed and done step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.behaviours.hold import GOING, PAUSED, PAUSING, HeldExecutor, Hold
from reactree_ros.behaviours.run import GoalRun
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.situation import Situation
from reactree_ros.evaluation.local import WorldExecutor
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.library import GroundedSkill

CALL = Call(Kind.ACTION, 'household/execute_skill')
SCRIPT = ['Think: one', 'Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done']


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Held:
    """A run with a hold, a model and a clock of the test's."""

    def __init__(self, household: Any, world: Any, settings: Any, **limits: Any) -> None:
        self.clock = Clock()
        self.hold = Hold(self.clock)
        self.model = ScriptedModel({'go': SCRIPT})
        self.events: list[Event] = []
        services = RunServices(
            model=self.model,
            executor=WorldExecutor(world),
            library=household,
            experiences=None,
            system_prompt='',
            settings=settings,
        )
        self.run = GoalRun(
            'go', services, Limits(**limits), self.events.append, 'held', self.clock, hold=self.hold
        )

    def tick(self, times: int = 20) -> None:
        for _ in range(times):
            self.run.tick()

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self.events)


@pytest.fixture
def held(household: Any, world: Any, plain: Callable[..., Any]) -> Any:
    made: list[Held] = []

    def make(**limits: Any) -> Held:
        made.append(Held(household, world, plain(), **limits))
        return made[-1]

    yield make
    for one in made:
        one.run.close()


def test_without_a_pause_everything_goes(held: Any) -> None:
    run = held()
    run.tick()
    assert run.run.root.outcome.success
    assert run.hold.word == GOING


def test_a_paused_run_asks_nothing(held: Any) -> None:
    run = held()
    run.hold.pause()
    assert run.hold.word == PAUSING
    run.tick()
    assert run.hold.word == PAUSED
    assert run.model.requests == []
    run.hold.resume()
    run.tick()
    assert run.run.root.outcome.success


def test_a_step_is_one_decision_and_its_skill(held: Any) -> None:
    run = held()
    run.hold.pause()
    run.tick()
    seen = []
    for _ in SCRIPT:
        assert run.hold.step()
        run.tick()
        seen.append((len(run.model.requests), run.count('observation')))
    assert seen == [(1, 0), (2, 1), (3, 2), (4, 2)]
    assert run.run.root.outcome.success


def test_a_step_needs_a_pause(held: Any) -> None:
    assert held().hold.step() is False


def test_a_skill_that_runs_comes_to_its_end(held: Any) -> None:
    run = held()
    while run.count('act') == 0:
        run.run.tick()
    run.hold.pause()
    run.tick()
    assert run.count('observation') == 1
    assert len(run.model.requests) == 2


def test_the_time_that_is_held_counts_for_no_limit_and_no_cost(held: Any) -> None:
    run = held(max_seconds=10.0)
    run.hold.pause()
    run.tick()
    run.clock.now += 1000.0
    run.hold.resume()
    run.tick()
    assert run.run.root.outcome.success
    assert run.run.report().costs.total_seconds == 0.0


def test_the_limit_still_ends_what_is_not_held(held: Any) -> None:
    run = held(max_seconds=10.0)
    run.run.tick()
    run.clock.now += 1000.0
    run.tick()
    assert not run.run.root.outcome.success


def test_a_paused_run_can_be_canceled(held: Any) -> None:
    run = held()
    run.hold.pause()
    run.tick()
    run.run.cancel()
    assert run.run.finished
    assert run.run.report().status == 'canceled'
    assert run.hold.word == PAUSING  # and the next run waits, too


def test_a_skill_that_no_decision_led_to_waits(world: Any) -> None:
    hold = Hold()
    hold.pause()
    robot = HeldExecutor(WorldExecutor(world), hold)
    skill = GroundedSkill('go_to', ('bathroom 1',), 'go to bathroom 1', CALL)
    run = robot.start(skill, Situation())
    assert run.poll() is None
    assert run.doing == 'waiting to be resumed'
    assert world.observe().room == 'kitchen 1'
    hold.step()
    assert run.poll() is not None
    assert world.observe().room == 'bathroom 1'


def test_a_skill_that_waits_can_be_canceled(world: Any) -> None:
    hold = Hold()
    hold.pause()
    skill = GroundedSkill('go_to', ('bathroom 1',), 'go to bathroom 1', CALL)
    run = HeldExecutor(WorldExecutor(world), hold).start(skill, Situation())
    run.cancel()
    result = run.poll()
    assert result is not None
    assert result.status.value == 'canceled'
    hold.resume()
    assert run.poll() is result
    assert world.observe().room == 'kitchen 1'
