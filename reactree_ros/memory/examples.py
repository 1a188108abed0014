# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which experiences can serve as examples, and one that serves every goal."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace

from reactree_ros.core.decision import RECALL, ControlFlow
from reactree_ros.memory.experience import Experience
from reactree_ros.models.interface import Ready

_RECALLED = f'Act: {RECALL}'


def fitting(
    experiences: Sequence[Experience], control_flows: Collection[ControlFlow], *, recall: bool
) -> tuple[Experience, ...]:
    """Return experiences that show only what is on offer; an example of anything else misleads.

    Args:
        experiences: any.
        control_flows: those on offer; experiences that have another are left out.
        recall: whether working memory may be asked; if not, questions to it are cut out, and
            with them their answers.
    """
    missing = [flow.value for flow in ControlFlow if flow not in control_flows]
    marks = tuple(
        mark for flow in missing for mark in (f'\nExpand: {flow} ', f'\nSubgoals ({flow},')
    )
    kept = [one for one in experiences if not any(mark in f'\n{one.text}' for mark in marks)]
    return tuple(kept if recall else (_without_recall(one) for one in kept))


def _without_recall(experience: Experience) -> Experience:
    lines = experience.text.splitlines()
    asked = {number for number, line in enumerate(lines) if line.startswith(_RECALLED)}
    answers = {number + 1 for number in asked}
    left = [line for number, line in enumerate(lines) if number not in asked | answers]
    return replace(experience, text='\n'.join(left) + '\n')


class FixedExample:
    """The same example for every goal: one whole run, all of its nodes (paper, section 5.3).

    Args:
        experiences: in the order in which they were recorded; a run begins with the experience
            of its root.
        seed: which run.
    """

    def __init__(self, experiences: Sequence[Experience], seed: int) -> None:
        runs: list[list[str]] = []
        for one in experiences:
            if one.root or not runs:
                runs.append([])
            runs[-1].append(one.text)
        # Prompts lay examples out in reverse, and a run is read from its root on.
        self._texts = tuple(reversed(random.Random(seed).choice(runs))) if runs else ()

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Ready[tuple[str, ...]]:
        """Return the nodes of the run, the last first, whatever the goal and the budget."""
        return Ready(self._texts)
