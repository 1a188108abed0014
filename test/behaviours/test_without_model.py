# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When no model answers: what was done before is done again, else the robot goes to rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.outcome import Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Origin, Verification, parse_experience
from reactree_ros.memory.remembered import RememberedActs
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import NewExperience
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import approved, assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import parse_library

ACTS = ('go to fridge 1', 'open fridge 1')


class Knows:
    """Remembers the acts of one goal."""

    def __init__(self, goal: str, *acts: str) -> None:
        self._goal = goal
        self._acts = acts

    def acts(self, goal: str) -> Future[tuple[str, ...]]:
        return ready(self._acts if goal == self._goal else ())


def test_what_was_done_for_the_goal_before_is_done_again(play: Any) -> None:
    played = play({'open the fridge': []}, remembered=Knows('open the fridge', *ACTS))
    report = played.end()
    assert (report.status, report.reason) == ('succeeded', Reason.REMEMBERED)
    assert played.names() == ['open the fridge', *ACTS]
    assert 'open' in played.robot._world.observe().text or report.costs.skills == 2
    faults = [event.text for event in played.events if event.kind == 'fault']
    assert len(faults) == 1
    assert 'no further line' in faults[0]


def test_a_subtree_is_done_again_and_the_model_decides_the_rest(play: Any) -> None:
    played = play(
        {'root': ['Expand: sequence ["open the fridge", "rest"]'], 'rest': ['Act: done']},
        remembered=Knows('open the fridge', *ACTS),
    )
    assert played.end().status == 'succeeded'
    assert played.statuses() == {'root': 'S', 'open the fridge': 'S', 'rest': 'S'}


def test_an_act_that_cannot_be_done_now_ends_it(play: Any) -> None:
    played = play({'open the fridge': []}, remembered=Knows('open the fridge', 'open fridge 1'))
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.MODEL)
    assert '"open fridge 1", which was done before, cannot be done now' in report.message


def test_an_unknown_goal_fails_for_the_model(play: Any) -> None:
    report = play({'root': []}, remembered=Knows('something else')).end()
    assert (report.status, report.reason) == ('failed', Reason.MODEL)


@pytest.fixture
def still(household: SkillLibrary) -> SkillLibrary:
    skills = {skill.name: skill for skill in household.skills}
    return replace(household, safe_hold=(skills['go_to'].ground('kitchen 1'),))


def test_without_any_model_the_robot_goes_into_its_safe_hold(
    play: Any, still: SkillLibrary
) -> None:
    played = play({'root': []}, library=still)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.MODEL)
    assert report.message.endswith('the robot is in its safe hold')
    assert played.names() == ['root', 'safe hold', 'go to kitchen 1']


def test_a_failing_subgoal_leads_to_the_safe_hold_too(play: Any, still: SkillLibrary) -> None:
    played = play({'root': ['Expand: sequence ["below"]'], 'below': []}, library=still)
    report = played.end()
    assert 'the robot is in its safe hold' in report.message
    assert played.names()[-2:] == ['safe hold', 'go to kitchen 1']


