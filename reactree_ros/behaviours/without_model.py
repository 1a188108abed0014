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
    """Knows what was done when a goal was reached before (``memory.RememberedActs``)."""

    def acts(self, goal: str) -> Future[tuple[str, ...]]:
        """Ask for the phrases of the acts, in order; none if no such run is known."""


class Recollection:
    """What an agent node does again, act by act.

    Args:
        pending: the acts, which were asked for.
        fault: why no model answers.
    """

    def __init__(self, pending: Future[tuple[str, ...]], fault: str) -> None:
        self.fault = fault
        self._pending: Future[tuple[str, ...]] | None = pending
        self._left: deque[str] = deque()

    def poll(self) -> bool | None:
        """Return whether something is known; None as long as that is not known."""
        if self._pending is not None:
            acts = self._pending.poll()
            if acts is None:
                return None
            self._pending = None
            self._left.extend(acts)
        return bool(self._left)

    def next(self) -> str:
        """Return the phrase of the next act; empty after the last."""
        return self._left.popleft() if self._left else ''

    def cancel(self) -> None:
        """Wait for nothing any more."""
        if self._pending is not None:
            self._pending.cancel()


class SafeHold(py_trees.composites.Sequence):
    """The skills that a library declares to bring its robot to rest, one after the other.

    =======  ===================================================================
    RUNNING  the robot is at one
    SUCCESS  it did all
    FAILURE  it could not do one; those behind it were not tried
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
