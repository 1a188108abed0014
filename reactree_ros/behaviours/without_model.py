# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is done when no model answers: the safe hold."""

from __future__ import annotations

from collections.abc import Sequence

import py_trees

from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import GroundedSkill


class SafeHold(py_trees.composites.Sequence):
    """The skills that a library declares to bring its robot to rest, one after the other.

    =======  ===================================================================
    RUNNING  the robot is executing one
    SUCCESS  it has executed all
    FAILURE  one failed; those after it were not tried
    =======  ===================================================================

    Args:
        skills: at least one.
        executor: the robot.
        memory: working memory.
    """

    def __init__(
        self, skills: Sequence[GroundedSkill], executor: SkillExecutor, memory: MemoryReader
    ) -> None:
        leaves = [SkillLeaf(skill, executor, memory) for skill in skills]
        super().__init__(name='safe hold', memory=True, children=list(leaves))
