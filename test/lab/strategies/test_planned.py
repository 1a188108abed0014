# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Strategies that plan as a whole: ZSP writes one plan, Tree-Planner walks a tree of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import Observation
from reactree_ros.core.outcome import Reason
from reactree_ros.execution.guard import guarded
from reactree_ros.models.scripted import ENDLESS, ScriptedModel
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.simulated import WorldExecutor

GOAL = 'put the pudding on the kitchen table'
PLAN = [
    'go to fridge 1',
    'open fridge 1',
    'pick up pudding',
    'go to kitchen table 1',
    'put down pudding',
    'done',
]
MOVED = 'pudding 1: inside fridge 1 -> on kitchen table 1'

Begin = Callable[..., Any]


class Run:
    """A run of one strategy with a script, and all that was told of it."""

    def __init__(self, services: RunServices, limits: Limits, conditions: tuple[str, ...]) -> None:
        self.events: list[Any] = []
        self.model: Any = services.model
        self.run = GoalRun(
            GOAL,
            services,
            limits,
            self.events.append,
            'test',
            lambda: 0.0,
            conditions=conditions,
        )

    def end(self) -> Any:
        for _ in range(500):
            if self.run.finished:
                return self.run.report()
            self.run.tick()
        raise AssertionError(self.run.tree_text())

    def told(self, kind: str) -> list[str]:
        return [event.text for event in self.events if event.kind == kind]


@pytest.fixture
def begin(household: Any, world: Any, plain: Any) -> Iterator[Begin]:
    """Begin a run: ``begin(strategy, lines)``."""
    runs: list[Run] = []

    def make(
        strategy: str,
        lines: list[str],
        robot: Any = None,
        encoder: Any = None,
        limits: Limits | None = None,
        experiences: Any = None,
        conditions: tuple[str, ...] = (),
        **settings: Any,
    ) -> Run:
        options = plain(strategy, **settings)
        services = RunServices(
            model=ScriptedModel({GOAL: lines}),
            executor=robot or WorldExecutor(world),
            library=household,
            experiences=experiences,
            system_prompt='You plan.',
            settings=options,
            strategy=strategy,
            strategy_options=options.options_of(strategy),
            prompts={'choose': 'You choose.'},
            encoder=encoder,
        )
        runs.append(Run(services, limits or Limits(), conditions))
        return runs[-1]

    yield make
    for one in runs:
        one.run.close()


def test_a_plan_is_written_line_by_line_and_then_carried_out(begin: Begin, world: Any) -> None:
    played = begin('zsp', list(PLAN))
    report = played.end()
    assert (report.status, report.reason) == ('succeeded', Reason.DONE)
    assert MOVED in world.changes()
    assert (report.costs.decisions, report.costs.skills) == (6, 5)
    kinds = [event.kind for event in played.events]
    assert kinds[:7] == ['goal', *['plan'] * 6]
    assert kinds[7:] == [*['act', 'observation'] * 5, 'done', 'ended']
    assert played.told('act')[2] == 'pick up pudding 1'
    assert [event.decision.decisions for event in played.events] == [
        int(kind == 'plan') for kind in kinds
    ]


def test_a_plan_is_made_from_the_house_and_the_lines_before(begin: Begin) -> None:
    played = begin('zsp', list(PLAN))
    played.end()
    first, *_, last = [request.prompt for request in played.model.texts]
    assert 'The kitchen (1) has: ' in first.task
    assert 'Somewhere in the house are: ' in first.task
    assert first.task.endswith(f'\nGoal: {GOAL}\n')
    # No observation is read in between.
    assert last.text() == first.text() + ''.join(f'{line}\n' for line in PLAN[:-1])
    assert all(request.temperature == 0.0 for request in played.model.texts)


def test_the_tree_shows_the_plan_and_what_came_of_it(begin: Begin) -> None:
    played = begin('zsp', ['go to fridge 1', 'pick up pudding', 'done'])
    played.end()
    children = [(child.name, child.status.value) for child in played.run.root.children]
    assert children == [
        ('plan of 2 steps', 'SUCCESS'),
        ('go to fridge 1', 'SUCCESS'),
        ('pick up pudding 1', 'FAILURE'),
    ]


def test_the_robots_door_changes_nothing_of_what_a_plan_meets(begin: Begin, household: Any) -> None:
    lines = ['slice bananas', *PLAN[:2], 'pick up apple', *PLAN[2:]]
    told = []
    for door in (False, True):
        robot: Any = WorldExecutor(World(shipped_scene('apartment_1'), 'kitchen 1'))
        played = begin('zsp', list(lines), guarded(robot, household) if door else robot)
        played.end()
        told.append([(event.kind, event.text) for event in played.events])
    assert told[0] == told[1]


