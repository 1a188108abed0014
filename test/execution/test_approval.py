# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that a person has to allow."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.execution.approval import ApprovalStage
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import World
from reactree_ros.skills.executor import SENT
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

from ..person import DECLINED, Person

GO, OPEN, DONE = 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: done'
QUESTION = 'Allow the robot to "open fridge 1"?'


@pytest.fixture
def careful(household: SkillLibrary) -> SkillLibrary:
    """Skills of which one has to be allowed."""
    skills = tuple(replace(skill, approval=skill.name == 'open') for skill in household.skills)
    return replace(household, skills=skills)


@pytest.mark.parametrize('answer', ['yes', ' YES '])
def test_what_is_allowed_is_done(play: Any, careful: SkillLibrary, answer: str) -> None:
    person = Person()
    played = play({'root': [GO, OPEN, DONE]}, library=careful, operator=person)
    played.tick_until(lambda: bool(person.asked))
    for _ in range(3):
        played.run.tick()
    leaf = played.run.root.children[-1]
    assert (leaf.name, leaf.feedback_message) == ('open fridge 1', 'waiting to be allowed')
    person.reply = answer
    assert played.end().status == 'succeeded'
    assert person.asked == [QUESTION], 'the other skill is not asked for'
    assert person.options == [('yes', 'no')]
    assert 'You open fridge (1).' in leaf.feedback_message


@pytest.mark.parametrize(
    ('person', 'why'),
    [
        (Person('no'), 'the operator said no'),
        (Person(DECLINED), 'the operator declined'),
        (Person('yes please'), 'the answer "yes please" was not understood as yes or no'),
        (Person('ja'), 'the answer "ja" was not understood as yes or no'),
        (Person(''), 'nobody allowed it in time'),
        (Person('yes', present=False), 'nobody is there to allow it'),
        (Person('yes', assistant=True), 'nobody is there to allow it'),
        (None, 'nobody is there to allow it'),
    ],
)
def test_what_is_not_allowed_is_not_done(
    play: Any, careful: SkillLibrary, person: Person | None, why: str
) -> None:
    played = play({'root': [GO, OPEN, DONE]}, library=careful, operator=person)
    assert played.end().status == 'succeeded'
    leaf = played.run.root.children[-1]
    assert leaf.result.status is SkillStatus.REFUSED
    assert leaf.feedback_message == f'"open fridge 1" was refused: {why}.'
    seen = played.run.situation().objects['fridge 1']
    assert 'closed' in seen.states


@pytest.mark.parametrize(
    ('answer', 'end', 'sent'), [('no', 'answer', 0), ('yes', 'answer', 1), (None, 'cancel', 0)]
)
def test_waiting_for_a_person_is_no_time_of_the_robot(
    play: Any, careful: SkillLibrary, answer: str | None, end: str, sent: int
) -> None:
    clock = [0.0]
    person = Person()
    script = {'root': [GO, OPEN, DONE]}
    played = play(script, library=careful, operator=person, clock=lambda: clock[0])
    played.tick_until(lambda: bool(person.asked))
    clock[0] += 8.0
    if end == 'answer':
        person.reply = answer
    else:
        played.run.cancel()
    costs = played.end().costs
    assert (costs.skills, costs.questions) == (1 + sent, 1), 'going to the fridge is one'
    assert (costs.skill_seconds, costs.operator_seconds) == (0.0, 8.0)


def test_a_cancel_takes_the_question_back(play: Any, careful: SkillLibrary) -> None:
    person = Person()
    played = play({'root': [GO, OPEN, DONE]}, library=careful, operator=person)
    played.tick_until(lambda: bool(person.asked))
    played.run.cancel()
    assert played.end().status == 'canceled'
    assert person.canceled == 1
    person.reply = 'yes'
    assert played.run.finished


def test_after_the_answer_a_cancel_reaches_the_robot(careful: SkillLibrary) -> None:
    class Moving:
        doing = 'moving'
        goal_id = ''
        started = True
        settled = False
        costs = SENT
        canceled = 0

        def poll(self) -> None:
            return None

        def cancel(self) -> None:
            self.canceled += 1

    moving = Moving()
    skill = next(one for one in careful.skills if one.approval).ground('fridge 1')
    robot: Any = SimpleNamespace(start=lambda skill, situation: moving)
    stages = [ApprovalStage(Person('yes'), lambda: 0.0)]
    run = SkillPipeline(stages, robot).start(skill, Situation())
    assert run.poll() is None
    assert run.doing == 'moving'
    run.cancel()
    assert moving.canceled == 1


@pytest.mark.parametrize(
    ('approve_from', 'asked'),
    [
        ('never', {'close'}),
        ('high', {'close', 'slice'}),
        ('medium', {'close', 'slice', 'open'}),
    ],
)
def test_skills_of_a_risk_class_and_above_have_to_be_allowed(
    household: SkillLibrary, approve_from: str, asked: set[str]
) -> None:
    risks = {'slice': 'high', 'open': 'medium'}
    skills = tuple(
        replace(skill, risk=risks.get(skill.name, 'low'), approval=skill.name == 'close')
        for skill in household.skills
    )
    library = replace(household, skills=skills).approved_from(approve_from)
    assert {skill.name for skill in library.skills if skill.approval} == asked
    grounded = next(one for one in library.skills if one.name == 'slice').ground('apple 1')
    assert grounded.approval is ('slice' in asked)


def test_the_planner_takes_the_risk_class_from_its_options(world: World, word_encoder: Any) -> None:
    options = planner_options(
        {
            'skills': 'household',
            'model.name': 'gemma-3-270m',
            'operator.approval_risk_level': 'low',
            'memory.store': '',
        }
    )
    model: Any = word_encoder('open')
    services = assemble(options, model, WorldExecutor(world))
    assert all(skill.approval for skill in services.library.skills)


def test_a_risky_skill_is_not_done_when_nobody_answers_in_time(
    play: Any, household: SkillLibrary
) -> None:
    skills = tuple(replace(one, risk='high') for one in household.skills)
    library = replace(household, skills=skills).approved_from('medium')
    played = play({'root': [GO, DONE]}, library=library, operator=Person(''))
    played.end()
    assert played.run.root.children[0].feedback_message == (
        '"go to fridge 1" was refused: nobody allowed it in time.'
    )
    assert played.run.situation().place == ''
