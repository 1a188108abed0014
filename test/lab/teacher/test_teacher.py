# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The rule-based teacher: does it reach goals, and would a person call what it does sensible?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import Choices
from reactree_ros.core.events import Event
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.observation import Observation
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import TaughtRun, planner_of
from reactree_ros.lab.evaluation.plan import Experiment, Plan
from reactree_ros.lab.evaluation.run_setup import check_runs
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.teacher.common_sense import rank_of_place, rooms_for_thing
from reactree_ros.lab.teacher.jobs import goal_of, read_job
from reactree_ros.lab.teacher.lesson import Lesson, lesson_of
from reactree_ros.lab.teacher.teacher import Teacher
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble, library_of
from reactree_ros.planner.in_process import run_goal
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.skills.goal_conditions import (
    ConditionTracker,
    ConditionWords,
    parse_conditions,
)
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

from ..evaluation.watcher import Watcher

TREE, FLAT = 'reactree+wm', 'react+wm'
LIMITS = Limits()
ROOMS = ('bathroom 1', 'bedroom 1', 'kitchen 1', 'living room 1')


@dataclass(frozen=True)
class Run:
    """One run of the teacher."""

    report: RunReport
    events: Sequence[Event]

    def lines(self, kind: str) -> list[str]:
        return [event.text for event in self.events if event.kind == kind]


def taught(teacher: Teacher, goal: str, world: World, planner: str = TREE) -> Run:
    """Return a run of the teacher."""
    options = planner_of(TaughtRun(planner, 'household', 1, 0, goal), LIMITS)
    executor = teacher.watching(WorldExecutor(world))
    services = assemble(options, ScriptedModel({}), executor, library=library_of(options))
    events: list[Event] = []
    report = run_goal(goal, replace(services, model=teacher), LIMITS, events.append)
    return Run(report, events)


def solved(task: Task, library: SkillLibrary, planner: str = TREE) -> tuple[Run, bool]:
    """Return a run on a task, and whether the world says that it reached the goal."""
    world = TaskWorld(task)
    teacher = Teacher(lesson_of(task, task.instruction), library)
    run = taught(teacher, task.instruction, world, planner)
    return run, world.check().holds


@pytest.mark.parametrize('planner', [TREE, FLAT])
@pytest.mark.parametrize(
    ('name', 'number'), [('household', 10), ('wah_train', 5), ('alfred_train', 7)]
)
def test_it_reaches_the_goals_of_training_tasks(
    planner: str, name: str, number: int, household: SkillLibrary
) -> None:
    for task in task_set(name)[:number]:
        run, holds = solved(task, household, planner)
        assert holds, (task.id, task.instruction, run.report.message)
        assert run.report.status == 'succeeded', (task.id, run.report.message)
        assert not run.lines('rejected'), 'it decides only what is offered'


CONDITIONS = {
    'apple held': 'fallback: find and pick up the apple in kitchen 1; …',
    'salmon inside fridge; apple inside fridge': (
        'parallel: move the salmon into the fridge; move the apple into the fridge'
    ),
    '2 apple on kitchen table': (
        'sequence: move one apple to the kitchen table; move another apple to the kitchen table'
    ),
    'salmon inside microwave oven; microwave oven switched on': (
        'sequence: move the salmon into the microwave oven; switch on the microwave oven'
    ),
    'sliced apple on kitchen table': (
        'sequence: find and pick up the cutlery knife; find and slice the apple; '
        'put down the cutlery knife; find and pick up a sliced apple; '
        'put down the apple on the kitchen table'
    ),
    'clean plate on kitchen table': (
        'sequence: find and pick up the plate; use the sink and the faucet to wash the plate; '
        'put down the plate on the kitchen table'
    ),
    'fridge open; then apple inside fridge; then fridge closed': (
        'sequence: open the fridge; move the apple into the fridge; close the fridge'
    ),
    'apple on sofa or plum on sofa': (
        'fallback: move the apple to the sofa; move the plum to the sofa'
    ),
    'all apple inside fridge': 'sequence: move every apple in bathroom 1 into the fridge; …',
    'all mug in kitchen on coffee table': '',
    'no apple on kitchen table': '',
    'no kitchen cabinet open': 'sequence: close every kitchen cabinet in bathroom 1; …',
    'exactly 1 plate on kitchen table': '',
    'at most 1 plate on kitchen counter': '',
    'apple 1 inside fridge': 'sequence: find and pick up apple 1; put down apple 1 in the fridge',
    'robot at sofa': '',
    'robot in bedroom': '',
    'tv switched on': '',
}
"""What the root expands into, for conditions."""


@pytest.mark.parametrize('line', CONDITIONS)
@pytest.mark.parametrize('planner', [TREE, FLAT])
def test_it_brings_conditions_about(line: str, planner: str, household: SkillLibrary) -> None:
    world = World(shipped_scene('apartment_1'), 'bedroom 1')
    teacher = Teacher(Lesson(line), household)
    run = taught(teacher, 'do it', world, planner)
    assert run.report.status == 'succeeded', run.report.message
    situation = teacher.situation
    conditions = parse_conditions(line, ConditionWords.of(household, situation))
    tracker = ConditionTracker(conditions, household)
    if conditions[-1].stage == 0:
        assert all(state.met for state in tracker.states(situation))
    expansions = run.lines('expand')
    if planner == TREE:
        begin, _, _ = CONDITIONS[line].partition('…')
        assert (expansions or [''])[0].startswith(begin)


