# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A failed run with everything that the rules look at: what was wanted, and how far it came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.nodes import NodeSpan, failed_leaves, read_nodes
from reactree_ros.lab.failures.walk import Walk
from reactree_ros.lab.failures.words import Vocabulary
from reactree_ros.sim.household.goal import Condition, Kind
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.task import Task
from reactree_ros.skills.library import SkillLibrary

_SAID_DONE = 'the agent said done'


@dataclass(frozen=True)
class Failure:
    """Why a run failed.

    Args:
        kind: a key of ``failures.KINDS``.
        detail: one sentence that names things and, by their numbers, events.
        event: index of the event at which the run took its wrong turn.
        missed: for each condition that is not met, what the robot did not find out or do.
    """

    kind: str
    detail: str
    event: int
    missed: tuple[str, ...] = ()


class Stage(IntEnum):
    """How far a run came with a condition that is not met in the end."""

    UNSEEN = 0
    """No object that could have met it was seen."""
    SEEN = 1
    """One was seen, and nothing was done with it."""
    LEFT = 2
    """One was picked up and put where it should not be."""
    HELD = 3
    """One is still in the robot's hand."""
    SHORT = 4
    """One is in the right place, but not in the right state or without its load."""
    UNDONE = 5
    """It was met, and is no longer."""


@dataclass(frozen=True)
class Want:
    """A condition that is not met in the end.

    Args:
        condition: which.
        number: its place in the goal.
        stage: how far the run came.
        names: the objects that came so far, the first seen first.
        sought: class of what was never seen and was needed next; empty if nothing.
    """

    condition: Condition
    number: int
    stage: Stage
    names: tuple[str, ...]
    sought: str = ''


class Case:
    """A failed run.

    Args:
        trace: what happened.
        task: what was asked.
        library: the robot's skills.

    Raises:
        ConfigurationError: the trace is of another version of its world.
    """

    def __init__(self, trace: Trace, task: Task, library: SkillLibrary) -> None:
        self.trace = trace
        self.task = task
        self.walk = Walk(trace, task)
        self.root = read_nodes(trace.events)
        self.words = Vocabulary(self.walk.world.scene, library)
        conditions = [*enumerate(self.walk.conditions)]
        self.wants = tuple(
            _want(self.walk, condition, number)
            for number, condition in conditions
            if condition.met(self.walk.world.state) < condition.count
        )
        """The conditions that are not met."""
        self.focus = self._focus() or self.wants
        """Those that the run failed at. A run that ended itself with failure failed at what its
        failed nodes were to do; what would have come after them was never tried."""
        goal = frozenset(name for _, c in conditions for name in classes_of(c))
        self.asked = goal | self.words.named(trace.instruction) | self.words.tools
        """Classes that the goal or the instruction names, and tools."""

    @property
    def last(self) -> int:
        """Index of the event that ended the root node, or of the last one."""
        return self.root.end if self.root.end is not None else len(self.trace.events) - 1

    @property
    def gave_up(self) -> bool:
        """Whether the planner itself reports a failure."""
        return self.trace.ending.status != 'succeeded'

    def said_done(self) -> list[tuple[NodeSpan, int]]:
        """Return the nodes that ended because the model said done, each with that event."""
        return [
            (span, span.end)
            for span in self.root.below()
            if span.success
            and span.end is not None
            and self.trace.events[span.end].text.startswith(_SAID_DONE)
        ]

    def _focus(self) -> tuple[Want, ...]:
        if not self.gave_up:
            return self.wants
        found: set[int] = set()
        for leaf in failed_leaves(self.root):
            for goal in reversed(leaf.path):
                named = self.words.named(goal)
                about = {w.number for w in self.wants if w.condition.subject in named}
                if about:
                    found |= about
                    break
        return tuple(want for want in self.wants if want.number in found)


def classes_of(condition: Condition) -> tuple[str, ...]:
    """Return the classes that a condition is about."""
    load = condition.kind.load
    names = (condition.subject, condition.target, load.words if load else '')
    return tuple(name for name in names if name)


def _want(walk: Walk, condition: Condition, number: int) -> Want:
    graph, scene = walk.world.state, walk.world.scene
    missing = [n for n in scene.of_words(condition.subject) if not condition.holds(graph, n)]
    if max(step.met[number] for step in walk.steps) > condition.met(graph):
        return Want(condition, number, Stage.UNDONE, tuple(n.name for n in missing))
    stages = {node.name: _stage(walk, condition, node) for node in missing}
    # Of five apples in view, those that were not picked up are not news if one was.
    stage = max(stages.values(), default=Stage.UNSEEN)
    names = [name for name, reached in stages.items() if reached is stage]
    names.sort(key=lambda name: walk.seen.get(name, -1))
    return Want(condition, number, stage, tuple(names), _sought(walk, condition, stage))


def _stage(walk: Walk, condition: Condition, node: Node) -> Stage:
    graph = walk.world.state
    bare = replace(condition, kind=Kind(condition.subject))
    if bare.holds(graph, node) or (condition.predicate == 'lit' and node.id in graph.held()):
        return Stage.SHORT
    if node.id in graph.held():
        return Stage.HELD
    if node.name in walk.taken and (condition.target or condition.predicate in ('holds', 'lit')):
        return Stage.LEFT
    return Stage.SEEN if node.name in walk.seen else Stage.UNSEEN


def _sought(walk: Walk, condition: Condition, stage: Stage) -> str:
    """Return what was needed next and was never seen: the thing, what goes with it, the place."""
    if stage is Stage.UNSEEN:
        return condition.subject
    seen = {node.words for name in walk.seen if (node := walk.node(name))}
    needed = list(classes_of(condition)[1:])
    if 'sliced' in (*condition.kind.states, condition.predicate):
        nodes = walk.world.scene.nodes.values()
        cutters = [node.words for node in nodes if 'cutter' in node.affordances]
        needed += [] if seen & set(cutters) else cutters[:1]
    return next((name for name in needed if name not in seen), '')