def test_a_plan_that_was_carried_out_is_held_against_the_goal(begin: Begin) -> None:
    wanted = ('pudding on kitchen table',)
    played = begin('zsp', ['go to fridge 1', 'done'], conditions=wanted)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.UNMET)
    assert report.message.startswith('the plan was carried out, but not done yet: pudding on ')
    assert begin('zsp', list(PLAN), conditions=wanted).end().status == 'succeeded'


def test_a_refused_step_is_skipped_and_told(begin: Begin, world: Any) -> None:
    played = begin('zsp', ['go to fridge 1', 'slice bananas', *PLAN[1:]])
    report = played.end()
    assert report.status == 'succeeded'
    assert report.message == 'the plan was carried out; the robot refused 1 of its steps'
    assert 'You cannot slice bananas (1)' in ' '.join(played.told('observation'))
    assert MOVED in world.changes()


ENDS = [
    # lines, limits, settings; reason, decisions, skills
    (PLAN, Limits(max_decisions=3), {}, Reason.MAX_DECISIONS, 3, 3),
    (PLAN, Limits(), {'max_steps': 2}, Reason.PLAN, 2, 2),
    ([PLAN[0], ''], Limits(), {}, Reason.PLAN, 2, 1),
    ([PLAN[0]] * 9, Limits(), {'agent.max_repetitions': 3}, Reason.REPETITION, 3, 3),
    (PLAN[:2] * 9, Limits(), {'agent.max_repetitions': 2}, Reason.REPETITION, 4, 4),
    (PLAN[:3], Limits(), {}, Reason.MODEL, 3, 0),
]


@pytest.mark.parametrize(('lines', 'limits', 'settings', 'reason', 'decisions', 'skills'), ENDS)
def test_a_plan_without_an_end_fails(
    begin: Begin,
    lines: list[str],
    limits: Limits,
    settings: dict[str, int],
    reason: Reason,
    decisions: int,
    skills: int,
) -> None:
    report = begin('zsp', list(lines), limits=limits, **settings).end()
    assert (report.status, report.reason) == ('failed', reason)
    assert (report.costs.decisions, report.costs.skills) == (decisions, skills)


def test_moving_four_things_is_no_loop(begin: Begin) -> None:
    four = ['go to fridge 1', 'pick up milk', 'go to kitchen table 1', 'put down milk']
    report = begin('zsp', [*four * 4, 'done'], max_repetitions=3).end()
    assert report.costs.decisions == 17


def test_a_line_in_other_words_is_mapped_to_the_nearest_skill(
    begin: Begin, word_encoder: Any, world: Any
) -> None:
    encoder = word_encoder('go open pick put down up to fridge pudding kitchen table 1 done')
    lines = ['walk to the fridge 1 go', 'now open the fridge 1', 'pick the pudding up', *PLAN[3:]]
    played = begin('zsp', lines, encoder=encoder)
    assert played.end().status == 'succeeded'
    assert played.told('plan') == PLAN
    assert MOVED in world.changes()
    # Phrases are embedded once.
    assert len(encoder.embedded) == len(set(encoder.embedded))


class Blinkered(WorldExecutor):
    """A robot that knows nothing of the rest of the house."""

    def survey(self) -> Future[Observation]:
        return ready(Observation(''))


@pytest.mark.parametrize('strategy', ['zsp', 'tree_planner'])
def test_a_robot_that_does_not_know_the_house_is_named(
    begin: Begin, world: Any, strategy: str
) -> None:
    report = begin(strategy, list(PLAN), Blinkered(world)).end()
    assert (report.status, report.reason) == ('failed', Reason.ROBOT)
    assert 'needs to know the whole house' in report.message
    assert report.costs.decisions == 0


@pytest.mark.parametrize('strategy', ['zsp', 'tree_planner'])
def test_canceling_while_a_plan_is_written(begin: Begin, strategy: str) -> None:
    played = begin(strategy, [ENDLESS])
    for _ in range(5):
        played.run.tick()
    played.run.cancel()
    report = played.end()
    assert (report.status, report.costs.decisions) == ('canceled', 0)
    assert played.model.canceled == 1


@pytest.mark.parametrize('strategy', ['zsp', 'tree_planner'])
def test_canceling_while_the_robot_moves(begin: Begin, robot: Any, strategy: str) -> None:
    lines = list(PLAN) if strategy == 'zsp' else ['\n'.join(PLAN)]
    played = begin(strategy, lines, robot, samples=1)
    for _ in range(30):
        played.run.tick()
    (skill,) = robot.running
    played.run.cancel()
    assert not played.run.finished
    skill.come_to_rest()
    report = played.end()
    assert (report.status, skill.cancels, report.costs.skills) == ('canceled', 1, 1)


