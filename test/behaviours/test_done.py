# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal that is said to be reached, and that is held against what must hold then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.futures import failed, ready
from reactree_ros.core.outcome import Reason
from reactree_ros.errors import WorldError
from reactree_ros.skills.conditions import Check, GoalCheck
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.memory_condition import MemoryCondition
from reactree_ros.skills.simulated import WorldExecutor

GO, PICK, DONE = 'Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done'
GOAL = 'bring me an apple'
HELD = MemoryCondition('{item}', held=True)
WHY = '"done" does not count, apple 1 is not in the hand'


@pytest.fixture
def unread(household: SkillLibrary) -> SkillLibrary:
    """A library without predicates: the world is asked for the conditions of a client."""
    return replace(household, predicates=())


@pytest.fixture
def strict(household: SkillLibrary) -> SkillLibrary:
    """The household, in which what is to be brought must be in the hand."""
    done = (GoalCheck(Check(memory=(HELD,)), 'bring me an {item}'),)
    return replace(household, done=done)


class Witness(WorldExecutor):
    """A robot that is asked what holds, and answers when the test says so."""

    def __init__(self, world: Any, *answers: str | None) -> None:
        super().__init__(world)
        self.answers = list(answers)
        self.asked: list[str] = []
        self.canceled = 0

    def check(self, question: Any) -> Any:
        self.asked += question.lines
        return self

    def poll(self) -> str | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def cancel(self) -> None:
        self.canceled += 1


def test_a_done_that_memory_contradicts_does_not_count(play: Any, strict: SkillLibrary) -> None:
    played = play({GOAL: [GO, DONE, PICK, DONE]}, library=strict)
    report = played.end()
    assert report.status == 'succeeded'
    assert played.kinds('rejected') == [('rejected', GOAL)]
    rejected = next(event for event in played.events if event.kind == 'rejected')
    assert rejected.text == f'Act: done: {WHY}'
    prompt = played.model.requests[2].prompt.text()
    assert prompt.endswith(f'Not possible: {WHY}.\n')
    assert 'Act: done\n' not in prompt, 'what does not count is not read'
    assert played.run.root.trajectory.steps[-1].text == DONE, 'what counts is'


def test_a_done_that_fits_no_goal_of_the_library_counts(play: Any, strict: SkillLibrary) -> None:
    assert play({'take a look': [GO, DONE]}, library=strict).end().status == 'succeeded'


def test_who_continues_saying_done_fails_with_the_reason(play: Any, strict: SkillLibrary) -> None:
    played = play({GOAL: [GO, DONE, DONE, DONE]}, library=strict, max_invalid_answers=3)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.UNMET)
    assert report.message == f'3 invalid decisions in a row: {WHY}'


def test_the_limit_of_decisions_holds(play: Any, strict: SkillLibrary) -> None:
    limits = Limits(max_decisions=3)
    played = play({GOAL: [GO, DONE, DONE, DONE]}, library=strict, limits=limits)
    assert played.end().reason is Reason.MAX_DECISIONS


def test_nothing_waits_for_the_world_and_a_cancel_gives_it_up(
    play: Any, unread: SkillLibrary, world: Any
) -> None:
    robot = Witness(world, None)
    played = play(
        {'root': [DONE]},
        robot=robot,
        library=unread,
        conditions=('hold the {item}', 'closed_fridge'),
    )
    played.tick_until(lambda: bool(robot.asked))
    for _ in range(5):
        played.run.tick()
    assert robot.asked == ['hold the {item}', 'closed_fridge'], 'asked once, as it was written'
    assert 'checking whether the goal is reached' in played.run.root.feedback_message
    played.run.cancel()
    assert played.end().status == 'canceled'
    assert robot.canceled >= 1


def test_time_that_passes_meanwhile_counts(play: Any, unread: SkillLibrary, world: Any) -> None:
    now = [0.0]
    limits = Limits(max_duration_sec=10.0)
    robot = Witness(world, None)
    played = play(
        {'root': [DONE]},
        robot=robot,
        library=unread,
        conditions=('x',),
        limits=limits,
        clock=lambda: now[0],
    )
    played.tick_until(lambda: bool(robot.asked))
    now[0] = 11.0
    assert played.end().reason is Reason.MAX_SECONDS


def test_a_condition_of_the_person_is_put_to_the_world(play: Any, unread: SkillLibrary) -> None:
    played = play(
        {'root': [GO, DONE, PICK, DONE]},
        library=unread,
        conditions=('apple held',),
        namespace='a',
    )
    assert played.end().status == 'succeeded'
    text = next(event.text for event in played.events if event.kind == 'rejected')
    assert 'this does not hold: ' in text
    played = play({'root': [GO, DONE, DONE, DONE]}, library=unread, conditions=('be a good robot',))
    report = played.end()
    assert report.reason is Reason.UNMET
    assert 'the world cannot read "be a good robot"' in report.message


@pytest.mark.parametrize(
    ('goal', 'checked', 'status'),
    [
        ('apple held', False, 'succeeded'),
        ('apple held', True, 'failed'),
        ('be a good {robot.held}', True, 'succeeded'),
    ],
)
def test_the_world_is_asked_for_the_goal_itself_if_that_is_wanted(
    play: Any, goal: str, checked: bool, status: str
) -> None:
    played = play({goal: [GO, DONE, DONE, DONE]}, check_done=checked)
    assert played.end().status == status


def test_an_expansion_that_brings_nothing_new_fails(play: Any, strict: SkillLibrary) -> None:
    again = 'Expand: sequence ["look around", "look again"]'
    script = {
        GOAL: [GO, again, again],
        'look around': [DONE, DONE],
        'look again': [DONE, DONE],
    }
    played = play(script, library=strict)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.UNMET)
    assert report.message.endswith('succeeded, but apple 1 is not in the hand')


