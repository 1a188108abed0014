# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at each moment: only what is valid and can change something."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Reason
from reactree_ros.core.situation import Situation
from reactree_ros.sim.household import World
from reactree_ros.skills.executor import EndedSkill
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

DONE = 'Act: done'


def test_recall_is_answered_from_working_memory_without_the_robot(play: Any, robot: Any) -> None:
    played = play(
        {
            'root': [
                'Act: recall location of apple',
                'Act: go to kitchen counter 1',
                'Act: recall location of cutlery knife',
                DONE,
            ]
        },
        robot=robot,
    )
    played.tick_until(lambda: bool(robot.running))
    robot.running[0].finish()
    report = played.end()
    steps = [step.text for step in played.agents()['root'].trajectory.steps]
    assert steps[1] == 'apple: not seen so far.'
    assert steps[5] == ('cutlery knife: cutlery knife 1 on kitchen counter 1 in kitchen 1.')
    assert (len(robot.running), report.costs.skills, report.costs.decisions) == (1, 1, 4)


@pytest.mark.parametrize('recall', [True, False])
def test_what_may_be_asked_for_is_whatever_can_be_moved(
    play: Any, household: SkillLibrary, recall: bool
) -> None:
    played = play({'find the mug': [DONE]}, memory__recall=recall)
    played.end()
    assert set(played.model.requests[0].choices.recall) == (household.objects if recall else set())


def test_the_same_recall_with_the_same_answer_is_repetition(play: Any) -> None:
    question = 'Act: recall location of mug'
    report = play({'root': [question] * 4}, max_repetitions=3).end()
    assert (report.reason, report.costs.decisions) == (Reason.REPETITION, 3)
    assert report.message == '"recall location of mug" had the same result 3 times'


@pytest.mark.parametrize(
    ('think_twice', 'offered'), [(False, [True, False, True]), (True, [True, True, True])]
)
def test_no_thought_right_after_a_thought(
    play: Any, think_twice: bool, offered: list[bool]
) -> None:
    played = play(
        {'root': ['Think: hm', 'Act: go to fridge 1', DONE]}, allow_consecutive_thoughts=think_twice
    )
    played.end()
    assert [request.choices.think for request in played.model.requests] == offered


def test_a_second_thought_in_a_row_is_rejected_and_the_node_continues(play: Any) -> None:
    played = play({'root': ['Think: hm', 'Think: hm hm', DONE]}, allow_consecutive_thoughts=False)
    assert played.end().reason is Reason.DONE
    (rejected,) = [event for event in played.events if event.kind == 'rejected']
    assert 'no thought is allowed now' in rejected.text


@pytest.mark.parametrize('masked', [True, False])
def test_a_refused_skill_is_not_offered_again_until_something_changed(
    play: Any, dancing: SkillLibrary, masked: bool
) -> None:
    played = play(
        {'root': ['Act: dance', 'Think: no', 'Act: go to fridge 1', 'Act: dance', DONE]},
        library=dancing,
        mask_refused_skills=masked,
    )
    report = played.end()
    offered = ['dance' in request.choices.skills for request in played.model.requests]
    assert offered == ([True, False, False, True, False] if masked else [True] * 5)
    steps = [step.text for step in played.agents()['root'].trajectory.steps]
    assert steps[1].startswith('You cannot dance')
    assert report.costs.skills == 3


class Clumsy(WorldExecutor):
    """A robot in a real world whose first skill ends with some status."""

    status = SkillStatus.FAILED

    def start(self, skill: GroundedSkill, situation: Situation) -> Any:
        if self.status is not SkillStatus.SUCCEEDED:
            result = SkillResult(self.status, Observation('You slipped.'))
            self.status = SkillStatus.SUCCEEDED
            return EndedSkill(result)
        return super().start(skill, situation)


@pytest.mark.parametrize(
    ('status', 'again'), [(SkillStatus.REFUSED, False), (SkillStatus.FAILED, True)]
)
def test_what_failed_was_tried_and_may_be_tried_again(
    play: Any, world: World, status: SkillStatus, again: bool
) -> None:
    robot = Clumsy(world)
    robot.status = status
    played = play({'root': ['Act: go to fridge 1', 'Act: go to fridge 1', DONE]}, robot=robot)
    played.end()
    offered = ['go to fridge 1' in request.choices.skills for request in played.model.requests]
    assert offered[:2] == [True, again]
