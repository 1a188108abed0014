# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the agent nodes of a run went through, as experiences (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reactree_ros.behaviours.node import REJECTION, DecidingNode
from reactree_ros.core.decision import ACT_LINE
from reactree_ros.core.outcome import Reason
from reactree_ros.core.prompt import Step
from reactree_ros.memory.experience import Experience, Termination
from reactree_ros.planner.run import GoalRun
from reactree_ros.strategies.hiagent import RETRIEVE

_TERMINATIONS = {
    Reason.DONE: Termination.SUCCESS,
    Reason.GAVE_UP: Termination.FAILURE,
    Reason.EXPANSION: Termination.EXPAND,
}


def experiences_of(run: GoalRun) -> tuple[Experience, ...]:
    """Return the experiences of a run that has ended, the root's first.

    A node that a limit ended, that repeated itself or that was interrupted has not decided how it
    ends: it is left out, for its text would teach going on and on. Lines that say why a decision
    was rejected are left out as well, as the rejected decisions themselves are; so are steps that
    were asked for again, which stand there anyway. Of several robots, those are left out that have
    other skills than the robot of the root.
    """
    alike = [node for node in run.agents() if node.library.name == run.root.library.name]
    return tuple(one for node in alike if (one := _experience(node)) is not None)


def _experience(node: DecidingNode) -> Experience | None:
    termination = _TERMINATIONS.get(node.outcome.reason) if node.outcome else None
    if termination is None:
        return None
    kept = [*_kept(node.trajectory.steps)]
    return Experience(
        goal=node.goal,
        text=replace(node.trajectory, steps=kept).text(),
        termination=termination,
        root=node.depth == 1,
    )


def _kept(steps: Sequence[Step]) -> Iterator[Step]:
    retrieved = False
    for step in steps:
        before = retrieved
        retrieved = step.decided and step.text.removeprefix(ACT_LINE).startswith(RETRIEVE)
        left_out = not step.decided and (before or step.text.startswith(REJECTION))
        if not (retrieved or left_out):
            yield step
