# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the record of an agent node's latest decision until its outcome is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.events import DecisionRecord


class Audit:
    """The records of one agent node, one at a time.

    Args:
        on_record: called with each record as soon as its outcome is known.
        clock: seconds since the run began.
    """

    def __init__(
        self, on_record: Callable[[DecisionRecord], None], clock: Callable[[], float]
    ) -> None:
        self._on_record = on_record
        self._clock = clock
        self._decided_at = 0.0
        self._open: DecisionRecord | None = None

    def decided(self, record: DecisionRecord) -> None:
        """Begin the record of a decision; one before it without an outcome is closed."""
        self.close('the agent went on')
        self._open = record
        self._decided_at = self._clock()

    def sent(self, leaf: SkillLeaf) -> None:
        """Note the goal that the robot was sent for the decision, if it was."""
        if self._open is not None and leaf.run is not None and leaf.run.goal_id:
            self._open = replace(
                self._open, robot_goal_id=leaf.run.goal_id, robot_action=leaf.skill.call.name
            )

    def rejected(self, why: str) -> None:
        """Close the record of an answer that did not count."""
        if self._open is not None:
            self._open = replace(self._open, accepted=False)
        self.close(why)

    def close(self, outcome: str) -> None:
        """Close the record, if one is open, with the outcome of the decision."""
        record, self._open = self._open, None
        if record is not None:
            ago = self._clock() - self._decided_at
            self._on_record(replace(record, outcome=outcome, seconds_ago=ago))
