# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is done when no model answers: what was done for the goal before, else the safe hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

import py_trees

from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.futures import Future
from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import GroundedSkill


class Remembered(Protocol):
    """Knows what was done when a goal was reached before (``memory.remembered.RememberedActs``)."""

    def acts(self, goal: str) -> Future[tuple[str, ...]]:
        """Ask for the phrases of the acts, in order; none if no such run is known."""


class Recollection:
    """What an agent node does again, act by act.

    Args:
        pending: the acts, which were asked for.
        fault: why no model answers.
    """

    def __init__(self, pending: Future[tuple[str, ...]], fault: str) -> None:
        self.pending = pending
        self.fault = fault
        self.acts: deque[str] | None = None

    def poll(self) -> bool | None:
        """Return whether any act is known; None until the answer is there."""
        if self.acts is None:
            acts = self.pending.poll()
            self.acts = None if acts is None else deque(acts)
        return None if self.acts is None else bool(self.acts)

    def next(self) -> str:
        """Return the phrase of the next act; empty after the last."""
        return self.acts.popleft() if self.acts else ''


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
