# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill that the robot reports as done, and that is held against what must hold then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.skills.conditions import Check, WorldCondition
from reactree_ros.skills.done_check import CheckedRun, all_hold
from reactree_ros.skills.executor import EndedSkill
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.memory_condition import MemoryCondition
from reactree_ros.skills.simulated import WorldExecutor

GO, PICK, DONE = 'Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done'
HELD = Check(memory=(MemoryCondition('{item}', held=True),))
TEXT = '"pick up apple 1" was reported as done, but apple 1 is not in the hand.'


class Slippery(WorldExecutor):
    """A robot that says that it has picked something up, and has not."""

    def start(self, skill: Any, situation: Any) -> Any:
        if skill.name != 'pick_up':
            return super().start(skill, situation)
        seen = self._world.observe()
        return EndedSkill(SkillResult(SkillStatus.SUCCEEDED, replace(seen, text='You hold it.')))


class Later:
    """An answer that a test gives."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self.canceled = 0

    def poll(self) -> str | None:
        return self.answer

    def cancel(self) -> None:
        self.canceled += 1


@pytest.fixture
def checked(household: SkillLibrary) -> Any:
    def make(check: Check) -> SkillLibrary:
        skills = (
            replace(one, check=check) if one.name == 'pick_up' else one for one in household.skills
        )
        return replace(household, skills=tuple(skills))

    return make


@pytest.mark.parametrize('believed', [True, False])
def test_what_memory_contradicts_has_failed(
    play: Any, world: Any, checked: Any, household: SkillLibrary, believed: bool
) -> None:
    library = household if believed else checked(HELD)
    played = play({'root': [GO, PICK, DONE]}, robot=Slippery(world), library=library)
    assert played.end().status == 'succeeded', 'the agent goes on'
    leaf = played.run.root.children[-1]
    assert leaf.result.status is (SkillStatus.SUCCEEDED if believed else SkillStatus.FAILED)
    assert leaf.feedback_message == ('You hold it.' if believed else TEXT)
    if not believed:
        assert leaf.result.observation.objects, 'what was seen is known nevertheless'
        assert TEXT in played.model.requests[-1].prompt.text()


def test_what_memory_confirms_is_done(play: Any, checked: Any) -> None:
    played = play({'root': [GO, PICK, DONE]}, library=checked(HELD))
    played.end()
    leaf = played.run.root.children[-1]
    assert leaf.result.status is SkillStatus.SUCCEEDED
    assert leaf.feedback_message.startswith('You pick up apple (1).')


@pytest.mark.parametrize(
    ('line', 'why'),
    [
        ('apple inside fridge', 'this does not hold: '),
        ('sing a song about {item}', 'the world cannot read "sing a song about apple 1"'),
    ],
)
def test_a_world_of_this_process_is_asked(play: Any, checked: Any, line: str, why: str) -> None:
    check = Check(asked=(WorldCondition((line,)),))
    played = play({'root': [GO, PICK, DONE]}, library=checked(check))
    played.end()
    leaf = played.run.root.children[-1]
    assert leaf.result.status is SkillStatus.FAILED
    assert f'"pick up apple 1" was reported as done, but {why}' in leaf.feedback_message
    assert played.run.situation().held, 'what was seen stays seen'


def test_a_world_that_agrees_does_not_object(play: Any, checked: Any) -> None:
    check = Check(asked=(WorldCondition(('{item} held',)),))
    played = play({'root': [GO, PICK, DONE]}, library=checked(check))
    played.end()
    assert played.run.root.children[-1].result.status is SkillStatus.SUCCEEDED


def test_nothing_waits_for_an_answer_and_a_cancel_gives_it_up(household: SkillLibrary) -> None:
    skill = household.skills[0].ground('kitchen 1')
    done = SkillResult(SkillStatus.SUCCEEDED, Observation('There.'))
    answers = [Later(), Later()]
    runs = [CheckedRun(EndedSkill(done), skill, lambda _, one=one: one) for one in answers]
    assert [run.poll() for run in runs] == [None, None]
    assert runs[0].doing == 'checking what was done'
    assert runs[0].settled
    answers[0].answer = ''
    assert runs[0].poll() is done
    runs[1].cancel()
    result = runs[1].poll()
    assert result is not None
    assert (result.status, answers[1].canceled) == (SkillStatus.CANCELED, 1)


def test_a_failure_is_not_checked(household: SkillLibrary) -> None:
    skill = household.skills[0].ground('kitchen 1')
    refused = SkillResult(SkillStatus.REFUSED, Observation('No.'))

    def ask(_: SkillResult) -> Any:
        raise AssertionError('it is asked for a success only')

    assert CheckedRun(EndedSkill(refused), skill, ask).poll() is refused


def test_the_first_objection_ends_the_other_questions() -> None:
    one, other = Later(), Later()
    both = all_hold([one, other])
    one.answer = ''
    assert both.poll() is None
    other.answer = 'no'
    assert both.poll() == 'no'
    other.answer = ''
    assert both.poll() == 'no'
    assert (one.canceled, other.canceled) == (1, 1)
    assert all_hold([one, other]).poll() == ''
