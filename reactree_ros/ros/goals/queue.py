# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The queue of goals: one that had begun, then the highest priority, then the oldest."""

from __future__ import annotations

import itertools

from reactree_ros.ros.goals.session import AcceptedGoal, GoalSession


class GoalQueue:
    """Accepted goals that have not started; feedback says how many are ahead of each."""

    def __init__(self) -> None:
        self._waiting: list[tuple[bool, int, int, GoalSession, AcceptedGoal]] = []
        self._arrivals = itertools.count()

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def add(self, session: GoalSession, accepted: AcceptedGoal, begun: bool = False) -> None:
        """Add a goal behind those of its priority and above.

        Args:
            session: the goal.
            accepted: what is asked.
            begun: an earlier process had begun it, and its skill may still run: it is the first.
        """
        entry = (not begun, -accepted.priority, next(self._arrivals), session, accepted)
        self._waiting.append(entry)
        self._waiting.sort(key=lambda entry: entry[:3])
        self._publish_positions()

    def take(self) -> tuple[GoalSession, AcceptedGoal]:
        """Remove and return the next goal."""
        *_, session, accepted = self._waiting.pop(0)
        self._publish_positions()
        return session, accepted

    def remove_canceled(self) -> list[GoalSession]:
        """Remove and return the goals that their clients have canceled, with their results set."""
        left = [entry for entry in self._waiting if entry[3].cancel_requested]
        if left:
            self._waiting = [entry for entry in self._waiting if entry not in left]
            self._publish_positions()
        return [self._stopped(entry[3], 'the goal was canceled') for entry in left]

    def stop_all(self, why: str) -> list[GoalSession]:
        """Remove and return all goals, with their results set; ``why`` is their message."""
        waiting, self._waiting = self._waiting, []
        return [self._stopped(entry[3], why) for entry in waiting]

    @staticmethod
    def _stopped(session: GoalSession, why: str) -> GoalSession:
        session.stop(why)
        return session

    def _publish_positions(self) -> None:
        for before, (*_, session, _) in enumerate(self._waiting):
            session.wait_behind(before)
