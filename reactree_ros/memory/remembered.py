# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot did when it reached a goal before, for the time when no model answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from reactree_ros.core.decision import (
    ACT_LINE,
    RECALL,
    Choices,
    ControlFlow,
    Expand,
    ending_of,
    parse_decision,
)
from reactree_ros.core.futures import Future, otherwise, ready, submit
from reactree_ros.core.plain_text import one_line
from reactree_ros.errors import DecisionError, StoreError
from reactree_ros.memory.experience import Termination, Verification
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Choice, Record

_DEEPEST = 20
_EXPAND = 'Expand: '
_ANY = Choices(max_subgoals=0, max_subgoal_chars=0)


class RememberedActs:
    """Looks for the acts of a verified run with the same goal.

    Args:
        store: what was learned.
        skills: name of the robot's skill library; runs with others do not count.
    """

    def __init__(self, store: SqliteStore, skills: str) -> None:
        self._store = store
        self._skills = skills
        self._worker = ThreadPoolExecutor(1, 'remembered acts')

    def acts(self, goal: str) -> Future[tuple[str, ...]]:
        """Ask for the phrases of the acts, in order; none if no such run is known."""
        found = submit(self._worker, self._find, goal)
        return otherwise(found, StoreError, lambda error: ready(()))

    def close(self) -> None:
        """End the thread that looks."""
        self._worker.shutdown()

    def _find(self, goal: str) -> tuple[str, ...]:
        for record in self._known(goal):
            acts = self._acts_of(record, 1)
            if acts:
                return acts
        return ()

    def _known(self, goal: str, run: str = '') -> list[Record]:
        """Return what is known of a goal: of one run first, then the latest first."""
        verified = (Verification.WORLD, Verification.PERSON)
        found = self._store.records(Choice(goal=_key(goal), skills=self._skills, verified=verified))
        same = [record for record in found if _key(record.experience.goal) == _key(goal)]
        # of equal experiences of two runs the store keeps one, as the later run's
        return sorted(same, key=lambda one: (one.origin.run != run, -one.origin.time))

    def _acts_of(self, record: Record, depth: int) -> tuple[str, ...]:
        """Return the acts of an agent node and all below it; none if something is missing."""
        experience = record.experience
        if experience.termination is Termination.FAILURE or depth > _DEEPEST:
            return ()
        acts: list[str] = []
        for line in experience.text.splitlines():
            if line.startswith(ACT_LINE) and not ending_of(line):
                acts.append(line[len(ACT_LINE) :])
            elif line.startswith(_EXPAND):
                below = self._below(line, record.origin.run, depth)
                if not below:
                    return ()
                acts += below
        return tuple(act for act in acts if not act.startswith(RECALL))

    def _below(self, line: str, run: str, depth: int) -> tuple[str, ...]:
        try:
            expand = parse_decision(line, _ANY)
        except DecisionError:
            return ()
        assert isinstance(expand, Expand)
        acts: list[str] = []
        for subgoal in expand.subgoals:
            known = [record for record in self._known(subgoal, run) if not record.experience.root]
            found = self._acts_of(known[0], depth + 1) if known else ()
            if expand.control_flow is ControlFlow.FALLBACK and found:
                return found
            if expand.control_flow is not ControlFlow.FALLBACK and not found:
                return ()
            acts += found
        return tuple(acts)


def _key(goal: str) -> str:
    return one_line(goal, len(goal)).casefold().rstrip('.!')
