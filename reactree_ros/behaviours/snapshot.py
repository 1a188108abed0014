# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tree of a run at one moment, as plain data: for topics, recordings and viewers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.ask_leaf import AskLeaf
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import Numbers
from reactree_ros.behaviours.skill_leaf import RecallLeaf, SkillLeaf

KINDS: tuple[tuple[type[Behaviour], str], ...] = (
    (DecidingNode, 'agent'),
    (SkillLeaf, 'skill'),
    (RecallLeaf, 'recall'),
    (AskLeaf, 'question'),
    (py_trees.composites.Sequence, 'sequence'),
    (py_trees.composites.Selector, 'fallback'),
    (py_trees.composites.Parallel, 'parallel'),
)
OTHER = 'other'
_STATUSES = {
    Status.RUNNING: 'running',
    Status.SUCCESS: 'succeeded',
    Status.FAILURE: 'failed',
}
WAITING, INTERRUPTED = 'waiting', 'interrupted'
KIND_WORDS = (*(word for _, word in KINDS), OTHER)
STATUS_WORDS = (WAITING, *_STATUSES.values(), INTERRUPTED)


@dataclass(frozen=True)
class BehaviourState:
    """One behaviour at one moment.

    Args:
        number: its number in the run; the root has 1, and it never changes.
        parent: number of the behaviour that it is below; 0 for the root.
        kind: one of ``KIND_WORDS``.
        name: an agent's goal, a skill's phrase, and so on.
        status: one of ``STATUS_WORDS``.
        feedback: what it is doing, or how it ended.
    """

    number: int
    parent: int
    kind: str
    name: str
    status: str
    feedback: str


def snapshot(root: Behaviour, numbers: Numbers) -> tuple[BehaviourState, ...]:
    """Return the tree below a behaviour, each one before those below it."""
    return tuple(_below(root, 0, numbers))


def _below(behaviour: Behaviour, parent: int, numbers: Numbers) -> Iterator[BehaviourState]:
    number = numbers.of(behaviour.id)
    yield BehaviourState(
        number=number,
        parent=parent,
        kind=next((word for kind, word in KINDS if isinstance(behaviour, kind)), OTHER),
        name=behaviour.name,
        status=_STATUSES.get(behaviour.status) or _idle(behaviour),
        feedback=behaviour.feedback_message,
    )
    for child in behaviour.children:
        yield from _below(child, number, numbers)


def _idle(behaviour: Behaviour) -> str:
    """Say of a behaviour that does not run whether it ever did."""
    began = behaviour.feedback_message.startswith(INTERRUPTED)
    if isinstance(behaviour, DecidingNode):
        began = behaviour.tracker.started
    elif behaviour.children:
        began = any(_idle(child) != WAITING or child.status in _STATUSES
                    for child in behaviour.children)  # fmt: skip
    return INTERRUPTED if began else WAITING
