# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold in the end is read by the model, given or corrected; success is held to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

ROOT = 'please the cook'
GO, PICK, DONE = 'Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done'
HOLD = 'Conditions: apple held'
ON = {'read_conditions': True, 'explain_endings': True, 'check_at_start': True}


def observations(played: Any) -> list[str]:
    return [step.text for step in played.run.root.trajectory.steps if not step.decided]


def test_the_first_decision_says_what_must_hold_and_nothing_else(play: Any) -> None:
    played = play({ROOT: [HOLD, GO, PICK, DONE]}, **ON)
    report = played.end()
    assert (report.status, report.unconfirmed) == ('succeeded', False)
    assert [(one.text, one.met) for one in report.conditions] == [('apple held', True)]
    first, second, *_ = played.model.requests
    assert first.choices.kinds == ('Conditions',)
    assert 'Conditions' not in second.choices.kinds
    assert second.prompt.text().endswith(f'{HOLD}\n')
    events = [event for event in played.events if event.kind == 'conditions']
    told = [event.text for event in events]
    assert (told[0], told[-1]) == ('apple held (not seen)', 'apple held (holds)')
    assert events[-1].conditions == report.conditions


def test_done_does_not_count_while_something_does_not_hold(play: Any) -> None:
    played = play({ROOT: [HOLD, GO, DONE, PICK, DONE]}, **ON)
    assert played.end().status == 'succeeded'
    assert 'Not done yet: apple held (0 of 1)' in observations(played)
    decided = [step.text for step in played.run.root.trajectory.steps if step.decided]
    assert decided == [HOLD, GO, PICK, DONE], 'what does not count is not read'


@pytest.mark.parametrize('most', [0, 2])
def test_after_enough_objections_done_counts_unconfirmed(play: Any, most: int) -> None:
    played = play({ROOT: [HOLD, *[DONE] * (most + 1)]}, max_rejected_done=most, **ON)
    report = played.end()
    assert (report.status, report.reason, report.unconfirmed) == ('succeeded', Reason.DONE, True)
    assert [one.detail for one in report.unmet] == ['not seen']
    assert len(observations(played)) == most


def test_what_holds_already_is_not_begun(play: Any) -> None:
    report = play({ROOT: ['Conditions: hands empty; robot in kitchen']}, **ON).end()
    assert (report.status, report.costs.decisions, report.unmet) == ('succeeded', 1, ())
    assert report.message.startswith('already reached')


def test_what_cannot_be_read_is_told_and_then_given_up(play: Any) -> None:
    played = play({ROOT: ['Conditions: moon on', 'Conditions: good mood', DONE]}, **ON)
    report = played.end()
    assert (report.status, report.unconfirmed, report.conditions) == ('succeeded', True, ())
    assert 'moon' in observations(played)[0]
    assert 'Conditions: none' in [step.text for step in played.run.root.trajectory.steps]


def test_an_expansion_is_held_to_it(play: Any) -> None:
    script = {
        ROOT: [HOLD, 'Expand: sequence ["look"]', 'Expand: sequence ["take it"]'],
        'look': [GO, DONE],
        'take it': [PICK, DONE],
    }
    played = play(script, **ON)
    assert played.end().reason is Reason.EXPANSION
    assert 'sequence of 1 succeeded. Not done yet: apple held (0 of 1)' in observations(played)
    first = next(one for one in played.model.requests if '\nGoal: look\n' in one.prompt.text())
    assert 'Conditions' not in first.choices.kinds, 'only the root is asked'


def test_an_expansion_that_fails_while_all_holds_succeeds(play: Any) -> None:
    script = {
        ROOT: [HOLD, 'Expand: sequence ["take it"]'],
        'take it': [GO, PICK, 'Act: failure: I do not know what for'],
    }
    report = play(script, replan_after_failure=True, **ON).end()
    assert (report.status, report.unconfirmed) == ('succeeded', False)
    assert 'the conditions of the goal hold' in report.message


