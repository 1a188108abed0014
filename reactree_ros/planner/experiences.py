# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the agent nodes of a run went through, as experiences (paper, section 4.2)."""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.behaviours.node import REJECTION, DecidingNode
from reactree_ros.core.outcome import Reason
from reactree_ros.memory.experience import Experience, Termination
from reactree_ros.planner.run import GoalRun

_TERMINATIONS = {
    Reason.DONE: Termination.SUCCESS,
    Reason.GAVE_UP: Termination.FAILURE,
    Reason.EXPANSION: Termination.EXPAND,
}


def experiences_of(run: GoalRun) -> tuple[Experience, ...]:
    """Return the experiences of a run that has ended, the root's first.

    A node that a limit ended, that repeated itself or that was interrupted has not decided how it
    ends: it is left out, for its text would teach going on and on. Lines that say why a decision
    was rejected are left out as well, as the rejected decisions themselves are.
    """
    return tuple(one for node in run.agents() if (one := _experience(node)) is not None)


def _experience(node: DecidingNode) -> Experience | None:
    termination = _TERMINATIONS.get(node.outcome.reason) if node.outcome else None
    if termination is None:
        return None
    steps = node.trajectory.steps
    kept = [step for step in steps if step.decided or not step.text.startswith(REJECTION)]
    return Experience(
        goal=node.goal,
        text=replace(node.trajectory, steps=kept).text(),
        termination=termination,
        root=node.depth == 1,
    )
