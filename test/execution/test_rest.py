# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One skill at a time: the next one waits until those that were stopped have come to rest."""

from __future__ import annotations

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.execution.rest import RestStage
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.executor import WrappedRun
from reactree_ros.skills.library import GroundedSkill

GO = GroundedSkill('go_to', ('fridge 1',), 'go to fridge 1', Call(Kind.ACTION, 'do'))
DONE = SkillResult(SkillStatus.SUCCEEDED, Observation('There.'))


class Told(WrappedRun):
    """A skill that ends as a test says."""

    def __init__(self) -> None:
        self.result: SkillResult | WorldError | None = None

    def poll(self) -> SkillResult | None:
        if isinstance(self.result, WorldError):
            raise self.result
        return self.result


def test_the_next_skill_waits_for_the_one_before() -> None:
    stage, first, second = RestStage(), Told(), Told()
    assert stage.before(GO, Situation(), first).open()
    waiting = stage.before(GO, Situation(), second)
    assert not waiting.open()
    first.result = DONE
    assert waiting.open()


def test_a_skill_that_ended_in_a_fault_holds_up_no_other() -> None:
    stage, lost = RestStage(), Told()
    assert stage.before(GO, Situation(), lost).open()
    lost.result = WorldError('the robot is gone')
    assert stage.before(GO, Situation(), Told()).open()
    assert not stage.before(GO, Situation(), Told()).open()