def test_a_node_decides_again_after_a_failed_expansion(play: Any) -> None:
    script = {
        ROOT: [HOLD, 'Expand: sequence ["fly"]', 'Act: failure: I have no wings'],
        'fly': ['Act: failure: there is no wing'],
    }
    played = play(script, replan_after_failure=True, **ON)
    report = played.end()
    assert (report.status, report.reason, report.message) == (
        'failed', Reason.GAVE_UP, 'I have no wings',
    )  # fmt: skip
    assert observations(played) == ['sequence of 1 failed (fly: there is no wing)']


def test_a_question_is_answered(play: Any) -> None:
    script = {
        ROOT: [
            'Conditions: tell whether apple on kitchen counter',
            'Expand: sequence ["look"]',
            'Act: done: yes, apple (1)',
        ],
        'look': [GO, 'Act: done: there is an apple'],
    }
    played = play(script, **ON)
    report = played.end()
    assert (report.status, report.answer, report.unconfirmed) == (
        'succeeded', 'yes, apple (1)', False,
    )  # fmt: skip
    told = observations(played)[-1]
    assert told.startswith('sequence of 1 succeeded (look: there is an apple). Not done')
    assert told.endswith('(no answer yet)')


def test_given_conditions_stand_where_the_model_would_have_said_them(play: Any) -> None:
    played = play({ROOT: [GO, PICK, DONE]}, conditions=('apple held', 'robot in kitchen'), **ON)
    report = played.end()
    assert [one.text for one in report.conditions] == ['apple held', 'robot in kitchen']
    line = 'Conditions: apple held; robot in kitchen\n'
    assert played.model.requests[0].prompt.text().endswith(line)
    played = play(
        {ROOT: ['Act: go to fridge 1', DONE, 'Act: open fridge 1', DONE]},
        conditions=('fridge open',),
        namespace='b',
    )
    assert played.end().costs.decisions == 4, 'they hold where the model is not asked, too'
    assert 'Conditions' not in played.model.requests[0].prompt.text()


def test_given_conditions_that_cannot_be_read_end_the_goal(play: Any) -> None:
    report = play({ROOT: [DONE]}, conditions=('moon on',)).end()
    assert (report.status, report.reason, report.costs.decisions) == ('failed', Reason.BAD_GOAL, 0)
    assert 'moon' in report.message


def test_a_library_without_predicates_has_no_conditions(play: Any, household: SkillLibrary) -> None:
    report = play({ROOT: [DONE]}, library=replace(household, predicates=()), **ON).end()
    assert (report.status, report.unconfirmed, report.costs.decisions) == ('succeeded', False, 1)


def test_a_budget_that_is_spent_by_reading_ends_the_goal(play: Any) -> None:
    report = play({ROOT: [HOLD, DONE]}, limits=Limits(max_decisions=1), **ON).end()
    assert report.reason is Reason.MAX_DECISIONS


def test_a_person_corrects_them_and_the_recording_replays_it(
    world: Any, household: SkillLibrary, plain: Any
) -> None:
    from reactree_ros.behaviours.services import RunServices
    from reactree_ros.errors import DecisionError
    from reactree_ros.models.scripted import ScriptedModel
    from reactree_ros.planner.replay import RecordedRun, recompute
    from reactree_ros.planner.run import GoalRun

    services = RunServices(
        model=ScriptedModel({ROOT: ['Conditions: mug held', GO, PICK, DONE]}),
        executor=WorldExecutor(world),
        library=household,
        experiences=None,
        system_prompt='You steer a robot.',
        settings=plain(**ON),
    )
    events: list[Any] = []
    entries: list[Any] = []
    run = GoalRun(ROOT, services, Limits(), events.append, 'recorded', record=entries.append)
    while not [event for event in events if event.kind == 'act']:
        run.tick()
    with pytest.raises(DecisionError, match='moon'):
        run.conditions.correct(['moon on'])
    assert run.conditions.correct(['apple held']) == 'apple held'
    while not run.finished:
        run.tick()
    report = run.report()
    assert (report.status, report.unmet) == ('succeeded', ())
    told = [step.text for step in run.root.trajectory.steps]
    assert 'A person corrects what must hold in the end: apple held.' in told
    run.close()
    recorded = RecordedRun('run', ROOT, Limits(), events, (), entries, False)
    nobody = replace(services, model=ScriptedModel({}))
    again = recompute(recorded, nobody)
    assert (again.difference, again.same) == ('', len(events))


