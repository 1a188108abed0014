# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The queue of goals: the highest priority first, then the oldest."""

from __future__ import annotations

import itertools

from reactree_ros.ros.goals.session import AcceptedGoal, GoalSession


class GoalQueue:
    """Accepted goals that have not started; feedback says how many are ahead of each."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, GoalSession, AcceptedGoal]] = []
        self._arrivals = itertools.count()

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def add(self, session: GoalSession, accepted: AcceptedGoal) -> None:
        """Add a goal behind those of its priority and above."""
        self._waiting.append((-accepted.priority, next(self._arrivals), session, accepted))
        self._waiting.sort(key=lambda entry: entry[:2])
        self._publish_positions()

    def take(self) -> tuple[GoalSession, AcceptedGoal]:
        """Remove and return the next goal."""
        _, _, session, accepted = self._waiting.pop(0)
        self._publish_positions()
        return session, accepted

    def remove_canceled(self) -> list[GoalSession]:
        """Remove and return the goals that their clients have canceled, with their results set."""
        left = [entry for entry in self._waiting if entry[2].cancel_requested]
        if left:
            self._waiting = [entry for entry in self._waiting if entry not in left]
            self._publish_positions()
        return [self._stopped(entry[2], 'the goal was canceled') for entry in left]

    def stop_all(self, why: str) -> list[GoalSession]:
        """Remove and return all goals, with their results set; ``why`` is their message."""
        waiting, self._waiting = self._waiting, []
        return [self._stopped(entry[2], why) for entry in waiting]

    @staticmethod
    def _stopped(session: GoalSession, why: str) -> GoalSession:
        session.stop(why)
        return session

    def _publish_positions(self) -> None:
        for before, (_, _, session, _) in enumerate(self._waiting):
            session.wait_behind(before)