def test_experiences_stand_before_the_house(begin: Begin) -> None:
    class Known:
        def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
            return ready((f'Goal: {goal}, {root}, {token_budget}\ndone\n',))

    played = begin('zsp', list(PLAN), experiences=Known(), example_tokens=99)
    played.end()
    assert played.model.texts[0].prompt.examples == (f'Goal: {GOAL}, True, 99\ndone\n',)


# Tree-Planner -------------------------------------------------------------------------------------

FRIDGE = '\n'.join(PLAN)
STOVE = '\n'.join(['go to stove 1', 'pick up pudding', *PLAN[3:]])
LOOK = '\n'.join(['go to fridge 1', 'close fridge 1', 'open fridge 1', *PLAN[2:]])


def test_plans_are_merged_and_the_model_decides_at_forks_only(begin: Begin, world: Any) -> None:
    chosen = ['Act: go to fridge 1', 'Act: open fridge 1']
    played = begin('tree_planner', [FRIDGE, STOVE, LOOK, FRIDGE, *chosen], samples=4)
    report = played.end()
    assert (report.status, report.reason) == ('succeeded', Reason.DONE)
    assert MOVED in world.changes()
    # One decision for all plans together, and one at each of two forks.
    assert (report.costs.decisions, report.costs.skills) == (3, 5)
    assert played.told('plan')[0] == '2x ' + '; '.join(PLAN)
    first, second = played.model.requests
    assert first.choices.acts == ('go to fridge 1', 'go to stove 1')
    assert first.choices.kinds == ('Act',)
    assert second.choices.acts == ('open fridge 1', 'close fridge 1')
    assert first.prompt.system == 'You choose.'
    assert 'You are at the fridge (1). It is closed.' in second.prompt.text()
    (request,) = played.model.texts
    assert (request.samples, request.temperature, request.top_p) == (4, 0.8, 0.95)


def test_what_the_robot_refuses_is_struck_out_and_another_way_is_taken(
    begin: Begin, world: Any
) -> None:
    chosen = ['Act: go to stove 1']
    played = begin('tree_planner', [FRIDGE, STOVE, *chosen], samples=2)
    report = played.end()
    assert report.status == 'succeeded'
    # At the stove there is no pudding: back to the fork, where one way is left.
    assert played.told('act')[:3] == ['go to stove 1', 'pick up pudding 1', 'go to fridge 1']
    assert len(played.model.requests) == 1
    assert MOVED in world.changes()


def test_the_same_refusal_at_several_forks_is_no_loop(begin: Begin, world: Any) -> None:
    elsewhere = ['go to stove 1', 'go to sink 2', 'go to kitchen counter 1']
    plans = ['\n'.join([place, 'pick up pudding', 'done']) for place in elsewhere]
    lines = [*plans, FRIDGE, *(f'Act: {place}' for place in elsewhere)]
    played = begin('tree_planner', lines, samples=4, max_repetitions=3)
    assert played.end().status == 'succeeded'
    assert len(played.told('act')) == 3 * 2 + 5
    assert MOVED in world.changes()


def test_without_a_way_left_it_fails(begin: Begin) -> None:
    report = begin('tree_planner', [STOVE], samples=1).end()
    assert (report.status, report.reason) == ('failed', Reason.PLAN)


def test_without_a_plan_it_fails(begin: Begin) -> None:
    report = begin('tree_planner', ['', '\n'], samples=2).end()
    assert (report.reason, report.costs.skills) == (Reason.PLAN, 0)


def test_decisions_at_forks_count_and_end(begin: Begin) -> None:
    lines = [FRIDGE, STOVE]
    report = begin('tree_planner', lines, samples=2, limits=Limits(max_decisions=1)).end()
    assert (report.reason, report.costs.decisions) == (Reason.MAX_DECISIONS, 1)


def test_invalid_choices_are_answered_and_end(begin: Begin) -> None:
    lines = [FRIDGE, STOVE, 'Act: go to bed 1', 'Think: hm', 'nonsense']
    played = begin('tree_planner', lines, samples=2, max_invalid_answers=3)
    report = played.end()
    assert (report.reason, report.costs.decisions) == (Reason.MODEL, 4)
    assert 'cannot be done now' in played.told('rejected')[0]
    assert 'Not possible: ' in played.model.requests[-1].prompt.text()


def test_a_plan_is_cut_where_it_gets_too_long(begin: Begin) -> None:
    played = begin('tree_planner', [FRIDGE], samples=1, max_steps=3)
    report = played.end()
    assert (report.reason, report.costs.skills) == (Reason.PLAN, 3)
