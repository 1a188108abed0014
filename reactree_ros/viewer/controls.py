# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the page can do besides showing runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ControlState:
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


class ViewerControls:
    """Carries out what a person does on the page: nothing, as for recorded runs.

    A subclass does it on a planner; only its ``watched`` may wait.
    """

    def state(self) -> ControlState:
        """Return what is to be shown."""
        return ControlState('recorded')

    def watched(self, pages: int) -> None:
        """Take note of how many pages are open."""

    def send(self, goal: str, strategy: str) -> None:
        """Send a goal."""

    def cancel(self, run: str) -> None:
        """Cancel the goal of a run."""

    def answer(self, question: str, text: str) -> None:
        """Answer a question, by its id; an empty text declines it."""

    def correct(self, run: str, conditions: tuple[str, ...]) -> None:
        """Correct what must hold for the goal of a run to be reached."""

    def believe(self, run: str, name: str, relation: str, place: str) -> None:
        """Correct where the robot of a run believes a thing to be.

        Args:
            run: its name.
            name: of the thing.
            relation: one of ``memory.belief.RELATIONS``.
            place: the receptacle or the room.
        """

    def decide(self, run: str, decision: int, others: bool, again: bool) -> None:
        """Continue a run from one of its decisions, which a person takes.

        Args:
            run: its name.
            decision: its number, from 1, as ``reactree teach --at`` has it.
            others: the person takes those after it, too.
            again: the skills before it are carried out again, in a world as at the start.
        """

    def confirm(self, run: str, reached: bool) -> None:
        """Say of a run that has succeeded whether its goal was reached."""

    def pause(self, word: str) -> None:
        """Pause, resume or do one step: ``pause``, ``resume``, ``step``."""
