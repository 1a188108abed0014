# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When no model answers, the robot goes to rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import approved, assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import parse_library


@pytest.fixture
def still(household: SkillLibrary) -> SkillLibrary:
    skills = {skill.name: skill for skill in household.skills}
    return replace(household, safe_state=(skills['go_to'].ground('kitchen 1'),))


def test_without_any_model_the_robot_goes_into_its_safe_state(
    play: Any, still: SkillLibrary
) -> None:
    played = play({'root': []}, library=still)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.MODEL)
    assert report.message.endswith('the robot is in its safe state')
    assert played.names() == ['root', 'safe state', 'go to kitchen 1']
    assert report.costs.skills == 1


def test_a_failing_subgoal_leads_to_the_safe_state_too(play: Any, still: SkillLibrary) -> None:
    played = play({'root': ['Expand: sequence ["below"]'], 'below': []}, library=still)
    report = played.end()
    assert 'the robot is in its safe state' in report.message
    assert played.names()[-2:] == ['safe state', 'go to kitchen 1']


@pytest.mark.parametrize('strategy', ['adapt', 'try_again', 'reflexion', 'plan_and_execute'])
def test_whatever_the_strategy_it_is_the_root_that_holds(
    play: Any, still: SkillLibrary, strategy: str
) -> None:
    played = play({'root': []}, library=still, strategy=strategy)
    assert 'the robot is in its safe state' in played.end().message
    assert played.names().count('safe state') == 1


def test_the_safe_state_is_waited_for_and_can_be_canceled(
    play: Any, still: SkillLibrary, robot: Any
) -> None:
    played = play({'root': []}, library=still, robot=robot, limits=Limits(max_duration_sec=1))
    played.tick_until(lambda: bool(robot.running))
    for _ in range(5):
        played.run.tick()
    assert not played.run.finished
    played.run.cancel()
    assert robot.running[0].cancels == 1
    robot.running[0].come_to_rest()
    report = played.run.report()
    assert (report.status, report.costs.skills) == ('canceled', 1)


@pytest.mark.parametrize('lines', [['Act: failure'], ['Act: done']])
def test_a_model_that_answers_needs_no_safe_state(
    play: Any, still: SkillLibrary, lines: list[str]
) -> None:
    played = play({'root': lines}, library=still)
    played.end()
    assert 'safe state' not in played.names()


LIBRARY = """
name: arm
action: arm/do
result_sec: 5
safe_state: {hold}
skills:
  stop: {{phrase: stop}}
  move: {{phrase: "move to {{place}}", arguments: {{place: {{affordance: furniture}}}}}}
"""


def test_a_library_declares_its_safe_state() -> None:
    library = parse_library(LIBRARY.format(hold='[stop, {move: {place: home 1}}]'), 'x')
    assert [skill.phrase for skill in library.safe_state] == ['stop', 'move to home 1']


def test_a_safe_state_with_a_skill_that_needs_approval_is_refused() -> None:
    text = LIBRARY.format(hold='[stop, {move: {place: home 1}}]')
    asking = text.replace('{phrase: stop}', '{phrase: stop, approval: true}')
    fault = 'safe_state: stop needs approval: a safe state must do without a person'
    with pytest.raises(ConfigurationError, match=fault):
        parse_library(asking, 'x')


@pytest.mark.parametrize(
    ('approve_from', 'told'),
    [('low', 'stop (risk low), move (risk medium)'), ('medium', 'move (risk medium)')],
)
def test_a_safe_state_that_would_wait_for_a_person_is_not_configured(
    approve_from: str, told: str
) -> None:
    hold = '[stop, {move: {place: home 1}}, stop]'
    text = LIBRARY.format(hold=hold).replace('{phrase: "', '{risk: medium, phrase: "')
    options = planner_options({'model.name': 'none', 'operator.approval_risk_level': approve_from})
    with pytest.raises(ConfigurationError) as raised:
        approved(parse_library(text, 'x'), options)
    assert str(raised.value) == (
        f"parameter operator.approval_risk_level is '{approve_from}', so a person would have to "
        f"allow {told} in the safe_state of the library 'arm': a safe state must do "
        'without a person'
    )


def test_a_safe_state_below_the_class_that_is_asked_for_is_configured() -> None:
    text = LIBRARY.format(hold='[stop]')
    text = text.replace('{phrase: "', '{risk: medium, phrase: "')
    options = planner_options({'model.name': 'none', 'operator.approval_risk_level': 'medium'})
    library = approved(parse_library(text, 'x'), options)
    assert [skill.approval for skill in library.skills] == [False, True]
    assert [skill.approval for skill in library.safe_state] == [False]


def test_assembling_a_planner_refuses_a_safe_state_that_needs_a_person(
    still: SkillLibrary, robot: Any
) -> None:
    options = planner_options(
        {'model.name': 'none', 'operator.approval_risk_level': 'low', 'memory.store': ''}
    )
    with pytest.raises(ConfigurationError, match=r'go_to \(risk low\) in the safe_state'):
        assemble(options, ScriptedModel({}), robot, library=still)


def test_a_risk_class_asks_in_the_safe_state_too(play: Any, still: SkillLibrary) -> None:
    library = still.approved_from('low')
    assert [skill.approval for skill in library.safe_state] == [True]
    assert library.safe_state[0].phrase == 'go to kitchen 1'
    played = play({'root': []}, library=library)
    assert 'the safe state was not reached: "go to kitchen 1" was refused' in played.end().message


@pytest.mark.parametrize(
    ('hold', 'fault'),
    [
        ('[fly]', "safe_state: 'fly' is not in skills"),
        ('[move]', 'safe_state.move: its arguments are place'),
        ('[{stop: {x: y}}]', 'safe_state.stop: its arguments are none'),
    ],
)
def test_a_wrong_safe_state_is_named(hold: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        parse_library(LIBRARY.format(hold=hold), 'x')


DECLARED = LIBRARY + 'world: {{places: {{dock: {{}}, window: {{}}}}}}\nkeep_out: [window]\n'


def test_a_safe_state_goes_where_the_world_has_a_place() -> None:
    library = parse_library(DECLARED.format(hold='[{move: {place: dock}}]'), 'x')
    assert [skill.phrase for skill in library.safe_state] == ['move to dock 1']
    for place, fault in (
        ('dokc 7', "'dokc 7' is not in world"),
        ('window', 'must keep out of window 1'),
    ):
        with pytest.raises(ConfigurationError, match=f'safe_state.move: .*{fault}'):
            parse_library(DECLARED.format(hold=f'[{{move: {{place: {place}}}}}]'), 'x')
