# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What goals are compared by, and what else a store finds experiences by."""

from __future__ import annotations

import re

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience
from reactree_ros.memory.store import NewExperience

_NUMBER = re.compile(r' \d+\b')
_ACTS = ('Act: ', 'Expand: ')


def goal_key(goal: str) -> str:
    """Return the text that a goal is compared by.

    >>> goal_key('Find the  apple!')
    'find the apple'
    """
    return ' '.join(goal.casefold().split()).strip(' .,!?')


def outline(text: str) -> str:
    """Return what a trajectory does, without thoughts and the numbers of things.

    Experiences of equal key and outline show a model the same thing done. A text without
    decisions, such as a written plan, is taken line by line.
    """
    lines = text.splitlines()
    acts = [line for line in lines if line.startswith(_ACTS)] or lines
    return _NUMBER.sub('', '\n'.join(acts).casefold())


def describe(experience: Experience, vector: Vectors) -> NewExperience:
    """Return an experience as a store takes it.

    Args:
        experience: what a node went through.
        vector: embedding of the key of its goal, (dimension,), of length 1.
    """
    return NewExperience(
        experience,
        goal_key(experience.goal),
        vector,
        outline=outline(experience.text),
        control_flows=shown_control_flows(experience.text),
    )


def shown_control_flows(text: str) -> frozenset[ControlFlow]:
    """Return the control flows that a trajectory shows, the one above it included."""
    marked = f'\n{text}'
    return frozenset(
        flow
        for flow in ControlFlow
        if f'\nExpand: {flow.value} ' in marked or f'\nSubgoals ({flow.value},' in marked
    )
