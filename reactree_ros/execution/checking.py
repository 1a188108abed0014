# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stage ``checks``: what a robot reports as done has failed if memory says otherwise."""

from __future__ import annotations

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.execution.pipeline import Stage
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.done_check import judged
from reactree_ros.skills.library import GroundedSkill


class CheckStage(Stage):
    """Checks successes with working memory.

    Memory is read together with what was seen after the skill, before that is added to it.

    Args:
        memory: the robot's working memory.
    """

    name = 'checks'

    def __init__(self, memory: MemoryReader) -> None:
        self._memory = memory

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        """Return the result, or a failure that says what does not hold."""
        if result.status is not SkillStatus.SUCCEEDED or not skill.check.memory:
            return ready(result)
        after = self._memory.situation_after(result.observation)
        objection = skill.check.objection(after, Surroundings(skill.named, {}, after))
        return ready(judged(skill, result, objection))