def test_a_person_corrects_memory_and_the_recording_replays_it(
    world: Any, household: SkillLibrary, plain: Any
) -> None:
    from reactree_ros.behaviours.services import RunServices
    from reactree_ros.errors import WorldError
    from reactree_ros.memory.belief import Correction
    from reactree_ros.models.scripted import ScriptedModel
    from reactree_ros.planner.replay import RecordedRun, recompute
    from reactree_ros.planner.run import GoalRun

    services = RunServices(
        model=ScriptedModel({ROOT: [GO, 'Act: go to fridge 1', DONE]}),
        executor=WorldExecutor(world),
        library=household,
        experiences=None,
        system_prompt='You steer a robot.',
        settings=plain(),
    )
    events: list[Any] = []
    entries: list[Any] = []
    run = GoalRun(ROOT, services, Limits(), events.append, 'recorded', record=entries.append)
    while 'apple 1' not in run.situation().objects:
        run.tick()
    with pytest.raises(WorldError, match='moon'):
        run.correct_memory(Correction('apple 1', 'on', 'moon 1'))
    run.correct_memory(Correction('apple 1', 'on', 'kitchen table 1'))
    run.correct_memory(Correction('apple 1', 'in_room', 'bedroom 1'))
    assert run.situation().objects['apple 1'].room == 'kitchen 1'
    while not run.finished:
        run.tick()
    assert run.situation().objects['apple 1'].room == 'bedroom 1'
    told = [event.text for event in events if event.kind == 'corrected']
    assert told[1:] == ['apple 1 in bedroom 1, says a person']
    run.report()
    run.close()
    recorded = RecordedRun('run', ROOT, Limits(), events, (), entries, False)
    again = recompute(recorded, replace(services, model=ScriptedModel({})))
    assert (again.difference, again.same) == ('', len(events))


def test_a_correction_while_the_model_says_done_counts(play: Any) -> None:
    played = play({ROOT: [HOLD, GO, PICK, DONE, 'Act: put down apple 1', DONE]}, **ON)
    while len(played.model.requests) < 4:
        played.run.tick()
    played.run.conditions.correct(['apple held'])
    played.run.conditions.correct(['apple on kitchen counter'])
    report = played.end()
    assert (report.status, report.unconfirmed, report.unmet) == ('succeeded', False, ())
    assert any(
        one.startswith('Not done yet: apple on kitchen counter') for one in observations(played)
    )


@pytest.mark.parametrize(
    ('below', 'limits'),
    [
        (['Act: go to bedroom 1', 'Think: there', 'Think: more'], Limits(subtree_decisions=2)),
        (['Act: go to bedroom 1', 'Expand: sequence ["look"]'], Limits(max_depth=2)),
        (['Act: go to bedroom 1', *['Act: fly'] * 3], Limits()),
    ],
)
def test_conditions_that_hold_count_whatever_ended_a_node_below(
    play: Any, below: list[str], limits: Limits
) -> None:
    script = {'root': ['Expand: sequence ["below"]'], 'below': below}
    held = {'conditions': ('robot in bedroom',), 'replan_after_failure': True}
    report = play(script, limits=limits, **held).end()
    assert (report.status, report.reason) == ('succeeded', Reason.EXPANSION)


def test_the_world_is_asked_for_what_a_person_has_corrected(play: Any) -> None:
    script = {'root': ['Think: a', 'Act: go to fridge 1', 'Act: open fridge 1', DONE]}
    played = play(script, conditions=('apple on kitchen table',), check_done=True)
    played.tick_until(lambda: bool(played.kinds('act')))
    played.run.conditions.correct(['fridge open'])
    assert played.end().status == 'succeeded'
