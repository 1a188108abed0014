# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals that wait for their turn: the higher priority first, then who came first."""

from __future__ import annotations

import itertools

from reactree_ros.ros.goals.session import GoalSession, Order


class GoalQueue:
    """Goals that were accepted and have not begun; their clients hear how many are before them."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, GoalSession, Order]] = []
        self._arrivals = itertools.count()

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def add(self, session: GoalSession, order: Order) -> None:
        """Let a goal wait, behind those of its priority and above."""
        self._waiting.append((-order.priority, next(self._arrivals), session, order))
        self._waiting.sort(key=lambda entry: entry[:2])
        self._tell()

    def take(self) -> tuple[GoalSession, Order]:
        """Return the goal whose turn it is."""
        _, _, session, order = self._waiting.pop(0)
        self._tell()
        return session, order

    def look(self) -> list[GoalSession]:
        """Let go of those whose clients have canceled them.

        Returns:
            Those, with their results set.
        """
        left = [entry for entry in self._waiting if entry[2].cancel_requested]
        if left:
            self._waiting = [entry for entry in self._waiting if entry not in left]
            self._tell()
        return [self._stopped(entry[2], 'the goal was canceled') for entry in left]

    def stop_all(self, why: str) -> list[GoalSession]:
        """Let go of all; ``why`` goes into their messages.

        Returns:
            Those, with their results set.
        """
        waiting, self._waiting = self._waiting, []
        return [self._stopped(entry[2], why) for entry in waiting]

    @staticmethod
    def _stopped(session: GoalSession, why: str) -> GoalSession:
        session.stop(why)
        return session

    def _tell(self) -> None:
        for before, (_, _, session, _) in enumerate(self._waiting):
            session.wait_behind(before)
