# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the page can do besides looking: the seam between the server and whoever carries it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class DeskState:
    """What the page shows of the planner.

    Args:
        planner: ``ready``, ``absent``, or ``recorded`` if there is none to talk to.
        strategies: those that a goal can be sent with.
        question: what the planner asks, the newest if there are several; empty for nothing.
        question_id: of that question.
        options: the answers to choose from; none for any text.
        pause_state: ``running``, ``pausing`` or ``paused``; empty if the planner does not say.
        notice: the latest message for the user; empty for none.
        notices: how many there were, so that the same one can be shown twice.
    """

    planner: str
    strategies: tuple[str, ...] = ()
    question: str = ''
    question_id: str = ''
    options: tuple[str, ...] = ()
    pause_state: str = ''
    notice: str = ''
    notices: int = 0


class Desk(Protocol):
    """Carries out what a person does on the page; only ``watched`` waits."""

    def state(self) -> DeskState:
        """Return what is to be shown."""

    def watched(self, pages: int) -> None:
        """Hear how many pages are open."""

    def send(self, goal: str, strategy: str) -> None:
        """Send a goal."""

    def cancel(self, run: str) -> None:
        """Cancel the goal of a run."""

    def answer(self, question: str, text: str) -> None:
        """Answer a question, by its id; an empty text declines it."""

    def pause(self, word: str) -> None:
        """Pause, resume or do one step: ``pause``, ``resume``, ``step``."""


@dataclass
class NoDesk:
    """For recorded runs: there is nobody to send anything to."""

    _state: DeskState = field(default_factory=lambda: DeskState('recorded'))

    def state(self) -> DeskState:
        """Return that there is no planner."""
        return self._state

    def watched(self, pages: int) -> None:
        """Do nothing."""

    def _nobody(self, *_: Any) -> None:
        """Do nothing: the page offers none of this for recorded runs."""

    send = cancel = answer = pause = _nobody