@pytest.mark.parametrize(
    ('strategy', 'script', 'reason'),
    [
        ('react', [DONE, DONE, DONE], Reason.UNMET),
        ('step', [DONE, DONE, DONE], Reason.UNMET),
        ('hiagent', ['Think: look', GO, DONE, DONE, DONE], Reason.UNMET),
        ('adapt', [DONE, DONE, DONE], Reason.UNMET),
        ('try_again', [DONE, DONE, DONE, DONE, DONE, DONE], Reason.EXPANSION),
    ],
)
def test_every_strategy_is_held_to_it(
    play: Any, unread: SkillLibrary, world: Any, strategy: str, script: list[str], reason: Reason
) -> None:
    played = play(
        {'root': script},
        robot=Witness(world, 'it is not so'),
        strategy=strategy,
        library=unread,
        conditions=('x',),
        strategies__try_again__max_attempts=2,
        strategies__adapt__split_depth=1,
    )
    report = played.end()
    assert (report.status, report.reason) == ('failed', reason)
    assert '"done" does not count, it is not so' in report.message


def test_what_was_answered_is_recorded_and_decides_the_same_again(
    world: Any, unread: SkillLibrary, plain: Any
) -> None:
    from reactree_ros.behaviours.services import RunServices
    from reactree_ros.models.scripted import ScriptedModel
    from reactree_ros.planner.replay import RecordedRun, recompute
    from reactree_ros.planner.run import GoalRun

    robot = Witness(world, None, 'the fridge is open', '')
    services = RunServices(
        model=ScriptedModel({'root': [GO, DONE, DONE]}),
        executor=robot,
        library=unread,
        experiences=None,
        system_prompt='You steer a robot.',
        settings=plain(),
    )
    events: list[Any] = []
    entries: list[Any] = []
    conditions = ('close the fridge',)
    run = GoalRun(
        'root',
        services,
        Limits(),
        events.append,
        'recorded',
        record=entries.append,
        conditions=conditions,
    )
    while not run.finished:
        run.tick()
    run.report()
    run.close()
    told = [(one['key'], one['answer']) for one in entries if one['op'] == 'check']
    assert told == [
        (': world: close the fridge', 'the fridge is open'),
        (': world: close the fridge', ''),
    ]
    recorded = RecordedRun('run', 'root', Limits(), events, (), entries, False, conditions)
    nobody = replace(services, executor=WorldExecutor(world), model=ScriptedModel({}))
    again = recompute(recorded, nobody)
    assert (again.difference, again.same) == ('', len(events))
    forgotten = [one for one in entries if one['op'] != 'check']
    again = recompute(replace(recorded, inputs=forgotten), nobody)
    assert again.difference


class Truth(WorldExecutor):
    """A robot that says what holds at the beginning; later everything does."""

    def __init__(self, world: Any, *objections: str) -> None:
        super().__init__(world)
        self.objections = [*objections]
        self.lenient: list[bool] = []

    def check(self, question: Any) -> Any:
        self.lenient.append(question.condition.if_known)
        return ready(self.objections.pop(0) if self.objections else '')


@pytest.mark.parametrize(
    ('objection', 'decisions'), [('', 0), ('it is not so', 1), ('the world cannot read it', 1)]
)
@pytest.mark.parametrize(
    'declared',
    [{'conditions': ('closed_fridge',)}, {'agent.check_done': True}],
    ids=['client', 'world'],
)
def test_a_goal_that_is_reached_already_is_not_begun(
    play: Any,
    unread: SkillLibrary,
    world: Any,
    objection: str,
    decisions: int,
    declared: dict[str, Any],
) -> None:
    robot = Truth(world, objection)
    report = play(
        {'root': [DONE]}, robot=robot, library=unread, check_at_start=True, **declared
    ).end()
    assert (report.status, report.costs.decisions) == ('succeeded', decisions)
    assert report.message.startswith('the agent said done' if decisions else 'already reached')
    assert robot.lenient[0] is False, 'at the beginning nothing is taken for granted'


class Gone(WorldExecutor):
    """A robot that leaves before it is asked what holds."""

    def check(self, question: Any) -> Any:
        return failed(WorldError('the robot has left'))


def test_a_robot_that_leaves_before_the_goal_is_checked_ends_it(
    play: Any, unread: SkillLibrary, world: Any
) -> None:
    report = play(
        {'root': [DONE]}, robot=Gone(world), library=unread, **{'agent.check_done': True}
    ).end()
    assert (report.reason, report.message) == (Reason.ROBOT, 'the robot has left')


def test_what_was_not_declared_for_the_goal_does_not_reach_it(
    play: Any, household: SkillLibrary, world: Any
) -> None:
    at_rest = MemoryCondition(robot_in='bathroom')
    for goal, decisions in (('', 1), ('stay', 0)):
        library = replace(household, done=(GoalCheck(Check(memory=(at_rest,)), goal),))
        robot = WorldExecutor(world)
        world.execute('go_to', ('bathroom 1',))
        report = play({'stay': [DONE]}, library=library, robot=robot, check_at_start=True).end()
        assert (report.status, report.costs.decisions) == ('succeeded', decisions)
    report = play({'stay': [DONE]}, library=library, robot=robot, check_at_start=False).end()
    assert report.costs.decisions == 1


def test_a_goal_can_be_canceled_while_its_beginning_is_checked(
    play: Any, unread: SkillLibrary, world: Any
) -> None:
    robot = Witness(world, None)
    played = play(
        {'root': [DONE]}, robot=robot, library=unread, conditions=('x',), check_at_start=True
    )
    played.tick_until(lambda: bool(robot.asked))
    played.run.cancel()
    assert played.end().status == 'canceled'
    assert robot.canceled >= 1
