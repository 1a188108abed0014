# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which experiences can serve as examples, and those that serve every goal."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from reactree_ros.core.decision import (
    ACT_LINE,
    DONE,
    EXPLAINED,
    FAILURE,
    RECALL,
    ControlFlow,
    ending_of,
)
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.prompt import GOAL_LINE
from reactree_ros.memory.experience import Experience
from reactree_ros.memory.goal_key import shown_control_flows
from reactree_ros.memory.selection import without


def fitting(
    experiences: Sequence[Experience],
    control_flows: Collection[ControlFlow],
    left_out: tuple[str, ...] = (),
) -> tuple[Experience, ...]:
    """Return experiences that show only what is on offer; an example of anything else misleads.

    Args:
        experiences: any.
        control_flows: those on offer; experiences that have another are left out.
        left_out: what other decision lines begin with that are not on offer; they are cut out,
            and with them what follows from them.
    """
    kept = [one for one in experiences if shown_control_flows(one.text) <= {*control_flows}]
    return tuple(replace(one, text=without(one.text, left_out)) for one in kept)


def unexplained(text: str) -> str:
    r"""Return an experience whose nodes give up without a reason.

    >>> unexplained('Act: go to bed 1\nAct: failure: no apple there\n')
    'Act: go to bed 1\nAct: failure\n'
    """
    gives_up = f'{ACT_LINE}{FAILURE}'
    return re.sub(rf'^{gives_up}{EXPLAINED}.*$', gives_up, text, flags=re.MULTILINE)


def as_plan(experience: Experience) -> Experience:
    """Return an experience as a plan that was made before anything was done: goal and skills."""
    lines = experience.text.splitlines()
    goal = [line for line in lines if line.startswith(GOAL_LINE)]
    acts = [line.removeprefix(ACT_LINE) for line in lines if line.startswith(ACT_LINE)]
    skills = [act for act in acts if not act.startswith(RECALL)]
    plan = [DONE if ending_of(f'{ACT_LINE}{skill}') else skill for skill in skills]
    return replace(experience, text='\n'.join([*goal, *plan]))


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

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        """Return the nodes of the run, the last first, whatever is asked."""
        return ready(self._texts)


class EveryExample:
    """The same examples for every goal: all of them, whatever their length.

    Args:
        experiences: in the order in which they are read.
    """

    def __init__(self, experiences: Sequence[Experience]) -> None:
        # Prompts lay examples out in reverse.
        self._texts = tuple(one.text for one in reversed(experiences))

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        """Return the examples, the last first, whatever is asked."""
        return ready(self._texts)
