# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that is planned again with what was recorded, and what counts as a difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.operator import Reply, ReplyStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.execution.approval import approval_question
from reactree_ros.models.scripted import ENDLESS, ScriptedModel
from reactree_ros.planner.first_inputs import first_inputs
from reactree_ros.planner.replay import RecordedRun, recompute
from reactree_ros.planner.resume import resumed
from reactree_ros.planner.run import GoalRun
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

from ..person import Person

SCRIPT = {
    'tidy up': [
        'Think: first look',
        'Ask: which room?',
        'Expand: fallback ["search the bathroom", "search the kitchen"]',
    ],
    'search the bathroom': ['Act: go to bathroom 1', 'Act: failure'],
    'search the kitchen': [
        'Act: recall location of apple',
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        'Act: done',
    ],
}


class Friend:
    """An operator who is there and answers."""

    present = person_present = True

    def ask(self, question: str, *more: Any) -> Future[Reply]:
        return ready(Reply(ReplyStatus.ANSWERED, f'you asked {question}'))


class Examples:
    """A memory that finds something else for each goal."""

    def retrieve(self, goal: str, *about: Any) -> Future[tuple[str, ...]]:
        return ready((f'Goal: {goal}, once\nAct: done\n',))


@pytest.fixture
def record(
    household: Any, world: Any, plain: Callable[..., Any]
) -> Iterator[Callable[..., tuple[RecordedRun, RunServices]]]:
    runs: list[GoalRun] = []

    def make(script: dict[str, list[str]], ticks: int = 200) -> tuple[RecordedRun, RunServices]:
        services = RunServices(
            model=ScriptedModel(script),
            executor=WorldExecutor(world),
            library=household,
            experiences=Examples(),
            system_prompt='You steer a robot.',
            settings=plain(example_tokens=100, operator__ask=True),
            operator=Friend(),
        )
        events: list[Event] = []
        entries: list[Any] = []
        goal = next(iter(script))
        run = GoalRun(
            goal,
            services,
            Limits(),
            events.append,
            'recorded',
            record=lambda entry: entries.append(json.loads(json.dumps(entry))),
        )
        runs.append(run)
        for _ in range(ticks):
            run.tick()
        cut = not run.finished
        if cut:
            run.cancel()
        run.report()
        recorded = RecordedRun(
            'a run', goal, Limits(), tuple(events), run.snapshot(), tuple(entries), cut
        )
        return recorded, services

    yield make
    for run in runs:
        run.close()


def test_the_same_comes_out_decision_for_decision(record: Any) -> None:
    recorded, services = record(SCRIPT)
    assert recorded.events[-1].text.startswith('succeeded')
    found = recompute(recorded, services)
    assert found.difference == ''
    assert found.same == len(recorded.events)


def test_prompts_are_not_written_twice(record: Any) -> None:
    recorded, _ = record(SCRIPT)
    prompts = [entry['prompt'] for entry in recorded.inputs if entry['op'] == 'decide']
    whole = [prompt for prompt in prompts if 'system' in prompt]
    assert len(whole) == 3  # one a node
    assert len(prompts) > len(whole)


def test_another_prompt_is_a_difference(record: Any) -> None:
    recorded, services = record(SCRIPT)
    found = recompute(recorded, replace(services, system_prompt='You drive a robot.'))
    assert found.same == 1
    assert 'event 2: recorded "tidy up: think: first look"' in found.difference
    assert "recorded 'You steer a robot.', now 'You drive a robot.'" in found.difference


def test_other_settings_are_a_difference(record: Any) -> None:
    recorded, services = record(SCRIPT)
    agent = replace(services.settings.agent, allow_consecutive_thoughts=False)
    settings = replace(services.settings, agent=agent)
    found = recompute(recorded, replace(services, settings=settings))
    assert 'other choices (think)' in found.difference


def test_what_was_answered_otherwise_is_a_difference(record: Any) -> None:
    recorded, services = record(SCRIPT)
    inputs = json.loads(json.dumps(recorded.inputs))
    skill = next(entry for entry in inputs if entry['op'] == 'skill')
    skill['answer']['text'] = 'You are nowhere.'
    found = recompute(replace(recorded, inputs=inputs), services)
    assert 'now "tidy up / search the bathroom: observation: You are nowhere.' in found.difference


