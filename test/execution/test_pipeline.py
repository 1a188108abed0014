# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The way of a skill through the stages to the robot, and of its result back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.futures import Future, Promise, ready
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.execution.guard import guarded
from reactree_ros.execution.pipeline import Gate, SkillPipeline, Stage, refusal
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.resume import resumed
from reactree_ros.planner.run import GoalRun
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.executor import SkillRun
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

CALL = Call(Kind.ACTION, 'household/execute_skill')
GO = GroundedSkill('go_to', ('fridge 1',), 'go to fridge 1', CALL)


class Ticket(Gate):
    """A gate that a test opens and closes."""

    waits = 'for a ticket'

    def __init__(self) -> None:
        super().__init__()
        self.is_open = False
        self.canceled = 0

    def open(self) -> bool:
        return self.is_open

    def cancel(self) -> None:
        self.canceled += 1


class Noted(Stage):
    """A stage that notes what passes it, and has a gate of the test's."""

    def __init__(self, name: str, notes: list[str], gate: Gate | None = None) -> None:
        self.name = name
        self.notes = notes
        self.gate = gate

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        self.notes.append(f'before {self.name}')
        return self.gate

    def started(self, skill: GroundedSkill, run: SkillRun) -> None:
        self.notes.append(f'started {self.name}')

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        self.notes.append(f'after {self.name}')
        return ready(result)

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        self.notes.append(f'observe {self.name}')
        return ask()


@pytest.fixture
def notes() -> list[str]:
    return []


def test_a_skill_passes_the_stages_in_order_and_its_result_comes_back(
    robot: Any, notes: list[str]
) -> None:
    pipeline = SkillPipeline([Noted('a', notes), Noted('b', notes)], robot)
    run = pipeline.start(GO, Situation())
    assert notes == ['before a', 'before b', 'started a', 'started b']
    notes.clear()
    assert (run.poll(), run.stage) == (None, '')
    robot.running[0].finish()
    result = run.poll()
    assert result is not None
    assert run.poll() is result
    assert notes == ['after b', 'after a']
    notes.clear()
    assert pipeline.observe().poll() is not None
    assert notes == ['observe a', 'observe b']


def test_the_run_says_in_which_stage_a_skill_waits(robot: Any, notes: list[str]) -> None:
    ticket = Ticket()
    run = SkillPipeline([Noted('a', notes, ticket), Noted('b', notes)], robot).start(
        GO, Situation()
    )
    assert run.poll() is None
    assert (run.stage, run.doing, run.started) == ('a', 'waiting for a ticket', False)
    assert (notes, robot.running) == (['before a'], [])
    ticket.is_open = True
    assert run.poll() is None
    assert (run.stage, len(robot.running)) == ('', 1)


def test_a_gate_that_closes_again_stops_what_has_not_begun(robot: Any, notes: list[str]) -> None:
    first, second = Ticket(), Ticket()
    first.is_open = True
    stages = [Noted('a', notes, first), Noted('b', notes, second)]
    run = SkillPipeline(stages, robot).start(GO, Situation())
    assert run.stage == 'b'
    first.is_open, second.is_open = False, True
    assert (run.poll(), run.stage, robot.running) == (None, 'a', [])
    first.is_open = True
    assert run.poll() is None
    assert len(robot.running) == 1
    first.is_open = False
    robot.running[0].finish()
    assert run.poll() is not None, 'what has begun comes to its end'
    assert notes.count('before a') == 1


def test_a_refusal_goes_back_through_the_stages_before_it(robot: Any, notes: list[str]) -> None:
    stages = [Noted('a', notes), Noted('b', notes, Gate(refusal(GO, 'no'))), Noted('c', notes)]
    run = SkillPipeline(stages, robot).start(GO, Situation())
    result = run.poll()
    assert result is not None
    assert (result.status, result.observation.text) == (
        SkillStatus.REFUSED,
        '"go to fridge 1" was refused: no.',
    )
    assert (notes, robot.running) == (['before a', 'before b', 'after a'], [])
    assert (run.started, run.settled) == (True, True)


def test_a_cancel_of_what_waits_starts_nothing(robot: Any, notes: list[str]) -> None:
    ticket = Ticket()
    run = SkillPipeline([Noted('a', notes), Noted('b', notes, ticket)], robot).start(
        GO, Situation()
    )
    run.cancel()
    ticket.is_open = True
    result = run.poll()
    assert result is not None
    assert result.status is SkillStatus.CANCELED
    assert result.observation.text == '"go to fridge 1" was canceled before it began.'
    run.cancel()
    assert run.poll() is result
    assert (notes[-1], robot.running) == ('after a', [])


def test_a_cancel_reaches_the_robot_and_what_follows(robot: Any, notes: list[str]) -> None:
    class Slow(Stage):
        name = 'slow'

        def __init__(self) -> None:
            self.canceled = 0
            self.answer = Promise[SkillResult](self._count)

        def _count(self) -> None:
            self.canceled += 1

        def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
            return self.answer

    run = SkillPipeline([], robot).start(GO, Situation())
    run.cancel()
    assert robot.running[0].cancels == 1

    slow = Slow()
    run = SkillPipeline([slow], robot).start(GO, Situation())
    robot.running[1].finish()
    assert run.poll() is None
    assert run.doing == 'checking what was done'
    run.cancel()
    run.cancel()
    result = run.poll()
    assert result is not None
    assert (result.status, slow.canceled) == (SkillStatus.CANCELED, 1)


def test_the_stages_of_a_pipeline_in_a_pipeline_come_last(robot: Any, notes: list[str]) -> None:
    inner = SkillPipeline([Noted('b', notes)], robot)
    outer = SkillPipeline([Noted('a', notes)], inner)
    assert [stage.name for stage in outer.stages] == ['a', 'b']
    assert outer.robot is robot


def test_the_guard_is_nearest_to_the_robot(
    robot: Any, household: SkillLibrary, notes: list[str]
) -> None:
    own = SkillPipeline([Noted('own', notes)], robot)
    assert [stage.name for stage in guarded(own, household).stages] == ['own', 'guard']


def test_the_order_of_the_stages_of_a_run(
    robot: Any, household: SkillLibrary, plain: Any, notes: list[str]
) -> None:
    services = RunServices(
        model=ScriptedModel({}),
        executor=guarded(SkillPipeline([Noted('own', notes)], robot), household),
        library=household,
        experiences=None,
        system_prompt='',
        settings=plain(),
    )
    before: Any = None
    again = resumed(services, [], 'the journal', before)
    run = GoalRun('root', again, Limits(), namespace='order', record=lambda entry: None)
    pipeline: Any = run._robots[0].executor
    assert [stage.name for stage in pipeline.stages] == [
        'rest',
        'pause',
        'approval',
        'checks',
        'record',
        'replay',
        'own',
        'guard',
    ]
    run.close()


def test_a_robot_that_cannot_start_ends_the_skill(world: Any) -> None:
    class Gone(WorldExecutor):
        def start(self, skill: GroundedSkill, situation: Situation) -> Any:
            raise WorldError('the driver does not answer')

    run = SkillPipeline([], Gone(world)).start(GO, Situation())
    result = run.poll()
    assert result is not None
    assert (result.status, result.gone) == (SkillStatus.FAILED, True)
    assert 'the driver does not answer' in result.observation.text
