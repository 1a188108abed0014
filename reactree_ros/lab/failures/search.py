# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures of search: what was wanted was never seen (paper, section 5.6)."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.guidance.checks import verbs_of
from reactree_ros.lab.failures.case import Case, Failure, Want
from reactree_ros.lab.failures.nodes import failed_leaves
from reactree_ros.lab.failures.walk import Step, Walk
from reactree_ros.sim.household.scene import Node

LOOKED = 3
"""Places of one room that make a search of that room."""
AGAIN = 3
"""Walks back to places that were looked into, that make a search one of revisits."""


def unfinished_search(case: Case) -> Failure | None:
    """What was wanted was never seen, and the planner gave up or its limits ended it."""
    return searched(case) if case.gave_up else None


def searched(case: Case) -> Failure | None:
    """What was wanted was never seen."""
    want = next((want for want in case.focus if want.sought), None)
    if want is None:
        return None
    return _same_room(case, want) or _revisits(case, want) or _incomplete(case, want)


def _same_room(case: Case, want: Want) -> Failure | None:
    walk = case.walk
    looked = {name: event for name, event in walk.looked_into.items() if event >= 0}
    rooms = {walk.where(name).rpartition('in ')[2] for name in looked}
    targets = {_room(walk, node) for node in _sought(walk, want)}
    # The room that the robot starts in, and leaves at once, is not searched.
    entered = {step.seen.room for step in walk.steps} | {_start(walk)}
    if (
        len(rooms) != 1
        or len(looked) < LOOKED
        or targets & rooms
        or len(entered - {_start(walk)} - rooms)
    ):
        return None
    (room,) = rooms
    detail = f'All {len(looked)} places that were looked into are in {room}; {_hidden(walk, want)}.'
    return Failure('same_room', detail, max(looked.values()), tuple(sorted(looked.values())))


def _revisits(case: Case, want: Want) -> Failure | None:
    walk = case.walk
    wanted = {condition.subject for condition in walk.conditions}
    back: list[Step] = []
    for step in walk.steps:
        if step.skill != 'go_to' or step.refused:
            continue
        carries = any(name.rpartition(' ')[0] in wanted for name in step.held)
        known = walk.looked_into.get(step.arguments[0], step.event)
        if known < step.event and not carries:
            back.append(step)
    fresh = [event for event in walk.looked_into.values() if event >= 0]
    if len(back) < AGAIN or len(back) < len(fresh):
        return None
    detail = (
        f'{len(back)} walks led to places that had been looked into, {len(fresh)} to new ones; '
        f'{_hidden(walk, want)}.'
    )
    return Failure('revisit', detail, back[0].event, tuple(step.event for step in back))


def _incomplete(case: Case, want: Want) -> Failure:
    turn = _given_up(case, want)
    detail = f'The search ended before {want.sought} was seen: {_hidden(case.walk, want)}.'
    return Failure('incomplete', detail, turn, (turn,))


def _given_up(case: Case, want: Want) -> int:
    """Where the search of what was sought ended."""
    events = case.trace.events
    for span in case.said_done():
        about = want.sought in case.words.named(span.goal)
        if about and span.end is not None and verbs_of(span.goal) & {'find', 'hold'}:
            return span.end
    ends = [
        leaf.end
        for leaf in failed_leaves(case.root)
        if leaf.end is not None and want.sought in case.words.named(leaf.goal)
    ]
    return max(ends, default=min(case.last, len(events) - 1))


def _hidden(walk: Walk, want: Want) -> str:
    """Say where the nearest of what was sought was, and which step towards it was not taken."""
    nodes = _sought(walk, want)
    return where_it_was(walk, min(nodes, key=lambda n: _room(walk, n) not in walk.entered))


def where_it_was(walk: Walk, node: Node) -> str:
    """Say where something that was never seen was, and what kept it from being seen."""
    place = f'{node.name} was {walk.where(node.name, at_start=True)}'
    room = _room(walk, node)
    if room not in walk.entered:
        return f'{place}, and {room} was never entered'
    graph = walk.start.state
    around = [graph.scene.nodes[edge.to_id] for edge in graph.supports(node.id)]
    for support in reversed(around):
        if support.name in walk.looked_into:
            continue
        if 'furniture' not in support.affordances:
            return f'{place}, and {support.name} was never opened'
        there = any(step.seen.place == support.name for step in walk.steps)
        return f'{place}, and {support.name} was never {"opened" if there else "gone to"}'
    return place


def _sought(walk: Walk, want: Want) -> Sequence[Node]:
    return walk.world.scene.of_words(want.sought)


def _room(walk: Walk, node: Node) -> str:
    room = walk.start.state.room_of(node.id)
    return '' if room is None else walk.start.scene.nodes[room].name


def _start(walk: Walk) -> str:
    return next(iter(walk.entered))
