# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A failed run with all that its rules look at: what was wanted, and how far the run came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from reactree_ros.core.outcome import Reason
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.nodes import NodeSpan, failed_leaves
from reactree_ros.lab.failures.walk import Walk
from reactree_ros.lab.failures.words import Vocabulary
from reactree_ros.sim.household.goal import Condition
from reactree_ros.sim.household.goal_kind import Kind
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.task import Task

SAID_DONE = 'the agent said done'


@dataclass(frozen=True)
class Failure:
    """Why a run failed.

    Args:
        kind: one of ``failures.KINDS``.
        detail: one sentence that names things and events by their numbers.
        event: index of the event at which the run took its wrong turn.
        cites: indices of the events that show it, that one among them.
        missed: for each condition that does not hold, what the robot did not find out or do.
    """

    kind: str
    detail: str
    event: int
    cites: tuple[int, ...] = ()
    missed: tuple[str, ...] = ()


class Stage(IntEnum):
    """How far a run came with a condition that does not hold in the end."""

    UNSEEN = 0
    """No object that could have met it was seen."""
    SEEN = 1
    """One was seen, and nothing was done with it."""
    LEFT = 2
    """One was picked up and put where it should not be."""
    HELD = 3
    """One is still in the robot's hand."""
    SHORT = 4
    """One is where it should be, and not in the state, or without the load, that it should be."""
    UNDONE = 5
    """It was met, and is no longer."""


@dataclass(frozen=True)
class Want:
    """A condition that does not hold in the end.

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


@dataclass(frozen=True)
class Case:
    """A failed run.

    Args:
        trace: what happened.
        task: what was asked.
        walk: what the world knows about it.
        root: the agent nodes.
        words: the words of its household.
        wants: the conditions that do not hold.
        focus: those of them that the run failed at. A run that ended itself with failure failed
            at what its failed nodes were to do; what would have come after them was never tried.
    """

    trace: Trace
    task: Task
    walk: Walk
    root: NodeSpan
    words: Vocabulary
    wants: tuple[Want, ...]
    focus: tuple[Want, ...]

    @property
    def asked(self) -> frozenset[str]:
        """Classes that the goal or the instruction names, and tools."""
        goal = frozenset(name for c in self.walk.conditions for name in classes_of(c))
        return goal | self.words.named(self.trace.instruction) | self.words.tools

    @property
    def last(self) -> int:
        """Index of the event that ended the root node, or of the last one."""
        return self.root.end if self.root.end is not None else len(self.trace.events) - 1

    @property
    def gave_up(self) -> bool:
        """Whether the planner itself says that it failed."""
        return self.trace.ending.status != 'succeeded'

    def said_done(self) -> list[NodeSpan]:
        """Return the nodes that ended because the model said done."""
        return [
            span
            for span in self.root.below()
            if span.success
            and span.end is not None
            and self.trace.events[span.end].text.startswith(SAID_DONE)
        ]


def make_case(trace: Trace, task: Task, walk: Walk, root: NodeSpan, words: Vocabulary) -> Case:
    """Put together what the rules look at."""
    met = [condition.met(walk.world.state) for condition in walk.conditions]
    wants = tuple(
        _want(walk, condition, number)
        for number, condition in enumerate(walk.conditions)
        if met[number] < condition.count
    )
    focus = _focus(trace, root, words, wants)
    return Case(trace, task, walk, root, words, wants, focus or wants)


def classes_of(condition: Condition) -> tuple[str, ...]:
    """Return the classes that a condition is about."""
    load = condition.kind.load
    names = (condition.subject, condition.target, load.words if load else '')
    return tuple(name for name in names if name)


def _focus(
    trace: Trace, root: NodeSpan, words: Vocabulary, wants: tuple[Want, ...]
) -> tuple[Want, ...]:
    if trace.ending.status == 'succeeded':
        return wants
    found: set[int] = set()
    for leaf in failed_leaves(root):
        for goal in reversed(leaf.path):
            named = words.named(goal)
            about = {w.number for w in wants if w.condition.subject in named}
            if about:
                found |= about
                break
    return tuple(want for want in wants if want.number in found)


def _want(walk: Walk, condition: Condition, number: int) -> Want:
    graph, scene = walk.world.state, walk.world.scene
    missing = [n for n in scene.of_words(condition.subject) if not condition.holds(graph, n)]
    most = max([walk.met_at_start[number], *(step.met[number] for step in walk.steps)])
    if most > condition.met(graph):
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
    """What was needed next and was never seen: the thing, what goes with it, the place."""
    scene = walk.world.scene
    seen = {node.words for name in walk.seen if (node := walk.node(name))}
    if stage is Stage.UNSEEN:
        return condition.subject
    needed = list(classes_of(condition)[1:])
    if 'sliced' in (*condition.kind.states, condition.predicate):
        cutters = [n.words for n in scene.nodes.values() if 'cutter' in n.affordances]
        needed += [] if seen & set(cutters) else cutters[:1]
    return next((name for name in needed if name not in seen), '')


CUT_OFF = frozenset({Reason.MODEL, Reason.ROBOT, Reason.CANCELED})
"""Endings that say nothing about the plan."""
LIMITS = frozenset({Reason.MAX_DECISIONS, Reason.MAX_DEPTH, Reason.MAX_SECONDS})