@pytest.mark.parametrize(
    'text',
    [
        'move the apple into the fridge',
        'move another mug to the coffee table',
        'move a hot sliced potato into the fridge',
        'move the plate with the apple to the coffee table',
        'move every mug in kitchen 1 into the dishwasher',
        'move the book to the bedroom',
        'find and pick up the apple in kitchen 1',
        'find and pick up a mug in kitchen 1, not from the coffee table',
        'find and pick up apple 2',
        'find and slice the potato',
        'find the book in kitchen 1',
        'find every mug in kitchen 1',
        'put down the apple in the fridge',
        'put down the cutlery knife',
        'put the apple into the plate',
        'clear every mug from the kitchen table',
        'open the fridge',
        'close every kitchen cabinet in kitchen 1',
        'switch on another floor lamp',
        'go to the sofa',
        'empty the hands',
        'reach: 2 mug on coffee table; plate on coffee table',
        'use the microwave oven to heat the potato',
        'see whether milk inside fridge',
    ],
)
def test_a_subgoal_is_read_again(text: str) -> None:
    job = read_job(text, ROOMS)
    assert job is not None
    assert goal_of(job) == text


def test_a_goal_that_is_none_of_its_own_has_no_label(household: SkillLibrary) -> None:
    assert read_job('wave at the door', ROOMS) is None
    teacher = Teacher(Lesson('apple held'), household)
    teacher.update(Observation('', 'kitchen 1', '', ROOMS, ()))
    prompt = Prompt('', (), 'Primary goal: be polite\nSubgoals: wave\nGoal: wave\nYou are here.\n')
    assert teacher.decision(DecisionRequest(prompt, Choices(('go to kitchen 1',)))) is None


def test_what_is_nowhere_is_given_up_with_a_reason(household: SkillLibrary) -> None:
    world = World(shipped_scene('apartment_1'), 'bedroom 1')
    run = taught(Teacher(Lesson('sundae inside fridge'), household), 'Store the sundae.', world)
    assert run.report.status == 'failed'
    searched = [one for one in run.lines('goal') if one.startswith('find and pick up the sundae')]
    assert len({*searched}) == 1 + len(world.observe().rooms)


def test_a_room_without_the_thing_is_searched_to_the_end_and_given_up(
    household: SkillLibrary,
) -> None:
    fell_back = 0
    for task in task_set('wah_train')[:8]:
        run, _ = solved(task, household)
        for event in run.events:
            if event.kind == 'failure':
                fell_back += 1
                assert re.fullmatch(r'find .* in [\w ]+ \d+(, not from .*)?', event.path[-1]), (
                    event.path[-1]
                )
    assert fell_back, 'it must not know where things are'


@pytest.mark.parametrize('planner', [TREE, FLAT])
def test_it_does_nothing_that_it_was_not_told_of(planner: str, household: SkillLibrary) -> None:
    # Every thing that is taken was seen, or remembered, by the same node before.
    for task in task_set('wah_train')[:5]:
        seen: dict[tuple[str, ...], str] = {}
        run, _ = solved(task, household, planner)
        for event in run.events:
            if event.kind == 'observation':
                seen[event.path] = seen.get(event.path, '') + ' ' + event.text
            elif event.kind == 'act' and event.text.startswith('pick up '):
                name = re.sub(r' \d+$', '', event.text.removeprefix('pick up '))
                assert re.search(rf'\b{name} [(\d]', seen[event.path]), event.text


def test_common_sense() -> None:
    rooms = ['bathroom 1', 'bedroom 1', 'bedroom 2', 'kitchen 1', 'living room 1']
    assert rooms_for_thing('milk', rooms, 'bedroom 1')[0] == 'kitchen 1'
    assert rooms_for_thing('book', rooms, 'bedroom 2')[:2] == ['living room 1', 'bedroom 2']
    assert rooms_for_thing('toothbrush', rooms, 'kitchen 1')[0] == 'bathroom 1'
    assert rank_of_place('milk', 'fridge') < rank_of_place('milk', 'kitchen counter')
    assert rank_of_place('milk', 'toaster') < rank_of_place('milk', 'garbage can')


def test_it_runs_as_a_model_but_is_not_evaluated(tmp_path: Path) -> None:
    wanted = Plan((Experiment((TREE,), ('solver',), ('household:2',)),), LIMITS)
    specs = wanted.runs()
    with pytest.raises(ConfigurationError, match='cannot be evaluated'):
        check_runs(specs, LIMITS)
    check_runs(specs, LIMITS, learned=True)
    watcher = Watcher()
    LocalRunner(Store(tmp_path), LIMITS, 2, watcher).run(specs)
    assert [trace.ending.holds for trace in watcher.traces] == [True, True]
    assert {event.model for trace in watcher.traces for event in trace.events} == {'', 'solver'}