def test_the_safe_hold_is_waited_for_and_can_be_canceled(
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
    assert played.run.report().status == 'canceled'


@pytest.mark.parametrize('lines', [['Act: failure'], ['Act: done']])
def test_a_model_that_answers_needs_no_safe_hold(
    play: Any, still: SkillLibrary, lines: list[str]
) -> None:
    played = play({'root': lines}, library=still)
    played.end()
    assert 'safe hold' not in played.names()


def remember(path: Path, run: str, verified: Verification, *texts: str) -> None:
    store = SqliteStore(path, 'none')
    vector = np.array([1.0, 0.0], dtype=np.float32)
    experiences = [parse_experience(text.strip().splitlines(), run) for text in texts]
    new = [NewExperience(one, one.goal, vector, outline=one.text) for one in experiences]
    store.add_run(Origin(run, skills='household', verified=verified), new)
    store.close()


ROOT = """
Goal: tidy up
You are in the kitchen (1).
Think: two things
Expand: sequence ["find the cup", "put it away"]
"""
FIND = """
Your goal is a part of: tidy up
Goal: find the cup
You are in the kitchen (1).
Act: recall location of cup
cup: not seen so far.
Act: go to table 1
You see: cup (1).
Act: done
"""
AWAY = FIND.replace('find the cup', 'put it away').replace('table', 'shelf')


def looked_up(path: Path, goal: str) -> tuple[str, ...]:
    store = SqliteStore(path, 'none')
    remembered = RememberedActs(store, 'household')
    pending = remembered.acts(goal)
    while (acts := pending.poll()) is None:
        pass
    remembered.close()
    store.close()
    return acts


def test_the_acts_of_a_run_are_those_of_its_whole_tree(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    remember(path, 'one', Verification.WORLD, ROOT, FIND, AWAY)
    assert looked_up(path, 'Tidy up.') == ('go to table 1', 'go to shelf 1')
    assert looked_up(path, 'find the cup') == ('go to table 1',)
    assert looked_up(path, 'tidy') == (), 'another goal'


def test_what_is_not_verified_or_not_whole_is_not_done_again(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    remember(path, 'one', Verification.REPORTED, FIND)
    remember(path, 'two', Verification.WORLD, ROOT.replace('put it away', 'lost'), FIND)
    assert looked_up(path, 'tidy up') == ()


LIBRARY = """
name: arm
action: arm/do
result_sec: 5
safe_hold: {hold}
tidy_up: {tidy}
skills:
  stop: {{phrase: stop}}
  move: {{phrase: "move to {{place}}", arguments: {{place: {{affordance: furniture}}}}}}
"""


def test_a_library_declares_its_safe_hold_and_how_it_tidies_up() -> None:
    library = parse_library(
        LIBRARY.format(hold='[stop, {move: {place: home 1}}]', tidy='{do: stop, by: move}'), 'x'
    )
    assert [skill.phrase for skill in library.safe_hold] == ['stop', 'move to home 1']
    assert library.tidy_up is not None
    assert (library.tidy_up.do, library.tidy_up.by) == ('stop', 'move')


def test_a_safe_hold_with_a_skill_that_needs_approval_is_refused() -> None:
    text = LIBRARY.format(hold='[stop, {move: {place: home 1}}]', tidy='{do: stop}')
    asking = text.replace('{phrase: stop}', '{phrase: stop, approval: true}')
    fault = 'safe_hold: stop needs approval: a safe hold must do without a person'
    with pytest.raises(ConfigurationError, match=fault):
        parse_library(asking, 'x')


@pytest.mark.parametrize(
    ('approve_from', 'told'),
    [('low', 'stop (risk low), move (risk medium)'), ('medium', 'move (risk medium)')],
)
def test_a_safe_hold_that_would_wait_for_a_person_is_not_configured(
    approve_from: str, told: str
) -> None:
    hold = '[stop, {move: {place: home 1}}, stop]'
    text = LIBRARY.format(hold=hold, tidy='{do: stop}').replace(
        '{phrase: "', '{risk: medium, phrase: "'
    )
    options = planner_options({'model.name': 'none', 'operator.approval_risk_level': approve_from})
    with pytest.raises(ConfigurationError) as raised:
        approved(parse_library(text, 'x'), options)
    assert str(raised.value) == (
        f"parameter operator.approval_risk_level is '{approve_from}', so a person would have to "
        f"allow {told} in the safe_hold of the library 'arm': a safe hold must do without a person"
    )


def test_a_safe_hold_below_the_class_that_is_asked_for_is_configured() -> None:
    text = LIBRARY.format(hold='[stop]', tidy='{do: stop}')
    text = text.replace('{phrase: "', '{risk: medium, phrase: "')
    options = planner_options({'model.name': 'none', 'operator.approval_risk_level': 'medium'})
    library = approved(parse_library(text, 'x'), options)
    assert [skill.approval for skill in library.skills] == [False, True]
    assert [skill.approval for skill in library.safe_hold] == [False]


def test_assembling_a_planner_refuses_a_safe_hold_that_needs_a_person(
    still: SkillLibrary, robot: Any
) -> None:
    options = planner_options(
        {'model.name': 'none', 'operator.approval_risk_level': 'low', 'memory.store': ''}
    )
    with pytest.raises(ConfigurationError, match=r'go_to \(risk low\) in the safe_hold'):
        assemble(options, ScriptedModel({}), robot, library=still)


def test_a_risk_class_asks_in_the_safe_hold_too(play: Any, still: SkillLibrary) -> None:
    library = still.approved_from('low')
    assert [skill.approval for skill in library.safe_hold] == [True]
    assert library.safe_hold[0].phrase == 'go to kitchen 1'
    played = play({'root': []}, library=library)
    assert 'the safe hold failed: "go to kitchen 1" was refused' in played.end().message


@pytest.mark.parametrize(
    ('hold', 'tidy', 'fault'),
    [
        ('[fly]', '{do: stop}', "safe_hold: 'fly' is not in skills"),
        ('[move]', '{do: stop}', 'safe_hold.move: its arguments are place'),
        ('[{stop: {x: y}}]', '{do: stop}', 'safe_hold.stop: its arguments are none'),
        ('[stop]', '{do: fly}', "tidy_up: 'fly' is not in skills"),
        ('[stop]', '{by: stop}', 'tidy_up: do is missing'),
    ],
)
def test_a_wrong_safe_hold_is_named(hold: str, tidy: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        parse_library(LIBRARY.format(hold=hold, tidy=tidy), 'x')
