# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tries at a goal with skills alone, and the root of a tree that is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import Note


@dataclass(frozen=True)
class AttemptOptions:
    """Options of attempts."""

    attempt_decisions: int = option(
        20,
        'Most decisions of one attempt (ADaPT, Appendix A).',
        minimum=1,
        maximum=1000,
        kept_on_resume=True,
    )


class Handover(Protocol):
    """What one attempt leaves to the next."""

    def before(self) -> Note | None:
        """Return the note for an attempt that starts."""

    def after(self, attempt: Attempt) -> None:
        """Take note of an attempt that has ended; its ``outcome`` says how."""


class Attempt(AgentNode):
    """An agent node that cannot expand and has a number of decisions for itself.

    Args:
        goal: what it tries to reach.
        state: what all nodes of the run share.
        path: goals from the root to what it was begun for.
        handover: what attempts leave to each other; None for nothing.
    """

    uses_safe_state = False

    def __init__(
        self,
        goal: str,
        state: RunState,
        path: tuple[str, ...] = (),
        handover: Handover | None = None,
    ) -> None:
        super().__init__(goal, state.without_expansion(), path)
        self.name = f'try: {goal}'
        self._handover = handover

    def _start(self) -> None:
        if self._handover is not None:
            self.trajectory.message = self._handover.before()
        super()._start()

    def ask_model(self) -> None:
        """Ask for the next decision while the attempt has decisions left."""
        most = self._state.options(AttemptOptions).attempt_decisions
        if self.tracker.costs.decisions < most:
            super().ask_model()
        else:
            self._end(Outcome(False, Reason.MAX_DECISIONS, f'not reached with {most} decisions'))

    def _end(self, outcome: Outcome) -> None:
        super()._end(outcome)
        if self._handover is not None:
            self._handover.after(self)


class GrownNode(DecidingNode):
    """Decides nothing itself: what was grown for its goal does, and it ends as that ends.

    =======  ===================================================================
    RUNNING  what was grown is running
    SUCCESS  it succeeded
    FAILURE  it failed, or a limit of the run is reached; ``outcome`` says which
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: the goal of the run.
        state: what the run has.
        grow: makes what works on the goal; called once, when the node begins.
    """

    def __init__(self, goal: str, state: RunState, grow: Callable[[], Behaviour]) -> None:
        super().__init__(goal, state)
        self._make = grow

    def _request(self) -> None:
        """Ask for nothing: every node below perceives for itself."""
        self._grow(self._make())

    def _poll(self) -> None:
        """Do nothing: none is awaited."""
