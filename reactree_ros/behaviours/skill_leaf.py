# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that the robot runs, one or its safe state, and a question to working memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import py_trees
from py_trees.common import Status

from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs
from reactree_ros.errors import WorldError
from reactree_ros.skills.executor import SkillExecutor, SkillRun, failed
from reactree_ros.skills.library import GroundedSkill


class SkillLeaf(py_trees.behaviour.Behaviour):
    """Runs one skill on the robot.

    =======  ===================================================================
    RUNNING  the robot is executing it
    SUCCESS  it did it; ``result`` holds the observation
    FAILURE  refused, failed or canceled; ``result`` says which and why
    =======  ===================================================================

    Args:
        skill: the skill; its phrase names the behaviour.
        executor: the robot.
        memory: working memory, from which the skill may take values.
    """

    def __init__(self, skill: GroundedSkill, executor: SkillExecutor, memory: MemoryReader) -> None:
        super().__init__(name=skill.phrase)
        self.skill = skill
        self.run: SkillRun | None = None
        self.result: SkillResult | None = None
        self._executor = executor
        self._memory = memory

    @property
    def succeeded(self) -> bool:
        """Whether the robot did it."""
        return self.result is not None and self.result.status is SkillStatus.SUCCEEDED

    @property
    def costs(self) -> Costs:
        """Whether the skill was sent, and what a person was asked for it and how long."""
        return self.run.costs if self.run is not None else Costs()

    def initialise(self) -> None:
        """Send the skill to the robot."""
        self.run = self._executor.start(self.skill, self._memory.situation())

    def update(self) -> Status:
        """Poll the result."""
        try:
            self.result = self.run.poll() if self.run else None
        except WorldError as error:
            self.result = replace(failed(self.skill, str(error)), gone=True)
        if self.result is None:
            self.feedback_message = self.run.doing if self.run else ''
            return Status.RUNNING
        self.feedback_message = self.result.observation.text
        return Status.SUCCESS if self.succeeded else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Stop the robot if it is still executing the skill."""
        if new_status == Status.INVALID and self.run is not None and self.result is None:
            self.feedback_message = 'interrupted'
            self.run.cancel()


class SafeState(py_trees.composites.Sequence):
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
        self._leaves = [SkillLeaf(skill, executor, memory) for skill in skills]
        super().__init__(name='safe state', memory=True, children=list(self._leaves))

    @property
    def costs(self) -> Costs:
        """Those of its skills so far."""
        return sum((leaf.costs for leaf in self._leaves), Costs())


class RecallLeaf(py_trees.behaviour.Behaviour):
    """Shows a question to working memory and its answer in the tree; always SUCCESS.

    Args:
        class_name: what was asked for.
        answer: what working memory knew.
    """

    def __init__(self, class_name: str, answer: str) -> None:
        super().__init__(name=f'recall location of {class_name}')
        self.feedback_message = answer

    def update(self) -> Status:
        """Return SUCCESS: the answer was there at once."""
        return Status.SUCCESS
