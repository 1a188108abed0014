# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's way through a task with a single agent node, as ReAct has it."""

from __future__ import annotations

from reactree_ros.core.decision import Decision
from reactree_ros.lab.teacher.deciding import is_over, next_step
from reactree_ros.lab.teacher.jobs import Job, Parts, Put, Seek, leaves
from reactree_ros.lab.teacher.view import View


class FlatPlan:
    """One job after the other; of things still to be fetched, what is known comes first.

    Args:
        job: of the root.
    """

    def __init__(self, job: Job) -> None:
        self._thought = job.thought if isinstance(job, Parts) else ''
        self._groups = [list(group) for group in leaves(job)]

    def next_step(self, view: View) -> Decision | None:
        """Return the next step; None if a job cannot be continued."""
        thought = view.think(self._thought)
        if thought is not None:
            return thought
        while self._groups:
            self._order(view)
            job = self._groups[0][0]
            if not is_over(job, view):
                return next_step(job, view)
            self._groups[0].pop(0)
            if not self._groups[0]:
                self._groups.pop(0)
        return view.done()

    def _order(self, view: View) -> None:
        """Let a thing come first that is in reach, or was seen, before one that must be sought."""
        if not self._may_wait(self._groups[0]):
            return
        places = [i for i, group in enumerate(self._groups) if self._may_wait(group)]
        best = min(places, key=lambda i: (self._distance(self._groups[i][0], view), i))
        self._groups.insert(0, self._groups.pop(best))

    @staticmethod
    def _may_wait(group: list[Job]) -> bool:
        """Whether nothing of a group was begun, and it is no more than to fetch something."""
        return len(group) == 2 and isinstance(group[0], Seek) and isinstance(group[1], Put)

    @staticmethod
    def _distance(job: Job, view: View) -> int:
        assert isinstance(job, Seek)
        if view.held(job.thing) is not None:
            return 0
        found = view.candidates(job.thing)
        return 3 if not found else 1 if found[0].near else 2