def test_another_end_is_a_difference(record: Any) -> None:
    recorded, services = record(SCRIPT)
    tree = [*recorded.tree[:-1], replace(recorded.tree[-1], status='failed')]
    found = recompute(replace(recorded, tree=tree), services)
    assert found.same == len(recorded.events)
    assert found.difference.startswith(f'line {len(tree)} of the final tree: recorded "- ')
    shorter = recompute(replace(recorded, tree=recorded.tree[:-1]), services)
    assert shorter.difference.startswith(f'line {len(tree)} of the final tree: recorded "nothing"')
    assert 'failed", now' in found.difference


def test_a_run_that_was_canceled_is_compared_up_to_there(record: Any) -> None:
    script = {**SCRIPT, 'search the kitchen': ['Act: go to kitchen 1', ENDLESS]}
    recorded, services = record(script, ticks=60)
    assert recorded.cut
    assert recorded.events[-1].text.startswith('canceled')
    found = recompute(recorded, services)
    assert found.difference == ''
    assert found.same == len(recorded.events) - 1


def test_a_broken_recording_is_told(record: Any) -> None:
    recorded, services = record(SCRIPT)
    with pytest.raises(ConfigurationError, match='a run: an entry is incomplete'):
        recompute(replace(recorded, inputs=[{'op': 'decide'}]), services)


@pytest.fixture
def idle(household: SkillLibrary, world: Any, plain: Callable[..., Any]) -> RunServices:
    """A model that decides nothing, and a robot."""
    return RunServices(
        model=ScriptedModel({}),
        executor=WorldExecutor(world),
        library=household,
        experiences=None,
        system_prompt='',
        settings=plain(),
    )


def test_a_resumed_run_sees_the_person_who_allowed_its_last_skill(idle: RunServices) -> None:
    class Gone(Friend):
        present = person_present = False

    services = replace(idle, operator=Gone())
    inputs = [
        {'op': 'present', 'from': 0, 'answer': True},
        {'op': 'ask', 'key': 'Allow it?', 'answer': {'status': 'answered', 'text': 'yes'}},
    ]
    before: Any = None
    operator = resumed(services, inputs, 'the journal', before).operator
    assert operator is not None
    assert operator.person_present, 'as it was recorded'
    assert operator.ask('Allow it?').poll() == Reply(ReplyStatus.ANSWERED, 'yes')
    assert not operator.person_present, 'as it is now'


class NothingLeft:
    """An earlier process that left nothing running."""

    def attach(self, robot: str, skill: GroundedSkill) -> bool:
        return False

    def done(self, robot: str, skill: GroundedSkill) -> None:
        pass


@pytest.mark.parametrize('again', [False, True])
def test_a_recorded_yes_does_not_start_a_skill(idle: RunServices, world: Any, again: bool) -> None:
    skills = tuple(replace(one, approval=one.name == 'open') for one in idle.library.skills)
    services = replace(
        idle,
        model=ScriptedModel({'root': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: done']}),
        executor=WorldExecutor(deepcopy(world)),
        library=replace(idle.library, skills=skills),
        operator=Person('yes'),
    )
    entries: list[Any] = []
    run = GoalRun('root', services, Limits(), record=entries.append)
    while not run.finished:
        run.tick()
    assert run.report().status == 'succeeded'
    run.close()
    now = Person()
    services = replace(services, executor=WorldExecutor(world), operator=now)
    services = resumed(
        replace(services, model=ScriptedModel({'root': ['Act: done']})),
        first_inputs(entries, 2, again=again),
        'a recorded run',
        NothingLeft(),
    )
    run = GoalRun('root', services, Limits())
    for _ in range(20):
        run.tick()
    assert now.asked == ['Allow the robot to "open fridge 1"?'] * again
    assert run.finished is not again, 'it waits for the person'
    run.cancel()
    run.close()


def test_a_recorded_yes_is_for_the_robot_that_started_then(idle: RunServices) -> None:
    now = Person('no')
    services = replace(idle, operator=now)
    yes = {'status': 'answered', 'text': 'yes'}
    inputs = [
        {'op': 'ask', 'key': approval_question(robot, 'wave'), 'answer': yes} for robot in 'aab'
    ] + [{'op': 'start', 'key': 'a: wave'}]
    operator = resumed(services, inputs, 'a recorded run', NothingLeft()).operator
    assert operator is not None
    replies = [
        operator.ask(approval_question(robot, 'wave'), person=True).poll() for robot in 'aab'
    ]
    assert [one and one.text for one in replies] == ['yes', 'no', 'no']
