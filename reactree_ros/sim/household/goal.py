# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a goal holds in a world."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GoalCheck:
    """Which goal conditions hold in a world, as readable lines in the order of the goal.

    Args:
        satisfied: conditions that hold.
        unsatisfied: those that do not.
        met: how many of the wanted objects are as wanted (the paper's completed subgoals).
        wanted: how many are wanted in all conditions together.
    """

    satisfied: tuple[str, ...]
    unsatisfied: tuple[str, ...]
    met: int = 0
    wanted: int = 0

    @property
    def holds(self) -> bool:
        """Whether all conditions hold; a goal without conditions never does."""
        return bool(self.satisfied) and not self.unsatisfied
